"""How long a cell will take, from the times of earlier cells."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean

from stages.common.catalog import load_catalog
from stages.common.params import Params
from stages.common.plan import Cell, is_network
from stages.common.published import Row
from stages.common.store import Store

# a cell that nothing like it was timed for takes so many seconds, or so many a label of a row
LEAST, LINEAR, NETWORK = 0.5, 2e-5, 6e-5


Timings = dict[tuple[str, str], list[float]]  # CPU seconds for a unit of work, by set and model


def timings(store: Store, published: Mapping[str, Row]) -> Timings:
    """What finished cells took, here or in published runs."""
    seconds: Timings = defaultdict(list)
    for row in (*published.values(), *store.manifests()):
        if row["status"] == "ok":
            seconds[row["dataset"], row["model"]].append(row["seconds"] / row["work"])
    return dict(seconds)


class Estimate:
    """Judges cells by finished ones."""

    def __init__(self, params: Params, store: Store, published: Mapping[str, Row]) -> None:
        self.params, self.catalog = params, load_catalog()
        self.timed = timings(store, published)

    def seconds(self, cell: Cell) -> float:
        """How long a cell will take, guessed by its size where nothing like it was timed."""
        measured = self.measured(cell)
        if measured is not None:
            return measured
        each = NETWORK if is_network(self.params.models[cell.model]) else LINEAR
        return max(LEAST, (self._size(cell.dataset) or 0) * each)

    def measured(self, cell: Cell) -> float | None:
        """Measured CPU time for a unit of work here, else on other data sets by size, times work.

        Work is the fits of a search, size is rows times labels: warm starts and pruned searches
        make the estimate of a larger grid a high one.
        """
        units, size = self.timed.get((cell.dataset, cell.model), []), self._size(cell.dataset)
        if not units and size:
            units = [
                unit * size / other_size
                for (other, model), timed in sorted(self.timed.items())
                if model == cell.model and (other_size := self._size(other))
                for unit in timed
            ]
        return fmean(units) * self.params.work_of(cell.model) if units else None

    def _size(self, dataset: str) -> int | None:
        known = dataset in self.catalog.datasets
        return self.catalog.datasets[dataset].size if known else None
