"""Models that know the training rows by heart beside tuned ones: which the paper printed."""

from stages.common.outcomes import Number
from stages.common.slices import OverfittedScore, OverfittedScores
from stages.compare.evidence import OWN, Evidence
from stages.compare.numbers import errors_apart, on_common, summary


def section(evidence: Evidence) -> OverfittedScores:
    """Every model of the experiment beside the one it is a variant of."""
    experiment = evidence.experiment("overfitting")
    return OverfittedScores(
        [
            row
            for cost in experiment.costs
            for model in evidence.roles.variants("overfitted")
            for dataset in experiment.datasets
            if (row := overfitted_score(evidence, dataset, model, cost))
        ]
    )


def overfitted_score(
    evidence: Evidence, dataset: str, model: str, cost: str
) -> OverfittedScore | None:
    """A model tuned and overfitted, over the splits that both have; None if one was not planned."""
    pair = (model, evidence.roles.variants("overfitted").get(model, ""))
    if not all(evidence.scores.planned(dataset, name, cost) for name in pair):
        return None
    empty = evidence.empty_beside(dataset, model, cost, printed_as=model)
    test, train = (
        on_common(*(evidence.scores.seeds(dataset, m, cost, part=part, empty=empty) for m in pair))
        for part in ("test", "train")
    )
    tuned, overfitted = map(summary, test)
    tuned_train, overfitted_train = map(summary, train)
    name = OWN if model == evidence.roles.proposed else model
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, name)
    decimals = evidence.decimals(dataset, cost)
    return OverfittedScore(
        dataset=dataset,
        model=model,
        cost=cost,
        greater_is_better=evidence.greater(cost),
        tuned=tuned,
        overfitted=overfitted,
        tuned_train=tuned_train,
        overfitted_train=overfitted_train,
        printed=Number(printed.mean, printed.ste) if printed else None,
        tuned_z=errors_apart(tuned, printed, decimals) if printed else None,
        overfitted_z=errors_apart(overfitted, printed, decimals) if printed else None,
        decimals=decimals,
    )
