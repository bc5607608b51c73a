"""The rank losses printed for baselines are those of predictions that look at no feature."""

from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from rethink.costs import Cost
from stages.common.outcomes import Mean, Number
from stages.common.words import change, listed, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import Evidence
from stages.compare.numbers import NEAR, enough, errors_apart, near, share_gained, summary

TITLE = "Rank losses of the cost-blind baselines are those of a constant prediction"
ANCHOR = "selected-by-max"
MAJORITY = "majority labels"


class Nearest(NamedTuple):
    """The constant prediction whose loss is nearest to a printed one."""

    name: str
    loss: float
    z: float
    equal: bool


class Loss(NamedTuple):
    """A printed rank loss beside a constant prediction and our models; 0 seeds: too few."""

    dataset: str
    model: str
    printed: float
    printed_ste: float | None
    constant: str
    constant_loss: float
    constant_z: float
    equal: bool
    ours: float | None
    ours_z: float | None
    by_max: float | None
    by_max_z: float | None
    seeds: int


def audit(evidence: Evidence) -> Finding:
    """Printed rank losses against constants, and our models selected rightly and wrongly."""
    rows = [
        row
        for dataset in evidence.printed_datasets()
        for model in evidence.roles.blind
        if (row := _loss(evidence, dataset, model))
    ]
    table = [row._asdict() for row in rows]
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


def _loss(evidence: Evidence, dataset: str, model: str) -> Loss | None:
    printed = evidence.paper.number(evidence.paper_name(dataset), "rank", model)
    constant = nearest_constant(evidence, dataset, printed) if printed else None
    if not printed or printed.mean is None or not constant:
        return None
    decimals = evidence.decimals(dataset, "rank")
    worst = evidence.roles.variants("max").get(model, "")
    ours, by_max = (summary(evidence.scores.seeds(dataset, m, "rank")) for m in (model, worst))
    return Loss(
        dataset=dataset,
        model=model,
        printed=printed.mean,
        printed_ste=printed.ste,
        constant=constant.name,
        constant_loss=constant.loss,
        constant_z=constant.z,
        equal=constant.equal,
        ours=ours.mean,
        ours_z=errors_apart(ours, printed, decimals),
        by_max=by_max.mean,
        by_max_z=errors_apart(by_max, printed, decimals),
        seeds=ours.n if enough(ours) else 0,
    )


def nearest_constant(evidence: Evidence, dataset: str, printed: Number) -> Nearest | None:
    """The constant prediction nearest to a printed rank loss; None if none was scored."""
    decimals = evidence.decimals(dataset, "rank")
    distances = [
        Nearest(name, loss.mean, z, near(z))
        for name, loss in _constant_losses(evidence, dataset).items()
        if loss.mean is not None and (z := errors_apart(loss, printed, decimals)) is not None
    ]
    return min(distances, key=lambda constant: abs(constant.z), default=None)


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
    return Mean(float(np.mean(cost(truth, constant))), None, 1)


def explains(evidence: Evidence, dataset: str, cost: str, model: str) -> bool:
    """Whether a printed rank loss of a cost-blind model is that of a constant prediction."""
    if cost != "rank" or model not in evidence.roles.blind:
        return False
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, model)
    constant = nearest_constant(evidence, dataset, printed) if printed else None
    return constant is not None and constant.equal
