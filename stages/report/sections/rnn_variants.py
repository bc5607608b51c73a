"""Which recurrent layer?"""

from stages.common.schema import Comparison
from stages.common.slices import RnnVariant, RnnVariants
from stages.common.words import listed, rank_text, within
from stages.report.page_inputs import Inputs
from stages.report.ranks import leaders
from stages.report.sections import Section, View
from stages.report.table import (
    LOST,
    NOT_PRINTED,
    Entry,
    counted_as,
    estimate,
    means,
    name,
    simple,
    texts,
)

TITLE = "Recurrent layers"


def show(part: RnnVariants, inputs: Inputs) -> list[Section]:
    """Kinds of recurrent nets with about as many parameters, on train and test rows."""
    columns = [*texts("Data set", "Cost", "Net"), *means("Train", "Test")]
    columns += means("Paper: train", "Paper: test")
    rows = [_row(row, inputs.comparison.title(row.cost)) for row in part.rows]
    caption = "Kinds of recurrent nets of about equal size"
    view = View(
        intro=[
            "Nets with other recurrent layers, each of about 200,000 parameters.",
            _best(part, inputs.comparison),
        ],
        tables=[simple("rnn-variants", caption, columns, rows)],
        reading="★ marks the best net of a data set and cost on the test rows. A net that is "
        "far better on the training rows than on the test rows has learned them by heart.",
    )
    return [Section("rnn-variants", TITLE, view)]


def _row(row: RnnVariant, title: str) -> list[Entry]:
    return [
        counted_as(row.dataset, row.empty),
        name(title),
        name(row.rnn),
        estimate(row.train, row.decimals, LOST),
        estimate(row.test, row.decimals, LOST, row.best),
        estimate(row.printed.get("train"), row.decimals, NOT_PRINTED),
        estimate(row.printed.get("test"), row.decimals, NOT_PRINTED),
    ]


def _best(part: RnnVariants, comparison: Comparison) -> str:
    """Which net has the best average rank, by cost."""
    parts = [
        f"{listed(first)} by {within(comparison.title(cost))} ({rank_text(ranks[first[0]])})"
        for cost, ranks in part.average_ranks.items()
        if (first := leaders(ranks))
    ]
    return f"Best average rank: {listed(parts)}." if parts else "No net finished on every seed."
