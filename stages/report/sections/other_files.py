"""Two files of one data set beside the paper: which of them its numbers are of."""

from stages.common.slices import FileScore, OtherFiles
from stages.common.words import fixed, listed
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View
from stages.report.table import (
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

TITLE = "Another file of the same data"
READING = "≈ marks a number within two pooled standard errors of the printed one."


def show(part: OtherFiles, inputs: Inputs) -> list[Section]:
    """Both files and the paper, model by model."""
    columns = [
        *texts("Data set", "Other file", "Cost", "Model"),
        *means("Score", "On the other", "Paper"),
        Column("Score to paper"),
        Column("Other to paper"),
    ]
    caption = (
        "Scores on two files of a data set, and their distances from the paper in pooled standard "
        "errors"
    )
    rows = [_row(row, inputs) for row in part.rows]
    view = View(
        intro=[
            "Two files are called the same and differ. A test row whose features are in the "
            "training part, too, is no test of what a model has learned: it rewards memory.",
            _sentence(part.twins),
            *([] if rows else ["No model has a score on both files yet."]),
        ],
        tables=[simple("other-files", caption, columns, rows)] if rows else [],
        reading=READING if rows else "",
    )
    return [Section("other-files", TITLE, view)]


def _sentence(twins: dict[str, float]) -> str:
    """The share of test rows with a twin, file by file."""
    shares = [f"{fixed(100 * share, 1)} % of {dataset}" for dataset, share in twins.items()]
    if not shares:
        return "No data set of this run has another file in it."
    return f"Test rows with the features of a training row: {listed(shares)}."


def _row(row: FileScore, inputs: Inputs) -> list[Entry]:
    return [
        name(row.dataset),
        name(row.other),
        name(inputs.comparison.title(row.cost)),
        name(row.model),
        estimate(row.ours, row.decimals, LOST),
        estimate(row.elsewhere, row.decimals, LOST),
        estimate(row.printed, row.decimals, NOT_PRINTED),
        distance(row.ours_z, row.greater_is_better),
        distance(row.other_z, row.greater_is_better),
    ]
