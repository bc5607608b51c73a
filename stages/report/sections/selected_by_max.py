"""Baselines with the wrong choice of the grid point: the slip behind the printed rank losses."""

from collections.abc import Sequence

from stages.common.slices import WrongChoice, WrongChoices
from stages.common.words import counted
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View
from stages.report.table import (
    CLOSE,
    LOST,
    NOT_PRINTED,
    Column,
    Entry,
    distance,
    estimate,
    means,
    name,
    simple,
    texts,
)

TITLE = "Chosen by the largest loss"


def show(part: WrongChoices, inputs: Inputs) -> list[Section]:
    """The wrong choice beside the right one and the paper."""
    columns = [*texts("Data set", "Model"), *means("Right", "Wrong", "All zeros", "Paper")]
    columns += [Column("Right to paper"), Column("Wrong to paper")]
    caption = (
        "Rank loss with the right and the wrong choice of the grid point, and the distances from "
        "the paper in pooled standard errors"
    )
    rows = [_row(row, _decimals(inputs, row)) for row in part.rows]
    view = View(
        intro=[
            "A grid search must take the point of the smallest rank loss. "
            "Here it takes the largest on purpose, to see whether the printed numbers follow.",
            _sentence(part.rows),
        ],
        tables=[simple("selected-by-max", caption, columns, rows, direction="down")],
        reading="≈ marks a number within two pooled standard errors of the printed one. "
        "Where only the wrong choice has it, the printed loss is that of a wrong choice.",
    )
    return [Section("selected-by-max", TITLE, view)]


def _decimals(inputs: Inputs, row: WrongChoice) -> int:
    cost = inputs.comparison.costs.get(row.cost)
    table = cost.datasets.get(row.dataset) if cost else None
    return table.decimals if table else 3


def _row(row: WrongChoice, decimals: int) -> list[Entry]:
    return [
        name(row.dataset),
        name(row.model),
        estimate(row.best, decimals, "not measured in this run"),
        estimate(row.max, decimals, LOST),
        estimate(row.all_zeros, decimals, "not measured in this run"),
        estimate(row.printed, decimals, NOT_PRINTED),
        distance(row.best_z, greater=False),
        distance(row.max_z, greater=False),
    ]


def _sentence(rows: Sequence[WrongChoice]) -> str:
    """How many printed numbers the wrong choice explains."""
    known = [row for row in rows if row.max_z is not None]
    if not known:
        return "The paper prints no number for these models and data sets."
    wrong, right = (
        sum(z is not None and abs(z) <= CLOSE for z in distances)
        for distances in ([row.max_z for row in known], [row.best_z for row in known])
    )
    return (
        f"Of {counted(len(known), 'printed rank loss', 'printed rank losses')}, {wrong} lie within "
        f"two pooled standard errors of the wrong choice and {right} of the right one."
    )
