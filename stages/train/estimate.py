"""What a run would compute and how long it would take, from the times of earlier cells."""

from collections import defaultdict
from collections.abc import Iterator
from statistics import fmean

from stages.common.catalog import Catalog, load_catalog
from stages.common.errors import DataError
from stages.common.params import Params
from stages.train.keys import keys
from stages.train.plan import Cell, is_network, plan
from stages.train.store import Store, Timings

# seconds of a cell that nothing like it was timed for: at the least, and for each label of a row
LEAST, LINEAR, NETWORK = 0.5, 2e-5, 6e-5


def expected_seconds(cell: Cell, timings: Timings, params: Params, catalog: Catalog) -> float:
    """How long a cell will take, guessed by its size where nothing was timed."""
    timed = seconds_of_a_cell(timings, cell.dataset, cell.model, params, catalog)
    if timed is not None:
        return timed
    each = NETWORK if is_network(params.models[cell.model]) else LINEAR
    return max(LEAST, (catalog.entry(cell.dataset).size or 0) * each)


def describe_plan(datasets: list[str], params: Params, store: Store, workers: int) -> str:
    """A line for each experiment, each data set and model, and the time left."""
    catalog = load_catalog()
    cells = plan(params, catalog, datasets)
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.dataset, cell.model].append(cell)
    lines = list(_experiments(params, catalog, datasets))
    lines.append(f"\n{'data set':<14}{'model':<18}{'cells':>6}{'cached':>8}{'CPU s left':>12}")
    timings = store.timings()
    left, unknown, cached_total = 0.0, 0, 0
    for (dataset, model), group in groups.items():
        cached = _cached(group, params, store)
        missing = len(group) - (cached or 0)
        each = seconds_of_a_cell(timings, dataset, model, params, catalog) if missing else 0.0
        left += missing * (each or 0.0)
        unknown += missing if each is None else 0
        cached_total += cached or 0
        time = "unknown" if each is None else f"{missing * each:,.0f}"
        shown = "no data" if cached is None else str(cached)
        lines.append(f"{dataset:<14}{model:<18}{len(group):>6}{shown:>8}{time:>12}")
    lines.append(
        f"{len(cells)} cells, {cached_total} cached, {len(cells) - cached_total} to compute: "
        f"about {left / 3600:.2f} CPU h, {left / 60 / workers:.1f} min with {workers} workers"
        + (f", not counting {unknown} cells of models not timed yet" if unknown else "")
    )
    return "\n".join(lines)


def _experiments(params: Params, catalog: Catalog, datasets: list[str]) -> Iterator[str]:
    yield f"{'experiment':<18}{'cells':>6}{'of its own':>12}"
    seen: set[Cell] = set()
    for name in params.experiments:
        one = params.model_copy(update={"experiments": {name: params.experiments[name]}})
        cells = set(plan(one, catalog, datasets))
        yield f"{name:<18}{len(cells):>6}{len(cells - seen):>12}"
        seen |= cells


def _cached(cells: list[Cell], params: Params, store: Store) -> int | None:
    """How many are in the store; None when the data is not prepared, so no key is known."""
    try:
        names = keys(cells, params)
    except (DataError, FileNotFoundError):
        return None
    return sum(manifest is not None for manifest in store.find_all(names).values())


def seconds_of_a_cell(
    timings: Timings, dataset: str, model: str, params: Params, catalog: Catalog
) -> float | None:
    """Measured CPU time for a unit of work here, else on other data sets by size, times the work.

    Work is fits times epochs, size is rows times labels: warm starts and pruned searches make
    the estimate of a larger grid a high one.
    """
    units = timings.get((dataset, model), [])
    for other in () if units else sorted(name for name, known in timings if known == model):
        share = _relative_size(dataset, other, catalog)
        units = units + [unit * share for unit in timings[other, model]] if share else units
    return fmean(units) * params.work_of(model) if units else None


def _relative_size(dataset: str, other: str, catalog: Catalog) -> float | None:
    one, two = (
        catalog.datasets[name].size if name in catalog.datasets else None
        for name in (dataset, other)
    )
    return one / two if one and two else None
