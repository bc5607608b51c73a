"""How much of what was asked for is there: splits of every model on every data set."""

from collections import defaultdict
from collections.abc import Iterable

from stages.report.page_inputs import Inputs, Json
from stages.report.table import Column, Entry, Table, name, simple, texts, void

Splits = dict[tuple[str, str], int]  # by data set and model


def missing(inputs: Inputs) -> int:
    """How many planned cells are not there at all; a failed one is."""
    names_of_runs = {_names(run) for run in inputs.runs}
    return sum(_names(vars(cell)) not in names_of_runs for cell in inputs.planned)


def _names(row: Json) -> tuple[str, str, str, int]:
    return row["dataset"], row["model"], row["cost"], row["seed"]


def splits_of(cells: Iterable[tuple[str, str, str, int]]) -> Splits:
    """The splits of each model on each data set; the least of its costs, where these differ."""
    seeds: dict[tuple[str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for dataset, model, cost, seed in cells:
        seeds[dataset, model][cost].add(seed)
    return {place: min(map(len, costs.values())) for place, costs in seeds.items()}


def split_table(inputs: Inputs) -> Table:
    """How many splits every model has on every data set, and how many were planned."""
    asked = splits_of(_names(vars(cell)) for cell in inputs.planned)
    counts = splits_of(_names(run) for run in inputs.runs)
    datasets = inputs.params.datasets
    models = dict.fromkeys(model for _, model in [*asked, *counts])
    rows = [
        [name(model), *(_entry(asked, counts, (dataset, model)) for dataset in datasets)]
        for model in models
    ]
    columns = [*texts("Model"), *(Column(dataset, named=True) for dataset in datasets)]
    return simple("splits", "Splits of every model on every data set", columns, rows)


def _entry(asked: Splits, there: Splits, place: tuple[str, str]) -> Entry:
    known, planned = there.get(place, 0), asked.get(place, there.get(place, 0))
    if not planned:
        return void("not planned")
    return Entry(f"{known}" if known == planned else f"{known} of {planned}", known)
