"""From parameters to cells, and from cells to jobs that share their fits."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from rethink.models import build_model, shares_fits
from rethink.models.named import devices_of
from stages.common.catalog import Catalog
from stages.common.params import Model, Params


@dataclass(frozen=True, order=True)
class Cell:
    """The unit that is computed, cached, retried and reported."""

    dataset: str
    model: str
    cost: str
    seed: int

    def __str__(self) -> str:
        return f"{self.dataset}/{self.model}/{self.cost}/{self.seed}"


def plan(params: Params, catalog: Catalog, datasets: Iterable[str]) -> list[Cell]:
    """Every cell of the given data sets, in a fixed order; what several experiments need, once."""
    place = {name: index for index, name in enumerate(datasets)}
    cells = [
        Cell(dataset, model, cost, seed)
        for name, experiment in params.experiments.items()
        for dataset in params.datasets_of(name)
        if dataset in place
        for model in experiment.models
        if catalog.entry(dataset).has(params.models[model].input)
        for cost in experiment.costs
        for seed in range(params.seeds_of(dataset, model))
    ]
    return sorted(dict.fromkeys(cells), key=lambda cell: place[cell.dataset])


def is_network(model: Model) -> bool:
    """Whether a model can use a GPU: a net, or one that has a net inside."""
    return bool(devices_of(model.estimator, model.params))


def jobs(cells: Iterable[Cell], params: Params) -> list[tuple[Cell, ...]]:
    """Group cells: where the fit knows no cost, one search and fit serves all costs."""

    def group(cell: Cell) -> tuple[str, str, int, str]:
        model = params.models[cell.model]
        shared = shares_fits(build_model(model.estimator, model.params))
        return cell.dataset, cell.model, cell.seed, "" if shared else cell.cost

    return [tuple(members) for _, members in groupby(sorted(cells, key=group), key=group)]
