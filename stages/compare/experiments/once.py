"""What iterations and early weights add: nets that differ in one of them alone.

A net with a single weighted iteration tells what rethinking adds to reweighting. The paper's net
has no weights at its first iteration. One that has them there, too, tells what they add, and what
rethinking adds to weights that are the same at every iteration. The claims on the first pair are
those of `rethinking` and of `stages/compare/questions.py`.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from stages.common.slices import Added, Addition, Iterations, PairRow
from stages.compare.cases import Column, dataset_gains, estimate, gain_case
from stages.compare.claims import BY_INTERVAL, Case, Setting, Statement
from stages.compare.evidence import Evidence
from stages.compare.numbers import decimals_of, mean_of, on_common, seed_gains, summary
from stages.compare.significance import both_tests

THEME = "Weights at the first iteration"
COSTS = ("rank", "f1", "accuracy")  # by Hamming loss all weights are equal


class Pair(NamedTuple):
    """Two models that differ in one thing."""

    adds: Added
    whole: str
    without: str


def pairs(evidence: Evidence) -> list[Pair]:
    """The pairs whose models are in the experiment."""
    roles, models = evidence.roles, evidence.experiment("once").models
    own = roles.proposed
    once, weighted = (roles.variants(kind).get(own, "") for kind in ("once", "weighted"))
    every = [
        Pair("rethinking", own, once),
        Pair("first weights", weighted, own),
        Pair("weighted rethinking", weighted, once),
    ]
    return [pair for pair in every if pair.whole in models and pair.without in models]


def section(evidence: Evidence) -> Iterations:
    """Each pair on each data set, and over all of them what its one thing adds."""
    return Iterations(list(_rows(evidence)), list(_additions(evidence)))


def _rows(evidence: Evidence) -> Iterator[PairRow]:
    experiment, planned = evidence.experiment("once"), evidence.scores.planned
    for pair in pairs(evidence):
        for dataset in experiment.datasets:
            for cost in experiment.costs:
                if all(planned(dataset, model, cost) for model in (pair.whole, pair.without)):
                    yield _row(evidence, pair, dataset, cost)


def _row(evidence: Evidence, pair: Pair, dataset: str, cost: str) -> PairRow:
    seeds, greater = evidence.scores.seeds, evidence.greater(cost)
    whole, without = on_common(
        *(seeds(dataset, model, cost) for model in (pair.whole, pair.without))
    )
    printed = evidence.paper.algorithms(evidence.paper_name(dataset), cost)
    return PairRow(
        adds=pair.adds,
        dataset=dataset,
        cost=cost,
        without=summary(without),
        whole=summary(whole),
        gain=mean_of(seed_gains(whole, without, greater)),
        corrected=both_tests(whole, without, greater).corrected,
        decimals=decimals_of(printed, [*without.values(), *whole.values()]),
    )


def _additions(evidence: Evidence) -> Iterator[Addition]:
    experiment = evidence.experiment("once")
    for pair in pairs(evidence):
        for cost in experiment.costs:
            models = (pair.whole, pair.without)
            gain = estimate(dataset_gains(evidence, experiment.datasets, cost, *models))
            if gain:
                yield Addition(pair.adds, *models, cost, gain)


def claims(evidence: Evidence, part: Iterations | None) -> Iterator[Statement]:
    """Two findings of our own: what early weights add, and what rethinking adds to them."""
    yield from _statements(
        evidence,
        "first weights",
        "first-weights",
        "Weights at the first iteration, too, are better",
        "gain of the net whose iterations are all weighted over the proposed one, whose first "
        "iteration is not",
    )
    yield from _statements(
        evidence,
        "weighted rethinking",
        "weighted-rethinking",
        "Rethinking adds to weights that begin at the first iteration",
        "gain of the net whose iterations are all weighted over the one that has a single "
        "weighted iteration",
    )


def _statements(
    evidence: Evidence, adds: Added, name: str, subject: str, rule: str
) -> Iterator[Statement]:
    """One for the mean over the costs, then one for each."""
    parts: list[tuple[str, str, tuple[str, ...]]] = [
        ("", ", on average over rank loss, F1 and accuracy", COSTS),
        *((f"-{cost}", f" by {evidence.within(cost)}", (cost,)) for cost in COSTS),
    ]
    for end, words, costs in parts:
        yield Statement(
            id=f"{name}{end}",
            theme=THEME,
            claim=f"{subject}{words}.",
            rule=f"{rule}; {BY_INTERVAL}",
            anchor="once",
            case=partial(_case, evidence, adds, costs),
        )


def _case(evidence: Evidence, adds: Added, costs: Sequence[str], setting: Setting) -> Case | str:
    pair = next((pair for pair in pairs(evidence) if pair.adds == adds), None)
    if pair is None:
        return f"No model is {evidence.roles.proposed} with all weights (variant `weighted`)."
    columns = [(Column(pair.whole, cost), Column(pair.without, cost)) for cost in costs]
    return gain_case(evidence, columns, evidence.experiment("once").datasets, setting)
