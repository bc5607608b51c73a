"""The table of recurrent nets: four kinds of equal size, on the training and the test part."""

from collections.abc import Iterable

from rethink.statistics import average_ranks, beats, best_of, midranks
from stages.compare.conventions import convention_beside
from stages.compare.evidence import Evidence
from stages.compare.names import DEFAULT_EMPTY, RNNS, Json
from stages.compare.numbers import decimals_of, summary


def rnn_section(evidence: Evidence) -> Json:
    """A row for each data set, cost and kind of net, and the average rank of each kind."""
    experiment = evidence.experiment("rnn_variants")
    rows = [
        row
        for cost in experiment.costs
        for dataset in experiment.datasets
        for row in _rows(evidence, dataset, cost)
    ]
    return {
        "rows": rows,
        "average_ranks": {
            cost: _average_ranks([row for row in rows if row["cost"] == cost], evidence, cost)
            for cost in experiment.costs
        },
    }


def _rows(evidence: Evidence, dataset: str, cost: str) -> list[Json]:
    greater = evidence.greater(cost)
    models = evidence.experiment("rnn_variants").models
    kinds = {rnn: model for rnn, model in RNNS.items() if model in models}
    empty = _convention(evidence, dataset, cost, kinds.values())
    found = {
        rnn: {
            part: summary(evidence.scores.seeds(dataset, model, cost, part=part, empty=empty))
            for part in ("train", "test")
        }
        for rnn, model in kinds.items()
        if evidence.scores.planned(dataset, model, cost)
    }
    lead = best_of(
        (row["test"]["mean"] for row in found.values() if row["test"]["mean"] is not None), greater
    )
    printed = {rnn: _printed(evidence, dataset, cost, rnn) for rnn in found}
    numbers = [number for both in printed.values() if both for number in both.values()]
    means = [row["test"]["mean"] or 0.0 for row in found.values()]
    return [
        {
            "dataset": dataset,
            "cost": cost,
            "rnn": rnn,
            "empty": empty,
            **row,
            "best": lead is not None
            and row["test"]["mean"] is not None
            and not beats(lead, row["test"]["mean"], greater),
            "printed": printed[rnn],
            "decimals": decimals_of(numbers, means),
        }
        for rnn, row in found.items()
    ]


def _convention(evidence: Evidence, dataset: str, cost: str, models: Iterable[str]) -> float:
    """One for the row: the paper's as soon as it changes the score of one kind."""
    found = [convention_beside(evidence, dataset, model, cost) for model in models]
    return next((empty for empty in found if empty != DEFAULT_EMPTY), DEFAULT_EMPTY)


def _printed(evidence: Evidence, dataset: str, cost: str, rnn: str) -> Json | None:
    name = evidence.paper_name(dataset)
    rows = evidence.paper.rows("rnn_variants", name, cost) if name else []
    found = {
        row["split"]: {"mean": row["mean"], "ste": row["ste"]} for row in rows if row["rnn"] == rnn
    }
    return found or None


def _average_ranks(rows: list[Json], evidence: Evidence, cost: str) -> dict[str, float | None]:
    """Average rank by the test scores, over the data sets with every kind and seed."""
    table: dict[str, dict[str, float | None]] = {}
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        here = [row for row in rows if row["dataset"] == dataset]
        most = max(row["test"]["n"] for row in here)
        whole = [row for row in here if most and row["test"]["n"] == most]
        ranks = midranks([row["test"]["mean"] for row in whole], evidence.greater(cost))
        table[dataset] = {row["rnn"]: None for row in here} | {
            row["rnn"]: rank for row, rank in zip(whole, ranks, strict=True)
        }
    return average_ranks(table)[0]
