"""A single iteration under the same weights: does rethinking add anything to reweighting?

The claims on it are those of `rethinking` and of `stages/compare/questions.py`.
"""

from collections.abc import Iterator

from stages.common.slices import Addition, Iterations, OnceRow
from stages.compare.evidence import Evidence
from stages.compare.gains import dataset_gains, estimate
from stages.compare.numbers import (
    DEFAULT_EMPTY,
    decimals_of,
    mean_of,
    on_common,
    seed_gains,
    summary,
)
from stages.compare.significance import both_tests

ADDED = "the iterations after the first"


def section(evidence: Evidence) -> Iterations:
    """Both nets on each data set, and over all of them what further iterations add."""
    return Iterations(list(_rows(evidence)), list(_additions(evidence)))


def models(evidence: Evidence) -> tuple[str, str]:
    """The proposed net, and its variant with one iteration; empty if there is no such variant."""
    own = evidence.roles.proposed
    return own, evidence.roles.variants("once").get(own, "")


def gains(evidence: Evidence, cost: str, empty: float = DEFAULT_EMPTY) -> dict[str, float]:
    """What rethinking adds, on each data set of the experiment."""
    datasets = evidence.experiment("once").datasets
    return dataset_gains(evidence, datasets, cost, *models(evidence), empty)


def _rows(evidence: Evidence) -> Iterator[OnceRow]:
    experiment, both = evidence.experiment("once"), models(evidence)
    for dataset in experiment.datasets:
        for cost in experiment.costs:
            if all(evidence.scores.planned(dataset, model, cost) for model in both):
                yield _row(evidence, dataset, cost)


def _row(evidence: Evidence, dataset: str, cost: str) -> OnceRow:
    whole, once = on_common(
        *(evidence.scores.seeds(dataset, model, cost) for model in models(evidence))
    )
    printed = evidence.paper.algorithms(evidence.paper_name(dataset), cost)
    return OnceRow(
        dataset=dataset,
        cost=cost,
        once=summary(once),
        whole=summary(whole),
        gain=mean_of(seed_gains(whole, once, evidence.greater(cost))),
        corrected=both_tests(whole, once, evidence.greater(cost)).corrected,
        decimals=decimals_of(printed, [*once.values(), *whole.values()]),
    )


def _additions(evidence: Evidence) -> Iterator[Addition]:
    for cost in evidence.experiment("once").costs:
        gain = estimate(gains(evidence, cost))
        if gain:
            yield Addition(ADDED, *models(evidence), cost, gain)
