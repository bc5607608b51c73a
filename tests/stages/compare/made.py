"""Made-up runs: scores from a formula, so that every verdict can be had each way."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from rethink.costs import COSTS, get_cost
from stages.common.params import Model
from stages.compare.evidence import TABLES, Evidence, Experiment, Paper, Roles
from stages.compare.scores import index_scores
from stages.evaluate import SCHEMA

ROOT = Path(__file__).resolve().parents[3]
ALL_COSTS = {name: get_cost(name) for name in COSTS}
SIX = ("emotions", "scene", "yeast", "birds", "medical", "cal500")
SEVEN = ("RethinkNet", "PCC", "CFT", "CC-DP", "CC", "CC-RNN", "BR")
EXTRA = ("all-zeros", "top-k", "BR-LR", "BR-LR+rule", "PCC-as-published")
MODELS = yaml.safe_load((ROOT / "params.yaml").read_text())["models"]
ROLES = Roles({name: Model(**entry) for name, entry in MODELS.items()})
KINDS = ("SRN-200k", "GRU-200k", "LSTM-200k", "IRNN-200k")
NETS = ("RethinkNet-plain", "RethinkNet", "SRN-plain", "SRN")
EVERY_COST = ("hamming", "rank", "f1", "accuracy")
NAMES = {name: name for name in SIX} | {"cal500": "CAL500", "chain": None, "exclusive": None}

Formula = Callable[[dict], float | str | None]


def wobble(seed: int, size: float = 0.001) -> float:
    """A small deviation of a seed; the first three average out."""
    return (0.0, size, -size, size / 2, -size / 2)[seed % 5]


def frame(experiments: dict[str, Experiment], formula: Formula, seeds: int = 3, steps: int = 1):
    """Scores of every cell; the formula may give a value, text (why it failed) or None (absent)."""
    cells = dict.fromkeys(
        (dataset, model, cost, seed)
        for e in experiments.values()
        for dataset in e.datasets
        for model in e.models
        for cost in e.costs
        for seed in range(seeds)
    )
    rows = []
    for dataset, model, cost, seed in cells:
        cell = {"dataset": dataset, "model": model, "cost": cost, "seed": seed}
        last = 5 if model == "SRN-5" else steps
        for part in ("train", "test"):
            for iteration in range(1, last + 1):
                for empty in (0.0, 1.0):
                    place = cell | {
                        "part": part,
                        "iteration": iteration,
                        "last": iteration == last,
                        "empty": empty,
                    }
                    value = formula(place)
                    if value is None or (isinstance(value, str) and iteration < last):
                        continue
                    failed = isinstance(value, str)
                    rows.append(
                        place
                        | {
                            "criterion": cost,
                            "status": "failed" if failed else "ok",
                            "reason": value if failed else None,
                            "iteration": math.nan if failed else iteration,
                            "value": math.nan if failed else value,
                        }
                    )
    return pd.DataFrame(rows, columns=[name for name in SCHEMA.names if name != "rows"])


def paper(*tables: str) -> Paper:
    """The paper's own tables; all of them unless some are named."""
    files = {name: ROOT / "data" / "paper" / f"{name}.csv" for name in tables or TABLES}
    return Paper({name: pd.read_csv(file) for name, file in files.items()})


def evidence(experiments: dict[str, Experiment], formula: Formula, **more) -> Evidence:
    """A made-up run of some experiments."""
    size = {key: more.pop(key) for key in ("seeds", "steps") if key in more}
    result = index_scores(frame(experiments, formula, **size))
    more = {"paper_names": NAMES, "costs": ALL_COSTS, "roles": ROLES} | more
    return Evidence(result, experiments, **more)


def flat(models: dict[str, float]) -> Formula:
    """The same score for a model everywhere, with a wobble of the seeds."""
    return lambda cell: models[cell["model"]] + wobble(cell["seed"])


def labels(rows: int = 400, count: int = 6, seed: int = 0) -> np.ndarray:
    """Label columns of which neighbours tend to be equal, the first in most rows."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(rows, count)).cumsum(axis=1)
    return (hidden > np.linspace(-1.0, 1.0, count)).astype(np.uint8)


def table_evidence(cost: str, table: dict, empty_0: dict | None = None, **more) -> Evidence:
    """The experiment `algorithms` for one cost: data set -> model -> scores by seed.

    Text in place of a score is the reason of a failure.
    """
    models = tuple(dict.fromkeys(m for row in table.values() for m in row))
    experiments = {"algorithms": Experiment(models, (cost,), tuple(table))}
    seeds = max(len(scores) for row in table.values() for scores in row.values())

    def formula(cell: dict) -> float | str | None:
        source = table if cell["empty"] == 1.0 or empty_0 is None else empty_0
        scores = source[cell["dataset"]].get(cell["model"], ())
        return scores[cell["seed"]] if cell["seed"] < len(scores) else None

    return evidence(experiments, formula, seeds=seeds, **more)
