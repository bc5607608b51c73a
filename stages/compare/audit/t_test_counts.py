"""Printed win/tie/loss counts that the printed means and errors rule out."""

from collections.abc import Iterator
from math import hypot
from typing import NamedTuple

from scipy.special import stdtrit

from stages.common.words import counted, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import OWN, Evidence, PrintedPlace
from stages.compare.numbers import LEVEL, decimals_of, printed_error

TITLE = "The printed t-test counts do not follow from the printed table"
ANCHOR = "paper"
REPEATS = 10  # splits behind every printed mean
PAIRED = float(stdtrit(REPEATS - 1, 1 - LEVEL / 2))
TWO_SAMPLE = float(stdtrit(2 * REPEATS - 2, 1 - LEVEL / 2))


class Tally(NamedTuple):
    """A printed count, the wins and losses that are certain, and the count of two samples."""

    cost: str
    model: str
    printed: str
    sure_wins: int
    sure_losses: int
    two_sample: str
    impossible: bool


def audit(evidence: Evidence) -> Finding:
    """The least number of wins and losses the table allows, against the printed counts."""
    rows = list(_tallies(evidence))
    if not rows:
        return Finding(None, "The paper's main table or its t-test table is not at hand.", [])
    impossible = [row for row in rows if row.impossible]
    differ = [row for row in rows if row.printed != row.two_sample]
    text = sentence(
        "Whether the test is paired, with splits correlated in whatever way, or of two samples, "
        "the error of a difference is at most the sum of the two printed errors. So some "
        "differences are significant for certain, even with the rounding against them.",
        f"{len(impossible)} of {counted(len(rows), 'printed count')} have fewer wins or losses "
        "than that.",
        _example(evidence, impossible),
        f"Read as two independent samples, {len(differ)} of {len(rows)} counts come out "
        "differently; that alone proves nothing, since rounding and pairing may explain it.",
    )
    return Finding(bool(impossible), text, [row._asdict() for row in rows])


def _example(evidence: Evidence, impossible: list[Tally]) -> str | None:
    if not impossible:
        return None
    row = max(impossible, key=lambda row: row.sure_wins)
    return (
        f"By {evidence.within(row.cost)} against {row.model} the table gives at least "
        f"{counted(row.sure_wins, 'win')} and {row.sure_losses} losses; "
        f"printed is {row.printed}."
    )


def _tallies(evidence: Evidence) -> Iterator[Tally]:
    for row in evidence.paper.rows("ttest"):
        if row["cost"] not in evidence.costs:
            continue
        outcomes = list(_outcomes(evidence, row["cost"], row["model"]))
        if not outcomes:
            continue
        sure, loose = zip(*outcomes, strict=True)
        wins, losses = sure.count("win"), sure.count("loss")
        yield Tally(
            cost=row["cost"],
            model=row["model"],
            printed=f"{row['win']}/{row['tie']}/{row['loss']}",
            sure_wins=wins,
            sure_losses=losses,
            two_sample="/".join(str(loose.count(word)) for word in ("win", "tie", "loss")),
            impossible=bool(row["win"] < wins or row["loss"] < losses),
        )


def _outcomes(evidence: Evidence, cost: str, other: str) -> Iterator[tuple[str, str]]:
    """For each data set: what any paired test must say, and what a two-sample test says."""
    table = evidence.paper.rows("algorithms", cost=cost)
    for dataset in dict.fromkeys(row["dataset"] for row in table):
        ours, theirs = (evidence.paper.number(dataset, cost, model) for model in (OWN, other))
        if not ours or not theirs or ours.mean is None or theirs.mean is None:
            continue
        decimals = decimals_of(evidence.paper.algorithms(dataset, cost), ())
        unit = 10.0**-decimals
        gap = ours.mean - theirs.mean
        word = "win" if (gap > 0) == evidence.greater(cost) else "loss"
        widest = sum((row.ste or 0.0) + unit / 2 for row in (ours, theirs))
        sure = abs(gap) - unit > PAIRED * widest
        errors = [printed_error(row, decimals) for row in (ours, theirs)]
        loose = abs(gap) > TWO_SAMPLE * hypot(*errors)
        yield (word if sure else "tie"), (word if loose else "tie")


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether a printed count is impossible by the printed table itself."""
    return place.table == "ttest" and any(
        row.impossible and (row.cost, f"against {row.model}") == (place.cost, place.name)
        for row in _tallies(evidence)
    )
