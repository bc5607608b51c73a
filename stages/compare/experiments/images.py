"""The image experiment: its table beside the paper's, and single images step by step."""

from rethink.statistics import beats, best_of
from stages.common.slices import ImageMean, ImageRow, Images, ImageSet, Shown
from stages.compare.evidence import Evidence
from stages.compare.numbers import summary

EXAMPLE_COST = "f1"  # the paper does not say which; F1 is about whole sets of labels


def section(evidence: Evidence) -> Images:
    """A table for each image set of the run, and examples from it."""
    datasets = evidence.experiment("images").datasets
    shown = example_of(evidence)
    return Images(
        datasets=[_dataset(evidence, name) for name in datasets],
        examples={name: evidence.examples(name, *shown) if shown else [] for name in datasets},
        shown=Shown(shown[0], evidence.title(shown[1])) if shown else None,
    )


def example_of(evidence: Evidence) -> tuple[str, str] | None:
    """The model and the cost whose predictions on single images are shown."""
    experiment, model = evidence.experiment("images"), evidence.roles.proposed
    if model not in experiment.models or not experiment.costs:
        return None
    return model, EXAMPLE_COST if EXAMPLE_COST in experiment.costs else experiment.costs[0]


def _dataset(evidence: Evidence, dataset: str) -> ImageSet:
    card, experiment = evidence.cards[dataset], evidence.experiment("images")
    images = card["images"]
    return ImageSet(
        dataset=dataset,
        title=card["title"],
        models=list(experiment.models),
        role=images["paper"],
        network=images["network"],
        split=images["split"],
        parts=images["parts"],
        problems=images["problems"],
        images=card["instances"],
        features=card["features"],
        labels=card["labels"],
        empty=card["empty"],
        rows=[
            _row(evidence, dataset, cost, beside_paper=images["paper"] is not None)
            for cost in experiment.costs
        ],
    )


def _row(evidence: Evidence, dataset: str, cost: str, beside_paper: bool) -> ImageRow:
    greater = evidence.greater(cost)
    planned = {
        model: len(evidence.scores.planned(dataset, model, cost))
        for model in evidence.experiment("images").models
    }
    means = {
        model: summary(evidence.scores.seeds(dataset, model, cost))
        for model, cells in planned.items()
        if cells
    }
    whole = {
        model: row.mean
        for model, row in means.items()
        if row.n == planned[model] and row.mean is not None
    }
    lead = best_of(whole.values(), greater)
    best = {m for m in whole if lead is not None and not beats(lead, whole[m], greater)}
    printed = evidence.paper.rows("mscoco", cost=cost) if beside_paper else []
    return ImageRow(
        cost=cost,
        title=evidence.title(cost),
        greater_is_better=greater,
        models={
            model: ImageMean(row.mean, row.ste, row.n, planned[model], model in best)
            for model, row in means.items()
        },
        printed={row["model"]: row["value"] for row in printed},
    )
