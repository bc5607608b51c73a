"""Baselines with the wrong choice of the grid point: the slip behind the printed rank losses."""

from stages.common.words import counted
from stages.report.ablations import NOT_PRINTED
from stages.report.paper import CLOSE, decimals_of, distance
from stages.report.tables import MEAN, Cell, Column, Json, Table, estimate, name, simple, words


def by_max_table(comparison: Json) -> Table:
    """Baselines whose grid point is the one of the largest rank loss."""
    columns = [words("Data set"), words("Model")]
    columns += [Column(title, fields=MEAN) for title in ("Right", "Wrong", "All zeros", "Paper")]
    columns += [Column("Right to paper"), Column("Wrong to paper")]
    rows = [_by_max(comparison, row) for row in _by_max_rows(comparison)]
    caption = (
        "Rank loss with the right and the wrong choice of the grid point, and the distances from "
        "the paper in pooled standard errors"
    )
    return simple("selected-by-max", caption, columns, rows, direction="down")


def _by_max_rows(comparison: Json) -> list[Json]:
    return comparison["experiments"]["selected_by_max"]["rows"]


def _by_max(comparison: Json, row: Json) -> list[Cell]:
    cost = comparison["costs"].get(row["cost"], {"datasets": {}})
    decimals = decimals_of(cost, row["dataset"])
    means = [
        estimate(row[key], decimals, missing)
        for key, missing in (
            ("best", "not measured in this run"),
            ("max", "did not finish"),
            ("all_zeros", "not measured in this run"),
            ("printed", NOT_PRINTED),
        )
    ]
    return [
        name(row["dataset"]),
        name(row["model"]),
        *means,
        distance(row["best_z"], greater=False),
        distance(row["max_z"], greater=False),
    ]


def by_max_sentence(comparison: Json) -> str:
    """How many printed numbers the wrong choice explains."""
    rows = [row for row in _by_max_rows(comparison) if row["max_z"] is not None]
    if not rows:
        return "The paper prints no number for these models and data sets."
    wrong, right = (
        sum(row[key] is not None and abs(row[key]) <= CLOSE for row in rows)
        for key in ("max_z", "best_z")
    )
    return (
        f"Of {counted(len(rows), 'printed rank loss', 'printed rank losses')}, {wrong} lie within "
        f"two pooled standard errors of the wrong choice and {right} of the right one."
    )


def section(comparison: Json) -> Json:
    """The wrong choice beside the right one and the paper."""
    return {
        "intro": [
            "A grid search must take the point of the smallest rank loss. "
            "Here it takes the largest on purpose, to see whether the printed numbers follow.",
            by_max_sentence(comparison),
        ],
        "figures": [],
        "tables": [by_max_table(comparison)],
        "reading": "≈ marks a number within two pooled standard errors of the printed one. "
        "Where only the wrong choice has it, the printed loss is that of a wrong choice.",
    }
