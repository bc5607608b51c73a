"""What a run would compute, in words: its cells, where they are, and the time left."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby

from stages.common import paths
from stages.common.errors import DataError, run_command
from stages.common.forecast import Forecast
from stages.common.keys import names
from stages.common.machine import worker_count
from stages.common.params import Params, load_params
from stages.common.plan import Cell, plan
from stages.common.profile import params_under, profile_names
from stages.common.published import Row, read_published
from stages.common.store import Store
from stages.common.words import text_table

HEAD = ("data set", "model", "cells", "computed", "published", "missing", "CPU s left")
States = dict[Cell, str]  # computed, published or missing; with a ? where the data is not here yet


def describe_plan(datasets: list[str], params: Params, store: Store, workers: int) -> str:
    """A line for each experiment, each data set and model, and the sum."""
    published = read_published()
    forecast = Forecast(params, store, published)
    states: States = {}
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for _, cells in groupby(plan(params, forecast.catalog, datasets), lambda cell: cell.dataset):
        states |= _states(list(cells), params, store, published)
    for cell in states:
        groups[cell.dataset, cell.model].append(cell)
    rows = [(*place, *_row(cells, states, forecast)) for place, cells in groups.items()]
    experiments = text_table(
        ("experiment", "cells", "of its own"), _experiments(forecast, datasets)
    )
    late = _late(groups, states, forecast)
    return "\n".join([experiments, text_table(HEAD, rows), *late, _sum(states, forecast, workers)])


def _states(
    cells: list[Cell], params: Params, store: Store, published: Mapping[str, Row]
) -> States:
    """Where the cells of a data set are; without its data they are known by their names alone."""
    try:
        named = names(cells, params)
    except (DataError, FileNotFoundError):
        alike = {Cell(r["dataset"], r["model"], r["cost"], r["seed"]) for r in published.values()}
        return {cell: "published?" if cell in alike else "missing?" for cell in cells}
    stored = store.find_all({cell: both.key for cell, both in named.items()})
    return {
        cell: "computed" if stored[cell] else "published" if both.asked in published else "missing"
        for cell, both in named.items()
    }


def _row(cells: list[Cell], states: States, forecast: Forecast) -> tuple[object, ...]:
    counts = Counter(states[cell] for cell in cells)
    unsure, missing = counts["published?"], counts["missing"] + counts["missing?"]
    computed = "no data" if unsure or counts["missing?"] else counts["computed"]
    known = f"{unsure}?" if unsure else counts["published"]
    guessed = missing and forecast.measured(cells[0]) is None
    seconds = f"{missing * forecast.seconds(cells[0]):,.0f}" + "?" * bool(guessed)
    return len(cells), computed, known, missing, seconds


def _late(
    groups: Mapping[tuple[str, str], list[Cell]], states: States, forecast: Forecast
) -> Iterator[str]:
    """A warning of what will not end in time."""
    limit = forecast.params.train.time_limit
    missing = (
        [cell for cell in cells if states[cell].startswith("missing")] for cells in groups.values()
    )
    late = [cells[0] for cells in missing if cells and forecast.seconds(cells[0]) > limit]
    if late:
        names = ", ".join(f"{cell.dataset} / {cell.model}" for cell in late)
        yield (
            f"warning: a cell is stopped after {limit:,} s (train.time_limit in params.yaml), and "
            f"cells of these would take longer: {names}; raise the limit, or leave them out"
        )


def _sum(states: States, forecast: Forecast, workers: int) -> str:
    counts = Counter(state.rstrip("?") for state in states.values())
    missing = [cell for cell, state in states.items() if state.startswith("missing")]
    left = sum(forecast.seconds(cell) for cell in missing)
    guessed = sum(forecast.measured(cell) is None for cell in missing)
    return (
        f"{len(states)} cells, {counts['computed']} computed, {counts['published']} published, "
        f"{len(missing)} to compute: "
        f"about {left / 3600:.2f} CPU h, {left / 60 / workers:.1f} min with {workers} workers"
        + (f" (?: {guessed} cells of models never timed, guessed by size)" if guessed else "")
        + " (published?: the data is not here yet, cells are compared by name)"
        * ("published?" in states.values())
    )


def _experiments(forecast: Forecast, datasets: list[str]) -> Iterator[tuple[str, int, int]]:
    params, planned = forecast.params, set[Cell]()
    for name in params.experiments:
        one = params.model_copy(update={"experiments": {name: params.experiments[name]}})
        cells = set(plan(one, forecast.catalog, datasets))
        yield name, len(cells), len(cells - planned)
        planned |= cells


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.outlook --profile paper"
    )
    parser.add_argument("--dataset", help="one data set (default: all of params.yaml)")
    parser.add_argument("--profile", help="in place of params.yaml: " + ", ".join(profile_names()))
    parser.add_argument("--workers", type=int, default=worker_count(), help="processes at a time")
    args = parser.parse_args()
    params = params_under(args.profile) if args.profile else load_params()
    store = Store(paths.store())
    print(describe_plan(params.chosen(args.dataset), params, store, args.workers))
    return 0


if __name__ == "__main__":
    run_command(main)
