"""How long a cell will take, from the times of earlier cells."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from math import exp
from statistics import fmean

import numpy as np
from sklearn.linear_model import Ridge

from stages.common.catalog import load_catalog
from stages.common.params import Params
from stages.common.plan import Cell, is_network
from stages.common.published import Row
from stages.common.store import Store

# A guess for a model that was never timed: at least LEAST seconds a cell, else so many seconds
# (linear models, networks) times rows times labels.
LEAST, LINEAR, NETWORK = 0.5, 2e-5, 6e-5
# Time is taken to grow with these powers of rows and labels. The more the sizes of the data sets
# that were timed differ, the more their times replace that assumption.
POWERS, FAITH = np.array([1.0, 0.5]), 1.0

Size = tuple[int, int]  # rows and labels
# CPU seconds for a unit of work, by model and data set. Work is the fits of a search: warm starts
# and pruned searches make the forecast of a larger grid a high one
Timings = defaultdict[str, dict[str, list[float]]]


def timings(store: Store, published: Mapping[str, Row]) -> Timings:
    """What finished cells took, here or in published runs."""
    timed: Timings = defaultdict(dict)
    for row in (*published.values(), *store.manifests()):
        if row["status"] == "ok":
            units = timed[row["model"]].setdefault(row["dataset"], [])
            units.append(row["seconds"] / row["work"])
    return timed


class Forecast:
    """Judges cells by those that have ended, here or in published runs."""

    def __init__(self, params: Params, store: Store, published: Mapping[str, Row]) -> None:
        self.params, self.catalog = params, load_catalog()
        self.timed = timings(store, published)
        self._law = cache(self._fit_law)

    def seconds(self, cell: Cell) -> float:
        """How long a cell will take; of a model that was never timed, by a rule of thumb."""
        measured = self.measured(cell)
        if measured is not None:
            return measured
        rows, labels = self._size(cell.dataset) or (0, 0)
        each = NETWORK if is_network(self.params.models[cell.model]) else LINEAR
        return max(LEAST, rows * labels * each)

    def measured(self, cell: Cell) -> float | None:
        """The mean of what the model took on this data set, else what its law says of the size."""
        units, size = self.timed[cell.model].get(cell.dataset), self._size(cell.dataset)
        if units:
            unit = fmean(units)
        elif size and (law := self._law(cell.model)):
            unit = exp(law[0] + law[1] @ np.log(size))
        else:
            return None
        return unit * self.params.work_of(cell.model)

    def _fit_law(self, model: str) -> tuple[float, np.ndarray] | None:
        """The logarithm of the time as a linear function of those of rows and labels: the less the
        data sets tell, the nearer it is to `POWERS`."""
        timed = [(size, fmean(units)) for dataset, units in self.timed[model].items()
                 if (size := self._size(dataset))]  # fmt: skip
        if not timed:
            return None
        sizes, seconds = (np.log(np.maximum(column, 1e-4)) for column in zip(*timed, strict=True))
        law = Ridge(alpha=FAITH).fit(sizes, seconds - sizes @ POWERS)
        return law.intercept_, law.coef_ + POWERS

    def _size(self, dataset: str) -> Size | None:
        known = dataset in self.catalog.datasets
        return self.catalog.datasets[dataset].size if known else None
