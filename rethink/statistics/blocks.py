"""The complete part of an incomplete table, and what was left out of it and why."""

from collections.abc import Mapping
from math import isfinite
from typing import NamedTuple


class LeftOut(NamedTuple):
    """A data set or a model that a test over data sets does not use."""

    kind: str  # dataset | model
    name: str
    why: str


class Blocks(NamedTuple):
    """A complete table: one row for each data set, one column for each model."""

    models: list[str]
    datasets: list[str]
    left_out: list[LeftOut]
    values: list[list[float]]


def complete_blocks(table: Mapping[str, Mapping[str, float | None]]) -> Blocks:
    """The data sets on which every model has a value; a model with none at all is left out."""
    named = list(dict.fromkeys(model for row in table.values() for model in row))
    models = [model for model in named if any(_has(row, model) for row in table.values())]
    left_out = [
        LeftOut("model", model, "no value on any data set")
        for model in named
        if model not in models
    ]
    used, values = [], []
    for dataset, row in table.items():
        lacking = [model for model in models if not _has(row, model)]
        if lacking or not models:
            whose = ", ".join(lacking or named) or "any model"
            left_out.append(LeftOut("dataset", dataset, f"no value of {whose}"))
        else:
            used.append(dataset)
            values.append([float(row[model]) for model in models])  # type: ignore[arg-type]
    return Blocks(models, used, left_out, values)


def _has(row: Mapping[str, float | None], model: str) -> bool:
    value = row.get(model)
    return value is not None and isfinite(value)
