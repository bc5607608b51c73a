"""One weighted iteration beside three: what rethinking adds to reweighting."""

from stages.common.slices import Addition, Iterations, OnceRow
from stages.common.words import change, counted
from stages.report.figures import Effect, effect_text, intervals
from stages.report.page_inputs import Inputs
from stages.report.sections import STUDENT, Section, View
from stages.report.table import (
    LOST,
    RESULTS,
    Column,
    Entry,
    Figure,
    estimate,
    means,
    name,
    simple,
    texts,
    void,
)

TITLE = "A single iteration"


def show(part: Iterations, inputs: Inputs) -> list[Section]:
    """A drawing of the gain on each data set by each cost, and the scores behind it."""
    known = [row for row in part.rows if row.gain is not None]
    title = inputs.comparison.title
    intro = [
        "Weights begin at the second iteration, so the gain from the first to the last is that of "
        "rethinking and of weights together. Here both nets have the same weights, and one of them "
        "a single iteration: what differs is rethinking alone.",
        *(_sentence(row, title(row.cost)) for row in part.additions),
    ]
    if not known:
        return [Section("once", TITLE, View([*intro, "The two nets were not run together."]))]
    costs = dict.fromkeys(row.cost for row in known)
    drawings = [_drawing([r for r in known if r.cost == cost], title(cost)) for cost in costs]
    columns = [
        *texts("Data set", "Cost"),
        *means("One iteration", "All iterations"),
        Column("Gain"),
        *texts("Corrected test"),
    ]
    caption = "The same weighted loss with one iteration and with all"
    table = simple("once", caption, columns, [_row(row, title(row.cost)) for row in part.rows])
    reading = f"To the right of 0 rethinking adds something. {STUDENT}"
    return [Section("once", TITLE, View(intro, [Figure(caption, drawings, reading, table)]))]


def _sentence(row: Addition, title: str) -> str:
    effect = Effect(row.gain.effect, row.gain.low, row.gain.high)
    return (
        f"{title}: {row.adds} add {effect_text(effect)} over "
        f"{counted(row.gain.datasets, 'data set')}."
    )


def _drawing(rows: list[OnceRow], title: str) -> str:
    effects = [Effect(row.gain) if row.gain is not None else None for row in rows]
    names = [row.dataset for row in rows]
    return intervals(names, {"rethinking": effects}, title, "gain by rethinking")


def _row(row: OnceRow, title: str) -> list[Entry]:
    return [
        name(row.dataset),
        name(title),
        estimate(row.once, row.decimals, LOST),
        estimate(row.whole, row.decimals, LOST),
        void(LOST) if row.gain is None else Entry(change(row.gain), row.gain),
        Entry(RESULTS[row.corrected.result].format(better="rethinking", other="one iteration")),
    ]
