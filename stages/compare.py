"""Stage `compare`: scores -> means, ranks, tests and the paper's numbers beside ours."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import permutations
from math import hypot
from typing import Any

import pandas as pd

from rethink.costs import Cost, get_cost
from rethink.statistics import (
    average_ranks,
    beats,
    best_of,
    mean_ste,
    midranks,
    paired_t,
    paper_ranks,
)
from stages import paths
from stages.config.catalog import load_catalog
from stages.errors import DataError, run_command
from stages.io.files import write_json

REFERENCE = ("bayes",)  # knows the joint distribution: shown, never ranked
TRIVIAL = ("all-zeros", "top-k")  # look at no feature
DEFAULT_EMPTY, OTHER_EMPTY = 1.0, 0.0
LEVEL = 0.05
NOT_COMPARABLE = {  # printed numbers that are the loss of a constant prediction
    "rank": ("BR", "CC", "CC-RNN", "CC-DP")
}

Json = dict[str, Any]
Values = dict[str, dict[str, dict[int, float]]]  # data set -> model -> seed -> score


def compare(
    scores: pd.DataFrame,
    costs: Mapping[str, Cost],
    paper: pd.DataFrame,
    paper_names: Mapping[str, str | None],
) -> Json:
    """All that is said of the models; each is judged by the cost it was trained for."""
    own = (scores["part"] == "test") & scores["last"] & (scores["criterion"] == scores["cost"])
    final = scores[own]
    cells = final[final["empty"] == DEFAULT_EMPTY]
    compared = {
        name: compare_cost(
            final[final["cost"] == name], name, costs[name].greater_is_better, paper, paper_names
        )
        | {"title": costs[name].title}
        for name in _distinct(final["cost"])
    }
    return {
        "order": {
            "costs": list(compared),
            "datasets": _distinct(cells["dataset"]),
            "models": _distinct(cells["model"]),
        },
        "reference": [name for name in _distinct(cells["model"]) if name in REFERENCE],
        "seeds": int(cells["seed"].nunique()),
        "cells": {"planned": len(cells), **_counts(cells["status"])},
        "failures": _failures(cells),
        "empty": {
            "default": DEFAULT_EMPTY,
            "other": OTHER_EMPTY,
            "matters": _where_empty_matters(compared),
        },
        "level": LEVEL,
        "costs": compared,
    }


def compare_cost(
    final: pd.DataFrame,
    cost: str,
    greater: bool,
    paper: pd.DataFrame,
    paper_names: Mapping[str, str | None],
) -> Json:
    """One cost: a table of data sets and models, average ranks and tests."""
    values, others = (_values(final, empty) for empty in (DEFAULT_EMPTY, OTHER_EMPTY))
    datasets = {}
    for name, cells in final[final["empty"] == DEFAULT_EMPTY].groupby("dataset", sort=False):
        printed = _printed(paper, paper_names.get(name), cost)
        models = _models(cells, values[name], others[name], greater, printed)
        datasets[name] = {
            "decimals": decimals_of(printed, values[name]),
            "paper_name": paper_names.get(name),
            "paper": printed,
            "models": models,
        }
    other = None
    if others != values:
        ranks = _average_ranks(datasets, other_empty=True)
        other = {"average_ranks": ranks, "tests": tests(others, greater)}
    return {
        "greater_is_better": greater,
        "datasets": datasets,
        "average_ranks": _average_ranks(datasets),
        "tests": tests(values, greater),
        "other_empty": other,
    }


def _models(
    cells: pd.DataFrame,
    values: Mapping[str, Mapping[int, float]],
    others: Mapping[str, Mapping[int, float]],
    greater: bool,
    printed: list[Json],
) -> dict[str, Json]:
    """Every model on one data set: its place, its seeds, what failed, the paper's number."""
    decimals = decimals_of(printed, values)
    planned = cells["model"].value_counts()
    places = place(values, planned, greater, decimals)
    other = place(others, planned, greater, decimals) if others != values else {}
    return {
        model: {
            **places[model],
            "seeds": {str(seed): values[model].get(seed) for seed in group["seed"]},
            "statuses": _counts(group["status"]),
            "reasons": _distinct(group["reason"].dropna()),
            "other_empty": other.get(model),
            "printed": _beside(places[model], printed, model),
        }
        for model, group in cells.groupby("model", sort=False)
    }


def place(
    values: Mapping[str, Mapping[int, float]],
    planned: Mapping[str, int],
    greater: bool,
    digits: int,
) -> dict[str, Json]:
    """Mean, standard error and ranks of each model; only those with every seed are ranked."""
    means = {model: mean_ste(list(seeds.values())) for model, seeds in values.items() if seeds}
    ranked = [
        model for model in means if len(values[model]) == planned[model] and model not in REFERENCE
    ]
    ours = [means[model][0] for model in ranked]
    mid = dict(zip(ranked, midranks(ours, greater), strict=True))
    rounded = dict(zip(ranked, paper_ranks(ours, greater, digits), strict=True))
    # a model that lacks a seed has no rank, but while it leads no other is called the best
    lead = best_of((mean for model, (mean, _) in means.items() if model not in REFERENCE), greater)
    bar = best_of((means[model][0] for model in ranked if model in TRIVIAL), greater)
    return {
        model: {
            "mean": means.get(model, (None, None))[0],
            "ste": means.get(model, (None, None))[1],
            "n": len(values[model]),
            "planned": int(planned[model]),
            "rank": mid.get(model),
            "paper_rule_rank": rounded.get(model),
            "best": lead is not None and model in mid and not beats(lead, means[model][0], greater),
            "beats_trivial": beats(means[model][0], bar, greater)
            if model in mid and model not in TRIVIAL and bar is not None
            else None,
        }
        for model in values
    }


def _average_ranks(datasets: Mapping[str, Json], other_empty: bool = False) -> Json:
    ranks = {
        dataset: {
            model: (found["other_empty"] if other_empty and found["other_empty"] else found)["rank"]
            for model, found in table["models"].items()
        }
        for dataset, table in datasets.items()
    }
    averages, used = average_ranks(ranks)
    left_out = [dataset for dataset in ranks if dataset not in used]
    return {"models": averages, "datasets": used, "left_out": left_out}


def tests(values: Values, greater: bool) -> dict[str, dict[str, Json]]:
    """Paired t-test of every model against every other on each data set, over common seeds."""
    models = _distinct(model for table in values.values() for model in table)
    found: dict[str, dict[str, Json]] = {}
    for one, other in permutations([name for name in models if name not in REFERENCE], 2):
        outcomes = {}
        for dataset, table in values.items():
            if one in table and other in table:
                common = sorted(table[one].keys() & table[other].keys())
                a, b = ([table[model][seed] for seed in common] for model in (one, other))
                outcomes[dataset] = paired_t(a, b, greater, LEVEL)._asdict()
        counts = Counter(outcome["result"] for outcome in outcomes.values())
        found.setdefault(one, {})[other] = {
            **{word: counts[word] for word in ("win", "tie", "loss", "too few")},
            "datasets": outcomes,
        }
    return found


def decimals_of(printed: list[Json], values: Mapping[str, Mapping[int, float]]) -> int:
    """Decimals to print: the paper's for this data set, else by the size of the scores."""
    numbers = [row[key] for row in printed for key in ("mean", "ste") if row[key] is not None]
    if numbers:
        exact = (d for d in range(4) if all(round(x, d) == x for x in numbers))
        return next(exact, 4)
    largest = max((abs(x) for seeds in values.values() for x in seeds.values()), default=0.0)
    return next((d for limit, d in ((1, 3), (25, 2), (100, 1)) if largest <= limit), 0)


def _values(final: pd.DataFrame, empty: float) -> Values:
    found: Values = {}
    for row in final[final["empty"] == empty].itertuples():
        seeds = found.setdefault(row.dataset, {}).setdefault(row.model, {})
        if row.status == "ok":
            seeds[int(row.seed)] = float(row.value)
    return found


def _printed(paper: pd.DataFrame, name: str | None, cost: str) -> list[Json]:
    """The paper's rows for a data set, with nulls where it prints nothing."""
    rows = paper[(paper["dataset"] == name) & (paper["cost"] == cost)]
    return [
        {
            "model": row.model,
            "mean": None if pd.isna(row.mean) else row.mean,
            "ste": None if pd.isna(row.ste) else row.ste,
            "rank": None if pd.isna(row.rank) else int(row.rank),
            "comparable": row.model not in NOT_COMPARABLE.get(cost, ()),
        }
        for row in rows.itertuples()
    ]


def _beside(ours: Json, printed: list[Json], model: str) -> Json | None:
    """The paper's number for the same model and how far ours is from it."""
    row = next((row for row in printed if row["model"] == model), None)
    if row is None or row["mean"] is None:
        return None
    error = hypot(ours["ste"] or 0.0, row["ste"] or 0.0)
    gap = None if ours["mean"] is None else ours["mean"] - row["mean"]
    errors = gap / error if gap is not None and error > 0 and row["comparable"] else None
    return row | {"difference": gap, "standard_errors": errors}


def _where_empty_matters(compared: Mapping[str, Json]) -> dict[str, list[str]]:
    """Data sets, and their costs, where the value of empty-against-empty changes a score."""
    found: dict[str, list[str]] = {}
    for cost, table in compared.items():
        for dataset, inner in table["datasets"].items():
            if any(model["other_empty"] for model in inner["models"].values()):
                found.setdefault(dataset, []).append(cost)
    return found


def _failures(cells: pd.DataFrame) -> list[Json]:
    columns = ["dataset", "model", "cost", "seed", "status", "reason"]
    rows = cells.loc[cells["status"] != "ok", columns].to_dict("records")
    return [row | {"reason": "" if pd.isna(row["reason"]) else row["reason"]} for row in rows]


def _counts(column: pd.Series) -> dict[str, int]:
    return dict(sorted(Counter(column).items()))


def _distinct(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def metrics(comparison: Json) -> Json:
    """What `dvc metrics` shows: the average rank of each model, and how many cells there are."""
    ranks = {
        cost: {
            model: {"avg_rank": rank} for model, rank in table["average_ranks"]["models"].items()
        }
        for cost, table in comparison["costs"].items()
    }
    return {**ranks, "cells": comparison["cells"]}


def main() -> int:
    """Command line."""
    try:
        scores = pd.read_parquet(paths.SCORES)
    except FileNotFoundError:
        raise DataError(f"{paths.SCORES} is missing; run `dvc repro evaluate`") from None
    catalog = load_catalog().datasets
    comparison = compare(
        scores,
        {name: get_cost(name) for name in scores["cost"].unique()},
        pd.read_csv(paths.PAPER / "algorithms.csv"),
        {name: entry.paper_name for name, entry in catalog.items()},
    )
    write_json(paths.REPORTS / "comparison.json", comparison)
    write_json(paths.REPORTS / "metrics.json", metrics(comparison))
    return 0


if __name__ == "__main__":
    run_command(main)
