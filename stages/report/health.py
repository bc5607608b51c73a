"""How the run went: what a reader must know before any number, times and failures."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from stages.common.schema import Comparison, CostTable, Failure
from stages.common.words import duration, fixed, isolated, listed, verb, within
from stages.report import coverage
from stages.report.page_inputs import Inputs, Json
from stages.report.table import Column, Entry, Table, name, simple, texts, void

FINDINGS = {  # a check of the data -> what a broken one says of one thing, and of several
    "no-duplicates": ("row stands twice", "rows stand twice"),
    "no-empty": ("row has no label", "rows have no label"),
    "varies": ("feature does not vary", "features do not vary"),
    "not-rare": ("label is on in fewer than 10 rows", "labels are on in fewer than 10 rows"),
    "not-always": ("label is on in every row", "labels are on in every row"),
    "decodable": (
        "image cannot be decoded, its features are zeros",
        "images cannot be decoded, their features are zeros",
    ),
    "colours": ("image was converted to RGB", "images were converted to RGB"),
    "not-tiny": ("tiny image was enlarged", "tiny images were enlarged"),
}
WHOLE = ("paper", "wide")  # profiles with every data set of the paper


def alerts(inputs: Inputs) -> dict[str, list[str]]:
    """Lines by kind; the template says what each kind means."""
    return {
        "failed": failed_lines(inputs.comparison.failures),
        "devices": list(_mixed_devices(inputs.runs)),
        "trivial": list(_behind_trivial(inputs.comparison)),
        "empty": list(_empty_matters(inputs.comparison, inputs.cards)),
        "validation": [
            f"{isolated(dataset)}: {finding(check)}"
            for dataset, validation in inputs.validations.items()
            for check in validation["checks"]
            if check["status"] != "ok"
        ],
    }


def finding(check: Json) -> str:
    """What a broken check found: 7 rows stand twice; 2 features do not vary (a, b)."""
    if check["check"] not in FINDINGS:
        return f"expected was: {check['text']}; observed: {check['observed']}"
    number, _, names = check["observed"].partition(" break this: ")
    share = number.split(" of ")  # such as "2 of 103"
    words = FINDINGS[check["check"]][share[0] != "1"]
    return f"{share[0]} {words}" + (f" ({names})" if names else "")


def _mixed_devices(runs: Iterable[Json]) -> Iterator[str]:
    models: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        models[run["device"]].add(run["model"])
    for device in sorted(models) if len(models) > 1 else ():
        yield f"{device}: {listed(sorted(models[device]))}"


def _behind_trivial(comparison: Comparison) -> Iterator[str]:
    for cost in map(comparison.costs.__getitem__, comparison.order.costs):
        for model in comparison.order.models:
            sets = [d for d in comparison.order.datasets if _is_behind(cost, d, model)]
            if sets:
                yield f"{isolated(model)} by {within(cost.title)} on {listed(sets)}"


def _is_behind(cost: CostTable, dataset: str, model: str) -> bool:
    models = cost.datasets[dataset].models if dataset in cost.datasets else {}
    return model in models and models[model].beats_trivial is False


def _empty_matters(comparison: Comparison, cards: dict[str, Json]) -> Iterator[str]:
    for dataset in comparison.order.datasets:
        costs = comparison.empty.matters.get(dataset)
        if costs:
            card = cards[dataset]
            titles = listed(within(comparison.title(cost)) for cost in costs)
            empty = f"{card['empty']:,} of {card['instances']:,} rows are empty"
            yield f"{isolated(dataset)}: {empty} ({titles})"


def view(inputs: Inputs) -> dict[str, Any]:
    """The lines, and whether this run is smaller than the paper's."""
    return {
        "lines": alerts(inputs),
        "small": inputs.params.profile not in WHOLE,
        "failed": len(inputs.comparison.failures),
        "behind": sum(
            model.beats_trivial is False
            for cost in inputs.comparison.costs.values()
            for table in cost.datasets.values()
            for model in table.models.values()
        ),
    }


def failed_lines(failures: Iterable[Failure]) -> list[str]:
    """Failed cells in words, those that differ only by the seed on one line."""
    seeds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in failures:
        place = " · ".join(map(isolated, (row.dataset, row.model, row.cost)))
        reason = isolated(row.reason or "no reason was recorded")
        seeds[place, f"{row.status} – {reason}"].append(str(row.seed))
    return [
        f"{place} · {verb(same, 'seed', 'seeds')} {listed(same)}: {why}"
        for (place, why), same in seeds.items()
    ]


def total_seconds(runs: Iterable[Json]) -> dict[str, dict[str, float]]:
    """Seconds of all cells, by model and data set."""
    totals: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for run in runs:
        totals[run["model"]][run["dataset"]] += run["seconds"] or 0.0
    return {model: dict(datasets) for model, datasets in totals.items()}


def time_table(runs: list[Json], datasets: list[str]) -> Table:
    """CPU seconds by model and data set."""
    columns = [Column(dataset, named=True) for dataset in datasets]
    rows = [
        [name(model)]
        + [_seconds(mine.get(dataset)) for dataset in datasets]
        + [_seconds(sum(mine.values()))]
        for model, mine in total_seconds(runs).items()
    ]
    columns = [*texts("Model"), *columns, Column("Together")]
    return simple("run-times", "CPU seconds by model and data set", columns, rows)


def _seconds(value: float | None) -> Entry:
    return void("not in this run") if value is None else Entry(fixed(value, 1), value)


def _ran(inputs: Inputs) -> list[str]:
    datasets = {run["dataset"] for run in inputs.runs}
    return [dataset for dataset in inputs.params.datasets if dataset in datasets]


def times(inputs: Inputs) -> dict[str, Any]:
    """What the run took, and what it lost."""
    return {
        "total": duration(sum(run["seconds"] or 0.0 for run in inputs.runs)),
        "cells": len(inputs.runs),
        "times": time_table(inputs.runs, _ran(inputs)),
        "missing": coverage.missing(inputs),
        "failed": failed_lines(inputs.comparison.failures),
    }
