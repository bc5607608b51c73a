"""Labs in which the tests of this folder work."""

import shutil

import pytest

from tests.conftest import ROOT, Project
from tests.flows.lab import Shell, free_port

BROKEN = '''
import signal
import time

from rethink.models.constant import AllZeros


class Slow(AllZeros):
    """Takes its time."""

    def fit(self, X, Y):
        time.sleep(1)
        return super().fit(X, Y)


class Raises(AllZeros):
    """Fails."""

    def fit(self, X, Y):
        raise ValueError("singular matrix")


class Hangs(AllZeros):
    """Never comes to an end and will not listen."""

    def fit(self, X, Y):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            time.sleep(1)


class Hungry(AllZeros):
    """Asks for more memory than there is."""

    def fit(self, X, Y):
        raise MemoryError("8 PiB")
'''

# only what a worker does: the stages around it are those of `dvc repro`
LEAD = """
import sys

from prefect import flow
from flows.rethink import check_workers, fan_out
from flows.server import live_workers, reachable_server
from stages import paths
from stages.cells.store import Store
from stages.config.params import load_params

@flow
def lead():
    client, params = reachable_server(), load_params()
    check_workers(live_workers(client), params.train.device)
    in_flight = int(sys.argv[1]) if sys.argv[1:] else None
    fan_out(client, params, list(params.datasets), Store(paths.store()), in_flight)

lead()
"""


def tiny_lab(prepared_project, folder):
    """The tiny project as a folder of its own, with the code and models that go wrong."""
    shutil.copytree(prepared_project.path, folder)
    for package in ("rethink", "stages", "flows"):
        shutil.copytree(ROOT / package, folder / package)
    for name in ("prefect.yaml", "prefect.toml"):
        shutil.copy2(ROOT / name, folder / name)
    (folder / "rethink" / "models" / "broken.py").write_text(BROKEN)
    (folder / "lead.py").write_text(LEAD)
    project = Project(folder)
    params = project.params()
    names = ("Slow", "Raises", "Hangs", "Hungry")
    params["models"] |= {name.lower(): {"estimator": name} for name in names}
    params["models"]["slow-too"] = {"estimator": "Slow"}
    params["train"]["time_limit"] = 10
    project.write_params(params)
    return project


@pytest.fixture(scope="module")
def lab(prepared_project, tmp_path_factory):
    """A server with pools and deployments, and the tiny project; workers are the tests' own."""
    base = tmp_path_factory.mktemp("lab")
    project = tiny_lab(prepared_project, base / "lead")
    shell = Shell(project.path, base / "prefect", free_port())
    shell.project = project
    try:
        shell.start("prefect server start --host 127.0.0.1 --port " + shell.port)
        shell.run("python -m flows.pools")
        yield shell
    finally:
        shell.stop()
