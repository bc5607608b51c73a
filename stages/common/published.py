"""Published results: what whole runs measured, committed with the code that made them.

A published cell is found by what was asked for: data, split, model with its grid, cost, seed. The
code may have changed since; its commit is shown.
"""

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from stages.common import paths
from stages.common.errors import DataError
from stages.common.tables import read_table

RUNS, SCORES, ABOUT = "runs.parquet", "scores.parquet", "run.yaml"
CONTENT = ("ok", "failed")  # a timeout or a death says something of a machine, not of a model
PACKED = ("chosen", "versions")  # JSON in the table

Row = dict[str, Any]


def read_published() -> dict[str, Row]:
    """The run row of every published cell by what was asked for; the last run by name wins."""
    rows: dict[str, Row] = {}
    for folder in sorted(path.parent for path in paths.RESULTS.glob(f"*/{RUNS}")):
        for row in _read(folder.name, RUNS).to_pylist():
            if row["status"] in CONTENT:
                parsed = {name: json.loads(row[name]) for name in PACKED}
                rows[row["asked"]] = row | parsed | {"search": [], "published": folder.name}
    return rows


def published_scores(run: str, dataset: str) -> pa.Table:
    """The scores of the cells of a published run on a data set."""
    table = _read(run, SCORES)
    return table.filter(pc.equal(table["dataset"], dataset))


def _read(run: str, file: str) -> pa.Table:
    path = paths.RESULTS / run / file
    try:
        return read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(
            f"{path} cannot be read ({error}); restore it: git checkout -- {path}"
        ) from None
