"""Printed ranks that do not follow from the printed means, and some from no means at all."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from rethink.statistics import beats, paper_ranks
from stages.common.schema import PrintedScore
from stages.common.words import counted, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import Evidence
from stages.compare.numbers import decimals_of

TITLE = "The printed ranks do not follow from the printed means"
ANCHOR = "paper"


class RankedMean(NamedTuple):
    """A number of the main table that has a mean and a rank."""

    model: str
    mean: float
    rank: int


class Line(NamedTuple):
    """A line of the main table: the ranked numbers of a data set and cost."""

    dataset: str
    cost: str
    greater: bool
    decimals: int
    entries: list[RankedMean]


class Odd(NamedTuple):
    """A rank that is not that of its mean; impossible if no means at all give it."""

    dataset: str
    cost: str
    model: str
    mean: float
    printed_rank: int
    rank_of_the_mean: int
    better: int
    impossible: bool


def audit(evidence: Evidence) -> Finding:
    """Ranks of the printed means against the printed ranks.

    Unrounded means may part what is printed as equal, so a difference alone proves nothing. A
    better mean with a worse rank does, and so does a rank that is not one more than the number
    of better models.
    """
    lines = list(_lines(evidence))
    if not lines:
        return Finding(None, "The paper's main table is not at hand.", [])
    rows = [row for line in lines for row in _differing(line)]
    pairs = [pair for line in lines for pair in _pairs(line)]
    shared, split, against = (pairs.count(kind) for kind in ("shared", "split", "against"))
    broken = [row for row in rows if row.impossible]
    text = sentence(
        f"Recomputed from the printed means, {len(rows)} of {sum(len(x.entries) for x in lines)} "
        f"ranks differ: of the pairs of equal means {shared} share a rank and {split} do not.",
        *(
            f"By {evidence.within(row.cost)} on {row.dataset}, {row.model} has rank "
            f"{row.printed_rank}, but {row.better} models have a better one."
            for row in broken
        ),
        f"In {counted(against, 'pair')} the better mean has the worse rank." if against else None,
        None if broken or against else "Unrounded means can explain all of it.",
    )
    return Finding(bool(broken or against), text, [row._asdict() for row in rows])


def _lines(evidence: Evidence) -> Iterator[Line]:
    rows = evidence.paper.rows("algorithms")
    for dataset, cost in dict.fromkeys((row["dataset"], row["cost"]) for row in rows):
        numbers = evidence.paper.algorithms(dataset, cost)
        entries = list(_entries(numbers))
        if cost in evidence.costs and entries:
            yield Line(dataset, cost, evidence.greater(cost), decimals_of(numbers, ()), entries)


def _entries(numbers: Sequence[PrintedScore]) -> Iterator[RankedMean]:
    for number in numbers:
        if number.mean is not None and number.rank is not None:
            yield RankedMean(number.model, number.mean, number.rank)


def _differing(line: Line) -> Iterator[Odd]:
    means = [entry.mean for entry in line.entries]
    expected = paper_ranks(means, line.greater, line.decimals)
    for entry, rank in zip(line.entries, expected, strict=True):
        better = sum(other.rank < entry.rank for other in line.entries)
        impossible = entry.rank != better + 1
        if entry.rank != rank or impossible:
            yield Odd(line.dataset, line.cost, entry.model, entry.mean, entry.rank, rank, better,
                      impossible)  # fmt: skip


def _pairs(line: Line) -> Iterator[str]:
    for one, other in combinations(line.entries, 2):
        if one.mean == other.mean:
            yield "shared" if one.rank == other.rank else "split"
        elif beats(one.mean, other.mean, line.greater) != (one.rank < other.rank):
            yield "against"
