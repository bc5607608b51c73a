"""What a run would compute, in words: its cells, where they are, and the time left."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from stages.common.errors import DataError
from stages.common.keys import names
from stages.common.params import Params
from stages.common.plan import Cell, plan
from stages.common.published import read_published
from stages.common.store import Store
from stages.common.words import text_table
from stages.train.forecast import Forecast


@dataclass(frozen=True)
class Share:
    """The cells of a model on a data set: where they are, and how long the others take."""

    cells: int
    computed: int
    published: int
    prepared: bool  # the data is there; else published cells are known by their names alone
    each: float  # seconds
    guessed: bool  # nothing like it was timed

    @property
    def missing(self) -> int:
        """Cells to compute."""
        return self.cells - self.computed - self.published

    @property
    def unsure(self) -> bool:
        """Whether the published cells may be of other data than the one to come."""
        return not self.prepared and self.published > 0


def describe_plan(datasets: list[str], params: Params, store: Store, workers: int) -> str:
    """A line for each experiment, each data set and model, and the sum."""
    published = read_published()
    forecast = Forecast(params, store, published)
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in plan(params, forecast.catalog, datasets):
        groups[cell.dataset, cell.model].append(cell)
    alike = {Cell(r["dataset"], r["model"], r["cost"], r["seed"]) for r in published.values()}
    shares = {
        place: _share(cells, forecast, store, published, alike) for place, cells in groups.items()
    }
    rows = [
        (*place, s.cells, s.computed if s.prepared else "no data",
         f"{s.published}" + "?" * s.unsure, s.missing,
         f"{s.missing * s.each:,.0f}" + "?" * (s.guessed and s.missing > 0))
        for place, s in shares.items()
    ]  # fmt: skip
    head = ("data set", "model", "cells", "computed", "published", "missing", "CPU s left")
    experiments = text_table(
        ("experiment", "cells", "of its own"), _experiments(forecast, datasets)
    )
    return "\n".join([experiments, text_table(head, rows), _sum(list(shares.values()), workers)])


def _share(
    cells: list[Cell],
    forecast: Forecast,
    store: Store,
    published: Collection[str],
    alike: set[Cell],
) -> Share:
    each, guessed = forecast.seconds(cells[0]), forecast.measured(cells[0]) is None
    try:
        named = names(cells, forecast.params)
    except (DataError, FileNotFoundError):
        known = len(alike.intersection(cells))
        return Share(len(cells), 0, known, prepared=False, each=each, guessed=guessed)
    manifests = store.find_all({cell: both.key for cell, both in named.items()})
    computed = sum(manifest is not None for manifest in manifests.values())
    known = sum(not manifests[cell] and both.asked in published for cell, both in named.items())
    return Share(len(cells), computed, known, prepared=True, each=each, guessed=guessed)


def _sum(shares: list[Share], workers: int) -> str:
    cells, computed, published, missing = (
        sum(getattr(share, name) for share in shares)
        for name in ("cells", "computed", "published", "missing")
    )
    left = sum(share.missing * share.each for share in shares)
    guessed = sum(share.missing for share in shares if share.guessed)
    unsure = any(share.unsure for share in shares)
    return (
        f"{cells} cells, {computed} computed, {published} published, {missing} to compute: "
        f"about {left / 3600:.2f} CPU h, {left / 60 / workers:.1f} min with {workers} workers"
        + (f" (?: {guessed} cells of models never timed, guessed by size)" if guessed else "")
        + " (published?: the data is not here yet, cells are compared by name)" * unsure
    )


def _experiments(forecast: Forecast, datasets: list[str]) -> Iterator[tuple[str, int, int]]:
    params, planned = forecast.params, set[Cell]()
    for name in params.experiments:
        one = params.model_copy(update={"experiments": {name: params.experiments[name]}})
        cells = set(plan(one, forecast.catalog, datasets))
        yield name, len(cells), len(cells - planned)
        planned |= cells
