"""Everything the page is made of, from the files of the earlier stages."""

import json
import os
import platform
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import yaml

from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.errors import DataError
from stages.common.files import read_json
from stages.common.params import Model, Params
from stages.common.plan import Cell, plan
from stages.common.schema import Comparison, from_json
from stages.common.tables import read_table

COLUMNS = [
    "dataset",
    "model",
    "cost",
    "seed",
    "seconds",
    "device",
    "versions",
    "published",
    "commit",
]
MOST_SHOWN = 3  # versions of one thing; the code has a hash for each model
PACKAGES = ("numpy", "scipy", "scikit-learn", "torch", "pandas", "pyarrow", "dvc", "prefect")

SHORT: Any = {"mode": "json", "exclude_defaults": True}  # of a model: what a file must say

Json = dict[str, Any]  # a card, a validation, a row of runs: written by other stages


@dataclass
class Run:
    """What was asked for."""

    profile: str
    datasets: list[str]
    seeds: int
    grids: dict[str, list[Any]]
    models: dict[str, Model]
    splits: str = "random"
    entries: str = ""  # of the data sets in the catalogue, as YAML
    text: str = ""  # of params.yaml: what this run is made of, as YAML


@dataclass
class Inputs:
    """The comparison, and what else the page tells of the run."""

    comparison: Comparison
    cards: dict[str, Json]
    rights: dict[str, dict[str, str]]  # of each data set: licence, whom to cite
    validations: dict[str, Json]
    runs: list[Json]
    speeds: dict[str, Json]
    params: Run
    now: dict[str, str]  # the machine and the versions of this page
    behind: dict[str, str]  # the versions of its cells
    planned: list[Cell] = field(default_factory=list)  # what the parameters ask for

    @cached_property
    def anchors(self) -> set[str]:
        """The parts of the page that a claim or a flaw may link to."""
        experiments = {name.replace("_", "-") for name in self.comparison.experiments}
        costs = {f"cost-{cost}" for cost in self.comparison.order.costs}
        tests = {f"tests-{cost}" for cost in self.comparison.order.costs}
        return experiments | costs | tests | ({"paper"} if costs else set())


def gather(params: Params) -> Inputs:
    """Read them all; what is missing is named."""
    datasets = list(params.datasets)
    catalog = load_catalog()
    try:
        runs = [
            row
            for name in datasets
            for row in read_table(paths.runs(name), columns=COLUMNS).to_pylist()
        ]
        return Inputs(
            comparison=read_comparison(),
            cards={name: read_json(paths.prepared(name) / "card.json") for name in datasets},
            rights={name: catalog.rights(name) for name in datasets},
            validations={
                name: read_json(paths.prepared(name) / "validation.json") for name in datasets
            },
            runs=runs,
            speeds=_speeds(datasets),
            params=Run(
                profile=params.profile,
                datasets=datasets,
                seeds=params.train.seeds,
                splits=params.splits,
                entries=_entries(datasets),
                text=run_text(params),
                grids={name: list(values) for name, values in params.grids.items()},
                models=dict(params.models),
            ),
            now=_now(),
            behind=behind(runs),
            planned=plan(params, catalog, datasets),
        )
    except FileNotFoundError as error:
        raise DataError(f"{error.filename or error} is missing; run `dvc repro`") from None


def _entries(datasets: Iterable[str]) -> str:
    catalog = load_catalog()
    entries = {name: catalog.entry(name).model_dump(**SHORT) for name in datasets}
    return _as_yaml(entries)


def _as_yaml(values: Json) -> str:
    """Plain values as YAML, short lists in one line."""
    return yaml.safe_dump(
        values, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
    )


def run_text(params: Params) -> str:
    """What of the parameters this run is made of: a whole params.yaml, without what is not used.

    The address of a cluster is left out: it changes no result, and is nobody else's business.
    """
    experiments = {name: e for name, e in params.experiments.items() if params.datasets_of(name)}
    used = list(dict.fromkeys(model for e in experiments.values() for model in e.models))
    grids = {grid for name in used for grid in params.models[name].grid.values()}
    whole = params.model_dump(exclude={"cluster"}, **SHORT)
    whole["models"] = {name: whole["models"][name] for name in used}
    whole["grids"] = {name: values for name, values in whole["grids"].items() if name in grids}
    whole["experiments"] = {name: whole["experiments"][name] for name in experiments}
    return _as_yaml(whole)


def read_comparison() -> Comparison:
    """What stage `compare` wrote."""
    path = paths.REPORTS / "comparison.json"
    if not path.exists():
        raise DataError(f"{path} is missing; run `make report`")
    return from_json(read_json(path))


def _speeds(datasets: Iterable[str]) -> dict[str, Json]:
    """How fast the images of each set went through the network, as last measured."""
    files = {name: paths.features(name) / "speed.json" for name in datasets}
    return {name: read_json(path) for name, path in files.items() if path.exists()}


def _now() -> dict[str, str]:
    """When and where the page is written: all else is the same for equal inputs."""
    return {
        "written": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        **{name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def behind(runs: Iterable[Json]) -> dict[str, str]:
    """The versions the cells were computed with."""
    values: dict[str, set[str]] = defaultdict(set)
    for versions in {run["versions"] for run in runs if run["versions"]}:
        for name, value in json.loads(versions).items():
            values[name].add(str(value))
    return {name: _few(sorted(values[name])) for name in sorted(values)}


def _few(values: list[str]) -> str:
    if len(values) > MOST_SHOWN:
        return f"{len(values)} different ones; the runs table has that of each cell"
    return ", ".join(values)
