"""Clusters that are already there: real schedulers and workers on loopback, without any data."""

import os
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from stages.common.errors import UserError
from stages.train.cluster import connect
from tests.conftest import ROOT
from tests.flows.lab import PATIENCE, free_port, until

pytestmark = pytest.mark.slow
DASK = [str(Path(sys.executable).parent / "dask")]


class Cluster:
    """A scheduler and workers in a folder of their own."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        self.address = f"tcp://127.0.0.1:{free_port()}"
        folder.mkdir()

    def start(self, *command, code=ROOT, **env):
        log = self.folder / f"{len(self.processes)}.log"
        process = subprocess.Popen(
            [*DASK, *command], cwd=self.folder, stdout=log.open("w"), stderr=subprocess.STDOUT,
            env=os.environ | {"PYTHONPATH": str(code), **env}, start_new_session=True,
        )  # fmt: skip
        self.processes.append(process)
        return process, log

    def scheduler(self):
        port = self.address.split(":")[-1]
        process, log = self.start("scheduler", "--host", "127.0.0.1", "--port", port,
                                  "--dashboard-address", "127.0.0.1:0")  # fmt: skip
        until(lambda: "Scheduler at" in log.read_text(), "the scheduler listens")
        return process

    def worker(self, *options, nthreads="1", code=ROOT, **env):
        process, log = self.start("worker", self.address, "--nthreads", nthreads,
                                  "--no-dashboard", *options, code=code, **env)  # fmt: skip
        until(lambda: "Registered to" in log.read_text(), "the worker has come")
        return process

    def stop(self, first=0):
        """End all, or all but the first."""
        for process in self.processes[first:]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        del self.processes[first:]


@pytest.fixture(scope="module")
def standing(tmp_path_factory):
    """A scheduler that nobody kills."""
    made = Cluster(tmp_path_factory.mktemp("standing") / "cluster")
    made.scheduler()
    yield made
    made.stop()


@pytest.fixture
def cluster(standing):
    """The same, with the workers of one test."""
    yield standing
    standing.stop(first=1)


@pytest.fixture
def mortal(tmp_path):
    """A cluster of one test."""
    made = Cluster(tmp_path / "cluster")
    made.scheduler()
    yield made
    made.stop()


@pytest.fixture
def broken(code):
    """The tiny project with models that go wrong."""
    shutil.copy(ROOT / "tests" / "broken_models.py", code.path / "rethink" / "models")
    return code


def ask_for(project, *models, seeds=2):
    params = project.params()
    names = {"held": "Held", "place": "Place", "network": "PlaceOfNetwork"}
    params["models"] |= {name: {"estimator": estimator} for name, estimator in names.items()}
    inside = {"estimator": "PlaceOfNetwork"}
    params["models"]["network+rule"] = {"estimator": "DecisionRule", "params": inside}
    params["experiments"]["algorithms"]["models"] = list(models)
    params["train"]["seeds"] = seeds
    project.write_params(params)


def rows(project):
    return pq.read_table(project.path / "data" / "runs" / "tiny.parquet").to_pylist()


def predictions(project):
    return (project.path / "data" / "predictions" / "tiny.parquet").read_bytes()


@pytest.mark.skipif(find_spec("bokeh") is not None, reason="bokeh is installed")
def test_a_dashboard_without_bokeh_is_refused_with_what_to_install(monkeypatch):
    monkeypatch.setenv("RETHINK_DASHBOARD", "127.0.0.1:0")
    with pytest.raises(UserError, match="pip install bokeh"), connect(None, 1):
        pass


def test_a_worker_keeps_the_memory_that_a_job_frees(tmp_path, monkeypatch):
    def page_faults():
        import resource

        import numpy as np

        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(1000):
            np.ones(100_000)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    monkeypatch.chdir(tmp_path)
    with connect(None, 1) as client:
        assert client.submit(page_faults).result() < 20_000  # 200,000 if each array is mapped anew


def test_workers_without_data_give_the_bytes_of_one_machine(project, trained_project, cluster):
    cluster.worker("--nworkers", "2")
    project.run("stages.train", RETHINK_CLUSTER=cluster.address)
    assert predictions(project) == predictions(trained_project)
    shutil.rmtree(project.path / "data" / "cells")
    project.write_params(project.params() | {"cluster": cluster.address})
    project.run("stages.train")  # params.yaml names it as well
    assert predictions(project) == predictions(trained_project)


def test_a_gpu_worker_gets_the_networks_and_nothing_else(broken, cluster):
    ask_for(broken, "place", "network", "network+rule")
    cluster.worker(code=broken.path, PLACE="cpu")
    cluster.worker("--resources", "GPU=1", code=broken.path, PLACE="gpu")
    broken.run("stages.train", "--tolerate-failures", RETHINK_CLUSTER=cluster.address)
    places = {(row["model"], row["reason"]) for row in rows(broken)}
    on_gpu = {("network", "ValueError: gpu"), ("network+rule", "ValueError: gpu")}
    assert places == {("place", "ValueError: cpu"), *on_gpu}


def test_a_worker_with_other_code_refuses_and_says_so(broken, cluster):
    model = broken.path / "rethink" / "models" / "constant.py"
    cluster.worker(code=ROOT)
    model.write_text(model.read_text() + "\n\nSTRAY = 1\n")
    output = broken.run("stages.train", code=1, RETHINK_CLUSTER=cluster.address)
    assert "a worker would not compute what was asked for (" in output
    assert "the code differs" in output and "make environment" in output


def test_a_worker_without_the_code_is_named_as_the_reason(project, cluster, tmp_path):
    for package in ("rethink", "stages"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    cluster.worker(code=tmp_path)
    output = project.run("stages.train", code=1, RETHINK_CLUSTER=cluster.address)
    assert "a worker would not compute what was asked for (" in output


def test_a_worker_of_several_threads_is_refused(project, cluster):
    cluster.worker(nthreads="2")
    output = project.run("stages.train", code=1, RETHINK_CLUSTER=cluster.address)
    assert "would compute 2 jobs in one process; start it with --nthreads 1" in output


def test_a_run_waits_for_workers_and_goes_on_when_its_scheduler_was_killed(broken, mortal):
    ask_for(broken, "held", "BR-LR", seeds=6)
    held = mortal.folder / "held"
    held.mkdir()
    process = broken.start("stages.train", RETHINK_CLUSTER=mortal.address)
    log = mortal.folder / "0.log"
    until(lambda: "Receive client connection" in log.read_text(), "the lead has come")
    mortal.worker(code=broken.path)
    until(broken.cells, "a first cell")
    os.killpg(mortal.processes[0].pid, signal.SIGKILL)
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and "the Dask cluster has gone away" in output, output
    before = broken.cells()
    assert "Traceback" not in output and 0 < len(before) < 48
    mortal.stop()
    shutil.rmtree(held)
    mortal.scheduler()
    mortal.worker(code=broken.path)
    output = broken.run("stages.train", RETHINK_CLUSTER=mortal.address)
    assert f"48 cells: {48 - len(before)} done, {len(before)} cached" in output
    assert before.items() <= broken.cells().items()
