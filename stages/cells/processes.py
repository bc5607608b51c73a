"""Processes that compute: where they come from, and that none outlives the one that needs it."""

import ctypes
import fcntl
import os
import select
import signal
import sys
from multiprocessing import forkserver, get_context, parent_process
from typing import Any

# One thread a process is faster here, and results do not depend on the number of workers.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
PR_SET_PDEATHSIG = 1


def fork_server() -> Any:
    """Make processes from one that has no threads and imports once what all of them need."""
    os.environ.update(ONE_THREAD)
    context = get_context("forkserver")
    context.set_forkserver_preload(["stages.cells.run"])
    return context


def fork_server_address() -> str:
    """Where the fork server of this process listens."""
    fork_server()
    forkserver.ensure_running()
    return forkserver._forkserver._forkserver_address  # type: ignore[attr-defined]


def join_fork_server(address: str) -> None:
    """Use the fork server that made this process, instead of one that imports everything again.

    It serves whoever knows where it listens; only, multiprocessing does not hand that on.
    """
    server: Any = forkserver._forkserver  # type: ignore[attr-defined]
    server._forkserver_address = address
    server.ensure_running = lambda: None


def die_with_parent() -> None:
    """Let the kernel kill this process, whatever it is doing, when the one that needs it is gone.

    To the kernel the fork server is the parent of all that it made, and it lives on; but a pipe
    leads to the process that asked for this one, and breaks with it.
    """
    if sys.platform != "linux":
        return
    parent = parent_process()
    if parent is None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        return
    pipe = parent.sentinel
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([pipe], [], [], 0)[0]:  # it broke before it was watched
        os.kill(os.getpid(), signal.SIGKILL)
