"""The other door: a real server and worker on loopback, in a folder and home of their own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import copy_of_the_project

BIN = Path(sys.executable).parent
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("prefect")]


class Shell:
    """Runs commands in one folder with one Prefect home, as a user's terminal would."""

    def __init__(self, folder, home, port):
        self.folder = folder
        self.env = os.environ | {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "PREFECT_HOME": str(home),
            "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
            "RETHINK_WORKERS": "2",
        }
        self.started = []

    def run(self, command, timeout=420):
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.env, capture_output=True, text=True,
            timeout=timeout,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def start(self, command, log):
        process = subprocess.Popen(
            f"exec {command}", shell=True, cwd=self.folder, env=self.env, stdout=log.open("w"),
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self.started.append(process)

    def stop(self):
        for process in reversed(self.started):
            os.killpg(process.pid, signal.SIGTERM)
        for process in self.started:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(address, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"{address} did not answer within {seconds} s")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A clone with a server, a pool, the deployments and a worker."""
    base, port = tmp_path_factory.mktemp("lab"), free_port()
    clone = copy_of_the_project(base / "clone")
    shell = Shell(clone, base / "prefect", port)
    try:
        shell.start(f"prefect server start --host 127.0.0.1 --port {port}", base / "server.log")
        wait_for(f"http://127.0.0.1:{port}/api/health")
        shell.run("prefect work-pool create cpu --type process --overwrite")
        shell.run("prefect deploy --all")
        shell.start("prefect worker start --pool cpu", base / "worker.log")
        yield shell
    finally:
        shell.stop()


@pytest.fixture(scope="module")
def after_the_flow(lab):
    lab.run("prefect deployment run rethink/smoke --watch")
    return lab


def test_after_the_deployment_dvc_is_up_to_date_and_has_nothing_to_run(after_the_flow):
    assert "up to date" in after_the_flow.run("dvc status")
    output = after_the_flow.run("dvc repro")
    assert "Running stage" not in output and "up to date" in output
    assert (after_the_flow.folder / "reports" / "report.html").exists()


def test_after_dvc_repro_the_deployment_finds_every_cell_and_both_doors_agree(
    after_the_flow, tmp_path
):
    flow_results = results(after_the_flow.folder)
    store = after_the_flow.folder / "data" / "cells"
    shutil.rmtree(after_the_flow.folder / "data" / "predictions")
    shutil.rmtree(store)
    after_the_flow.run("dvc repro --force")
    assert results(after_the_flow.folder) == flow_results
    before = {path: path.stat().st_mtime_ns for path in store.glob("**/manifest.json")}
    after_the_flow.run("prefect deployment run rethink/smoke --watch")
    after = {path: path.stat().st_mtime_ns for path in store.glob("**/manifest.json")}
    assert before == after
    assert "up to date" in after_the_flow.run("dvc status")


def results(folder):
    names = ("data/predictions/exclusive.parquet", "data/scores.parquet", "reports/comparison.json")
    return {name: (folder / name).read_bytes() for name in names}


def test_one_data_set_is_brought_up_to_its_predictions(after_the_flow):
    command = "prefect deployment run rethink/one-dataset --param dataset=exclusive --watch"
    after_the_flow.run(command)
    assert "up to date" in after_the_flow.run("dvc status train@exclusive")
