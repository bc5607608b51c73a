"""The scores of a run, each model judged by the cost it was trained for."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from stages.compare.numbers import DEFAULT_EMPTY

CellName = tuple[str, str, str]  # data set, model, cost
Seeds = dict[int, float]  # seed -> score


class Ending(NamedTuple):
    """How one seed of a model ended: its status, and why it has no result."""

    status: str
    reason: str


class Place(NamedTuple):
    """Where a score was measured; iteration 0 is the last one."""

    dataset: str
    model: str
    cost: str
    part: str
    iteration: int
    empty: float


@dataclass(frozen=True)
class Scores:
    """Scores by place and seed, and the planned cells, both in the order of the seeds."""

    values: Mapping[Place, Seeds]
    cells: Mapping[CellName, Mapping[int, Ending]]
    steps: Mapping[CellName, list[int]]

    def seeds(
        self,
        dataset: str,
        model: str,
        cost: str,
        *,
        part: str = "test",
        iteration: int = 0,
        empty: float = DEFAULT_EMPTY,
    ) -> Seeds:
        """The finished seeds of a model with their scores; none if it is not in the run."""
        return self.values.get(Place(dataset, model, cost, part, iteration, empty), {})

    def planned(self, dataset: str, model: str, cost: str) -> Mapping[int, Ending]:
        """Every planned seed of a model, finished or not."""
        return self.cells.get((dataset, model, cost), {})

    def iterations(self, dataset: str, model: str, cost: str) -> list[int]:
        """The iterations of a model that were scored, from 1."""
        return self.steps.get((dataset, model, cost), [])


def index_scores(frame: pd.DataFrame) -> Scores:
    """Find scores by place; the order of the rows does not matter."""
    own = frame[frame["criterion"] == frame["cost"]].sort_values("seed", kind="stable")
    values: dict[Place, Seeds] = defaultdict(dict)
    cells: dict[CellName, dict[int, Ending]] = defaultdict(dict)
    for row in own.itertuples():
        seed, cell = int(row.seed), (row.dataset, row.model, row.cost)
        cells[cell][seed] = Ending(row.status, "" if pd.isna(row.reason) else row.reason)
        if row.status != "ok" or pd.isna(row.value):
            continue
        for iteration in _iterations(row.iteration, row.last):
            values[Place(*cell, row.part, iteration, row.empty)][seed] = float(row.value)
    steps: dict[CellName, set[int]] = defaultdict(set)
    for place in values:
        if place.iteration:
            steps[place.dataset, place.model, place.cost].add(place.iteration)
    return Scores(dict(values), dict(cells), {cell: sorted(order) for cell, order in steps.items()})


def _iterations(iteration: float, last: bool) -> Iterable[int]:
    if not pd.isna(iteration):
        yield int(iteration)
    if last:
        yield 0
