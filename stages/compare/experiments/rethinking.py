"""Rethinking: the score against the number of iterations, whether it helps and where it settles."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import inf
from statistics import fmean
from typing import NamedTuple

from stages.common import slices
from stages.common.words import gains, sentence
from stages.compare.cases import Column, gain_case, of_the_paper
from stages.compare.claims import BY_INTERVAL, Case, Setting, Statement
from stages.compare.evidence import Evidence
from stages.compare.numbers import (
    DEFAULT_EMPTY,
    FEWEST_SEEDS,
    ROPE,
    decimals_of,
    mean_of,
    seed_gains,
    summary,
)
from stages.compare.scores import Seeds

ANCHOR, THEME, PLACE = "rethinking", "Rethinking", "Section 4.1, Figure 3"
HELPED = ("rank", "f1", "accuracy")
SETTLED_AT = 3
EPOCHS = "Epochs are chosen on held-out rows instead of up to 1,000 until the loss converges."
IMPROVES = (
    "for cost functions like Rank loss, F1 score, Accuracy score, which relies more on utilizing "
    "label correlation, achieved significant improvement over the increase of rethink iteration."
)
ABLATION = (
    "gain of the net with three iterations over the same net with one, both trained with the "
    f"weighted loss, so that what the weights do is credited to neither; {BY_INTERVAL}"
)


class Curve(NamedTuple):
    """A model on a data set, trained for a cost."""

    dataset: str
    cost: str
    model: str


def curves(evidence: Evidence, experiment: str = "rethinking") -> Iterator[Curve]:
    """The curves of which at least one iteration was scored."""
    entry = evidence.experiment(experiment)
    for dataset in entry.datasets:
        for cost in entry.costs:
            for model in entry.models:
                if evidence.scores.iterations(dataset, model, cost):
                    yield Curve(dataset, cost, model)


def at(
    evidence: Evidence,
    curve: Curve,
    iteration: int,
    part: str = "test",
    empty: float = DEFAULT_EMPTY,
) -> Seeds:
    """Scores of a curve at one iteration (0: the last), by seed."""
    return evidence.scores.seeds(
        curve.dataset, curve.model, curve.cost, part=part, iteration=iteration, empty=empty
    )


def section(evidence: Evidence) -> slices.Curves:
    """Train and test at each iteration, mean and standard error over the seeds."""
    return slices.Curves([_drawn(evidence, curve) for curve in curves(evidence)])


def _drawn(evidence: Evidence, curve: Curve) -> slices.Curve:
    steps = evidence.scores.iterations(curve.dataset, curve.model, curve.cost)
    train, test = (
        [summary(at(evidence, curve, step, part)) for step in steps] for part in ("train", "test")
    )
    printed = evidence.paper.algorithms(evidence.paper_name(curve.dataset), curve.cost)
    return slices.Curve(
        dataset=curve.dataset,
        cost=curve.cost,
        title=evidence.title(curve.cost),
        greater_is_better=evidence.greater(curve.cost),
        decimals=decimals_of(printed, (point.mean or 0.0 for point in test)),
        iterations=steps,
        train=train,
        test=test,
    )


def claims(evidence: Evidence, part: slices.Curves | None) -> Iterator[Statement]:
    """Whether rethinking helps by the costs that need it, and when it has settled."""
    for cost in HELPED:
        yield Statement(
            id=f"rethinking-{cost}",
            theme=THEME,
            claim=f"Rethinking improves {evidence.within(cost)}.",
            quote=IMPROVES,
            place=PLACE,
            rule=ABLATION,
            anchor="once",
            differs="The paper compares iterations of one net whose first iteration is trained "
            "without weights; here a net with one weighted iteration takes the place of the first.",
            case=partial(ablation, evidence, (cost,), paper_only=True),
            note=partial(_other_ways, evidence, cost),
        )
    yield Statement(
        id="rethinking-hamming",
        theme=THEME,
        claim="Hamming loss, which needs no label correlation, gains little by rethinking.",
        quote="Hamming loss is a criterion that evaluates each label independently and algorithms "
        "that does not consider label correlation like BR perform well on such criterion.",
        place=PLACE,
        rule=f"gain from the first to the last iteration on the test part: at most {ROPE:.0%} of "
        f"the loss (its weights are all equal, so nothing else changes); {BY_INTERVAL}",
        anchor=ANCHOR,
        differs=EPOCHS,
        case=partial(_between, evidence, ("hamming",), 1, 0, (-inf, ROPE)),
    )
    yield Statement(
        id="rethinking-converges",
        theme=THEME,
        claim="Performance has generally converged at the third iteration.",
        quote="The result shows that the performance generally converges at around the third "
        "rethink iteration.",
        place=PLACE,
        rule="gain from the third to the last of five iterations on the test part, averaged over "
        f"rank loss, F1 and accuracy: at most {ROPE:.0%} of the score either way; {BY_INTERVAL}",
        anchor=ANCHOR,
        effect="later gain",
        differs=EPOCHS,
        case=partial(_between, evidence, HELPED, SETTLED_AT, 0, (-ROPE, ROPE)),
    )


def ablation(
    evidence: Evidence, costs: Sequence[str], setting: Setting, *, paper_only: bool = False
) -> Case | str:
    """What iterations add to weights: the proposed net against the same one with one iteration."""
    own = evidence.roles.proposed
    once = evidence.roles.variants("once").get(own)
    if not once:
        return f"No model is {own} with one weighted iteration (variant `once`)."
    pairs = [(Column(own, cost), Column(once, cost)) for cost in costs]
    datasets = evidence.datasets_of(once)
    chosen = of_the_paper(evidence, datasets, setting) if paper_only else datasets
    return gain_case(evidence, pairs, chosen, setting) if datasets else f"{once} is not in the run."


def _between(
    evidence: Evidence,
    costs: Sequence[str],
    start: int,
    stop: int,
    region: tuple[float, float],
    setting: Setting,
) -> Case | str:
    """The gain of the experiment's net from one iteration to another (0: the last)."""
    experiment = evidence.experiment("rethinking")
    if not experiment.models:
        return "The experiment was not run."
    model = experiment.models[0]
    pairs = [
        (Column(model, cost, iteration=stop), Column(model, cost, iteration=start))
        for cost in costs
    ]
    datasets = of_the_paper(evidence, experiment.datasets, setting)
    return gain_case(evidence, pairs, datasets, setting, region)


def _other_ways(evidence: Evidence, cost: str) -> str | None:
    """What the paper's own comparison shows, and how much of it is left without the weights."""
    first, second = (_mean_gain(curves(evidence), evidence, cost, step) for step in (1, 2))
    plain = [c for c in curves(evidence, "reweighting") if c.model in _plain(evidence)]
    unweighted = _mean_gain(plain, evidence, cost, 1)
    parts = sentence(
        f"As the paper looks at it, the last of five iterations {gains(first)} against the first, "
        "which is trained without weights."
        if first is not None
        else None,
        f"Against the second, the first with weights, it {gains(second)}."
        if second is not None
        else None,
        f"In nets trained without any weights the last iteration {gains(unweighted)} against the "
        "first."
        if unweighted is not None
        else None,
    )
    return parts or None


def _plain(evidence: Evidence) -> list[str]:
    return list(evidence.roles.variants("plain").values())


def _mean_gain(chosen: Iterable[Curve], evidence: Evidence, cost: str, start: int) -> float | None:
    """The mean gain over data sets from an iteration to the last."""
    shares = [
        fmean(gained)
        for curve in chosen
        if curve.cost == cost and len(gained := _gained(evidence, curve, start)) >= FEWEST_SEEDS
    ]
    return mean_of(shares)


def _gained(evidence: Evidence, curve: Curve, start: int) -> list[float]:
    return seed_gains(
        at(evidence, curve, 0), at(evidence, curve, start), evidence.greater(curve.cost)
    )
