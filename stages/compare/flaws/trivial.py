"""Predictions that look at no feature, and whether a printed rank loss is that of one."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rethink.costs import Cost
from stages.compare.evidence import Evidence
from stages.compare.names import Json
from stages.compare.numbers import errors_apart, near, summary

MAJORITY = "majority labels"


class Nearest(NamedTuple):
    """The constant prediction whose loss is nearest to a printed one."""

    name: str
    loss: float
    z: float
    equal: bool


def constant_losses(evidence: Evidence, dataset: str, cost: str = "rank") -> dict[str, Json]:
    """The loss of predicting nothing, from the run, and of the labels most rows have."""
    found = {"all-zeros": summary(evidence.scores.seeds(dataset, "all-zeros", cost))}
    if dataset in evidence.labels:
        found[MAJORITY] = majority_loss(evidence.labels[dataset], evidence.costs[cost])
    return {name: loss for name, loss in found.items() if loss["mean"] is not None}


def majority_loss(labels: Any, cost: Cost) -> Json:
    """On all rows: the loss of the labels that more than half of the rows have."""
    truth = labels.toarray() if sparse.issparse(labels) else np.asarray(labels)
    constant = np.tile(truth.mean(axis=0) > 0.5, (len(truth), 1))
    return {"mean": float(np.mean(cost(truth, constant))), "ste": None, "n": 1}


def nearest_constant(evidence: Evidence, dataset: str, printed: Json) -> Nearest | None:
    """The constant prediction nearest to a printed rank loss; None if none was scored."""
    decimals = evidence.decimals(dataset, "rank")
    distances = [
        (name, loss["mean"], z)
        for name, loss in constant_losses(evidence, dataset).items()
        if (z := errors_apart(loss, printed, decimals)) is not None
    ]
    if not distances:
        return None
    name, loss, z = min(distances, key=lambda row: abs(row[2]))
    return Nearest(name, loss, z, near(z))
