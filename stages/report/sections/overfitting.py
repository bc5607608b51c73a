"""Models that know the training rows by heart, beside tuned ones and the printed numbers."""

from collections.abc import Sequence

from stages.common.slices import OverfittedScore, OverfittedScores
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

TITLE = "Overfitting"


def show(part: OverfittedScores, inputs: Inputs) -> list[Section]:
    """Tuned and overfitted side by side, on both parts."""
    columns = [
        *texts("Cost", "Model", "Data set"),
        *means("Tuned", "Overfitted", "Paper"),
        Column("Tuned to paper"),
        Column("Overfitted to paper"),
        *means("Tuned, training rows", "Overfitted, training rows"),
    ]
    caption = (
        "Models that were tuned on held-out rows and models that know the training rows by heart; "
        "distances from the paper in pooled standard errors"
    )
    rows = [_row(row, inputs) for row in part.rows]
    view = View(
        intro=[
            "A net that is trained until its loss no longer falls, and a linear model with hardly "
            "a penalty, know the training rows by heart. Here they do so on purpose, to see "
            "whether the printed numbers follow.",
            _sentence(part.rows),
        ],
        tables=[simple("overfitting", caption, columns, rows)] if rows else [],
        reading="≈ marks a number within two pooled standard errors of the printed one. Both "
        "models are compared on the splits that both have."
        if rows
        else "",
    )
    return [Section("overfitting", TITLE, view)]


def _sentence(rows: Sequence[OverfittedScore]) -> str:
    """How many printed rank losses are those of overfitted models."""
    known = [row for row in rows if row.cost == "rank" and row.overfitted_z is not None]
    if not known:
        return "No model was run both ways for a rank loss that the paper prints."
    overfitted, tuned = (
        sum(z is not None and abs(z) <= CLOSE for z in distances)
        for distances in ([row.overfitted_z for row in known], [row.tuned_z for row in known])
    )
    nearer = sum(abs(row.overfitted_z or 0.0) < abs(row.tuned_z or 0.0) for row in known)
    return (
        f"Of {counted(len(known), 'printed rank loss', 'printed rank losses')}, {nearer} are "
        f"nearer to the overfitted model; {overfitted} lie within two pooled standard errors of "
        f"it and {tuned} of the tuned one."
    )


def _row(row: OverfittedScore, inputs: Inputs) -> list[Entry]:
    return [
        name(inputs.comparison.title(row.cost)),
        name(row.model),
        name(row.dataset),
        estimate(row.tuned, row.decimals, LOST),
        estimate(row.overfitted, row.decimals, LOST),
        estimate(row.printed, row.decimals, NOT_PRINTED),
        distance(row.tuned_z, row.greater_is_better),
        distance(row.overfitted_z, row.greater_is_better),
        estimate(row.tuned_train, row.decimals, LOST),
        estimate(row.overfitted_train, row.decimals, LOST),
    ]
