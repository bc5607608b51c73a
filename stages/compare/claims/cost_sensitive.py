"""Cost-sensitive algorithms beat cost-blind ones where the cost is not Hamming loss."""

from statistics import fmean

from rethink.statistics import midranks
from stages.common.words import counted, listed
from stages.compare.claims.base import (
    OVER_DATASETS,
    Outcome,
    better_over_datasets,
    claim,
    common_means,
    dataset_gain,
    outside_the_paper,
)
from stages.compare.evidence import Evidence
from stages.compare.names import (
    COST_BLIND,
    COST_SENSITIVE,
    OF_THE_PAPER,
    RULE,
    WITHOUT_RULE,
    Json,
)
from stages.compare.words import percent, sentence

COSTS = ("rank", "f1", "accuracy")
TEST = (
    f"mean rank of {listed(COST_SENSITIVE)} against that of {listed(COST_BLIND)} among the "
    f"seven: {OVER_DATASETS}"
)


def cost_sensitive(evidence: Evidence, empty: float) -> list[Json]:
    """A claim for each cost but Hamming loss, for which all are cost-sensitive."""
    return [
        claim(
            f"cost-sensitive-{cost}",
            f"By {evidence.costs[cost].title}, cost-sensitive algorithms beat cost-blind ones.",
            TEST,
            f"cost-{cost}",
            _beat(evidence, cost, empty),
        )
        for cost in evidence.experiment("algorithms").costs
        if cost in COSTS
    ]


def _beat(evidence: Evidence, cost: str, empty: float) -> Outcome:
    absent = [m for m in OF_THE_PAPER if m not in evidence.experiment("algorithms").models]
    if absent:
        return Outcome(
            None, f"{listed(absent)} {'is' if len(absent) == 1 else 'are'} not in the run."
        )
    gains: dict[str, float] = {}
    best_blind = 0
    for dataset in evidence.experiment("algorithms").datasets:
        if ranks := _ranks(evidence, dataset, cost, empty):
            sensitive, blind = ([ranks[m] for m in group] for group in (COST_SENSITIVE, COST_BLIND))
            gains[dataset] = fmean(blind) - fmean(sensitive)
            best_blind += min(blind) < min(sensitive)
    outcome = better_over_datasets("They rank better", gains, _ranks_ahead)
    why = sentence(
        outcome.why,
        f"A cost-blind algorithm is the best of the seven on {best_blind} of "
        f"{counted(len(gains), 'data set')}."
        if gains
        else None,
        _rule(evidence, cost, empty),
        outside_the_paper(evidence, gains),
    )
    return Outcome(outcome.holds, why)


def _ranks_ahead(gain: float) -> str:
    return f"{gain:.1f} ranks".replace("-", "−")


def _ranks(evidence: Evidence, dataset: str, cost: str, empty: float) -> dict[str, float]:
    """Ranks of the seven on a data set; nothing if they have too few seeds in common."""
    means = common_means(
        {m: evidence.scores.seeds(dataset, m, cost, empty=empty) for m in OF_THE_PAPER}
    )
    return dict(zip(means, midranks(list(means.values()), evidence.greater(cost)), strict=True))


def _rule(evidence: Evidence, cost: str, empty: float) -> str | None:
    """The purest comparison: the same probabilities with and without a rule for the cost."""
    gains = [
        gain
        for dataset in evidence.experiment("algorithms").datasets
        if (
            gain := dataset_gain(
                evidence.scores.seeds(dataset, RULE, cost, empty=empty),
                evidence.scores.seeds(dataset, WITHOUT_RULE, cost, empty=empty),
                evidence.greater(cost),
            )
        )
        is not None
    ]
    if not gains:
        return None
    return (
        f"With the same probabilities the decision rule alone ({RULE} against {WITHOUT_RULE}) "
        f"gains {percent(fmean(gains))}."
    )
