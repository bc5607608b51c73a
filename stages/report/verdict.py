"""The answer at the top: what became of the claims, and three findings."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from stages.common.outcomes import LIMITS
from stages.common.schema import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTED,
    OUTCOMES,
    SUPPORTED,
    Claim,
    Comparison,
    Sensitivity,
)
from stages.common.words import (
    NONE,
    counted,
    file_name,
    in_unit,
    listed,
    share_text,
)
from stages.report.page_inputs import Inputs
from stages.report.table import (
    Column,
    Entry,
    Group,
    Table,
    piece,
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
NO_FEWER = "no data set can be left out, for too few would remain"


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


def findings(comparison: Comparison) -> list[tuple[str, str, str]]:
    """What a reader would quote, with its numbers and where they are: question, answer, anchor."""
    answers = [
        (question.question, question.answer, claim_id(question.claims[0]))
        for question in comparison.questions
    ]
    anchor = "paper" if comparison.costs else "verdict"
    return [*answers, ("Do the printed numbers come out again?", printed(comparison), anchor)]


def printed(comparison: Comparison) -> str:
    """How many printed numbers agree, are explained, and are open."""
    rows = comparison.paper.summary
    agrees, explained, differs, better = (
        sum(getattr(row, key) for row in rows)
        for key in ("agrees", "explained", "differs", "better")
    )
    ran = agrees + explained + differs
    if not ran:
        return "Not tested: the run has none of the paper's data sets."
    return (
        f"{agrees:,} of {counted(ran, 'number')} that this run measured agree within two standard "
        f"errors; a flaw that it reproduces explains {explained:,}; {differs:,} differ, and we do "
        f"not know why{f': in {better:,} of them ours is better' if better else ''}."
    )


def verdict_entry(word: str) -> Entry:
    """A verdict as a symbol and a word."""
    symbol, kind = VERDICTS[word]
    return Entry(piece("marked", symbol, word, kind), word, kind="verdict")


def _outcome(claim: Claim) -> Entry:
    """The outcome, also by the other value of empty against empty where that changes it."""
    other = next((s.outcome for s in claim.sensitivity if s.way == OTHER_EMPTY), claim.outcome)
    if other == claim.outcome:
        return verdict_entry(claim.outcome)
    choices = {"1": verdict_entry(claim.outcome), "0": verdict_entry(other)}
    return Entry(piece("switched", "empty", choices), claim.outcome, kind="verdict")


def claim_id(name: str) -> str:
    """The place of a claim on the page."""
    return f"claim-{file_name(name)}"


def claim_table(
    file: str, caption: str, claims: Sequence[Claim], inputs: Inputs, files: Collection[str]
) -> Table:
    """Claims by theme, a line each; what they rest on opens on demand."""
    themes = dict.fromkeys(claim.theme for claim in claims)
    groups = [
        Group(
            [_line(claim, inputs, files) for claim in claims if claim.theme == theme],
            theme,
            "theme",
        )
        for theme in themes
    ]
    columns = [
        *texts("Outcome", "Claim"),
        Column("Effect, 95 % interval", fields=ESTIMATE),
        Column("P(claim)"),
    ]
    return Table(file, caption, columns, groups, kind="claims", filtered=False, sortable=False)


def _line(claim: Claim, inputs: Inputs, files: Collection[str]) -> list[Entry]:
    estimate = claim.estimate
    return [
        _outcome(claim),
        Entry(
            piece("claim", claim_id(claim.id), claim, _details(claim, inputs, files)),
            claim.claim,
            head=True,
        ),
        Entry(_interval(claim), fields=vars(estimate)) if estimate else Entry(NONE, kind="none"),
        Entry(share_text(estimate.p, LIMITS), estimate.p) if estimate else Entry(NONE, kind="none"),
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


def _details(claim: Claim, inputs: Inputs, files: Collection[str]) -> list[tuple[str, str]]:
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
    if claim.anchor in inputs.anchors:
        parts.append(("Evidence", evidence(claim.anchor, inputs.comparison, files)))
    return [(title, text) for title, text in parts if text]


def evidence(anchor: str, comparison: Comparison, files: Collection[str]) -> str:
    """A link to the table with the numbers, for the chosen value of an empty prediction."""
    part, _, cost = anchor.partition("-")
    of_cost = {"cost": cost, "tests": f"{cost}-t-tests"} if cost in comparison.costs else {}
    file = of_cost.get(part, anchor)
    places = {"1": file, "0": f"{file}-empty-0"}
    links = {
        worth: Entry(piece("link", "the numbers", f"table-{place}"))
        for worth, place in places.items()
        if place in files
    }
    if not links:
        return piece("link", "the numbers", anchor)
    return piece("switched", "empty", links) if len(links) > 1 else links["1"].html


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
    if not claim.estimate:
        return ""
    left = "" if _left_out(claim.sensitivity) or len(claim.effects) < 2 else NO_FEWER
    if not claim.sensitivity:
        return left
    if not others:
        ways = f"{claim.outcome} in all {len(claim.sensitivity)}: {_names(claim.sensitivity)}"
    else:
        changes = [f"{s.way}: {s.outcome}" for s in others]
        ways = f"{listed(changes)}; {claim.outcome} in the other {kept}"
    return "; ".join([ways, *([left] if left else [])])


def _left_out(ways: Sequence[Sensitivity]) -> list[str]:
    return [s.way for s in ways if s.way.startswith("without ")]


def _names(ways: Sequence[Sensitivity]) -> str:
    left_out = _left_out(ways)
    parts = [s.way for s in ways if s.way not in left_out]
    parts += [f"without each of {counted(len(left_out), 'data set')}"] if left_out else []
    return listed(parts)


def tables(inputs: Inputs, files: Collection[str]) -> Iterator[tuple[str, Table]]:
    """The claims of the paper, then ours, each with what is said of them."""
    claims = inputs.comparison.claims
    paper = [claim for claim in claims if claim.of_the_paper]
    ours = [claim for claim in claims if not claim.of_the_paper]
    yield (
        "",
        claim_table(
            "claims", "What the paper claims, and what this run shows", paper, inputs, files
        ),
    )
    yield (
        "What the paper does not claim, and we asked beside it; it is not counted above.",
        claim_table("our-claims", "What we asked, and what this run shows", ours, inputs, files),
    )


def view(inputs: Inputs, files: Collection[str] = ()) -> dict[str, Any]:
    """The claims of the paper, and ours; `files` are the tables of the page to link to."""
    return {"tables": [(text, table) for text, table in tables(inputs, files) if table.size]}
