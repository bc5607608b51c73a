"""What rethinking adds to reweighting, and what weights at the first iteration add."""

from collections.abc import Callable
from typing import NamedTuple

from stages.common.slices import Addition, Iterations, PairRow
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


class Words(NamedTuple):
    """How a pair of nets is shown."""

    id: str
    caption: str
    adds: str
    whole: str
    without: str


WORDS = {
    "rethinking": Words(
        "once",
        "The paper's net, and one with a single iteration that is weighted",
        "the paper's iterations add",
        "All iterations",
        "One iteration",
    ),
    "first weights": Words(
        "first-weights",
        "Weights at every iteration, and from the second on as in the paper",
        "weights at the first iteration, too, add",
        "Weights everywhere",
        "From the second on",
    ),
    "weighted rethinking": Words(
        "weighted-once",
        "Weights at every iteration, with all iterations and with one",
        "iterations that are all weighted add",
        "All, weighted",
        "One iteration",
    ),
}
WHY = (
    "The paper's first iteration is trained without weights. Where labels are many and rare it "
    "predicts none. A label that is not true then has no weight at the second iteration under F1 "
    "and accuracy: naming it would change neither. So the second iteration names almost all, and "
    "the third has to mend it. Weights at the first iteration, too, are the remedy."
)


def show(part: Iterations, inputs: Inputs) -> list[Section]:
    """For each pair a drawing of the gain on each data set by each cost, and the scores."""
    title = inputs.comparison.title
    kinds = dict.fromkeys(row.adds for row in part.rows if row.gain is not None)
    intro = [
        "The paper's weights begin at the second iteration, so the gain from the first to the last "
        "is that of rethinking and of weights together. Here a net with a single iteration that is "
        "weighted stands beside it.",
        *([WHY] if "first weights" in kinds else []),
        *(_sentence(row, title(row.cost)) for row in part.additions),
    ]
    if not kinds:
        return [Section("once", TITLE, View([*intro, "The two nets were not run together."]))]
    figures = [_figure(WORDS[kind], [r for r in part.rows if r.adds == kind], title)
               for kind in kinds]  # fmt: skip
    return [Section("once", TITLE, View(intro, figures))]


def _figure(words: Words, rows: list[PairRow], title: Callable[[str], str]) -> Figure:
    known = [row for row in rows if row.gain is not None]
    costs = dict.fromkeys(row.cost for row in known)
    drawings = [_drawing([r for r in known if r.cost == cost], title(cost)) for cost in costs]
    columns = [
        *texts("Data set", "Cost"),
        *means(words.without, words.whole),
        Column("Gain"),
        *texts("Corrected test"),
    ]
    entries = [_row(row, words, title(row.cost)) for row in rows]
    table = simple(words.id, words.caption, columns, entries)
    reading = f"Right of 0 the net that has more is better. {STUDENT}"
    return Figure(words.caption, drawings, reading, table)


def _sentence(row: Addition, title: str) -> str:
    effect = Effect(row.gain.effect, row.gain.low, row.gain.high)
    return (
        f"{title}: {WORDS[row.adds].adds} {effect_text(effect)} over "
        f"{counted(row.gain.datasets, 'data set')}."
    )


def _drawing(rows: list[PairRow], title: str) -> str:
    effects = [Effect(row.gain) if row.gain is not None else None for row in rows]
    return intervals([row.dataset for row in rows], {"gain": effects}, title, "gain")


def _row(row: PairRow, words: Words, title: str) -> list[Entry]:
    better = {"better": words.whole.lower(), "other": words.without.lower()}
    return [
        name(row.dataset),
        name(title),
        estimate(row.without, row.decimals, LOST),
        estimate(row.whole, row.decimals, LOST),
        void(LOST) if row.gain is None else Entry(change(row.gain), row.gain),
        Entry(RESULTS[row.corrected.result].format(**better)),
    ]
