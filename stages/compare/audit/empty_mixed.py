"""One printed column counts empty predictions in two ways."""

from math import hypot
from typing import NamedTuple

from stages.common.words import listed, verb
from stages.compare.audit import Finding
from stages.compare.evidence import CONVENTIONS, Evidence
from stages.compare.numbers import NEAR, enough, errors_apart, summary

TITLE = "Predicting nothing where nothing is true counts now 0, now 1"
ANCHOR = "paper"


class Fit(NamedTuple):
    """A printed number, ours by both conventions, and which of these it fits, if any."""

    dataset: str
    cost: str
    model: str
    printed: float
    empty_0: float
    empty_1: float
    z_0: float
    z_1: float
    fits: float | None


def audit(evidence: Evidence) -> Finding:
    """Our scores under both conventions beside the printed ones: which fits each number."""
    rows = [
        row
        for dataset in evidence.printed_datasets()
        for cost in evidence.experiment("algorithms").costs
        for model in evidence.roles.paper
        if (row := _fit(evidence, dataset, cost, model))
    ]
    table = [row._asdict() for row in rows]
    decided = [row for row in rows if row.fits is not None]
    if not decided:
        text = (
            "No data set of the paper in this run has rows without labels on which the "
            "convention would change a score."
        )
        return Finding(None, text, table)
    columns = dict.fromkeys((row.dataset, row.cost) for row in decided)
    fits = {column: _fitting(decided, *column) for column in columns}
    text = " ".join(
        f"{dataset} by {evidence.within(cost)}: "
        + "; ".join(
            f"{listed(models)} {verb(models, 'fits', 'fit')} the value {value:g}"
            for value, models in by_value.items()
        )
        + "."
        for (dataset, cost), by_value in fits.items()
    )
    return Finding(any(len(by_value) > 1 for by_value in fits.values()), text, table)


def _fitting(decided: list[Fit], dataset: str, cost: str) -> dict[float, list[str]]:
    """The models of a column by the convention that fits their printed numbers."""
    column = [row for row in decided if (row.dataset, row.cost) == (dataset, cost)]
    return {
        value: [row.model for row in column if row.fits == value]
        for value in CONVENTIONS
        if any(row.fits == value for row in column)
    }


def _fit(evidence: Evidence, dataset: str, cost: str, model: str) -> Fit | None:
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, model)
    zero, one = (
        summary(evidence.scores.seeds(dataset, model, cost, empty=empty)) for empty in CONVENTIONS
    )
    if not printed or printed.mean is None or zero.mean is None or one.mean in (None, zero.mean):
        return None
    decimals = evidence.decimals(dataset, cost)
    z = [errors_apart(ours, printed, decimals) or 0.0 for ours in (zero, one)]
    apart = abs(one.mean - zero.mean) > NEAR * hypot(zero.ste or 0.0, one.ste or 0.0)
    nearer = CONVENTIONS[abs(z[1]) < abs(z[0])]
    fits = nearer if apart and enough(zero) else None
    return Fit(dataset, cost, model, printed.mean, zero.mean, one.mean, z[0], z[1], fits)
