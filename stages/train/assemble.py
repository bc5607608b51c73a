"""Two tables of a data set from its cells: what was predicted, and how each cell went."""

import json
from collections.abc import Iterable

import pyarrow as pa

from stages.common import paths
from stages.common.files import remove_leftovers
from stages.common.plan import Cell
from stages.common.predictions import CELL, PREDICTIONS, RUNS
from stages.common.store import Manifest, Store
from stages.common.tables import table_writer, write_table


def assemble(datasets: Iterable[str], cells: dict[Cell, Manifest], store: Store) -> None:
    """Write the two tables of each data set; `cells` has the manifest of every cell."""
    grouped: dict[str, dict[Cell, Manifest]] = {dataset: {} for dataset in datasets}
    for cell, manifest in cells.items():
        grouped[cell.dataset][cell] = manifest
    for dataset, mine in grouped.items():
        _write_tables(dataset, mine, store)


def _write_tables(dataset: str, cells: dict[Cell, Manifest], store: Store) -> None:
    for path in (paths.predictions(dataset), paths.runs(dataset)):
        remove_leftovers(path)
    with table_writer(paths.predictions(dataset), PREDICTIONS) as writer:
        for cell, manifest in cells.items():
            if manifest["status"] == "ok" and not manifest.get("published"):
                writer.write_table(_with_names(cell, store.predictions(cell, manifest["key"])))
    write_table(paths.runs(dataset), runs_table(cells.values()))


def _with_names(cell: Cell, table: pa.Table) -> pa.Table:
    names = [pa.repeat(pa.scalar(getattr(cell, name), kind), table.num_rows)
             for name, kind in CELL.items()]  # fmt: skip
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
