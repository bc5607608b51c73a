"""What a worker does with a job: check that it has the lead's code, compute, watch the time."""

import faulthandler
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from rethink.models.named import modules_of
from stages.common.machine import host_name
from stages.common.predictions import to_table
from stages.common.tables import table_to_bytes
from stages.common.version import code_version
from stages.train.compute import Inputs, Result, Task, compute
from stages.train.inputs import File, make_inputs
from stages.train.keys import versions

REASON_LENGTH = 300
Versions = dict[str, dict[str, str]]  # of each cost: the code and the libraries behind its cells


@dataclass(frozen=True)
class Work:
    """A job as it is sent: its task, the versions it must be computed with, its limit."""

    task: Task
    versions: Versions
    limit: float  # seconds


class Refused(Exception):
    """This worker would compute something else than the lead asked for."""


def read_data(files: Sequence[File], kind: str, expected: dict[str, str]) -> Inputs:
    """A data set for the jobs of this worker and of those that ask it."""
    refuse_difference(expected, data_versions())
    return make_inputs(files, kind)


@cache
def data_versions() -> dict[str, str]:
    """The code and libraries that read a data set."""
    return code_version("stages.train.inputs")


def run_jobs(jobs: Sequence[Work], inputs: Inputs) -> list[list[Result]]:
    """Compute jobs one after the other; runs on the workers."""
    return [run_job(work, inputs) for work in jobs]


def run_job(work: Work, inputs: Inputs) -> list[Result]:
    """Compute the cells of a job. A process that takes too long ends itself, whatever it does:
    the watchdog is a thread in C that needs no interpreter lock, and tells where it hung."""
    for cost, expected in work.versions.items():
        parts = modules_of(work.task.params)
        refuse_difference(expected, versions(work.task.estimator, cost, parts))
    faulthandler.dump_traceback_later(work.limit, exit=True)
    try:
        return list(results(work.task, inputs))
    finally:
        faulthandler.cancel_dump_traceback_later()


def refuse_difference(there: dict[str, str], here: dict[str, str]) -> None:
    """Raise if the versions of this worker are not those of the lead."""
    differing = sorted(name for name in here | there if here.get(name) != there.get(name))
    if differing:
        shown = [
            f"{name} is {here.get(name, 'absent')} here and {there.get(name, 'absent')} there"
            for name in differing
            if name != "code"
        ]
        raise Refused(f"{host_name()}: " + ("; ".join(shown) or "the code differs"))


def results(task: Task, inputs: Inputs) -> Iterator[Result]:
    """The result of each cost, as it is sent; an error ends those that are left."""
    left, device = list(task.costs), task.params.get("device", "cpu")
    try:
        for result in compute(task, inputs):
            left.remove(result.cost)
            content = table_to_bytes(to_table(result.predictions, task.train))
            yield replace(result, predictions=content, device=device_used(device))
    except Exception as error:
        machine = isinstance(error, MemoryError | OSError) or "OutOfMemory" in type(error).__name__
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:REASON_LENGTH]
        status, host = ("died", _host()) if machine else ("failed", None)
        for cost in left:
            yield Result(cost, status, reason, device=device, host=host)


def _host() -> str:
    from distributed import (
        get_worker,  # is loaded where jobs run, and takes a second elsewhere
    )

    return host_name(get_worker().ip)


def device_used(asked: str) -> str:
    """The device that trained a network which was asked for this one."""
    if asked == "cpu":
        return asked
    from rethink.nets.device import (
        choose_device,  # loads torch, which a network has loaded
    )

    return choose_device(asked).type
