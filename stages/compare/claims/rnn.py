"""SRN and LSTM are the better recurrent nets; GRU and IRNN over-fit."""

from collections.abc import Mapping
from statistics import fmean

from stages.common.words import listed
from stages.compare.claims.base import (
    OVER_DATASETS,
    Outcome,
    better_over_datasets,
    claim,
    common_means,
    outside_the_paper,
)
from stages.compare.evidence import Evidence
from stages.compare.names import RNNS, Json
from stages.compare.numbers import share_gained
from stages.compare.rnn import rnn_section
from stages.compare.words import percent, sentence

ANCHOR = "rnn-variants"
PREFERRED, OTHERS = ("SRN", "LSTM"), ("GRU", "IRNN")
BETTER_TEST = f"mean test score of SRN and LSTM against that of GRU and IRNN: {OVER_DATASETS}"
OVERFIT_TEST = (
    "gap between training and test part as a share of the score, GRU and IRNN against SRN and "
    f"LSTM, averaged over the costs: {OVER_DATASETS}"
)


def rnn_variants(evidence: Evidence, empty: float) -> list[Json]:
    """A claim on the test score for each cost, and one on over-fitting."""
    costs = evidence.experiment("rnn_variants").costs
    if not costs:
        return []
    better = [
        claim(
            f"rnn-{cost}",
            f"SRN and LSTM reach a better {evidence.costs[cost].title} than GRU and IRNN.",
            BETTER_TEST,
            ANCHOR,
            _better(evidence, cost, empty),
        )
        for cost in costs
    ]
    overfit = claim(
        "rnn-overfit",
        "GRU and IRNN over-fit more than SRN and LSTM.",
        OVERFIT_TEST,
        ANCHOR,
        _overfit(evidence, empty),
    )
    return [*better, overfit]


def _means(
    evidence: Evidence, dataset: str, cost: str, part: str, empty: float
) -> dict[str, float]:
    """The mean of each kind of net; nothing if they have too few seeds in common."""
    return common_means(
        {
            rnn: evidence.scores.seeds(dataset, model, cost, part=part, empty=empty)
            for rnn, model in RNNS.items()
        }
    )


def _better(evidence: Evidence, cost: str, empty: float) -> Outcome:
    greater = evidence.greater(cost)
    gains = {
        dataset: share_gained(_group(means, PREFERRED), _group(means, OTHERS), greater)
        for dataset in evidence.experiment("rnn_variants").datasets
        if (means := _means(evidence, dataset, cost, "test", empty))
    }
    outcome = better_over_datasets("SRN and LSTM are better", gains)
    ranks = rnn_section(evidence)["average_ranks"][cost]
    known = sorted((rank, rnn) for rnn, rank in ranks.items() if rank is not None)
    order = known and f"Average ranks: {listed([f'{rnn} {rank:.2f}' for rank, rnn in known])}."
    return Outcome(
        outcome.holds, sentence(outcome.why, order or None, outside_the_paper(evidence, gains))
    )


def _group(means: Mapping[str, float], kinds: tuple[str, ...]) -> float:
    return fmean(means[rnn] for rnn in kinds)


def _overfit(evidence: Evidence, empty: float) -> Outcome:
    experiment = evidence.experiment("rnn_variants")
    gaps: dict[str, dict[str, float]] = {}
    for dataset in experiment.datasets:
        found = [gap for cost in experiment.costs if (gap := _gaps(evidence, dataset, cost, empty))]
        if found:
            gaps[dataset] = {rnn: fmean(gap[rnn] for gap in found) for rnn in RNNS}
    gains = {name: _group(gap, OTHERS) - _group(gap, PREFERRED) for name, gap in gaps.items()}
    outcome = better_over_datasets("Theirs is the larger gap", gains, _points)
    means = {rnn: fmean(gap[rnn] for gap in gaps.values()) for rnn in RNNS} if gaps else {}
    said = [f"{rnn} {percent(gap).lstrip('+')}" for rnn, gap in means.items()]
    return Outcome(
        outcome.holds, sentence(outcome.why, f"Mean gaps: {listed(said)}." if said else None)
    )


def _points(difference: float) -> str:
    return percent(difference).replace(" %", " points")


def _gaps(evidence: Evidence, dataset: str, cost: str, empty: float) -> dict[str, float]:
    """How much better each kind is on the training part, as a share of the larger score."""
    train, test = (_means(evidence, dataset, cost, part, empty) for part in ("train", "test"))
    if not train or not test:
        return {}
    return {rnn: share_gained(train[rnn], test[rnn], evidence.greater(cost)) for rnn in RNNS}
