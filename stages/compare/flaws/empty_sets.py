"""One printed column counts empty predictions in two ways."""

from collections.abc import Iterator
from math import hypot

from stages.common.words import listed
from stages.compare.conventions import CONVENTIONS
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import enough, finding, printed_datasets
from stages.compare.names import NEAR, OF_THE_PAPER, Json
from stages.compare.numbers import errors_apart, summary

NAME = "empty-mixed"
TITLE = "Predicting nothing where nothing is true counts now 0, now 1"


def empty_sets(evidence: Evidence) -> Json:
    """Our scores under both conventions beside the printed ones: which fits each number."""
    rows = list(_rows(evidence))
    told = [row for row in rows if row["fits"] is not None]
    if not told:
        text = (
            "No data set of the paper in this run has rows without labels on which the "
            "convention would change a score."
        )
        return finding(NAME, TITLE, "paper", None, text, rows)
    columns = dict.fromkeys((row["dataset"], row["cost"]) for row in told)
    fits = {column: _fitting(told, *column) for column in columns}
    text = " ".join(
        f"{dataset} by {evidence.costs[cost].title}: "
        + "; ".join(_fit(*pair) for pair in found.items())
        + "."
        for (dataset, cost), found in fits.items()
    )
    mixed = any(len(found) > 1 for found in fits.values())
    return finding(NAME, TITLE, "paper", mixed, text, rows)


def _fitting(told: list[Json], dataset: str, cost: str) -> dict[float, list[str]]:
    """The models of a column by the convention that fits their printed numbers."""
    column = [row for row in told if (row["dataset"], row["cost"]) == (dataset, cost)]
    return {
        value: [row["model"] for row in column if row["fits"] == value]
        for value in CONVENTIONS
        if any(row["fits"] == value for row in column)
    }


def _fit(value: float, models: list[str]) -> str:
    return f"{listed(models)} {'fits' if len(models) == 1 else 'fit'} the value {value:g}"


def _rows(evidence: Evidence) -> Iterator[Json]:
    for dataset in printed_datasets(evidence):
        for cost in evidence.experiment("algorithms").costs:
            for model in OF_THE_PAPER:
                if row := _row(evidence, dataset, cost, model):
                    yield row


def _row(evidence: Evidence, dataset: str, cost: str, model: str) -> Json | None:
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, model)
    zero, one = (
        summary(evidence.scores.seeds(dataset, model, cost, empty=empty)) for empty in CONVENTIONS
    )
    if not printed or zero["mean"] is None or zero["mean"] == one["mean"]:
        return None
    decimals = evidence.decimals(dataset, cost)
    z = [errors_apart(ours, printed, decimals) or 0.0 for ours in (zero, one)]
    apart = abs(one["mean"] - zero["mean"]) > NEAR * hypot(zero["ste"] or 0.0, one["ste"] or 0.0)
    nearer = CONVENTIONS[abs(z[1]) < abs(z[0])]
    return {
        "dataset": dataset,
        "cost": cost,
        "model": model,
        "printed": printed["mean"],
        "empty_0": zero["mean"],
        "empty_1": one["mean"],
        "z_0": z[0],
        "z_1": z[1],
        "fits": nearer if apart and enough(zero) else None,
    }
