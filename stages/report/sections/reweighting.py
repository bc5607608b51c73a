"""Does it help to weight the loss by the cost?"""

from collections.abc import Sequence

from stages.common.slices import ReweightedNet, ReweightedNets
from stages.common.words import NONE, counted, sentence
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View
from stages.report.table import (
    LOST,
    NOT_PRINTED,
    Column,
    Entry,
    counted_as,
    estimate,
    judged,
    means,
    name,
    piece,
    simple,
    texts,
    void,
)

TITLE = "Reweighting"
RESULTS = {  # of the first against the second
    "win": ("▲", "better", "gain"),
    "tie": ("≈", "not told apart", "near"),
    "loss": ("▼", "worse", "lack"),
    "too few": ("?", "too few seeds", "near"),
}


def show(part: ReweightedNets, inputs: Inputs) -> list[Section]:
    """Plain against reweighted, beside the paper's numbers."""
    columns = [*texts("Data set", "Cost", "Net"), *means("Plain", "Reweighted"), Column("Gain")]
    columns += [Column("Reweighted is", number=False, fields=("paired", "corrected"))]
    columns += means("Paper: plain", "Paper: reweighted")
    rows = [_row(row, inputs.comparison.title(row.cost)) for row in part.rows]
    view = View(
        intro=[
            "The same nets with and without the cost as a weight of each label in the loss.",
            _wins(part),
        ],
        tables=[simple("reweighting", "With the cost as weight and without", columns, rows)],
        reading="the gain is how much better the reweighted net is, in pooled standard errors: "
        "▲ is a gain of more than two, ▼ a loss of more than two, ≈ less than either.",
    )
    return [Section("reweighting", TITLE, view)]


def _wins(part: ReweightedNets) -> str:
    """How often reweighting is better, by the chosen test."""
    tests = {
        "paired": ("paired t-test", [row.test.result for row in part.rows]),
        "corrected": ("corrected t-test", [row.corrected.result for row in part.rows]),
    }
    choices = {test: Entry(_tally(words, results)) for test, (words, results) in tests.items()}
    return piece("switched", "test", choices)


def _tally(test: str, results: Sequence[str]) -> str:
    few = results.count("too few")
    if few == len(results):
        return "No comparison has two splits or more, so none is tested."
    return sentence(
        f"By the {test} reweighting is better in {results.count('win')} of "
        f"{counted(len(results) - few, 'comparison')} and worse in {results.count('loss')}.",
        f"Another {few:,} cannot be tested: of one split there is no test." if few else None,
    )


def _row(row: ReweightedNet, title: str) -> list[Entry]:
    printed = row.printed
    return [
        counted_as(row.dataset, row.empty),
        name(title),
        name(row.rnn),
        estimate(row.plain, row.decimals, LOST),
        estimate(row.reweighted, row.decimals, LOST),
        gain(row.gain_in_ste),
        _tested(row),
        estimate(printed.plain if printed else None, row.decimals, NOT_PRINTED),
        estimate(printed.reweighted if printed else None, row.decimals, NOT_PRINTED),
    ]


def gain(value: float | None) -> Entry:
    """A gain in standard errors: positive where it helps."""
    if value is None:
        return void("no standard error", NONE)
    return judged(value, value > 0, "no clear gain:", "helps:", "hurts:")


def _tested(row: ReweightedNet) -> Entry:
    """The outcome of both t-tests; the switch shows one of them."""
    results = {"paired": row.test.result, "corrected": row.corrected.result}
    choices = {test: Entry(piece("marked", *RESULTS[word])) for test, word in results.items()}
    return Entry(piece("switched", "test", choices), fields=results)
