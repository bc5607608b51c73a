"""The main tables: for each cost every model on every data set, its place and its seeds."""

from collections import Counter
from collections.abc import Iterable, Mapping

from rethink.statistics import average_ranks, beats, best_of, midranks, paper_ranks
from stages.compare.evidence import Evidence
from stages.compare.names import COST_BLIND, DEFAULT_EMPTY, OTHER_EMPTY, REFERENCE, TRIVIAL, Json
from stages.compare.numbers import decimals_of, errors_apart, summary
from stages.compare.over_datasets import over_datasets
from stages.compare.pairs import pairwise_tests
from stages.compare.scores import Cell, Seeds

# printed numbers that are the loss of a constant prediction
NOT_COMPARABLE = {"rank": COST_BLIND}

Table = dict[str, dict[str, Seeds]]  # data set -> model -> seed -> score


def cost_table(evidence: Evidence, cost: str) -> Json:
    """One cost: a table of data sets and models, average ranks and tests."""
    greater = evidence.greater(cost)
    values, others = (seed_table(evidence, cost, empty) for empty in (DEFAULT_EMPTY, OTHER_EMPTY))
    datasets = {name: _dataset(evidence, cost, name, values[name], others[name]) for name in values}
    other = None
    if others != values:
        other = _over_all(datasets, others, greater, other_empty=True)
    return {
        "title": evidence.costs[cost].title,
        "greater_is_better": greater,
        "datasets": datasets,
        **_over_all(datasets, values, greater),
        "other_empty": other,
    }


def seed_table(evidence: Evidence, cost: str, empty: float = DEFAULT_EMPTY) -> Table:
    """Scores of the experiment `algorithms` by data set, model and seed, as far as planned."""
    algorithms = evidence.experiment("algorithms")
    table = {
        dataset: {
            model: evidence.scores.seeds(dataset, model, cost, empty=empty)
            for model in algorithms.models
            if evidence.scores.planned(dataset, model, cost)
        }
        for dataset in algorithms.datasets
    }
    return {dataset: models for dataset, models in table.items() if models}


def _dataset(
    evidence: Evidence,
    cost: str,
    dataset: str,
    values: Mapping[str, Seeds],
    others: Mapping[str, Seeds],
) -> Json:
    printed = [
        row | {"comparable": row["model"] not in NOT_COMPARABLE.get(cost, ())}
        for row in evidence.paper.algorithms(evidence.paper_name(dataset), cost)
    ]
    decimals = decimals_of(printed, (x for seeds in values.values() for x in seeds.values()))
    cells = {model: evidence.scores.planned(dataset, model, cost) for model in values}
    greater = evidence.greater(cost)
    places = place(values, cells, greater, decimals)
    other = place(others, cells, greater, decimals) if others != values else {}
    return {
        "decimals": decimals,
        "paper_name": evidence.paper_name(dataset),
        "paper": printed,
        "models": {
            model: {
                **places[model],
                **_cells(cells[model], values[model]),
                "other_empty": other.get(model),
                "printed": _beside(places[model], printed, model, decimals),
            }
            for model in values
        },
    }


def _cells(cells: Mapping[int, Cell], seeds: Seeds) -> Json:
    return {
        "seeds": {str(seed): seeds.get(seed) for seed in cells},
        "statuses": dict(sorted(Counter(cell.status for cell in cells.values()).items())),
        "reasons": list(dict.fromkeys(cell.reason for cell in cells.values() if cell.reason)),
    }


def place(
    values: Mapping[str, Seeds],
    planned: Mapping[str, Mapping[int, Cell]],
    greater: bool,
    digits: int,
) -> dict[str, Json]:
    """Mean, standard error and ranks of each model; only those with every seed are ranked."""
    found = {model: summary(seeds) for model, seeds in values.items()}
    means = {model: row["mean"] for model, row in found.items() if row["n"]}
    ranked = [m for m in means if len(values[m]) == len(planned[m]) and m not in REFERENCE]
    ours = [means[model] for model in ranked]
    mid = dict(zip(ranked, midranks(ours, greater), strict=True))
    rounded = dict(zip(ranked, paper_ranks(ours, greater, digits), strict=True))
    # a model that lacks a seed has no rank, but while it leads no other is called the best
    lead = best_of((mean for model, mean in means.items() if model not in REFERENCE), greater)
    bar = best_of((means[model] for model in ranked if model in TRIVIAL), greater)
    return {
        model: {
            **found[model],
            "planned": len(planned[model]),
            "rank": mid.get(model),
            "paper_rule_rank": rounded.get(model),
            "best": lead is not None and model in mid and not beats(lead, means[model], greater),
            "beats_trivial": beats(means[model], bar, greater)
            if model in mid and model not in TRIVIAL and bar is not None
            else None,
        }
        for model in values
    }


def _beside(ours: Json, printed: Iterable[Json], model: str, decimals: int) -> Json | None:
    """The paper's number for the same model and how far ours is from it."""
    row = next((row for row in printed if row["model"] == model), None)
    if row is None or row["mean"] is None:
        return None
    gap = None if ours["mean"] is None else ours["mean"] - row["mean"]
    errors = errors_apart(ours, row, decimals) if row["comparable"] else None
    return row | {"difference": gap, "standard_errors": errors}


def _over_all(
    datasets: Mapping[str, Json], values: Table, greater: bool, other_empty: bool = False
) -> Json:
    places = {
        dataset: {
            model: (other_empty and found["other_empty"]) or found
            for model, found in table["models"].items()
        }
        for dataset, table in datasets.items()
    }
    ranks = {name: {m: row["rank"] for m, row in table.items()} for name, table in places.items()}
    averages, used = average_ranks(ranks)
    means = {
        name: {
            model: None if row["rank"] is None else row["mean"]
            for model, row in table.items()
            if model not in REFERENCE
        }
        for name, table in places.items()
    }
    return {
        "average_ranks": {
            "models": averages,
            "datasets": used,
            "left_out": [dataset for dataset in ranks if dataset not in used],
        },
        "over_datasets": over_datasets(means, greater),
        "tests": pairwise_tests(values, greater),
    }
