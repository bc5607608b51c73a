"""Run jobs in processes of one thread each; whatever happens to a process, its cells get a row."""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures import TimeoutError as TaskTimeout
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from pebble import ProcessExpired, ProcessPool

from stages.cells.plan import Job
from stages.cells.processes import die_with_parent, fork_server

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
    workers = min(workers, len(jobs))
    pool = ProcessPool(workers, context=fork_server(), initializer=die_with_parent)
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
