"""The lead's DVC commands: they wait for their turn, and end with the run."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from prefect.logging import disable_run_logger

import flows.rethink
from tests.flows.lab import PATIENCE, until

DVC = [sys.executable, "-m", "dvc"]
STAGES = """
stages:
  quick:
    cmd: echo quick > quick
    outs: [quick]
  slow:
    cmd: echo begun > begun && sleep {seconds} && echo ended > ended
    outs: [begun]
  wrong:
    cmd: exit 3
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A folder of DVC's with a stage that takes its time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(flows.rethink, "_stopped", threading.Event())
    monkeypatch.setattr(flows.rethink, "PAUSE", 0.2)
    subprocess.run([*DVC, "init", "-q", "--no-scm"], check=True)
    with disable_run_logger():
        yield tmp_path


def repro(target):
    with disable_run_logger():
        flows.rethink.repro.fn(target, [target])


def test_a_command_waits_until_another_of_dvc_has_ended(repository):
    (repository / "dvc.yaml").write_text(STAGES.format(seconds=3))
    other = subprocess.Popen([*DVC, "repro", "-q", "slow"])
    until((repository / "begun").exists, "the other has begun")
    repro("slow")
    assert (repository / "ended").exists(), "it had to wait for the end of the other"
    assert other.wait(PATIENCE) == 0
    repro("quick")
    assert (repository / "quick").exists()


def test_a_stage_that_fails_ends_the_command_with_what_it_said(repository):
    (repository / "dvc.yaml").write_text(STAGES.format(seconds=0))
    with pytest.raises(RuntimeError, match="failed to reproduce 'wrong'"):
        repro("wrong")


def test_a_run_that_stops_takes_its_command_along_with_the_stages(repository):
    (repository / "dvc.yaml").write_text(STAGES.format(seconds=1000))
    with ThreadPoolExecutor(1) as thread:
        command = thread.submit(repro, "slow")
        try:
            until((repository / "begun").exists, "the stage has begun")
            (root,) = [p for p in psutil.Process().children() if "dvc" in p.cmdline()]
            until(lambda: any("sleep" in p.name() for p in root.children(True)), "it sleeps")
            family = [root, *root.children(recursive=True)]
        finally:  # else the executor would wait for the end of the stage
            flows.rethink.stop_dvc()
        with pytest.raises(RuntimeError):
            command.result(timeout=PATIENCE)
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert not alive
