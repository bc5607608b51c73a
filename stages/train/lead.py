"""The lead of a run: finds cells in the store, has the others computed, and alone writes them.

Both doors use it: `dvc repro` for one data set after the other, the Prefect flow for each model on
a data set, from several threads.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, as_completed
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rethink.models.named import modules_of
from rethink.seeds import derive_seed
from stages.common.catalog import load_catalog
from stages.common.errors import UserError
from stages.common.machine import host_name, memory_share
from stages.common.params import Params
from stages.common.published import read_published
from stages.train.compute import Result, Task
from stages.train.estimate import Timings, expected_seconds, timings
from stages.train.inputs import load_splits
from stages.train.keys import Names, names, versions
from stages.train.plan import Cell, Job, is_network, jobs
from stages.train.progress import Progress
from stages.train.store import Manifest, Store
from stages.train.work import Work

if TYPE_CHECKING:
    from stages.train.engine import Engine


class Lead:
    """Brings cells into a store; a cluster is started when the first one is missing."""

    def __init__(
        self,
        params: Params,
        store: Store,
        workers: int,
        progress: Progress,
        retry: Collection[str] = (),
        fresh: bool = False,
    ) -> None:
        self.params, self.store, self.workers = params, store, workers
        self.progress, self.retry = progress, retry
        self.published = {} if fresh else read_published()
        self.catalog = load_catalog()
        self.address = params.cluster_address
        self.lock = threading.Lock()
        self.stack = ExitStack()
        self.running: Engine | None = None
        self.over = False

    def __enter__(self) -> Self:
        self.stack.enter_context(self.store.writing())
        self.stack.enter_context(self.progress)
        return self

    def __exit__(self, *error: Any) -> None:
        with self.lock:
            self.over = True  # a thread that comes late must not start a cluster
        self.stack.__exit__(*error)

    def train(
        self, cells: list[Cell], done: Callable[[int], None] = lambda _: None
    ) -> dict[Cell, Manifest]:
        """Bring cells into the store and return their manifests; `done` is told how many are."""
        named = names(cells, self.params)
        stored = self.settled({cell: both.key for cell, both in named.items()})
        rest = {cell: both.asked for cell, both in named.items() if cell not in stored}
        published = {cell: row for cell, asked in rest.items() if (row := self._published(asked))}
        self.progress.found(len(stored), len(published))
        ended = stored | published
        done(len(ended))
        missing = [cell for cell in cells if cell not in ended]
        for cell, manifest in self._compute(missing, named) if missing else ():
            ended[cell] = manifest
            done(len(ended))
        return {cell: ended[cell] | {"asked": named[cell].asked} for cell in cells}

    def settled(self, names: dict[Cell, str]) -> dict[Cell, Manifest]:
        """The cells that need not be computed."""
        found = self.store.find_all(names)
        return {cell: known for cell, known in found.items() if known and self._settles(known)}

    def _published(self, asked: str) -> Manifest | None:
        row = self.published.get(asked)
        return row if row and row["status"] not in self.retry else None

    def _settles(self, manifest: Manifest) -> bool:
        """`ok` and `failed` are content; `timeout` and `died` are facts about a machine, which are
        looked at again on another machine, or when the limit has grown."""
        status = manifest["status"]
        if status in self.retry:
            return False
        if status in ("ok", "failed"):
            return True
        hosts = self.engine.hosts if self.address else {host_name()}
        memory = self.engine.memory if self.address else memory_share(self.workers)
        limit = self.params.train.time_limit if status == "timeout" else memory
        return manifest["host"] in hosts and manifest["limit"] >= limit

    @property
    def engine(self) -> "Engine":
        """The engine of this run."""
        with self.lock:
            if self.over:
                raise UserError("the run has ended; run the same command to go on")
            if self.running is None:
                # loads Dask, which takes a second
                from stages.train.engine import start_engine

                device = self.params.train.device
                starting = start_engine(self.address, self.workers, device)
                self.running = self.stack.enter_context(starting)
            return self.running

    @cached_property
    def timings(self) -> Timings:
        """How long cells took, to send the longest first."""
        return timings(self.store, self.published)

    def _compute(
        self, missing: list[Cell], named: dict[Cell, Names]
    ) -> Iterator[tuple[Cell, Manifest]]:
        """Have cells computed and store each as soon as it is there."""
        promises: dict[Future[list[Result]], tuple[Job, float]] = {}
        splits = {name: load_splits(name) for name in {cell.dataset for cell in missing}}
        for job in jobs(missing, {cell: named[cell].key for cell in missing}, self.params):
            cell = job.cells[0]
            model = self.params.models[cell.model]
            each = expected_seconds(cell, self.timings, self.params, self.catalog)
            promise = self.engine.submit(
                make_work(job, self.params, splits[cell.dataset][cell.seed]),
                (cell.dataset, model.input),
                network=is_network(model),
                seconds=each * len(job.cells),
            )
            promises[promise] = job, each
            self.progress.expect(each * len(job.cells))
        for promise in as_completed(promises):
            job, each = promises[promise]
            cells = {cell.cost: (cell, key) for cell, key in zip(job.cells, job.keys, strict=True)}
            for result in promise.result():
                cell, key = cells[result.cost]
                manifest = make_manifest(cell, self.params, result)
                manifest = self.store.put(cell, key, manifest, result.predictions)
                self.progress.advance(manifest["status"], each, len(self.engine.workers))
                yield cell, manifest


def make_work(job: Job, params: Params, train: np.ndarray) -> Work:
    """A job as it is sent to a worker."""
    cell, model = job.cells[0], params.models[job.cells[0].model]
    task = Task(
        train=train,
        estimator=model.estimator,
        params=dict(model.params),
        grid=params.grid_of(cell.model),
        costs=tuple(cell.cost for cell in job.cells),
        folds=params.train.folds,
        select=model.select,
        rescale=params.train.rescale and model.input == "features",
        # equal for every model: nets that differ in one setting share initial weights and batches
        fold_seed=derive_seed("folds", cell.dataset, cell.seed),
        model_seed=derive_seed("model", cell.dataset, cell.seed),
    )
    parts = modules_of(model.params)
    used = {cost: versions(model.estimator, cost, parts) for cost in task.costs}
    return Work(task, used, float(params.train.time_limit * len(job.cells)))


def make_manifest(cell: Cell, params: Params, result: Result) -> Manifest:
    """What is known of a cell beside its predictions."""
    known = {name: value for name, value in vars(result).items() if name != "predictions"}
    model = params.models[cell.model]
    return (
        known
        | vars(cell)
        | {
            "seconds": round(result.seconds, 3),
            "work": params.work_of(cell.model),
            "versions": versions(model.estimator, cell.cost, modules_of(model.params)),
        }
    )
