"""The answer at the top: what became of the claims, three findings, and what to use."""

from collections.abc import Iterator, Sequence
from typing import Any

from stages.common.schema import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTED,
    OUTCOMES,
    SUPPORTED,
    Advice,
    Claim,
    Comparison,
    Sensitivity,
)
from stages.common.words import (
    NONE,
    counted,
    duration,
    file_name,
    in_unit,
    listed,
    share_text,
)
from stages.report.figures import Spot, front
from stages.report.page_inputs import Inputs
from stages.report.snippets import code_for
from stages.report.table import (
    Cell,
    Column,
    Figure,
    Group,
    Table,
    name,
    number,
    piece,
    simple,
    texts,
)

VERDICTS = {  # word -> symbol and class
    SUPPORTED: ("✓", "ok"),
    CONTRADICTED: ("✕", "fail"),
    INCONCLUSIVE: ("≈", "open"),
    NOT_TESTED: ("·", "open"),
    "confirmed": ("✓", "ok"),
    "not confirmed": ("✕", "fail"),
}
OTHER_EMPTY = "0/0 counts 0"
ESTIMATE = ("effect", "low", "high", "p")


def headline(comparison: Comparison) -> tuple[str, str]:
    """One word and the sentence that backs it; no answer while most claims are not tested."""
    counts = comparison.tally()
    yes, no, unclear, untested = (counts[outcome] for outcome in OUTCOMES)
    tested = yes + no + unclear
    if tested <= untested:
        word = "Too early to say."
    elif yes == tested:
        word = "Yes."
    else:
        word = "In part." if yes else "Not in this run."
    if not tested:
        return word, "No claim of the paper could be tested."
    parts = [_some(yes, "supported"), _some(no, "contradicted")]
    parts += [f"for {unclear} the run cannot tell"] if unclear else []
    return word, f"Of {counted(tested, 'tested claim')} of the paper, {listed(parts)}."


def _some(count: int, outcome: str) -> str:
    return f"{count or 'none'} {'are' if count > 1 else 'is'} {outcome}"


def findings(comparison: Comparison) -> list[tuple[str, str]]:
    """What a reader would quote, each with its numbers: the two questions and the printed table."""
    answers = [(question.question, question.answer) for question in comparison.questions]
    return [*answers, ("Do the printed numbers come out again?", printed(comparison))]


def printed(comparison: Comparison) -> str:
    """How many printed numbers agree, are explained, and are open."""
    rows = comparison.paper.summary
    agrees, explained, differs = (
        sum(getattr(row, key) for row in rows) for key in ("agrees", "explained", "differs")
    )
    ran = agrees + explained + differs
    if not ran:
        return "Not tested: the run has none of the paper's data sets."
    return (
        f"{agrees:,} of {counted(ran, 'number')} that this run measured agree within two standard "
        f"errors; a flaw that it reproduces explains {explained:,}; {differs:,} differ, and we do "
        "not know why."
    )


def verdict_cell(word: str) -> Cell:
    """A verdict as a symbol and a word."""
    symbol, kind = VERDICTS[word]
    return Cell(piece("marked", symbol, word, kind), word, kind="verdict")


def _outcome(claim: Claim) -> Cell:
    """The outcome, also by the other value of empty against empty where that changes it."""
    other = next((s.outcome for s in claim.sensitivity if s.way == OTHER_EMPTY), claim.outcome)
    if other == claim.outcome:
        return verdict_cell(claim.outcome)
    choices = {"1": verdict_cell(claim.outcome), "0": verdict_cell(other)}
    return Cell(piece("switched", "empty", choices), claim.outcome, kind="verdict")


def claim_id(name: str) -> str:
    """The place of a claim on the page."""
    return f"claim-{file_name(name)}"


def claim_table(file: str, caption: str, claims: Sequence[Claim], anchors: set[str]) -> Table:
    """Claims by theme, a line each; what they rest on opens on demand."""
    themes = dict.fromkeys(claim.theme for claim in claims)
    groups = [
        Group([_line(claim, anchors) for claim in claims if claim.theme == theme], theme, "theme")
        for theme in themes
    ]
    columns = [
        *texts("Outcome", "Claim"),
        Column("Effect, 95 % interval", fields=ESTIMATE),
        Column("P(claim)"),
    ]
    return Table(file, caption, columns, groups, kind="claims", filtered=False, sortable=False)


def _line(claim: Claim, anchors: set[str]) -> list[Cell]:
    estimate = claim.estimate
    return [
        _outcome(claim),
        Cell(
            piece("claim", claim_id(claim.id), claim, _details(claim, anchors)),
            claim.claim,
            head=True,
        ),
        Cell(_interval(claim), fields=vars(estimate) if estimate else {}),
        Cell(share_text(estimate.p) if estimate else NONE, estimate.p if estimate else None),
    ]


def _interval(claim: Claim) -> str:
    if claim.estimate is None:
        return NONE
    effect, low, high = (
        in_unit(x, claim.unit)
        for x in (claim.estimate.effect, claim.estimate.low, claim.estimate.high)
    )
    low, high = (end.removesuffix(f" {claim.unit}") for end in (low, high))
    return piece("interval", effect, low, high)


def _details(claim: Claim, anchors: set[str]) -> list[tuple[str, str]]:
    """What a claim rests on: heading and text."""
    parts = [
        ("The paper says", f"“{claim.quote}” ({claim.place})" if claim.quote else ""),
        ("Rule, fixed before the run", claim.rule),
        ("What came out", claim.why),
        ("Could have been seen", _power(claim)),
        ("By data set", _by_dataset(claim)),
        ("Judged in other ways", _ways(claim)),
        ("Our protocol", claim.differs),
    ]
    if claim.anchor in anchors:
        parts.append(("Evidence", piece("link", "the numbers", claim.anchor)))
    return [(title, text) for title, text in parts if text]


def _power(claim: Claim) -> str:
    if claim.detectable is None:
        return ""
    size = in_unit(claim.detectable, claim.unit).removeprefix("+")
    return f"an effect of {size} or more, in four of five runs like this one"


def _by_dataset(claim: Claim) -> str:
    counts = set(claim.splits.values())
    same = f"; {counted(counts.pop(), 'common split')} each" if len(counts) == 1 else ""
    parts = [
        f"{dataset} {in_unit(effect, claim.unit)}"
        + ("" if same else f" ({counted(claim.splits.get(dataset, 0), 'split')})")
        for dataset, effect in claim.effects.items()
    ]
    return f"{listed(parts)}{same}" if parts else ""


def _ways(claim: Claim) -> str:
    """Whether the outcome survives, with what changes it."""
    others = [s for s in claim.sensitivity if s.outcome != claim.outcome]
    kept = len(claim.sensitivity) - len(others)
    if not claim.sensitivity:
        return ""
    if not others:
        return f"{claim.outcome} in all {len(claim.sensitivity)}: {_names(claim.sensitivity)}"
    changes = [f"{s.way}: {s.outcome}" for s in others]
    return f"{listed(changes)}; {claim.outcome} in the other {kept}"


def _names(ways: Sequence[Sensitivity]) -> str:
    left_out = [s.way for s in ways if s.way.startswith("without ")]
    parts = [s.way for s in ways if s.way not in left_out]
    parts += [f"without each of {counted(len(left_out), 'data set')}"] if left_out else []
    return listed(parts)


def price(row: Advice) -> str:
    """The CPU time of the recommended model."""
    seconds = {point.model: point.seconds for point in row.points}
    known = seconds.get(row.recommended or "")
    return "" if known is None else f"{duration(known)} of CPU time a cell"


def tables(inputs: Inputs) -> Iterator[tuple[str, Table]]:
    """The claims of the paper, then ours, each with what is said of them."""
    claims = inputs.comparison.claims
    paper = [claim for claim in claims if claim.of_the_paper]
    ours = [claim for claim in claims if not claim.of_the_paper]
    yield (
        "",
        claim_table("claims", "What the paper claims, and what this run shows", paper,
                    inputs.anchors),
    )  # fmt: skip
    yield (
        "What the paper does not claim, and we asked beside it; it is not counted above.",
        claim_table("our-claims", "What we asked, and what this run shows", ours, inputs.anchors),
    )


def view(inputs: Inputs) -> dict[str, Any]:
    """The claims of the paper, and ours."""
    return {"tables": [(text, table) for text, table in tables(inputs) if table.size]}


def advice(inputs: Inputs) -> dict[str, Any]:
    """For each cost what to use, with code to go on with."""
    comparison = inputs.comparison
    return {
        "advice": [
            {
                "cost": cost,
                "title": comparison.title(cost),
                "recommended": comparison.advice[cost].recommended,
                "why": comparison.advice[cost].why,
                "figure": price_figure(comparison, cost),
                "snippet": code_for(
                    inputs,
                    comparison.advice[cost].recommended,
                    comparison.chosen.get(cost, {}),
                    cost,
                ),
            }
            for cost in comparison.order.costs
            if cost in comparison.advice
        ],
    }


def price_figure(comparison: Comparison, cost: str) -> Figure | None:
    """Average rank against CPU time, with the models that no other beats in both."""
    row, title = comparison.advice[cost], comparison.title(cost)
    if all(point.seconds is None for point in row.points):
        return None
    unbeaten = [point.model for point in row.points if point.pareto]
    reading = (
        f"a filled dot is a model that no other beats in rank and time at once: {listed(unbeaten)}."
    )
    spots = [
        Spot(point.model, point.seconds, point.average_rank, point.pareto) for point in row.points
    ]
    drawing = front(spots, "Average rank against CPU time", chosen=row.recommended)
    caption = f"{title}: average rank against CPU time of a cell"
    return Figure(caption, [drawing], reading, _price_table(title, cost, row), captioned=False)


def _price_table(title: str, cost: str, row: Advice) -> Table:
    rows = [
        [
            name(point.model),
            number(point.average_rank, 2),
            Cell(duration(point.seconds), point.seconds),
            Cell("yes" if point.pareto else "no"),
        ]
        for point in sorted(row.points, key=lambda point: point.average_rank)
    ]
    columns = [*texts("Model"), Column("Average rank"), Column("CPU time of a cell")]
    columns += texts("No other beats it in both")
    return simple(f"{cost}-price", f"{title}: average rank and price of each model", columns, rows)
