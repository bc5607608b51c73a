"""No process that computes outlives the one that needs it, however that one ends."""

import signal
import subprocess
import sys

import psutil
import pytest

from tests.flows.lab import until

HANGING = """
import ctypes, os, sys, time
from pathlib import Path

from stages.cells.processes import (
    die_with_parent, fork_server, fork_server_address, join_fork_server
)

def hang(depth, folder, address):
    die_with_parent()
    join_fork_server(address)
    Path(folder, str(depth)).write_text(str(os.getpid()))
    if depth:
        start(depth - 1, folder, address).join()
    ctypes.PyDLL(None).sleep(1000)  # lets no other thread of this process run

def start(depth, folder, address):
    process = fork_server().Process(target=hang, args=(depth, folder, address))
    process.start()
    return process

if __name__ == "__main__":
    start(1, sys.argv[1], fork_server_address()).join()
"""


@pytest.fixture
def family(tmp_path):
    """A process, one that it started, and one that this started in turn."""
    script = tmp_path / "hanging.py"
    script.write_text(HANGING)
    first = subprocess.Popen([sys.executable, str(script), str(tmp_path)])
    second, third = (psutil.Process(written(tmp_path / name)) for name in "10")
    yield psutil.Process(first.pid), second, third
    for process in (second, third):
        if alive(process):
            process.kill()


def written(path):
    """The number that a process writes when it hangs."""
    return int(until(lambda: path.exists() and path.read_text(), f"{path.name} hangs"))


def alive(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@pytest.mark.skipif(sys.platform != "linux", reason="asks the Linux kernel to kill")
@pytest.mark.parametrize("killed", [0, 1])
def test_whoever_is_killed_takes_along_all_that_work_for_it(family, killed):
    assert all(map(alive, family))
    family[killed].send_signal(signal.SIGKILL)
    until(lambda: not any(map(alive, family[killed:])), "all are gone", seconds=30)


def test_all_of_them_come_from_one_fork_server(family):
    first, second, third = family
    assert second.ppid() == third.ppid() != first.pid
