"""Selection with the wrong sign: the search point of the largest loss, beside the right one."""

from stages.common.outcomes import Number
from stages.common.slices import WrongChoice, WrongChoices
from stages.compare.evidence import Evidence
from stages.compare.numbers import errors_apart, summary


def section(evidence: Evidence) -> WrongChoices:
    """Each model selected both ways, the trivial prediction and the printed number."""
    experiment = evidence.experiment("selected_by_max")
    originals = {worst: model for model, worst in evidence.roles.variants("max").items()}
    return WrongChoices(
        [
            _row(evidence, dataset, originals[worst], worst, cost)
            for cost in experiment.costs
            for dataset in experiment.datasets
            for worst in experiment.models
            if worst in originals and evidence.scores.planned(dataset, worst, cost)
        ]
    )


def _row(evidence: Evidence, dataset: str, model: str, worst: str, cost: str) -> WrongChoice:
    best, largest, zeros = (
        summary(evidence.scores.seeds(dataset, name, cost))
        for name in (model, worst, evidence.roles.zeros)
    )
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, model)
    decimals = evidence.decimals(dataset, cost)
    return WrongChoice(
        dataset=dataset,
        model=model,
        cost=cost,
        best=best,
        max=largest,
        all_zeros=zeros,
        printed=Number(printed.mean, printed.ste) if printed else None,
        max_z=errors_apart(largest, printed, decimals) if printed else None,
        best_z=errors_apart(best, printed, decimals) if printed else None,
    )
