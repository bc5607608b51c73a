"""Merge the cells that were computed here into results/<run>: scores, run rows, what made them.

Cells are taken from the store, also those of a run that has not ended, so a long run can be
published as it goes and continued from what was committed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import yaml
from scipy import sparse

from rethink.costs import COSTS, get_cost
from stages.common import paths
from stages.common.catalog import Catalog, load_catalog
from stages.common.errors import DataError, UserError, run_command
from stages.common.files import write_text
from stages.common.keys import names
from stages.common.params import Params, load_params
from stages.common.plan import Cell, plan
from stages.common.published import (
    ABOUT,
    COLUMNS,
    CONTENT,
    PACKED,
    RUNS,
    SCORES,
    Row,
    completed,
)
from stages.common.store import Store
from stages.common.tables import read_table, table_to_matrix, write_table
from stages.evaluate import SCHEMA, score, unscored

LIBRARIES = ("numpy", "scipy", "scikit-learn", "torch")


@dataclass(frozen=True)
class Published:
    """The two tables of a published run."""

    runs: pa.Table
    scores: pa.Table


def computed(params: Params, store: Store, datasets: Iterable[str]) -> Iterator[tuple[Cell, Row]]:
    """The cells of these data sets that are in the store, each with its run row."""
    catalog = load_catalog()
    for dataset in datasets:
        cells = plan(params, catalog, [dataset])
        try:
            named = names((cell for cell in cells if not is_shown(cell, params, catalog)), params)
        except (DataError, FileNotFoundError):
            continue  # its data is not prepared, so nothing was computed
        manifests = store.find_all({cell: both.key for cell, both in named.items()})
        for cell, manifest in manifests.items():
            if manifest and manifest["status"] in CONTENT:
                yield cell, manifest | {"asked": named[cell].asked}


def is_shown(cell: Cell, params: Params, catalog: Catalog) -> bool:
    """Whether the report shows the cell's predictions beside their images: published cells have
    none, so everybody computes these."""
    role = params.models[cell.model].role
    return role == "proposed" and catalog.datasets[cell.dataset].images is not None


def merge(
    old: Published, cells: Iterable[tuple[Cell, Row]], store: Store, commit: str
) -> Published:
    """Add cells to a published run; one that is computed anew takes the place of the old one."""
    old_keys = {row["key"] for row in old.runs.to_pylist()}
    new = {cell: row for cell, row in cells if row["key"] not in old_keys}
    runs = [_packed(row | {"commit": commit}) for row in new.values()]
    scores = [row for cell, run in new.items() for row in scores_of(cell, run, store)]
    return Published(
        _joined(old.runs, pa.Table.from_pylist(runs, COLUMNS), set(new)),
        _joined(old.scores, pa.Table.from_pylist(scores, SCHEMA), set(new)),
    )


def _packed(row: Row) -> Row:
    packed = {name: json.dumps(row[name], sort_keys=True) for name in PACKED}
    return {name: row.get(name) for name in COLUMNS.names} | packed


def scores_of(cell: Cell, run: Row, store: Store) -> Iterator[Row]:
    """The scores of a cell in the store, by every criterion."""
    place = vars(cell) | {"status": run["status"], "reason": run["reason"]}
    costs = COSTS | {
        cell.cost: get_cost(cell.cost)
    }  # COSTS lacks those with numbers in their names
    if run["status"] != "ok":
        values = unscored(costs)
    else:
        values = score(store.predictions(cell, run["key"]), _truth(cell.dataset), costs)
    yield from ({**place, **value} for value in values)


@cache
def _truth(dataset: str) -> sparse.csr_array:
    return sparse.csr_array(table_to_matrix(read_table(paths.prepared(dataset) / "labels.parquet")))


def _joined(old: pa.Table, new: pa.Table, replaced: set[Cell]) -> pa.Table:
    rows = [Cell(*values) for values in zip(*(old[name].to_pylist() for name in
            ("dataset", "model", "cost", "seed")), strict=True)]  # fmt: skip
    remaining_rows = old.filter(pa.array([cell not in replaced for cell in rows], pa.bool_()))
    order = [("dataset", "ascending"), ("model", "ascending"), ("cost", "ascending"),
             ("seed", "ascending")]  # fmt: skip
    joined = pa.concat_tables([remaining_rows, new])
    return joined.take(pc.sort_indices(joined, sort_keys=order))


def read_run(folder: Path) -> Published:
    """A published run; empty tables if there is none of this name."""
    tables = [
        completed(read_table(folder / file), schema)
        if (folder / file).exists()
        else schema.empty_table()
        for file, schema in ((RUNS, COLUMNS), (SCORES, SCHEMA))
    ]
    return Published(*tables)


def about(params: Params, run: Published, commit: str) -> str:
    """What made a run, as YAML."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    facts = {
        "profile": params.profile,
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
        "cells": run.runs.num_rows,
        "datasets": sorted(set(run.runs["dataset"].to_pylist())),
        "cpu_hours": round((pc.sum(run.runs["seconds"]).as_py() or 0.0) / 3600, 2),
        "protocol": params.train.model_dump(mode="json", exclude={"time_limit", "device"})
        | {"splits": params.splits},
        "machine": {
            "system": platform.platform(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "memory_gib": round(memory, 1),
        },
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in LIBRARIES},
    }
    return yaml.safe_dump(facts, sort_keys=False)


def current_commit() -> str:
    """The commit of the code, with a sign where the code differs from it."""
    head, changed = (
        subprocess.run(["git", *command], capture_output=True, text=True)
        for command in (["rev-parse", "HEAD"], ["status", "--porcelain", "--", "rethink", "stages"])
    )
    if head.returncode:
        raise UserError(
            "results are published with the commit of their code, but this folder has no Git "
            f"history ({head.stderr.strip()}); run: git init && git add -A && git commit"
        )
    return head.stdout.strip() + ("-dirty" if changed.stdout else "")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.publish --dataset yeast"
    )
    parser.add_argument("--run", help="name of the folder in results/ (default: the profile)")
    parser.add_argument("--dataset", help="only its cells (default: all of params.yaml)")
    args = parser.parse_args()
    params, commit = load_params(), current_commit()
    datasets = params.chosen(args.dataset)
    folder = paths.RESULTS / (args.run or params.profile)
    old, store = read_run(folder), Store(paths.store())
    run = merge(old, computed(params, store, datasets), store, commit)
    if not run.runs.num_rows:
        raise UserError("no cell of params.yaml was computed here; run: make report")
    write_table(folder / SCORES, run.scores)
    write_table(folder / RUNS, run.runs)
    write_text(folder / ABOUT, about(params, run, commit))
    print(f"{folder}: {run.runs.num_rows} cells, {old.runs.num_rows} before", file=sys.stderr)
    return 0


if __name__ == "__main__":
    run_command(main)
