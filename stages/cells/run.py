"""Compute missing cells and keep what was computed, cell by cell."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from rethink.seeds import derive_seed
from stages.cells.admission import Admission
from stages.cells.compute import Task, compute
from stages.cells.inputs import HERE, load_inputs, load_splits
from stages.cells.keys import versions
from stages.cells.plan import Cell, Job, is_network, jobs
from stages.cells.pool import run_jobs
from stages.cells.results import to_table
from stages.cells.slots import machine_cores
from stages.cells.store import Manifest, Store
from stages.config.params import Model, Params

REASON_LENGTH = 300


def worker_count() -> int:
    """As many workers as RETHINK_WORKERS says, or as there are cores."""
    return int(os.environ.get("RETHINK_WORKERS") or machine_cores())


def run_cells(
    missing: list[Cell],
    keys: dict[Cell, str],
    params: Params,
    store: Store,
    workers: int,
    data: dict[str, str],
) -> Iterator[tuple[Cell, ...]]:
    """Compute cells in parallel; yields the cells of each job when it ends.

    `data` tells where data sets are that are not in this project's own folder.
    """
    work = partial(run_job, params=params, address=store.address, data=data)
    admit = Admission(params, store.address, workers, data).admit
    todo = jobs(missing, keys, params)
    for fate in run_jobs(todo, work, admit, workers, params.train.time_limit):
        if fate.status:
            record(fate.job, fate.job.cells, params, store, fate.status, fate.reason)
        yield fate.job.cells


def run_job(job: Job, params: Params, address: str, data: dict[str, str]) -> None:
    """Compute the cells of a job, in a worker process, and store each as soon as it is there."""
    store = Store(address)
    keys = dict(zip(job.cells, job.keys, strict=True))
    # another run may have finished them while this one waited
    waiting = {cell.cost: cell for cell in job.cells if not store.find(cell, keys[cell])}
    if not waiting:
        return
    task = make_task(tuple(waiting.values()), params, data)
    try:
        for result in compute(task):
            cell = waiting[result.cost]
            manifest = make_manifest(cell, params, "ok", "", result.seconds)
            manifest |= {
                "chosen": result.chosen,
                "search": result.search,
                "memory": result.memory,
                "device": _device_used(task.params.get("device", "cpu")),
            }
            store.put(cell, keys[cell], manifest, to_table(result.predictions, task.train))
            del waiting[result.cost]
    except OSError:
        raise  # the machine's fault, not the model's: nothing is recorded
    except MemoryError as error:
        record(job, waiting.values(), params, store, "oom", str(error) or "out of memory")
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        status = "oom" if type(error).__name__ == "OutOfMemoryError" else "failed"  # of a GPU
        record(job, waiting.values(), params, store, status, reason)


def make_task(cells: tuple[Cell, ...], params: Params, data: dict[str, str]) -> Task:
    """Everything `compute` needs, in memory."""
    cell = cells[0]
    model = params.models[cell.model]
    place = data.get(cell.dataset, HERE)
    inputs = load_inputs(cell.dataset, model.input, place)
    return Task(
        X=inputs.X,
        Y=inputs.Y,
        train=load_splits(cell.dataset, place)[cell.seed],
        estimator=model.estimator,
        params=_device(model, params) | dict(model.params) | inputs.told,
        grid=params.grid_of(cell.model),
        costs=tuple(cell.cost for cell in cells),
        folds=params.train.folds,
        select=model.select,
        rescale=params.train.rescale and model.input == "features",
        # the folds are the same for every model; the model's own chance is not
        fold_seed=derive_seed("folds", cell.dataset, cell.seed),
        model_seed=derive_seed("model", cell.dataset, cell.model, cell.seed),
    )


def _device(model: Model, params: Params) -> dict[str, Any]:
    return {"device": params.train.device} if is_network(model) else {}


def _device_used(asked: str) -> str:
    if asked == "cpu":
        return asked
    from rethink.nets.device import choose_device  # loads torch, which a network has loaded

    return choose_device(asked).type


def make_manifest(
    cell: Cell, params: Params, status: str, reason: str, seconds: float
) -> dict[str, Any]:
    """What is known of a cell beside its predictions."""
    return {
        "dataset": cell.dataset,
        "model": cell.model,
        "cost": cell.cost,
        "seed": cell.seed,
        "status": status,
        "reason": reason[:REASON_LENGTH],
        "seconds": round(seconds, 3),
        "work": params.work_of(cell.model),
        "chosen": {},
        "search": [],
        "memory": None,
        "versions": versions(params.models[cell.model].estimator, cell.cost),
    }


def record(
    job: Job, cells: Iterable[Cell], params: Params, store: Store, status: str, reason: str
) -> None:
    """Store the cells of a job that came to no result, so that each is a row with a reason."""
    keys = dict(zip(job.cells, job.keys, strict=True))
    for cell in cells:
        manifest: Manifest = make_manifest(cell, params, status, reason, 0.0)
        store.put(cell, keys[cell], manifest, None)
