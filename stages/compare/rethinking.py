"""The figure of rethinking: score against the number of iterations."""

from collections.abc import Iterator
from typing import NamedTuple

from stages.compare.evidence import Evidence
from stages.compare.names import DEFAULT_EMPTY, Json
from stages.compare.numbers import decimals_of, summary
from stages.compare.scores import Seeds


class Curve(NamedTuple):
    """A model on a data set, trained for a cost."""

    dataset: str
    cost: str
    model: str


def curves(evidence: Evidence, experiment: str = "rethinking") -> Iterator[Curve]:
    """The curves of which at least one iteration was scored."""
    found = evidence.experiment(experiment)
    for dataset in found.datasets:
        for cost in found.costs:
            for model in found.models:
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


def rethinking_section(evidence: Evidence) -> Json:
    """Train and test at each iteration, mean and standard error over the seeds."""
    return {"curves": [_drawn(evidence, curve) for curve in curves(evidence)]}


def _drawn(evidence: Evidence, curve: Curve) -> Json:
    steps = evidence.scores.iterations(curve.dataset, curve.model, curve.cost)
    train, test = (
        [summary(at(evidence, curve, step, part)) for step in steps] for part in ("train", "test")
    )
    cost = evidence.costs[curve.cost]
    printed = evidence.paper.algorithms(evidence.paper_name(curve.dataset), curve.cost)
    return {
        "dataset": curve.dataset,
        "cost": curve.cost,
        "title": cost.title,
        "greater_is_better": cost.greater_is_better,
        "decimals": decimals_of(printed, (point["mean"] for point in test)),
        "iterations": steps,
        "train": train,
        "test": test,
    }
