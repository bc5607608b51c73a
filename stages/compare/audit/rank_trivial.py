"""The rank losses printed for baselines are those of predictions that look at no feature."""

from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from scipy import sparse

from rethink.costs import Cost
from stages.common.outcomes import Mean, Number
from stages.common.words import change, listed, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import Evidence, PrintedPlace
from stages.compare.numbers import (
    NEAR,
    enough,
    errors_apart,
    explains_most,
    near,
    share_gained,
    summary,
)

TITLE = "Rank losses of the cost-blind baselines are those of a constant prediction"
ANCHOR = "selected-by-max"
MAJORITY = "majority labels"


@dataclass(frozen=True)
class Loss:
    """A printed rank loss beside the nearest constant prediction and ours; 0 seeds: too few."""

    dataset: str
    printed: float
    printed_ste: float | None
    constant: str
    constant_loss: float
    constant_z: float
    equal: bool
    ours: float | None
    ours_z: float | None
    seeds: int


@dataclass(frozen=True)
class BlindLoss(Loss):
    """The loss of a cost-blind model, and of its variant that the largest loss selected."""

    model: str
    by_max: float | None
    by_max_z: float | None


def audit(evidence: Evidence) -> Finding:
    """Printed rank losses against constants, and our models selected rightly and wrongly."""
    rows = [
        row
        for dataset in evidence.printed_datasets()
        for model in evidence.roles.blind
        if (row := _loss(evidence, dataset, model))
    ]
    table = [vars(row) for row in rows]
    ran = [(row, row.ours, row.ours_z) for row in rows if row.seeds]
    known = [(row, ours, z) for row, ours, z in ran if ours is not None and z is not None]
    if not known:
        text = "No cost-blind baseline of the paper was run for rank loss on one of its data sets."
        return Finding(None, text, table)
    same = [row for row in rows if row.equal]
    better = [row for row, _, z in known if z < -NEAR]
    wrong = [(z, row.by_max_z) for row, _, z in known if row.by_max_z is not None]
    reached = [z for z, worst in wrong if abs(worst) < abs(z)]
    confirmed = (
        2 * len(same) >= len(rows)
        and 2 * len(better) > len(known)
        and 2 * len(reached) >= len(wrong)
    )
    lower = fmean(share_gained(ours, row.printed, False) for row, ours, _ in known)
    text = sentence(
        f"On {listed(dict.fromkeys(row.dataset for row in rows))}, {len(same)} of "
        f"{len(rows)} printed rank losses of {listed(evidence.roles.blind)} lie within {NEAR:g} "
        "standard errors of a prediction that looks at no feature: no label at all, or the labels "
        "that more than half of the rows have.",
        f"Selected by the smallest loss, ours are more than {NEAR:g} standard errors better than "
        f"printed in {len(better)} of {len(known)} cases; their loss changes by {change(-lower)} "
        "on average.",
        f"Selected by the largest loss, they are nearer to the printed number in {len(reached)} "
        f"of {len(wrong)} cases and within {NEAR:g} standard errors in "
        f"{sum(near(worst) for _, worst in wrong)}."
        if wrong
        else None,
    )
    return Finding(confirmed, text, table)


def _loss(evidence: Evidence, dataset: str, model: str) -> BlindLoss | None:
    printed = evidence.paper.number(evidence.paper_name(dataset), "rank", model)
    worst = evidence.roles.variants("max").get(model, "")
    ours, by_max = (summary(evidence.scores.seeds(dataset, m, "rank")) for m in (model, worst))
    loss = beside_constant(evidence, dataset, printed, ours) if printed else None
    if not printed or not loss:
        return None
    z = errors_apart(by_max, printed, evidence.decimals(dataset, "rank"))
    return BlindLoss(**vars(loss), model=model, by_max=by_max.mean, by_max_z=z)


def beside_constant(evidence: Evidence, dataset: str, printed: Number, ours: Mean) -> Loss | None:
    """A printed rank loss beside the nearest constant prediction; None if none was scored."""
    decimals = evidence.decimals(dataset, "rank")
    constants = [
        (z, name, loss.mean)
        for name, loss in _constant_losses(evidence, dataset).items()
        if loss.mean is not None and (z := errors_apart(loss, printed, decimals)) is not None
    ]
    if printed.mean is None or not constants:
        return None
    z, name, loss = min(constants, key=lambda constant: abs(constant[0]))
    return Loss(
        dataset=dataset,
        printed=printed.mean,
        printed_ste=printed.ste,
        constant=name,
        constant_loss=loss,
        constant_z=z,
        equal=near(z),
        ours=ours.mean,
        ours_z=errors_apart(ours, printed, decimals),
        seeds=ours.n if enough(ours) else 0,
    )


def _constant_losses(evidence: Evidence, dataset: str) -> dict[str, Mean]:
    """The rank loss of predicting nothing, from the run, and of the labels most rows have."""
    zeros = evidence.roles.zeros
    losses = {zeros: summary(evidence.scores.seeds(dataset, zeros, "rank"))}
    if dataset in evidence.labels:
        losses[MAJORITY] = majority_loss(evidence.labels[dataset], evidence.costs["rank"])
    return losses


def majority_loss(labels: Any, cost: Cost) -> Mean:
    """On all rows: the loss of the labels that more than half of the rows have."""
    truth = labels.toarray() if sparse.issparse(labels) else np.asarray(labels)
    constant = np.tile(truth.mean(axis=0) > 0.5, (len(truth), 1))
    return Mean(float(np.mean(cost(truth, constant))), None, 0)


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether a printed rank loss of a cost-blind model is that of a constant prediction, or of a
    model that the largest loss selected."""
    if (place.table, place.cost) != ("algorithms", "rank") or not place.dataset:
        return False
    if place.name not in evidence.roles.blind:
        return False
    loss = _loss(evidence, place.dataset, place.name)
    if loss is None:
        return False
    return loss.equal or explains_most(loss.printed, loss.ours, loss.by_max)
