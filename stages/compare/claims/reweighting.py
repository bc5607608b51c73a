"""Reweighting by the cost helps."""

from statistics import fmean

from stages.compare.claims.base import (
    OVER_DATASETS,
    Outcome,
    better_over_datasets,
    claim,
    dataset_gain,
    outside_the_paper,
)
from stages.compare.evidence import Evidence
from stages.compare.names import Json
from stages.compare.numbers import share_gained
from stages.compare.reweighting import printed_pair, reweighted_pairs
from stages.compare.words import percent, sentence

TEST = f"gain by reweighting, averaged over the kinds of net: {OVER_DATASETS}"


def reweighting(evidence: Evidence, empty: float) -> list[Json]:
    """A claim for each cost of the experiment."""
    return [
        claim(
            f"reweighting-{cost}",
            f"Reweighting improves {evidence.costs[cost].title}.",
            TEST,
            "reweighting",
            _helps(evidence, cost, empty),
        )
        for cost in evidence.experiment("reweighting").costs
    ]


def _helps(evidence: Evidence, cost: str, empty: float) -> Outcome:
    greater = evidence.greater(cost)
    nets: dict[str, list[float]] = {}
    for pair in reweighted_pairs(evidence, empty):
        gain = dataset_gain(pair.weighted, pair.plain, greater)
        if pair.cost == cost and gain is not None:
            nets.setdefault(pair.dataset, []).append(gain)
    gains = {dataset: fmean(values) for dataset, values in nets.items()}
    outcome = better_over_datasets("Reweighted nets are better", gains)
    why = sentence(
        outcome.why, _as_printed(evidence, cost, gains), outside_the_paper(evidence, gains)
    )
    return Outcome(outcome.holds, why)


def _as_printed(evidence: Evidence, cost: str, gains: dict[str, float]) -> str | None:
    printed = [
        share_gained(both["reweighted"]["mean"], both["plain"]["mean"], evidence.greater(cost))
        for dataset in gains
        if (both := printed_pair(evidence, dataset, cost))
    ]
    if not printed:
        return None
    return f"The gain printed for the same data sets is {percent(fmean(printed))}."
