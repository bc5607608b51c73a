"""Tests of two models over the seeds of each data set: wins, ties and losses."""

from markupsafe import Markup

from stages.common.words import counted, isolated
from stages.report.ranks import columns_of, ranked, titled, view
from stages.report.tables import Cell, Column, Json, Table, name, simple, span, switched, words

COUNTS = ("win", "tie", "loss")
FIELDS = (*COUNTS, *(f"corrected-{word}" for word in COUNTS))


def pair_table(comparison: Json, cost_name: str, other: bool) -> Table:
    """Wins, ties and losses of each model against each other one, by both t-tests."""
    cost = comparison["costs"][cost_name]
    models = ranked(comparison)
    tests = view(cost, other)["tests"]
    rows = [
        [name(model), *(_counts(tests.get(model, {}).get(rival)) for rival in models)]
        for model in models
    ]
    columns = [Column(f"against {model}", named=True, fields=FIELDS) for model in models]
    used = counted(len(columns_of(comparison, cost)), "data set")
    text = (
        f"{cost['title']}: wins / ties / losses of the row against the column over {used}, "
        f"by a test over common seeds at {100 * comparison['level']:g} %"
    )
    file, caption = titled(f"{cost_name}-pairs", text, other if cost["other_empty"] else None)
    columns = [words("Model"), *columns]
    return simple(file, caption, columns, rows, kind="pairs", sortable=False)


def _counts(pair: Json | None) -> Cell:
    if pair is None:
        return Cell(Markup('<span aria-hidden="true">·</span>'), kind="void")
    found = {"paired": pair, "corrected": pair["corrected"]}
    html = switched("test", {test: Cell(_three(counts)) for test, counts in found.items()})
    numbers = (counts[word] for counts in found.values() for word in COUNTS)
    return Cell(html, fields=dict(zip(FIELDS, numbers, strict=True)))


def _three(counts: Json) -> Markup:
    text = " / ".join(str(counts[word]) for word in COUNTS)
    untested = counts["too_few"]
    if not untested:
        return Markup("{}").format(text)
    why = f"{counted(untested, 'data set')} with fewer than two common seeds"
    return Markup("{} {}").format(text, span(f"+{untested} untested", "ste", why))


def best_two(comparison: Json, cost_name: str, other: bool) -> list[str]:
    """The two models in front by average rank."""
    found = view(comparison["costs"][cost_name], other)["average_ranks"]["models"]
    known = [model for model in ranked(comparison) if found.get(model) is not None]
    return sorted(known, key=lambda model: found[model])[:2]


def pair_reading(comparison: Json, cost_name: str, other: bool) -> Markup:
    """What one cell of the table of pairs says, by either test."""
    front = best_two(comparison, cost_name, other)
    if len(front) < 2:
        return Markup("no two models finished everywhere, so take any row against any column.")
    pair = view(comparison["costs"][cost_name], other)["tests"][front[0]][front[1]]
    one, two = map(isolated, front)
    ends = {
        "paired": "The splits of a data set overlap, so this test claims more than it should.",
        "corrected": "This test allows for the overlap of the splits, so it claims less.",
    }
    found = {"paired": pair, "corrected": pair["corrected"]}
    choices = {
        test: Cell(
            f"the row of {one} says against {two}: better on {counts['win']}, not told apart on "
            f"{counts['tie']}, worse on {counts['loss']}. {ends[test]}"
        )
        for test, counts in found.items()
    }
    return switched("test", choices)
