"""Stage `report`: the comparison, run times and data cards -> one self-contained HTML file."""

import argparse
import base64
import hashlib
import json
import os
import platform
import sys
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from stages import paths
from stages.config.params import load_params
from stages.errors import CELLS_FAILED, DataError, run_command
from stages.io.files import read_json, write_text
from stages.io.tables import read_table

HTML = Path(__file__).parent / "html"
REPORT = paths.REPORTS / "report.html"
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "pandas", "pyarrow", "dvc", "prefect")
SYMBOLS = {"ok": "✓", "warn": "▲", "fail": "✕"}
RECOMPUTE = """\
import pandas as pd

s = pd.read_parquet("data/scores.parquet")
s = s[(s["part"] == "test") & s["last"] & (s["criterion"] == s["cost"]) & (s["empty"] == 1)]
table = s[s["cost"] == "hamming"].pivot_table(
    index="model", columns="dataset", values="value", aggfunc=["mean", "sem"]
)
print(table.round(3))
"""

Json = dict[str, Any]


def render(context: Json) -> str:
    """The page, from `comparison`, `cards`, `validations`, `runs`, `params` and `environment`."""
    style, script = ((HTML / name).read_text("utf-8") for name in ("report.css", "report.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    template = _templates().get_template("report.html.j2")
    return template.render(
        **context,
        alerts=alerts(context),
        reasons=_reasons(context["comparison"]["failures"]),
        seconds=total_seconds(context["runs"]),
        recompute=RECOMPUTE,
        style=Markup(style),
        script=Markup(script),
        policy=policy,
    )


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HTML),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"fixed": fixed, "raw": raw, "rank": rank_text, "listed": listed}
    environment.globals |= {"symbols": SYMBOLS, "spans": spans, "share": share, "leaders": leaders}
    return environment


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def fixed(value: float | None, decimals: int) -> str:
    """A number with so many decimals, a true minus sign and thousands apart."""
    if value is None:
        return "–"
    rounded = round(value, decimals) + 0.0  # no minus before zero
    return f"{rounded:,.{decimals}f}".replace("-", "−")


def raw(value: float | None) -> str:
    """A number to sort by and to download."""
    return "" if value is None else f"{value:.6g}"


def rank_text(rank: float | None) -> str:
    """A rank without needless decimals."""
    return "–" if rank is None else f"{rank:g}"


def listed(names: Iterable[str]) -> str:
    """Names as in a sentence: a, b and c."""
    *first, last = list(names) or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def spans(models: Iterable[Json], other_empty: bool) -> tuple[float, float]:
    """The smallest and largest mean of a column."""
    shown = ((other_empty and model["other_empty"]) or model for model in models)
    means = [model["mean"] for model in shown if model["mean"] is not None]
    return (min(means), max(means)) if means else (0.0, 0.0)


def share(value: float, span: tuple[float, float], greater: bool) -> float:
    """Where a value lies between the worst (0) and the best (100) of its column."""
    low, high = span
    if high == low:
        return 100.0
    part = (value - low) / (high - low)
    return round(100 * (part if greater else 1 - part), 1)


def leaders(view: Json) -> list[str]:
    """The models with the best average rank."""
    ranks = {model: rank for model, rank in view["average_ranks"]["models"].items() if rank}
    return [model for model, rank in ranks.items() if rank == min(ranks.values())]


def alerts(context: Json) -> dict[str, list[str]]:
    """What a reader must know before any number; the template says what each means."""
    comparison = context["comparison"]
    return {
        "failed": failed_lines(comparison["failures"]),
        "trivial": list(_behind_trivial(comparison)),
        "empty": list(_empty_matters(comparison, context["cards"])),
        "validation": [
            f"{dataset}: {check['text']} – found {check['observed']}"
            for dataset, validation in context["validations"].items()
            for check in validation["checks"]
            if check["status"] != "ok"
        ],
    }


def failed_lines(failures: Iterable[Json]) -> list[str]:
    """Failed cells in words, those that differ only by the seed on one line."""
    seeds: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for row in failures:
        reason = row["reason"] or "no reason was recorded"
        place = " · ".join((row["dataset"], row["model"], row["cost"]))
        seeds[place, f"{row['status']} – {reason}"].append(str(row["seed"]))
    return [
        f"{place} · {'seeds' if len(found) > 1 else 'seed'} {listed(found)}: {why}"
        for (place, why), found in seeds.items()
    ]


def _behind_trivial(comparison: Json) -> Iterable[str]:
    for name in comparison["order"]["costs"]:
        cost = comparison["costs"][name]
        for model in comparison["order"]["models"]:
            sets = [
                dataset
                for dataset in comparison["order"]["datasets"]
                if _beats_trivial(cost, dataset, model) is False
            ]
            if sets:
                yield f"{model} by {cost['title']} on {listed(sets)}"


def _beats_trivial(cost: Json, dataset: str, model: str) -> bool | None:
    models = cost["datasets"].get(dataset, {"models": {}})["models"]
    return models[model]["beats_trivial"] if model in models else None


def _empty_matters(comparison: Json, cards: dict[str, Json]) -> Iterable[str]:
    for dataset in comparison["order"]["datasets"]:
        costs = comparison["empty"]["matters"].get(dataset)
        if costs:
            card = cards[dataset]
            titles = listed(comparison["costs"][cost]["title"] for cost in costs)
            yield f"{dataset}: {card['empty']:,} of {card['instances']:,} rows are empty ({titles})"


def _reasons(failures: list[Json]) -> dict[tuple[str, ...], str]:
    return {
        (row["cost"], row["dataset"], row["model"], str(row["seed"])): f"{row['status']}: "
        f"{row['reason']}"
        for row in failures
    }


def total_seconds(runs: Iterable[Json]) -> dict[str, dict[str, float]]:
    """Seconds of all cells, by model and data set."""
    totals: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for run in runs:
        totals[run["model"]][run["dataset"]] += run["seconds"] or 0.0
    return {model: dict(datasets) for model, datasets in totals.items()}


def gather() -> Json:
    """Everything the page is made of, from the files of the earlier stages."""
    params = load_params()
    try:
        columns = ["dataset", "model", "seconds", "versions"]
        runs = [row for name in params.datasets for row in _rows(paths.runs(name), columns)]
        return {
            "comparison": read_json(paths.REPORTS / "comparison.json"),
            "cards": _prepared(params.datasets, "card.json"),
            "validations": _prepared(params.datasets, "validation.json"),
            "runs": runs,
            "params": {
                "profile": params.profile,
                "datasets": list(params.datasets),
                "seeds": params.train.seeds,
                "costs": list(params.experiments["algorithms"].costs),
                "models": list(params.experiments["algorithms"].models),
            },
            "environment": surroundings(runs),
        }
    except FileNotFoundError as error:
        raise DataError(f"{error.filename or error} is missing; run `dvc repro`") from None


def _rows(path: Path, columns: list[str]) -> list[Json]:
    return read_table(path, columns=columns).to_pylist()


def _prepared(datasets: Iterable[str], file: str) -> dict[str, Json]:
    return {name: read_json(paths.prepared(name) / file) for name in datasets}


def surroundings(runs: Iterable[Json]) -> dict[str, dict[str, str]]:
    """The machine and versions now, and the versions the cells were computed with."""
    trained: dict[str, set[str]] = defaultdict(set)
    for versions in {run["versions"] for run in runs if run["versions"]}:
        for name, value in json.loads(versions).items():
            trained[name].add(str(value))
    now = {
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
    }
    return {
        "this page": now | {name: _version(name) for name in PACKAGES},
        "the cells": {name: ", ".join(sorted(trained[name])) for name in sorted(trained)},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, epilog="example: python -m stages.report")
    parser.add_argument(
        "--where",
        action="store_true",
        help="write nothing; say where the report is and, in the exit code, whether cells failed",
    )
    if not parser.parse_args().where:
        write_text(REPORT, render(gather()))
        return 0
    comparison = read_json(paths.REPORTS / "comparison.json")
    failures, planned = comparison["failures"], comparison["cells"]["planned"]
    for line in failed_lines(failures):
        print(line, file=sys.stderr)
    if failures:
        print(f"{len(failures)} of {planned} cells have no result", file=sys.stderr)
    print(f"the report is at {REPORT}")
    return CELLS_FAILED if failures else 0


if __name__ == "__main__":
    run_command(main)
