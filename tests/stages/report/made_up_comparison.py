"""A made-up comparison.json with every section, from a few names and a formula."""

from itertools import permutations, product
from statistics import fmean

from tests.stages.report.made_up_images import images

COSTS = {
    "hamming": ("Hamming loss", False),
    "rank": ("Rank loss", False),
    "f1": ("F1 score", True),
    "accuracy": ("Accuracy score", True),
}
CHANGED = ("f1", "accuracy")  # by the worth of an empty prediction, on the set `chain`
PAPER_MODELS = ("RethinkNet", "PCC", "BR")
REFERENCE, TRIVIAL = "bayes", "all-zeros"


def comparison(datasets, models, seeds, failed):
    ranked = [model for model in models if model != REFERENCE]
    costs = {name: _cost(name, datasets, models, seeds, failed) for name in COSTS}
    failures = [
        dict(zip(("dataset", "model", "cost", "seed"), key, strict=True))
        | {"status": "failed", "reason": reason}
        for key, reason in failed.items()
    ]
    planned = len(_cells(datasets, models)) * seeds * len(COSTS)
    return {
        "order": {"costs": list(COSTS), "datasets": list(datasets), "models": list(models)},
        "reference": [REFERENCE] if REFERENCE in models else [],
        "seeds": seeds,
        "cells": {"planned": planned, "ok": planned - len(failed)},
        "failures": failures,
        "empty": {
            "default": 1.0,
            "other": 0.0,
            "matters": {"chain": list(CHANGED)} if "chain" in datasets else {},
        },
        "level": 0.05,
        "costs": costs,
        "paper": _paper(datasets, ranked),
        "flaws": _flaws(),
        "claims": _claims(),
        "advice": {cost: _advice(ranked) for cost in COSTS},
        "experiments": _experiments(datasets),
    }


def _cells(datasets, models):
    return [(d, m) for d, m in product(datasets, models) if (d, m) != ("yeast", REFERENCE)]


def score(dataset, model, seed, models, other=False):
    """The score of a cell: the later in the list of models, the larger."""
    drop = 0.05 if other and dataset == "chain" else 0.0
    return 0.1 + 0.07 * models.index(model) + 0.003 * ((seed + len(model)) % 5) - drop


def _cost(cost, datasets, models, seeds, failed):
    title, greater = COSTS[cost]
    changes = cost in CHANGED and "chain" in datasets
    tables = {d: _table(cost, d, datasets, models, seeds, failed) for d in datasets}
    found = {"greater_is_better": greater, "title": title, "datasets": tables}
    views = [_view(tables, models, other) for other in (False, True)]
    return found | views[0] | {"other_empty": views[1] if changes else None}


def _table(cost, dataset, datasets, models, seeds, failed):
    greater = COSTS[cost][1]
    here = [m for d, m in _cells(datasets, models) if d == dataset]
    values = {
        model: {
            seed: score(dataset, model, seed, models)
            for seed in range(seeds)
            if (dataset, model, cost, seed) not in failed
        }
        for model in here
    }
    places = _places(values, seeds, greater)
    others = _places(
        {m: {s: score(dataset, m, s, models, True) for s in found} for m, found in values.items()},
        seeds,
        greater,
    )
    printed = [
        {"model": m, "mean": 0.2 + rank / 100, "ste": 0.001, "rank": rank}
        | {"comparable": (cost, m) != ("rank", "BR")}
        for rank, m in enumerate(PAPER_MODELS, start=1)
    ]
    return {
        "decimals": 3,
        "paper_name": dataset if dataset == "yeast" else None,
        "paper": printed if dataset == "yeast" else [],
        "models": {
            model: places[model]
            | {
                "seeds": {str(seed): values[model].get(seed) for seed in range(seeds)},
                "statuses": {},
                "reasons": sorted(
                    {why for key, why in failed.items() if key[:3] == (dataset, model, cost)}
                ),
                "other_empty": others[model] if dataset == "chain" and cost in CHANGED else None,
            }
            for model in here
        },
    }


def _places(values, seeds, greater):
    means = {model: fmean(found.values()) for model, found in values.items() if found}
    ranked = [m for m in means if len(values[m]) == seeds and m != REFERENCE]
    order = sorted(ranked, key=means.__getitem__, reverse=greater)
    bar = means.get(TRIVIAL)
    return {
        model: {
            "mean": means.get(model),
            "ste": 0.002 if model in means and seeds > 1 else None,
            "n": len(found),
            "planned": seeds,
            "rank": order.index(model) + 1.5 if model in order else None,
            "paper_rule_rank": order.index(model) + 1 if model in order else None,
            "best": bool(order) and model == order[0],
            "beats_trivial": (means[model] > bar) == greater
            if model in order and model != TRIVIAL and bar is not None
            else None,
        }
        for model, found in values.items()
    }


def _view(tables, models, other):
    ranked = [model for model in models if model != REFERENCE]
    used = [
        d
        for d, table in tables.items()
        if all(table["models"][m]["rank"] is not None for m in ranked)
    ]
    averages = {
        m: fmean(tables[d]["models"][m]["rank"] for d in used) if used else None for m in ranked
    }
    left_out = [d for d in tables if d not in used]
    return {
        "average_ranks": {"models": averages, "datasets": used, "left_out": left_out},
        "tests": _tests(ranked, tables, other),
        "over_datasets": over_datasets(ranked, used, left_out),
    }


def _tests(ranked, tables, other):
    found = {}
    for one, two in permutations(ranked, 2):
        first = ranked.index(one) < ranked.index(two)
        counts = {"win": 2 if first else 0, "tie": 1, "loss": 0 if first else 2, "too_few": 0}
        weaker = {"win": 0, "tie": 3, "loss": 0, "too_few": 1 if other else 0}
        found.setdefault(one, {})[two] = counts | {"corrected": weaker, "datasets": {}}
    return found


def over_datasets(ranked, used, left_out):
    if len(ranked) < 3 or len(used) < 2:
        why = "it takes three models and two data sets"
        empty = {"friedman": None, "nemenyi": None, "wilcoxon_holm": [], "signed_rank": []}
        lists = {"models": ranked, "datasets": used, "left_out": left_out, "groups": []}
        return lists | empty | {"why": why, "note": None, "left_out_why": [], "scale": "relative"}
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    return {
        "models": ranked,
        "datasets": used,
        "left_out": left_out,
        "friedman": {"statistic": 9.3, "p": 0.0254, "n": len(used), "k": len(ranked)},
        "nemenyi": {"cd": 2.343, "groups": [ranked[:2]]},
        "wilcoxon_holm": [
            {"a": a, "b": b, "p": 0.031, "p_holm": 0.0004 if i else 0.4, "n": len(used)}
            | {"better": a if i else None}
            for i, (a, b) in enumerate(pairs)
        ],
        "signed_rank": [
            {"a": ranked[0], "b": b, "p_a": 0.71, "p_rope": 0.09, "p_b": 0.2, "rope": 0.01}
            for b in ranked[1:]
        ],
        "groups": [ranked[:2]],
        "left_out_why": [],
        "scale": "relative",
        "note": None,
        "why": None,
    }


def _paper(datasets, ranked):
    rows = [
        {
            "dataset": "yeast",
            "cost": cost,
            "model": model,
            "printed": {"mean": 0.2 + place / 100, "ste": 0.001, "rank": place},
            "ours": {"mean": 0.21, "ste": 0.002, "n": 3} if model in ranked else None,
            "z": (0.5, -4.25, 3.1)[place - 1] if model in ranked else None,
            "empty": 1.0,
            "comparisons": {"agree": 1, "of": 2, "disagree": ["PCC"]},
            "flaw": "trivial-rank" if (cost, model) == ("rank", "BR") else None,
        }
        for cost in COSTS
        for place, model in enumerate(PAPER_MODELS, start=1)
        if "yeast" in datasets
    ]
    counts = {"numbers": 3, "within_2": 1, "same_side": 4, "comparisons": 6}
    return {"rows": rows, "summary": dict.fromkeys(COSTS, counts) if rows else {}}


def _flaws():
    evidence = [{"dataset": "yeast", "printed": 13.23, "trivial": 13.22, "within_two": True}]
    flaw = {"text": "BR’s rank loss is that of a constant.", "anchor": "selected-by-max"}
    texts = {"id": "trivial-rank", "title": "Rank losses of a constant prediction"}
    other = {"id": "features", "title": "Wrong feature counts", "verdict": "not enough runs"}
    return [
        flaw | texts | {"verdict": "confirmed", "evidence": evidence},
        flaw | other | {"evidence": [], "anchor": "nowhere"},
    ]


def _claims():
    words = ("holds", "does not hold", "not enough runs")
    anchors = ("rethinking", "cost-rank", "nowhere")
    return [
        {
            "id": f"claim-{n}",
            "claim": f"Claim number {n} of the paper",
            "verdict": word,
            "why": "2 of 3 data sets agree",
            "test": "paired t",
            "anchor": anchor,
        }
        for n, (word, anchor) in enumerate(zip(words, anchors, strict=True), start=1)
    ]


def _advice(ranked):
    points = [
        {"model": m, "average_rank": 1.0 + n, "seconds": 40.0 / (n + 1), "pareto": n < 2}
        for n, m in enumerate(ranked)
    ]
    return {"recommended": ranked[0], "why": "It has the best rank.", "points": points}


def estimate(mean):
    return {"mean": mean, "ste": 0.004, "n": 3}


def _experiments(datasets):
    return {
        "datasets": {"rows": [_counts(dataset) for dataset in datasets]},
        "rethinking": {"curves": [_curve("yeast", cost) for cost in COSTS]},
        "memory": {"matrices": [matrix(["Class1", "Class2", "Class3"])]},
        "reweighting": {
            "rows": [_reweighted(cost, rnn) for cost in ("rank", "f1") for rnn in ("LSTM", "SRN")]
        },
        "rnn_variants": {
            "rows": [_variant(cost, rnn) for cost in ("rank", "f1") for rnn in ("SRN", "GRU")],
            "average_ranks": {cost: {"SRN": 1.0, "GRU": 2.0} for cost in ("rank", "f1")},
        },
        "selected_by_max": {"rows": [_by_max("BR"), _by_max("CC")]},
        "images": images(),
    }


def _counts(dataset):
    ours = {"features": 103, "labels": 14, "instances": 2417}
    ours |= {"cardinality": 4.237, "density": 0.303}
    wrong = dataset == "yeast"
    return {
        "dataset": dataset,
        "paper_name": dataset if wrong else None,
        "ours": ours,
        "printed": ours | {"features": 2417} if wrong else None,
        "wrong": ["features"] if wrong else [],
    }


def _curve(dataset, cost):
    title, greater = COSTS[cost]
    way = 0.02 if greater else -0.02
    return {
        "dataset": dataset,
        "cost": cost,
        "title": title,
        "greater_is_better": greater,
        "decimals": 3,
        "iterations": [1, 2, 3, 4, 5],
        "train": [estimate(0.5 + way * min(step, 3)) for step in range(5)],
        "test": [estimate(0.4 + way * min(step, 2)) for step in range(5)],
    }


def matrix(labels):
    size = range(len(labels))
    return {
        "dataset": "yeast",
        "cost": "hamming",
        "labels": labels,
        "memory": [[1.0 if i == j else 0.1 * (i - j) for j in size] for i in size],
        "correlation": [[1.0 if i == j else 0.2 for j in size] for i in size],
        "r": 0.41,
        "p": 0.003,
        "permutations": 999,
        "unscaled": [],
        "seeds": 3,
    }


def _reweighted(cost, rnn):
    tests = {"test": {"result": "win"}, "corrected": {"result": "tie"}}
    printed = {"plain": estimate(13.3), "reweighted": estimate(8.8)} if rnn == "SRN" else None
    means = {"plain": estimate(9.96), "reweighted": estimate(8.91), "gain_in_ste": 4.2}
    row = {"dataset": "yeast", "cost": cost, "rnn": rnn, "printed": printed, "decimals": 2}
    return (
        row
        | {"empty": 0.0 if cost == "f1" else 1.0}
        | (means | {key: found | {"p": 0.03, "n": 3} for key, found in tests.items()})
    )


def _variant(cost, rnn):
    means = {"train": estimate(0.6), "test": estimate(0.5), "decimals": 3}
    row = {"dataset": "yeast", "cost": cost, "rnn": rnn, "best": rnn == "SRN", "empty": 1.0}
    return row | means | {"printed": {"train": estimate(0.61), "test": estimate(0.52)}}


def _by_max(model):
    means = {"best": estimate(9.84), "max": estimate(13.3), "all_zeros": estimate(19.4)}
    row = {"dataset": "yeast", "model": model, "cost": "rank", "printed": estimate(13.23)}
    return row | means | {"max_z": 0.4, "best_z": -30.1}
