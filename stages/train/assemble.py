"""Two tables of a data set from its cells: what was predicted, and how each cell went."""

import json
from collections.abc import Iterable

import pyarrow as pa

from stages.common import paths
from stages.common.files import remove_leftovers
from stages.common.predictions import CELL, SCHEMA
from stages.common.tables import table_writer, write_table
from stages.train.plan import Cell
from stages.train.store import Manifest, Store

PREDICTIONS = pa.schema([*pa.schema(CELL), *SCHEMA])
RUNS = pa.schema(
    {
        "dataset": pa.string(),
        **CELL,
        "key": pa.string(),
        "status": pa.string(),
        "reason": pa.string(),
        "seconds": pa.float64(),
        "device": pa.string(),
        "host": pa.string(),  # of a timeout or death: which machine,
        "limit": pa.float64(),  # and how many seconds or bytes it had
        "chosen": pa.string(),
        "search": pa.string(),
        "versions": pa.string(),
        "work": pa.int64(),  # fits times epochs
        "asked": pa.string(),
        "published": pa.string(),  # the run in `results` that has it; null if computed here
        "commit": pa.string(),  # of the code that computed a published one
        "memory": pa.list_(pa.list_(pa.float64())),
    }
)


def assemble(dataset: str, found: dict[Cell, Manifest], store: Store) -> None:
    """Write the two tables of a data set from its cells."""
    for path in (paths.predictions(dataset), paths.runs(dataset)):
        remove_leftovers(path)
    mine = {cell: manifest for cell, manifest in found.items() if cell.dataset == dataset}
    with table_writer(paths.predictions(dataset), PREDICTIONS) as writer:
        for cell, manifest in mine.items():
            if manifest["status"] == "ok" and not manifest.get("published"):
                writer.write_table(_with_names(cell, store.predictions(cell, manifest["key"])))
    write_table(paths.runs(dataset), runs_table(mine.values()))


def _with_names(cell: Cell, table: pa.Table) -> pa.Table:
    names = [pa.array([value] * table.num_rows, kind) for value, kind in zip(
        (cell.model, cell.cost, cell.seed), CELL.values(), strict=True)]  # fmt: skip
    return pa.table([*names, *table.columns], schema=PREDICTIONS)


def runs_table(manifests: Iterable[Manifest]) -> pa.Table:
    """One row a cell, whatever became of it."""
    packed = ("chosen", "search", "versions")
    rows = [
        {name: manifest.get(name) for name in RUNS.names}
        | {name: json.dumps(manifest[name], sort_keys=True) for name in packed}
        for manifest in manifests
    ]
    return pa.Table.from_pylist(rows, schema=RUNS)
