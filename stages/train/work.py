"""What a worker does: check that it has the lead's code, compute jobs, watch the time."""

import faulthandler
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rethink.models.named import devices_of
from stages.common.machine import host_name
from stages.common.predictions import to_table
from stages.common.tables import table_to_bytes
from stages.common.version import code_version
from stages.train.compute import Inputs, Result, Task, compute
from stages.train.inputs import Source

REASON_LENGTH = 300


@dataclass(frozen=True)
class Work:
    """A job as it is sent."""

    task: Task
    source: Source
    network: bool  # it may use a GPU
    seconds: float  # expected
    limit: float  # seconds, then it is stopped


@dataclass(frozen=True)
class Place:
    """The worker that has a job, as the lead sees it."""

    address: str
    host: str
    device: str  # for networks
    memory: int  # bytes


class Refused(Exception):
    """This worker would compute something else than the lead asked for."""


def run_jobs(jobs: Sequence[Work], inputs: Inputs, place: Place) -> list[list[Result]]:
    """Compute jobs one after the other; runs on the worker at this place."""
    return [run_job(work, inputs, place) for work in jobs]


def run_job(work: Work, inputs: Inputs, place: Place) -> list[Result]:
    """The result of each cost; an error is the result of all costs that are left.

    A process that takes too long ends itself, whatever it does: the watchdog is a thread in C that
    needs no interpreter lock, and tells where it hung.
    """
    task, used, results = work.task, "cpu", []
    faulthandler.dump_traceback_later(work.limit, exit=True)
    try:
        if work.network:
            from rethink.nets.device import choose_device  # loads torch, as the network will

            devices = dict.fromkeys(devices_of(task.estimator, task.params), place.device)
            task = replace(task, params=task.params | devices)
            used = choose_device(place.device).type
        for result in compute(task, inputs):
            content = table_to_bytes(to_table(result.predictions, task.train))
            results.append(replace(result, predictions=content, device=used))
    except Exception as error:
        machine = isinstance(error, MemoryError | OSError) or "OutOfMemory" in type(error).__name__
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:REASON_LENGTH]
        end = Result("", "failed", reason, device=used)
        if machine:
            end = replace(end, status="died", host=place.host, limit=place.memory)
        ended = {result.cost for result in results}
        results += [replace(end, cost=cost) for cost in task.costs if cost not in ended]
    finally:
        faulthandler.cancel_dump_traceback_later()
    return results


def refuse_difference(modules: Sequence[str], there: dict[str, str]) -> None:
    """Raise if the code of these modules, or a library, is not what the lead has; runs on a worker
    when it comes."""
    here = code_version(*modules)
    differing = sorted(name for name in here | there if here.get(name) != there.get(name))
    if differing:
        shown = [
            f"{name} is {here.get(name, 'absent')} here and {there.get(name, 'absent')} there"
            for name in differing
            if name != "code"
        ]
        raise Refused(f"{host_name()}: " + ("; ".join(shown) or "the code differs"))
