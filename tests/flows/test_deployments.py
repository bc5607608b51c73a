"""The other door: a real server and worker on loopback, in a folder and home of their own."""

import json
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

from tests.conftest import copy_of_the_project, thinned
from tests.readme import blocks

BIN = Path(sys.executable).parent
pytestmark = pytest.mark.slow


class Shell:
    """Runs commands in one folder with one Prefect home, as a user's terminal would."""

    def __init__(self, folder, home, port):
        self.folder = folder
        self.port = str(port)
        self.env = os.environ | {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "PREFECT_HOME": str(home),
        }
        self.started = []

    def run(self, command, timeout=1500):
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=self.env, capture_output=True, text=True,
            timeout=timeout,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def follow(self, line, log):
        """Do what the README says, on a port of our own; servers and workers stay on."""
        line = line.replace("4200", self.port)
        if line.startswith("export "):
            self.env |= dict(pair.split("=", 1) for pair in line.split()[1:])
        elif " start " in line:
            self.start(line, log)
            if "server" in line:
                wait_for(f"http://127.0.0.1:{self.port}/api/health")
        else:
            return self.run(line)

    def start(self, command, log):
        process = subprocess.Popen(
            f"exec {command}", shell=True, cwd=self.folder, env=self.env, stdout=log.open("w"),
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        self.started.append(process)

    def latest_run(self):
        """What the server knows of the flow run that was created last."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/flow_runs/filter",
            data=json.dumps({"sort": "START_TIME_DESC", "limit": 1}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)[0]

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


def wait_for(address, seconds=300):
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
    """A clone with a server, a pool, the deployments and a worker, made with the README's words."""
    base, port = tmp_path_factory.mktemp("lab"), free_port()
    clone = thinned(copy_of_the_project(base / "clone"))
    (clone / ".venv").symlink_to(sys.prefix)
    shell = Shell(clone, base / "prefect", port)
    server, worker, _ = blocks("README.md", section="With Prefect")
    try:
        for number, line in enumerate(server + worker):
            shell.follow(line, base / f"{number}.log")
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
    """All that must not depend on the door; the advice weighs CPU times, which vary."""
    tables = ("data/predictions/exclusive.parquet", "data/scores.parquet")
    comparison = json.loads((folder / "reports" / "comparison.json").read_text())
    del comparison["advice"]
    return [(folder / name).read_bytes() for name in tables] + [comparison]


def test_the_commands_of_the_readme_run_one_after_the_other(after_the_flow, tmp_path):
    *_, commands = blocks("README.md", section="With Prefect")
    for number, line in enumerate(commands):
        after_the_flow.follow(line, tmp_path / f"{number}.log")
    assert "up to date" in after_the_flow.run("dvc status")
    assert (after_the_flow.folder / "data" / "predictions" / "yeast.parquet").exists()


def test_a_data_set_that_is_not_in_params_fails_with_a_message(after_the_flow):
    command = "prefect deployment run rethink/one-dataset --param dataset=yaest --watch"
    with pytest.raises(AssertionError, match="state 'Failed'"):
        after_the_flow.run(command)
    message = after_the_flow.latest_run()["state"]["message"]
    assert "'yaest' is not in `datasets` of params.yaml; did you mean" in message
