"""Printed ranks that do not follow from the printed means, and some from no means at all."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from rethink.statistics import beats, paper_ranks
from stages.common.words import counted
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import finding
from stages.compare.names import Json
from stages.compare.numbers import decimals_of
from stages.compare.words import sentence

NAME = "printed-ranks"
TITLE = "The printed ranks do not follow from the printed means"


def ranks(evidence: Evidence) -> Json:
    """Ranks of the printed means against the printed ranks.

    Unrounded means may part what is printed as equal, so a difference alone proves nothing. A
    better mean with a worse rank does, and so does a rank that is not one more than the number
    of better models.
    """
    lines = list(_lines(evidence))
    if not lines:
        return finding(NAME, TITLE, "paper", None, "The paper's main table is not at hand.", [])
    rows = [row for line in lines for row in _differing(*line)]
    pairs = [pair for *_, greater, line in lines for pair in _pairs(line, greater)]
    shared, split, against = (pairs.count(kind) for kind in ("shared", "split", "against"))
    broken = [row for row in rows if row["impossible"]]
    text = sentence(
        f"Recomputed from the printed means, {len(rows)} of {sum(len(x) for *_, x in lines)} "
        f"ranks differ: of the pairs of equal means {shared} share a rank and {split} do not.",
        *(
            f"By {evidence.costs[row['cost']].title} on {row['dataset']}, {row['model']} has rank "
            f"{row['printed_rank']}, but {row['better']} models have a better one."
            for row in broken
        ),
        f"In {counted(against, 'pair')} the better mean has the worse rank." if against else None,
        None if broken or against else "Unrounded means can explain all of it.",
    )
    return finding(NAME, TITLE, "paper", bool(broken or against), text, rows)


def _lines(evidence: Evidence) -> Iterator[tuple[str, str, bool, list[Json]]]:
    """The main table line by line: data set, cost, direction and its ranked numbers."""
    rows = evidence.paper.rows("algorithms")
    for dataset, cost in dict.fromkeys((row["dataset"], row["cost"]) for row in rows):
        line = [
            row
            for row in evidence.paper.algorithms(dataset, cost)
            if row["mean"] is not None and row["rank"] is not None
        ]
        if cost in evidence.costs and line:
            yield dataset, cost, evidence.greater(cost), line


def _differing(dataset: str, cost: str, greater: bool, line: Sequence[Json]) -> Iterator[Json]:
    expected = paper_ranks([row["mean"] for row in line], greater, decimals_of(line, ()))
    for row, rank in zip(line, expected, strict=True):
        better = sum(other["rank"] < row["rank"] for other in line)
        if row["rank"] != rank or row["rank"] != better + 1:
            yield {
                "dataset": dataset,
                "cost": cost,
                "model": row["model"],
                "mean": row["mean"],
                "printed_rank": row["rank"],
                "rank_of_the_mean": rank,
                "better": better,
                "impossible": row["rank"] != better + 1,
            }


def _pairs(line: Sequence[Json], greater: bool) -> Iterator[str]:
    for one, other in combinations(line, 2):
        if one["mean"] == other["mean"]:
            yield "shared" if one["rank"] == other["rank"] else "split"
        elif beats(one["mean"], other["mean"], greater) != (one["rank"] < other["rank"]):
            yield "against"
