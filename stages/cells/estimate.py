"""What a run would compute and how long it would take, from the times of earlier cells."""

from collections import defaultdict
from statistics import fmean

from stages.cells.keys import keys
from stages.cells.plan import Cell, plan
from stages.cells.store import Store
from stages.config.catalog import load_catalog
from stages.config.params import Params
from stages.errors import DataError


def describe_plan(datasets: list[str], params: Params, store: Store, workers: int) -> str:
    """A line for each data set and model, and the time left."""
    cells = plan(params, load_catalog(), datasets)
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.dataset, cell.model].append(cell)
    lines = [f"{'data set':<16}{'model':<16}{'cells':>6}{'cached':>8}{'CPU s left':>12}"]
    left, unknown, cached_total = 0.0, 0, 0
    for (dataset, model), group in groups.items():
        cached = _cached(group, params, store)
        missing = len(group) - (cached or 0)
        each = seconds_of_a_cell(store, dataset, model, tuple(params.datasets))
        left += missing * (each or 0.0)
        unknown += missing if each is None else 0
        cached_total += cached or 0
        time = "unknown" if each is None and missing else f"{missing * (each or 0):.0f}"
        shown = "no data" if cached is None else str(cached)
        lines.append(f"{dataset:<16}{model:<16}{len(group):>6}{shown:>8}{time:>12}")
    lines.append(
        f"{len(cells)} cells, {cached_total} cached, {len(cells) - cached_total} to compute: "
        f"about {left / 3600:.2f} CPU h, {left / 60 / workers:.1f} min with {workers} workers"
        + (f", not counting {unknown} cells of models not timed yet" if unknown else "")
    )
    return "\n".join(lines)


def _cached(cells: list[Cell], params: Params, store: Store) -> int | None:
    """How many are in the store; None when the data is not prepared, so no key is known."""
    try:
        names = keys(cells, params)
    except (DataError, FileNotFoundError):
        return None
    return sum(store.find(cell, names[cell]) is not None for cell in cells)


def seconds_of_a_cell(
    store: Store, dataset: str, model: str, others: tuple[str, ...]
) -> float | None:
    """Mean time of such cells here, else of the model on other data sets, else unknown."""
    here = store.seconds(dataset, model)
    if here:
        return fmean(here)
    elsewhere = [seconds for other in others for seconds in store.seconds(other, model)]
    return fmean(elsewhere) if elsewhere else None
