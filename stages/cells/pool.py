"""Run jobs in processes of one thread each; whatever happens to a process, its cells get a row."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures import TimeoutError as TaskTimeout
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from pebble import ProcessExpired, ProcessPool

from stages.cells.plan import Job

# One thread a process is faster here, and results do not depend on the number of workers.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
PR_SET_PDEATHSIG = 1
PAUSE = 1.0  # seconds until a job that had to wait is looked at again

Admit = Callable[[Job], ExitStack | None]


@dataclass(frozen=True)
class Fate:
    """What became of a job: None as status means that the worker stored its cells itself."""

    job: Job
    status: str | None = None
    reason: str = ""


def run_jobs(
    jobs: list[Job], work: Callable[[Job], None], admit: Admit, workers: int, time_limit: int
) -> Iterator[Fate]:
    """Run `work(job)` for every job, as they are admitted, and tell how each ended."""
    if not jobs:
        return
    os.environ.update(ONE_THREAD)
    workers = min(workers, len(jobs))
    pool = ProcessPool(workers, context=get_context("spawn"), initializer=die_with_parent)
    waiting, running = list(jobs), dict[Any, tuple[Job, ExitStack]]()
    try:
        while waiting or running:
            # one more than run stands ready, so that no process waits for the next
            for job, held in _admitted(waiting, admit, workers + 1 - len(running)):
                limit = time_limit * len(job.cells)
                running[pool.schedule(work, args=[job], timeout=limit)] = job, held
                waiting.remove(job)
            if not running:
                time.sleep(PAUSE)
            done, _ = wait(running, PAUSE if waiting else None, FIRST_COMPLETED)
            for future in done:
                job, held = running.pop(future)
                with held:  # until the caller has recorded what became of it
                    yield _fate(job, future, time_limit)
        pool.close()
    finally:
        pool.stop()
        pool.join()
        for _, held in running.values():
            held.close()


def _admitted(waiting: list[Job], admit: Admit, room: int) -> Iterator[tuple[Job, ExitStack]]:
    for job in list(waiting):
        if room <= 0:
            return
        held = admit(job)
        if held is not None:
            room -= 1
            yield job, held


def _fate(job: Job, future: Any, time_limit: int) -> Fate:
    try:
        future.result()
    except TaskTimeout:
        return Fate(job, "timeout", f"stopped after the limit of {time_limit} s a cell")
    except ProcessExpired as death:
        if death.exitcode == -signal.SIGKILL:
            return Fate(job, "oom", "killed from outside, most likely for want of memory")
        return Fate(job, "failed", f"the process died (exit code {death.exitcode})")
    return Fate(job)


def die_with_parent() -> None:
    """When the parent is killed, so are its workers: no orphan goes on computing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
