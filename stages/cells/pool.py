"""Run jobs in processes of one thread each; whatever happens to a process, its cells get a row."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as TaskTimeout
from concurrent.futures import as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from pebble import ProcessExpired, ProcessPool

from stages.cells.plan import Job

# One thread a process is faster here, and results do not depend on the number of workers.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Fate:
    """What became of a job: None as status means that the worker stored its cells itself."""

    job: Job
    status: str | None = None
    reason: str = ""


def run_jobs(
    jobs: list[Job], work: Callable[[Job], None], workers: int, time_limit: int
) -> Iterator[Fate]:
    """Run `work(job)` for every job and tell how each ended, as they end."""
    if not jobs:
        return
    os.environ.update(ONE_THREAD)
    workers = min(workers, len(jobs))
    pool = ProcessPool(workers, context=get_context("spawn"), initializer=_die_with_parent)
    try:
        futures: dict[Any, Job] = {
            pool.schedule(work, args=[job], timeout=time_limit * len(job.cells)): job
            for job in jobs
        }
        for future in as_completed(futures):
            yield _fate(futures[future], future, time_limit)
        pool.close()
    finally:
        pool.stop()
        pool.join()


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


def _die_with_parent() -> None:
    """When the parent is killed, so are its workers: no orphan goes on computing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
