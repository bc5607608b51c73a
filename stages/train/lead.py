"""The lead of a run: looks for cells in the store, has the others computed, and alone writes them.

Both doors use it: `dvc repro` for one data set after the other, the Prefect flow for each model on
a data set, from several threads.
"""

import os
import threading
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import as_completed
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rethink.models.named import modules_of
from rethink.seeds import derive_seed
from stages.common.errors import UserError
from stages.common.forecast import Forecast
from stages.common.keys import names, versions, worker_modules
from stages.common.machine import host_name, memory_share
from stages.common.params import Params
from stages.common.plan import Cell, is_network, jobs
from stages.common.prepared import load_splits
from stages.common.published import read_published
from stages.common.store import Manifest, Store
from stages.train.compute import Result, Task
from stages.train.progress import Progress
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
        again = fresh or os.environ.get("RETHINK_FRESH")
        self.published = {} if again else read_published()
        self.only_published = params.train.cells == "published" and not again
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
        """Bring cells into the store and return their manifests; call `done` with their number.

        Where the parameters ask for published cells alone, the others are left out.
        """
        named = names(cells, self.params)
        keys = {cell: both.key for cell, both in named.items()}
        ended = {} if self.only_published else self.settled(keys)
        self.progress.count("cached", len(ended))
        for cell in [cell for cell in cells if cell not in ended]:
            row = self.published.get(named[cell].asked)
            if row and row["status"] not in self.retry:
                ended[cell] = row
                self.progress.count("published")
        done(len(ended))
        missing = {cell: key for cell, key in keys.items() if cell not in ended}
        for cell, manifest in self._compute(missing) if missing and not self.only_published else ():
            ended[cell] = manifest
            done(len(ended))
        return {cell: ended[cell] | {"asked": named[cell].asked} for cell in cells if cell in ended}

    def settled(self, keys: dict[Cell, str]) -> dict[Cell, Manifest]:
        """The cells in the store that need not be computed."""
        stored = self.store.find_all(keys)
        return {cell: known for cell, known in stored.items() if known and self._settles(known)}

    def _settles(self, manifest: Manifest) -> bool:
        """`ok` and `failed` are content; `timeout` and `died` are facts about a machine, which are
        looked at again on another machine, or when the limit has grown."""
        status = manifest["status"]
        if status in self.retry or status in ("ok", "failed"):
            return status not in self.retry
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
                from stages.train.engine import start_engine  # loads Dask, which takes a second

                device, modules = self.params.train.device, worker_modules(self.params)
                starting = start_engine(self.address, self.workers, device, modules)
                self.running = self.stack.enter_context(starting)
            return self.running

    @cached_property
    def forecast(self) -> Forecast:
        """How long cells will take, to send the longest first."""
        return Forecast(self.params, self.store, self.published)

    def _compute(self, missing: dict[Cell, str]) -> Iterator[tuple[Cell, Manifest]]:
        """Have cells computed, the longest first, and store each as soon as it is there."""
        splits = {dataset: load_splits(dataset) for dataset in {cell.dataset for cell in missing}}
        promises = {}
        for cells in sorted(jobs(missing, self.params), key=self._seconds, reverse=True):
            work = self._work(cells, splits[cells[0].dataset][cells[0].seed])
            self.progress.expect(work.seconds)
            promises[self.engine.submit(work)] = cells
        for promise in as_completed(promises):
            cells = promises.pop(promise)  # with the predictions, which would add up
            self.progress.workers = len(self.engine.workers)
            for result in promise.result():
                cell = next(cell for cell in cells if cell.cost == result.cost)
                manifest = self._manifest(cell, result)
                manifest = self.store.put(cell, missing[cell], manifest, result.predictions)
                what = "done" if result.status == "ok" else "failed"
                self.progress.count(what, seconds=self._seconds((cell,)))
                yield cell, manifest

    def _seconds(self, cells: tuple[Cell, ...]) -> float:
        """How long a job will take."""
        return len(cells) * self.forecast.seconds(cells[0])

    def _work(self, cells: tuple[Cell, ...], train: np.ndarray) -> Work:
        """What a worker must know of cells that share a fit, beside the data."""
        params, cell, model = self.params, cells[0], self.params.models[cells[0].model]
        task = Task(
            train=train,
            estimator=model.estimator,
            params=dict(model.params),
            grid=params.grid_of(cell.model),
            costs=tuple(cell.cost for cell in cells),
            folds=params.train.folds,
            select=model.select,
            rescale=params.train.rescale and model.input == "features",
            # equal for every model: nets that differ in one setting share initial weights, batches
            fold_seed=derive_seed("folds", cell.dataset, cell.seed),
            model_seed=derive_seed("model", cell.dataset, cell.seed),
        )
        source, limit = (cell.dataset, model.input), float(params.train.time_limit * len(cells))
        return Work(task, source, is_network(model), self._seconds(cells), limit)

    def _manifest(self, cell: Cell, result: Result) -> Manifest:
        """What is known of a cell beside its predictions."""
        model = self.params.models[cell.model]
        return (
            {name: value for name, value in vars(result).items() if name != "predictions"}
            | vars(cell)
            | {
                "seconds": round(result.seconds, 3),
                "work": self.params.work_of(cell.model),
                "versions": versions(model.estimator, cell.cost, modules_of(model.params)),
            }
        )
