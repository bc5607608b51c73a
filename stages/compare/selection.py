"""Selection with the wrong sign: the search point of the largest loss, beside the right one."""

from stages.compare.evidence import Evidence
from stages.compare.names import BY_MAX, Json
from stages.compare.numbers import errors_apart, summary


def selection_section(evidence: Evidence) -> Json:
    """Each model selected both ways, the trivial prediction and the printed number."""
    experiment = evidence.experiment("selected_by_max")
    rows = [
        _row(evidence, dataset, model, cost)
        for cost in experiment.costs
        for dataset in experiment.datasets
        for model in experiment.models
        if evidence.scores.planned(dataset, model, cost)
    ]
    return {"rows": rows}


def _row(evidence: Evidence, dataset: str, variant: str, cost: str) -> Json:
    model = variant.removesuffix(BY_MAX)
    worst, best, zeros = (
        summary(evidence.scores.seeds(dataset, name, cost))
        for name in (variant, model, "all-zeros")
    )
    found = evidence.paper.number(evidence.paper_name(dataset), cost, model)
    decimals = evidence.decimals(dataset, cost)
    return {
        "dataset": dataset,
        "model": model,
        "cost": cost,
        "best": best,
        "max": worst,
        "all_zeros": zeros,
        "printed": {"mean": found["mean"], "ste": found["ste"]} if found else None,
        "max_z": errors_apart(worst, found, decimals) if found else None,
        "best_z": errors_apart(best, found, decimals) if found else None,
    }
