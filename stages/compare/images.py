"""The table of the image experiment beside the paper's, and examples of single images."""

from collections.abc import Mapping, Sequence

from rethink.statistics import beats, best_of
from stages.compare.evidence import Evidence
from stages.compare.names import PROPOSED, Json
from stages.compare.numbers import summary

EXAMPLE_COST = "f1"  # the paper does not say which; F1 is about whole sets of labels


def example_of(models: Sequence[str], costs: Sequence[str]) -> tuple[str, str] | None:
    """The model and the cost whose predictions on single images are shown."""
    if PROPOSED not in models or not costs:
        return None
    return PROPOSED, EXAMPLE_COST if EXAMPLE_COST in costs else costs[0]


def images_section(evidence: Evidence) -> Json:
    """A table for each image set of the run, and examples from it."""
    experiment = evidence.experiment("images")
    found = [_dataset(evidence, name) for name in experiment.datasets]
    shown = example_of(experiment.models, experiment.costs)
    return {
        "datasets": found,
        "examples": {name: evidence.examples.get(name, []) for name in experiment.datasets},
        "shown": {"model": shown[0], "cost": evidence.costs[shown[1]].title} if shown else None,
    }


def _dataset(evidence: Evidence, dataset: str) -> Json:
    card = evidence.cards[dataset]
    role = card["images"]["paper"]
    return {
        "dataset": dataset,
        "title": card["title"],
        "models": list(evidence.experiment("images").models),
        "role": role,
        **{key: card["images"][key] for key in ("network", "split", "parts", "problems")},
        "images": card["instances"],
        "features": card["features"],
        "labels": card["labels"],
        "empty": card["empty"],
        "rows": [
            _row(evidence, dataset, cost, beside_paper=role is not None)
            for cost in evidence.experiment("images").costs
        ],
    }


def _row(evidence: Evidence, dataset: str, cost: str, beside_paper: bool) -> Json:
    greater = evidence.greater(cost)
    planned = {
        model: evidence.scores.planned(dataset, model, cost)
        for model in evidence.experiment("images").models
    }
    means = {
        model: summary(evidence.scores.seeds(dataset, model, cost))
        for model, cells in planned.items()
        if cells
    }
    whole = {
        model: found["mean"] for model, found in means.items() if found["n"] == len(planned[model])
    }
    lead = best_of(whole.values(), greater)
    return {
        "cost": cost,
        "title": evidence.costs[cost].title,
        "greater_is_better": greater,
        "models": {
            model: found
            | {
                "planned": len(planned[model]),
                "best": lead is not None
                and model in whole
                and not beats(lead, whole[model], greater),
            }
            for model, found in means.items()
        },
        "printed": _printed(evidence, cost) if beside_paper else {},
    }


def _printed(evidence: Evidence, cost: str) -> Mapping[str, float]:
    return {row["model"]: row["value"] for row in evidence.paper.rows("mscoco", cost=cost)}
