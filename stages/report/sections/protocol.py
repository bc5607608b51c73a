"""The paper's protocol beside ours: is ours a weaker net, and what does it save?"""

from collections.abc import Sequence

from stages.common.slices import ProtocolRow, Protocols
from stages.common.words import change, counted, duration, gains
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View
from stages.report.table import (
    LOST,
    NOT_PRINTED,
    RESULTS,
    Column,
    Entry,
    estimate,
    means,
    name,
    simple,
    texts,
    void,
)

TITLE = "Protocol"


def show(part: Protocols, inputs: Inputs) -> list[Section]:
    """Scores and seconds side by side."""
    columns = [
        *texts("Data set", "Cost"),
        *means("Ours", "Paper's protocol", "Printed"),
        Column("Gain"),
        *texts("Corrected test"),
        Column("CPU"),
        Column("Paper's CPU"),
    ]
    rows = [_row(row, inputs) for row in part.rows]
    caption = "The proposed net trained by our protocol and by the paper's"
    view = View(
        intro=[
            "The paper tries eight penalties on three folds and trains for up to 1,000 epochs, "
            "until the loss has converged. Ours chooses penalty and epochs on held-out rows, with "
            "a falling rate and averaged weights.",
            _sentence(part.rows),
        ],
        tables=[simple("protocol", caption, columns, rows)],
        reading="A gain is how much better ours scores. Seconds are of one cell: the search "
        "and the last fit, on one core.",
    )
    return [Section("protocol", TITLE, view)]


def _sentence(rows: Sequence[ProtocolRow]) -> str:
    known = [row.gain for row in rows if row.gain is not None]
    if not known:
        return "Neither has been run on the same data set and cost."
    ours, theirs = (
        sum(seconds for seconds in each if seconds is not None)
        for each in ([row.seconds for row in rows], [row.their_seconds for row in rows])
    )
    results = [row.corrected.result for row in rows]
    return (
        f"In {counted(len(known), 'comparison')}, one for each data set and cost, ours "
        f"{gains(sum(known) / len(known))} on average; by the corrected test it is better in "
        f"{results.count('win')} and worse in {results.count('loss')}."
        + (f" The paper's takes {theirs / ours:.1f} times the CPU time." if ours and theirs else "")
    )


def _row(row: ProtocolRow, inputs: Inputs) -> list[Entry]:
    return [
        name(row.dataset),
        name(inputs.comparison.title(row.cost)),
        estimate(row.ours, row.decimals, LOST),
        estimate(row.theirs, row.decimals, LOST),
        estimate(row.printed, row.decimals, NOT_PRINTED),
        void(LOST) if row.gain is None else Entry(change(row.gain), row.gain),
        Entry(RESULTS[row.corrected.result].format(better="ours", other="the paper's")),
        *(
            void(LOST) if seconds is None else Entry(duration(seconds), seconds)
            for seconds in (row.seconds, row.their_seconds)
        ),
    ]
