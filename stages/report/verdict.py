"""The answer at the top: which claims hold, and what to use for each cost."""

from collections import Counter

from markupsafe import Markup

from stages.common.words import counted, listed
from stages.report.figure import Figure
from stages.report.figures import Spot, front
from stages.report.tables import (
    Cell,
    Column,
    Json,
    Table,
    link,
    marked,
    name,
    number,
    simple,
    span,
    words,
)
from stages.report.text import duration

HOLDS, FAILS, OPEN = "holds", "does not hold", "not enough runs"
VERDICTS = {  # word -> symbol and class
    HOLDS: ("✓", "ok"),
    FAILS: ("✕", "fail"),
    OPEN: ("?", "open"),
    "confirmed": ("✓", "ok"),
    "not confirmed": ("✕", "fail"),
}


def tally(claims: list[Json]) -> dict[str, int]:
    """How many claims hold, do not hold, and are open."""
    found = Counter(claim["verdict"] for claim in claims)
    return {verdict: found[verdict] for verdict in (HOLDS, FAILS, OPEN)}


def headline(claims: list[Json]) -> tuple[str, str]:
    """One word and the sentence that backs it; no answer while most claims are open."""
    if not claims:
        return "Too early to say.", "No claim of the paper was examined in this run."
    found = tally(claims)
    if found[HOLDS] + found[FAILS] < found[OPEN]:
        word = "Too early to say."
    else:
        word = "Yes." if not found[FAILS] else "No." if not found[HOLDS] else "In part."
    holds = f"{found[HOLDS] or 'none'} {'hold' if found[HOLDS] > 1 else 'holds'} here"
    fails = (
        f"{found[FAILS]} {'do' if found[FAILS] > 1 else 'does'} not"
        if found[FAILS]
        else "none fails"
    )
    rest = [f"{found[OPEN]} cannot be judged from so few runs"] if found[OPEN] else []
    examined = counted(len(claims), "claim of the paper", "claims of the paper")
    return word, f"Of {examined}, {listed([holds, fails, *rest])}."


def verdict_cell(word: str) -> Cell:
    """A verdict as a symbol and a word."""
    symbol, kind = VERDICTS[word]
    return Cell(marked(symbol, word, kind), kind="verdict")


def claim_table(claims: list[Json], anchors: set[str]) -> Table:
    """The paper's claims: what we found, by which test, and where the evidence is."""
    rows = [
        [verdict_cell(claim["verdict"]), Cell(claim["claim"], head=True), _reason(claim, anchors)]
        for claim in claims
    ]
    columns = [words("Verdict"), words("Claim")]
    columns += [Column("Why, and by which test", number=False, fields=("why", "test"))]
    caption = "What the paper claims, and what this run shows"
    return simple("claims", caption, columns, rows, kind="claims", filtered=False)


def _reason(claim: Json, anchors: set[str]) -> Cell:
    evidence = link("Evidence", claim["anchor"]) if claim["anchor"] in anchors else ""
    html = Markup("{} {} {}").format(
        claim["why"], evidence, span(f"Test: {claim['test']}.", "test")
    )
    return Cell(html, fields={"why": claim["why"], "test": claim["test"]})


def advice_table(title: str, cost: str, advice: Json) -> Table:
    """The numbers behind the figure of price and quality."""
    rows = [
        [
            name(point["model"]),
            number(point["average_rank"], 2),
            Cell(duration(point["seconds"]), point["seconds"]),
            Cell("yes" if point["pareto"] else "no"),
        ]
        for point in sorted(advice["points"], key=lambda point: point["average_rank"])
    ]
    columns = [words("Model"), Column("Average rank"), Column("CPU time of a cell")]
    columns += [words("No other is both better and cheaper")]
    return simple(f"{cost}-price", f"{title}: average rank and price of each model", columns, rows)


def price(advice: Json) -> str:
    """The CPU time of the recommended model."""
    points = {point["model"]: point["seconds"] for point in advice["points"]}
    seconds = points.get(advice["recommended"])
    return "" if seconds is None else f"{duration(seconds)} of CPU time a cell"


def view(comparison: Json, anchors: set[str]) -> Json:
    """The claims, and for each cost what to use."""
    return {
        "claims": claim_table(comparison["claims"], anchors) if comparison["claims"] else None,
        "advice": [
            {
                "cost": cost,
                "title": comparison["costs"][cost]["title"],
                "recommended": comparison["advice"][cost]["recommended"],
                "why": comparison["advice"][cost]["why"],
                "figure": price_figure(comparison, cost),
            }
            for cost in comparison["order"]["costs"]
            if cost in comparison["advice"]
        ],
    }


def price_figure(comparison: Json, cost: str) -> Figure | None:
    """Average rank against CPU time, with the models that no other beats in both."""
    advice, title = comparison["advice"][cost], comparison["costs"][cost]["title"]
    if not advice["points"]:
        return None
    unbeaten = [point["model"] for point in advice["points"] if point["pareto"]]
    reading = f"no model is both better and cheaper than {listed(unbeaten)}."
    spots = [
        Spot(point["model"], point["seconds"], point["average_rank"], point["pareto"])
        for point in advice["points"]
    ]
    drawing = front(spots, "Average rank against CPU time", chosen=advice["recommended"])
    caption = f"{title}: average rank against CPU time of a cell"
    return Figure(caption, [drawing], reading, advice_table(title, cost, advice), captioned=False)
