"""Published results: what whole runs measured, committed with the code that made them.

A published cell is found by what was asked for: data, split, model with its grid, cost, seed. The
code may have changed since; its commit is shown.
"""

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from stages.common import paths
from stages.common.errors import DataError
from stages.common.predictions import RUNS as ALL_RUNS
from stages.common.tables import read_table

RUNS, SCORES, ABOUT = "runs.parquet", "scores.parquet", "run.yaml"
CONTENT = ("ok", "failed")  # a timeout or a death says something of a machine, not of a model
PACKED = ("chosen", "versions")  # JSON in the table
LEFT_OUT = ("search", "published")  # the scores of single folds; where a row was published
COLUMNS = pa.schema([field for field in ALL_RUNS if field.name not in LEFT_OUT])
NEEDED = ("dataset", "model", "cost", "seed", "asked", "seconds", "work")

Row = dict[str, Any]


def read_published() -> dict[str, Row]:
    """The run row of every published cell by what was asked for; the last run by name wins."""
    rows: dict[str, Row] = {}
    for folder in sorted(path.parent for path in paths.RESULTS.glob(f"*/{RUNS}")):
        for row in _read(folder.name, RUNS, COLUMNS).to_pylist():
            if row["status"] in CONTENT:
                rows[row["asked"]] = _unpacked(folder / RUNS, row) | {"published": folder.name}
    return rows


def published_scores(run: str, dataset: str, schema: pa.Schema) -> pa.Table:
    """The scores of the cells of a published run on a data set."""
    table = _read(run, SCORES, schema)
    return table.filter(pc.equal(table["dataset"], dataset))


def completed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """The table with nulls in columns that are newer than it."""
    for field in schema:
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table.select(schema.names).cast(schema)


def _unpacked(path: Path, row: Row) -> Row:
    """A run row with its JSON parsed, if all is there that later stages need."""
    try:
        parsed = {name: json.loads(row[name]) for name in PACKED}
        plain = all(isinstance(value, dict) for value in parsed.values())
    except (ValueError, TypeError, RecursionError):
        plain = False
    known = all(row[name] is not None for name in NEEDED)
    if not (plain and known and row["work"] > 0 and math.isfinite(row["seconds"])):
        cell = "/".join(str(row[name]) for name in ("dataset", "model", "cost", "seed"))
        raise DataError(f"{path}: the row of {cell:.200} is damaged; {_remedy(path)}")
    return row | parsed | {"search": []}


def _read(run: str, file: str, schema: pa.Schema) -> pa.Table:
    path = paths.RESULTS / run / file
    try:
        return completed(read_table(path), schema)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise DataError(f"{path} cannot be read ({error!s:.300}); {_remedy(path)}") from None


def _remedy(path: Path) -> str:
    return f"restore it: git checkout -- {path}"
