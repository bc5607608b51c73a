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


@dataclass(frozen=True)
class Job:
    """Cells that one process computes together, with the key of each."""

    cells: tuple[Cell, ...]
    keys: tuple[str, ...]


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


def _shares_fits(model: Model) -> bool:
    return shares_fits(build_model(model.estimator, model.params))


def jobs(cells: Iterable[Cell], keys: dict[Cell, str], params: Params) -> list[Job]:
    """Group cells: where the fit knows no cost, one search and fit serves all costs."""

    def group(cell: Cell) -> tuple[str, str, int, str]:
        shared = _shares_fits(params.models[cell.model])
        return cell.dataset, cell.model, cell.seed, "" if shared else cell.cost

    grouped = groupby(sorted(cells, key=group), key=group)
    members = [tuple(group_cells) for _, group_cells in grouped]
    return [Job(cells, tuple(keys[cell] for cell in cells)) for cells in members]
