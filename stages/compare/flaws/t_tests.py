"""Printed win/tie/loss counts that the printed means and errors rule out."""

from collections.abc import Iterator
from math import hypot

from scipy.special import stdtrit

from stages.common.words import counted
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import finding
from stages.compare.names import LEVEL, PROPOSED, Json
from stages.compare.numbers import decimals_of, printed_error
from stages.compare.words import sentence

NAME = "t-test-counts"
TITLE = "The printed t-test counts do not follow from the printed table"
REPEATS = 10  # splits behind every printed mean
PAIRED = float(stdtrit(REPEATS - 1, 1 - LEVEL / 2))
TWO_SAMPLE = float(stdtrit(2 * REPEATS - 2, 1 - LEVEL / 2))


def t_tests(evidence: Evidence) -> Json:
    """The least number of wins and losses the table allows, against the printed counts."""
    rows = list(_rows(evidence))
    if not rows:
        text = "The paper's main table or its t-test table is not at hand."
        return finding(NAME, TITLE, "paper", None, text, [])
    impossible = [row for row in rows if row["impossible"]]
    differ = [row for row in rows if row["printed"] != row["two_sample"]]
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
    return finding(NAME, TITLE, "paper", bool(impossible), text, rows)


def _example(evidence: Evidence, impossible: list[Json]) -> str | None:
    if not impossible:
        return None
    row = max(impossible, key=lambda row: row["sure_wins"])
    return (
        f"By {evidence.costs[row['cost']].title} against {row['model']} the table gives at least "
        f"{counted(row['sure_wins'], 'win')} and {row['sure_losses']} losses; "
        f"printed is {row['printed']}."
    )


def _rows(evidence: Evidence) -> Iterator[Json]:
    for row in evidence.paper.rows("ttest"):
        if row["cost"] not in evidence.costs:
            continue
        outcomes = list(_outcomes(evidence, row["cost"], row["model"]))
        if not outcomes:
            continue
        sure = [outcome for outcome, _ in outcomes]
        loose = [outcome for _, outcome in outcomes]
        wins, losses = sure.count("win"), sure.count("loss")
        yield {
            "cost": row["cost"],
            "model": row["model"],
            "printed": f"{row['win']}/{row['tie']}/{row['loss']}",
            "sure_wins": wins,
            "sure_losses": losses,
            "two_sample": "/".join(str(loose.count(word)) for word in ("win", "tie", "loss")),
            "impossible": bool(row["win"] < wins or row["loss"] < losses),
        }


def _outcomes(evidence: Evidence, cost: str, other: str) -> Iterator[tuple[str, str]]:
    """For each data set: what any paired test must say, and what a two-sample test says."""
    table = evidence.paper.rows("algorithms", cost=cost)
    for dataset in dict.fromkeys(row["dataset"] for row in table):
        line = evidence.paper.algorithms(dataset, cost)
        found = {row["model"]: row for row in line if row["mean"] is not None}
        if PROPOSED not in found or other not in found:
            continue
        decimals = decimals_of(line, ())
        unit = 10.0**-decimals
        ours, theirs = found[PROPOSED], found[other]
        gap = ours["mean"] - theirs["mean"]
        errors = [printed_error(row, decimals) for row in (ours, theirs)]
        word = "win" if (gap > 0) == evidence.greater(cost) else "loss"
        widest = sum((row["ste"] or 0.0) + unit / 2 for row in (ours, theirs))
        sure = abs(gap) - unit > PAIRED * widest
        loose = abs(gap) > TWO_SAMPLE * hypot(*errors)
        yield (word if sure else "tie"), (word if loose else "tie")
