"""The answer at the top: which claims hold, and what to use for each cost."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from stages.common.schema import Advice, Claim, Comparison
from stages.common.words import counted, duration, listed
from stages.report.figures import Spot, front
from stages.report.page_inputs import Inputs
from stages.report.table import Cell, Column, Figure, Table, name, number, piece, simple, texts

HOLDS, FAILS, OPEN = "holds", "does not hold", "not enough runs"
VERDICTS = {  # word -> symbol and class
    HOLDS: ("✓", "ok"),
    FAILS: ("✕", "fail"),
    OPEN: ("?", "open"),
    "confirmed": ("✓", "ok"),
    "not confirmed": ("✕", "fail"),
}


def tally(claims: Sequence[Claim]) -> dict[str, int]:
    """How many claims hold, do not hold, and are open."""
    counts = Counter(claim.verdict for claim in claims)
    return {verdict: counts[verdict] for verdict in (HOLDS, FAILS, OPEN)}


def headline(claims: Sequence[Claim]) -> tuple[str, str]:
    """One word and the sentence that backs it; no answer while most claims are open."""
    if not claims:
        return "Too early to say.", "No claim of the paper was examined in this run."
    hold, fail, unsettled = tally(claims).values()
    if hold + fail < unsettled:
        word = "Too early to say."
    else:
        word = "Yes." if not fail else "No." if not hold else "In part."
    holds = f"{hold or 'none'} {'hold' if hold > 1 else 'holds'} here"
    fails = f"{fail} {'do' if fail > 1 else 'does'} not" if fail else "none fails"
    rest = [f"{unsettled} cannot be judged from so few runs"] if unsettled else []
    examined = counted(len(claims), "claim of the paper", "claims of the paper")
    return word, f"Of {examined}, {listed([holds, fails, *rest])}."


def verdict_cell(word: str) -> Cell:
    """A verdict as a symbol and a word."""
    symbol, kind = VERDICTS[word]
    return Cell(piece("marked", symbol, word, kind), kind="verdict")


def claim_table(claims: Sequence[Claim], anchors: set[str]) -> Table:
    """The paper's claims: what this run shows, by which test, and where the evidence is."""
    rows = [
        [
            verdict_cell(claim.verdict),
            Cell(claim.claim, head=True),
            Cell(
                piece("claim", claim, claim.anchor in anchors),
                fields={"why": claim.why, "test": claim.test},
            ),
        ]
        for claim in claims
    ]
    columns = texts("Verdict", "Claim")
    columns += [Column("Why, and by which test", number=False, fields=("why", "test"))]
    caption = "What the paper claims, and what this run shows"
    return simple("claims", caption, columns, rows, kind="claims", filtered=False)


def price(advice: Advice) -> str:
    """The CPU time of the recommended model."""
    seconds = {point.model: point.seconds for point in advice.points}
    known = seconds.get(advice.recommended or "")
    return "" if known is None else f"{duration(known)} of CPU time a cell"


def view(inputs: Inputs) -> dict[str, Any]:
    """The claims, and for each cost what to use."""
    comparison = inputs.comparison
    return {
        "claims": claim_table(comparison.claims, inputs.anchors) if comparison.claims else None,
        "advice": [
            {
                "cost": cost,
                "title": comparison.title(cost),
                "recommended": comparison.advice[cost].recommended,
                "why": comparison.advice[cost].why,
                "figure": price_figure(comparison, cost),
            }
            for cost in comparison.order.costs
            if cost in comparison.advice
        ],
    }


def price_figure(comparison: Comparison, cost: str) -> Figure | None:
    """Average rank against CPU time, with the models that no other beats in both."""
    advice, title = comparison.advice[cost], comparison.title(cost)
    if not advice.points:
        return None
    unbeaten = [point.model for point in advice.points if point.pareto]
    reading = (
        f"a filled dot is a model that no other beats in rank and time at once: {listed(unbeaten)}."
    )
    spots = [
        Spot(point.model, point.seconds, point.average_rank, point.pareto)
        for point in advice.points
    ]
    drawing = front(spots, "Average rank against CPU time", chosen=advice.recommended)
    caption = f"{title}: average rank against CPU time of a cell"
    return Figure(caption, [drawing], reading, _price_table(title, cost, advice), captioned=False)


def _price_table(title: str, cost: str, advice: Advice) -> Table:
    rows = [
        [
            name(point.model),
            number(point.average_rank, 2),
            Cell(duration(point.seconds), point.seconds),
            Cell("yes" if point.pareto else "no"),
        ]
        for point in sorted(advice.points, key=lambda point: point.average_rank)
    ]
    columns = [*texts("Model"), Column("Average rank"), Column("CPU time of a cell")]
    columns += texts("No other beats it in both")
    return simple(f"{cost}-price", f"{title}: average rank and price of each model", columns, rows)
