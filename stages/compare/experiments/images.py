"""The image experiment: its table beside the paper's, and single images step by step."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from rethink.statistics import beats, best_of, shares_gained
from stages.common.slices import ImageMean, ImageRow, Images, ImageSet, Shown
from stages.compare.cases import Column, absent, samples
from stages.compare.claims import PAPER_COSTS, Judgement, Setting, Statement, judge_splits
from stages.compare.evidence import Evidence
from stages.compare.numbers import FEWEST_SEEDS, summary

EXAMPLE_COST = "f1"  # the paper does not say which; F1 is about whole sets of labels

SAME_SET = "reproduction"  # what the catalogue says of the paper's own images
RIVALS = {"CNN-RNN": "CNNRNN", "Att-RNN": "AttentionRNN"}
QUOTE = (
    "The result shows that RethinkNet is able to outperform state-of-the-art deep learning models "
    "that are designed for image labeling."
)
RULE = (
    "gain over the better of CNN-RNN and Att-RNN on the paper's images, as a share: Student's 95 % "
    "interval over seeds above zero; one data set, so it says nothing of others; needs "
    f"{FEWEST_SEEDS} seeds"
)


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


def claims(evidence: Evidence, part: Images | None) -> Iterator[Statement]:
    """A claim for each cost; tested only where the paper's own images were run."""
    for cost in PAPER_COSTS:
        yield Statement(
            id=f"images-{cost}",
            theme="Images",
            claim=f"On MSCOCO, {evidence.roles.proposed} outperforms CNN-RNN and Att-RNN by "
            f"{evidence.within(cost)}.",
            quote=QUOTE,
            place="Section 4.4, Table 5",
            rule=RULE,
            anchor="images",
            differs="The network that sees the images is frozen; the paper trains it further.",
            case=partial(_outperforms, evidence, cost),
        )


def _outperforms(evidence: Evidence, cost: str, setting: Setting) -> Judgement | str:
    roles, experiment = evidence.roles, evidence.experiment("images")
    sets = [d for d in experiment.datasets if evidence.cards[d]["images"]["paper"] == SAME_SET]
    if not sets:
        return "The paper's images were not run."
    models = [roles.proposed, *(roles.of_estimator(e, name) for name, e in RIVALS.items())]
    if why := absent(models, experiment.models):
        return why
    columns = [Column(model, cost) for model in models]
    scores, _ = samples(evidence, columns, sets, replace(setting, fewest=FEWEST_SEEDS))
    if not scores:
        return f"The three models have fewer than {FEWEST_SEEDS} common seeds."
    dataset, table = next(iter(scores.items()))
    greater = evidence.greater(cost)
    better = best_of(table.mean(axis=0)[1:].tolist(), greater)
    rival = table[:, 1 + table.mean(axis=0)[1:].tolist().index(better)]
    return judge_splits(dataset, shares_gained(np.asarray(table[:, 0]), rival, greater))
