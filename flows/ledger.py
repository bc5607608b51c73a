"""DVC keeps the ledger: it brings stages up to date, one command at a time.

A run that is cancelled, or that fails, takes its DVC command along.
"""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

from prefect import get_run_logger, task
from prefect.cache_policies import NO_CACHE

BUSY = ("is busy", "Unable to acquire lock")  # what DVC says while another command runs
PAUSE = 5.0  # seconds between two attempts to get hold of DVC

_stopped = threading.Event()
_running: list[subprocess.Popen[str]] = []


@task(name="dvc", task_run_name="dvc repro {what}", cache_policy=NO_CACHE)
def repro(what: str, targets: list[str]) -> None:
    """Let DVC bring stages up to date, after whatever it is doing now."""
    while not _stopped.is_set():
        code, output = _dvc("repro", *targets)
        if code and any(sign in output for sign in BUSY):
            get_run_logger().info("waiting for another dvc command to end")
            _stopped.wait(PAUSE)
            continue
        get_run_logger().info(output)
        if code:
            raise RuntimeError(f"dvc repro ended with {code}:\n{output}")
        return


def _dvc(*command: str) -> tuple[int, str]:
    """Run a command of DVC with all its stages in a group of processes; its code and output."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dvc", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    _running.append(process)
    output, _ = process.communicate()
    _running.remove(process)
    return process.returncode, output.strip()


def stop() -> None:
    """End what DVC is doing for this run."""
    _stopped.set()
    for process in list(_running):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
