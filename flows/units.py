"""Units of work: the models of a data set that one worker computes, and where.

A model is a unit of its own, unless it is so short that starting a process would take longer than
the work: such models share a unit. Networks share one with others only where no GPU waits for them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from flows.server import CPU, GPU
from stages.cells.estimate import seconds_of_a_cell
from stages.cells.plan import Cell, is_network
from stages.cells.store import Timings
from stages.config.catalog import Catalog
from stages.config.params import Params

# seconds of a cell before any was timed: at least, and for each label of each row
SOME, GUESS, NETWORK = 0.5, 2e-5, 6e-5
LEAST, MOST = 30.0, 240.0  # seconds that a pack of models should last: starting one takes five


@dataclass(frozen=True)
class Unit:
    """Models of one data set that are computed one after the other."""

    dataset: str
    models: tuple[str, ...]
    network: bool
    seconds: float

    @property
    def name(self) -> str:
        """What the run is called."""
        return f"{self.dataset} / {', '.join(self.models)}"


def units(
    missing: Iterable[Cell],
    timings: Timings,
    params: Params,
    catalog: Catalog,
    lanes: int,
    *,
    gpu: bool,
) -> list[Unit]:
    """Units for the cells that are missing, for so many lanes that wait for work."""
    seconds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for cell in missing:
        each = seconds_of_a_cell(timings, cell.dataset, cell.model, params, catalog)
        each = _guess(cell, params, catalog) if each is None else each
        seconds[cell.dataset][cell.model] += each
    total = sum(sum(models.values()) for models in seconds.values())
    rounds = max(1, ceil(total / (MOST * lanes)))  # some cells take no time at all
    enough = max(LEAST, total / (rounds * lanes))  # so that all come to an end together
    return [
        Unit(dataset, models, network, sum(counted[model] for model in models))
        for dataset, counted in seconds.items()
        for network, models in _packs(counted, enough, params, apart=gpu)
    ]


def _guess(cell: Cell, params: Params, catalog: Catalog) -> float:
    each = NETWORK if is_network(params.models[cell.model]) else GUESS
    return max(SOME, (catalog.entry(cell.dataset).size or 0) * each)


def _packs(
    seconds: dict[str, float], enough: float, params: Params, *, apart: bool
) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """The models of a data set in packs, and whether a pack is for a GPU."""
    if not apart and sum(seconds.values()) <= enough:
        yield False, tuple(seconds)
        return
    for network in (True, False):
        kind = {m: s for m, s in seconds.items() if is_network(params.models[m]) == network}
        for pack in _together(kind, enough):
            yield network, pack


def _together(seconds: dict[str, float], enough: float) -> list[tuple[str, ...]]:
    """Models in packs of about equal length: each, from the longest on, joins the shortest pack."""
    packs: list[list[str]] = [[] for _ in range(max(1, round(sum(seconds.values()) / enough)))]
    for model in sorted(seconds, key=lambda name: -seconds[name]):
        min(packs, key=lambda pack: sum(seconds[name] for name in pack)).append(model)
    return [tuple(pack) for pack in packs if pack]


def pool_for(unit: Unit, device: str, live: dict[str, int]) -> str | None:
    """The pool that suits a unit among those with a living worker; None if it must wait."""
    if unit.network and device != "cpu" and live[GPU]:
        return GPU
    if unit.network and device == "cuda":
        return None
    return CPU if live[CPU] else None
