"""The main table: the paper beside ours, average ranks, every cost, and the tests of each."""

from collections.abc import Iterator
from typing import Any

from stages.common.outcomes import Counts, Pair
from stages.common.schema import Comparison
from stages.common.words import counted, isolated
from stages.report import paper, ranks, score_tables
from stages.report.over_datasets import (
    PAIR_READING,
    STANDING_READING,
    control_reading,
    control_table,
    diagram,
    pair_matrix,
    standing_table,
    summary,
)
from stages.report.page_inputs import Inputs
from stages.report.ranks import columns_of, conventions, ranked, titled_of
from stages.report.sections import Section
from stages.report.table import Column, Entry, Table, name, piece, simple, texts

TITLE = "Algorithms"
COUNTS = ("win", "tie", "loss")
FIELDS = (*COUNTS, *(f"corrected-{word}" for word in COUNTS))
ENDS = {
    "paired": "The splits of a data set overlap, so this test claims more than it should.",
    "corrected": "This test allows for the overlap of the splits, so it claims less.",
}


def show(part: None, inputs: Inputs) -> Iterator[Section]:
    """All sections of the main table; none if nothing of it was planned."""
    comparison = inputs.comparison
    if not comparison.costs:
        return
    yield Section("paper", "Paper against ours", paper.view(inputs), "paper")
    yield Section("ranks", "Average ranks", ranks.view(comparison), "ranks")
    for cost in comparison.order.costs:
        view = score_tables.view(comparison, cost)
        yield Section(f"cost-{cost}", comparison.title(cost), view, "cost", sub=True)
    yield Section("tests", "Tests", _tests(comparison), "tests")


def _tests(comparison: Comparison) -> dict[str, Any]:
    """For each cost all tests, under each value of empty against empty."""
    return {
        "costs": [
            {
                "name": cost,
                "title": comparison.title(cost),
                "parts": [
                    _part(comparison, cost, other) | {"when": when}
                    for other, when in conventions(comparison.costs[cost].other_empty)
                ],
            }
            for cost in comparison.order.costs
        ],
    }


def _part(comparison: Comparison, cost: str, other: bool) -> dict[str, Any]:
    case = (comparison, cost, other)
    own = comparison.costs[cost].under(other).over_datasets.control
    against = f"{own[0].a} against each other model, over data sets" if own else ""
    return {
        "sentences": summary(*case),
        "figure": diagram(*case),
        "tables": [
            ("Average ranks with their intervals", standing_table(*case), STANDING_READING),
            (against, control_table(*case), control_reading(*case)),
            ("Every pair, over data sets", pair_matrix(*case), PAIR_READING),
            ("Who wins against whom, over the splits of each data set", pair_table(*case),
             pair_reading(*case)),
        ],
    }  # fmt: skip


def pair_table(comparison: Comparison, cost_name: str, other: bool) -> Table | None:
    """Wins, ties and losses of each model against each other one, by both t-tests."""
    cost, models = comparison.costs[cost_name], ranked(comparison)
    if len(models) < 2:
        return None
    tests = cost.under(other).tests
    rows = [
        [name(model), *(_entry(tests.get(model, {}).get(rival)) for rival in models)]
        for model in models
    ]
    columns = [Column(model, named=True, fields=FIELDS) for model in models]
    used = counted(len(columns_of(comparison, cost)), "data set")
    text = (
        f": wins / ties / losses of the row against the column over {used}, "
        f"by a test over common seeds at {100 * comparison.level:g} %"
    )
    file, caption = titled_of(cost, f"{cost_name}-t-tests", text, other)
    return simple(file, caption, [*texts("Model"), *columns], rows, kind="pairs", sortable=False)


def _entry(pair: Pair | None) -> Entry:
    if pair is None:
        return Entry(piece("silent", "·"), kind="void")
    both = {"paired": pair, "corrected": pair.corrected}
    html = piece("switched", "test", {test: Entry(_three(row)) for test, row in both.items()})
    numbers = [number for row in both.values() for number in (row.win, row.tie, row.loss)]
    return Entry(html, fields=dict(zip(FIELDS, numbers, strict=True)))


def _three(counts: Counts) -> str:
    text = f"{counts.win}/{counts.tie}/{counts.loss}"
    if not counts.too_few:
        return text
    why = f"{counted(counts.too_few, 'data set')} with fewer than two common seeds"
    return piece("joined", text, piece("span", f"+{counts.too_few} untested", "ste", why))


def pair_reading(comparison: Comparison, cost_name: str, other: bool) -> str:
    """What one entry of the table of pairs says, by either test: that of the two in front."""
    overall = comparison.costs[cost_name].under(other)
    averages = overall.average_ranks.models
    known = {m: rank for m in ranked(comparison) if (rank := averages.get(m)) is not None}
    front = sorted(known, key=known.__getitem__)[:2]
    if len(front) < 2:
        return "no two models finished everywhere, so take any row against any column."
    pair = overall.tests[front[0]][front[1]]
    one, two = map(isolated, front)
    choices = {
        test: Entry(
            f"the row of {one} says against {two}: better on {counts.win}, not told apart on "
            f"{counts.tie}, worse on {counts.loss}. {ENDS[test]}"
        )
        for test, counts in (("paired", pair), ("corrected", pair.corrected))
    }
    return piece("switched", "test", choices)
