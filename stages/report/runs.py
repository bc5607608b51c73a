"""Run times and failures."""

from collections import defaultdict
from collections.abc import Iterable

from stages.common.words import isolated, listed
from stages.report.tables import Cell, Column, Json, Table, name, simple, void, words
from stages.report.text import duration, fixed


def failed_lines(failures: Iterable[Json]) -> list[str]:
    """Failed cells in words, those that differ only by the seed on one line."""
    seeds: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in failures:
        reason = row["reason"] or "no reason was recorded"
        place = " · ".join(isolated(row[key]) for key in ("dataset", "model", "cost"))
        seeds[place, f"{row['status']} – {isolated(reason)}"].append(str(row["seed"]))
    return [
        f"{place} · {'seeds' if len(found) > 1 else 'seed'} {listed(found)}: {why}"
        for (place, why), found in seeds.items()
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
    columns = [words("Model"), *columns, Column("Together")]
    return simple("run-times", "CPU seconds by model and data set", columns, rows)


def _seconds(value: float | None) -> Cell:
    return void("not planned") if value is None else Cell(fixed(value, 1), value)


def view(context: Json) -> Json:
    """What the run took, and what it lost."""
    runs = context["runs"]
    return {
        "total": duration(sum(run["seconds"] or 0.0 for run in runs)),
        "cells": len(runs),
        "times": time_table(runs, context["params"]["datasets"]),
        "failed": failed_lines(context["comparison"]["failures"]),
    }
