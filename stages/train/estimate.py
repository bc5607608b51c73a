"""What a run would compute and how long it would take, from the times of earlier cells."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from stages.common.catalog import Catalog, load_catalog
from stages.common.errors import DataError
from stages.common.keys import names
from stages.common.params import Params
from stages.common.plan import Cell, is_network, plan
from stages.common.published import Row, read_published
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


def expected_seconds(cell: Cell, timed: Timings, params: Params, catalog: Catalog) -> float:
    """How long a cell will take, guessed by its size where nothing was timed."""
    measured = measured_seconds(cell, timed, params, catalog)
    if measured is not None:
        return measured
    each = NETWORK if is_network(params.models[cell.model]) else LINEAR
    return max(LEAST, (catalog.entry(cell.dataset).size or 0) * each)


def measured_seconds(cell: Cell, timed: Timings, params: Params, catalog: Catalog) -> float | None:
    """Measured CPU time for a unit of work here, else on other data sets by size, times the work.

    Work is the fits of a search, size is rows times labels: warm starts and pruned searches make
    the estimate of a larger grid a high one.
    """
    units = timed.get((cell.dataset, cell.model), [])
    for other in () if units else sorted(name for name, model in timed if model == cell.model):
        share = _relative_size(cell.dataset, other, catalog)
        units = units + [unit * share for unit in timed[other, cell.model]] if share else units
    return fmean(units) * params.work_of(cell.model) if units else None


def _relative_size(dataset: str, other: str, catalog: Catalog) -> float | None:
    one, two = (
        catalog.datasets[name].size if name in catalog.datasets else None
        for name in (dataset, other)
    )
    return one / two if one and two else None


@dataclass(frozen=True)
class Share:
    """A model on a data set: where its cells are, and what is left to do."""

    cells: int
    stored: int
    published: int
    seconds: float
    guessed: bool  # nothing like it was timed
    prepared: bool  # the data is there; else no cell has a name, so none can be found

    @property
    def missing(self) -> int:
        """Cells to compute."""
        return self.cells - self.stored - self.published


def describe_plan(datasets: list[str], params: Params, store: Store, workers: int) -> str:
    """A line for each experiment, each data set and model, and the time left."""
    catalog, published = load_catalog(), read_published()
    timed = timings(store, published)
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in plan(params, catalog, datasets):
        groups[cell.dataset, cell.model].append(cell)
    shares = {
        place: _share(cells, params, store, published, timed, catalog)
        for place, cells in groups.items()
    }
    head = f"\n{'data set':<14}{'model':<18}{'cells':>6}{'computed':>10}{'published':>11}"
    lines = [*_experiments(params, catalog, datasets), f"{head}{'missing':>9}{'CPU s left':>12}"]
    for (dataset, model), share in shares.items():
        left = f"{share.seconds:,.0f}" + ("?" if share.guessed and share.missing else "")
        stored = share.stored if share.prepared else "no data"
        counts = f"{share.cells:>6}{stored:>10}{share.published:>11}{share.missing:>9}"
        lines.append(f"{dataset:<14}{model:<18}{counts}{left:>12}")
    return "\n".join([*lines, _sum(list(shares.values()), workers)])


def _share(
    cells: list[Cell],
    params: Params,
    store: Store,
    published: Mapping[str, Row],
    timed: Timings,
    catalog: Catalog,
) -> Share:
    try:
        named, prepared = names(cells, params), True
    except (DataError, FileNotFoundError):
        named, prepared = {}, False
    manifests = store.find_all({cell: both.key for cell, both in named.items()})
    stored = sum(manifest is not None for manifest in manifests.values())
    known = sum(not manifests[c] and both.asked in published for c, both in named.items())
    each = expected_seconds(cells[0], timed, params, catalog)
    guessed = measured_seconds(cells[0], timed, params, catalog) is None
    return Share(len(cells), stored, known, (len(cells) - stored - known) * each, guessed, prepared)


def _sum(shares: list[Share], workers: int) -> str:
    cells, stored, published, missing = (
        sum(getattr(share, name) for share in shares)
        for name in ("cells", "stored", "published", "missing")
    )
    left = sum(share.seconds for share in shares)
    guessed = sum(share.missing for share in shares if share.guessed)
    return (
        f"{cells} cells, {stored} computed, {published} published, {missing} to compute: "
        f"about {left / 3600:.2f} CPU h, {left / 60 / workers:.1f} min with {workers} workers"
        + (f" (?: {guessed} cells of models never timed, guessed by size)" if guessed else "")
    )


def _experiments(params: Params, catalog: Catalog, datasets: list[str]) -> Iterator[str]:
    yield f"{'experiment':<18}{'cells':>6}{'of its own':>12}"
    planned: set[Cell] = set()
    for name in params.experiments:
        one = params.model_copy(update={"experiments": {name: params.experiments[name]}})
        cells = set(plan(one, catalog, datasets))
        yield f"{name:<18}{len(cells):>6}{len(cells - planned):>12}"
        planned |= cells
