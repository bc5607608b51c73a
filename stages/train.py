"""Stage `train`: compute the missing cells and assemble the predictions of each data set."""

import argparse
import json
from collections.abc import Iterable

import pyarrow as pa

from stages import paths
from stages.cells.estimate import describe_plan
from stages.cells.fill import fill, say
from stages.cells.keys import keys
from stages.cells.plan import Cell, plan
from stages.cells.results import SCHEMA
from stages.cells.run import worker_count
from stages.cells.store import Manifest, Store
from stages.config.catalog import load_catalog
from stages.config.names import nearest
from stages.config.params import load_params
from stages.config.profile import params_under, profile_names
from stages.errors import CELLS_FAILED, UserError, run_command
from stages.io.tables import table_writer, write_table

CELL = {"model": pa.string(), "cost": pa.string(), "seed": pa.int16()}
PREDICTIONS = pa.schema([*pa.schema(CELL), *SCHEMA])
RUNS = pa.schema(
    {
        "dataset": pa.string(),
        **CELL,
        "key": pa.string(),
        "status": pa.string(),
        "reason": pa.string(),
        "seconds": pa.float64(),
        "chosen": pa.string(),
        "search": pa.string(),
        "versions": pa.string(),
        "memory": pa.list_(pa.list_(pa.float64())),
    }
)


def assemble(dataset: str, found: dict[Cell, Manifest], store: Store) -> None:
    """Write the two tables of a data set from its cells: what was predicted and how it went."""
    mine = {cell: manifest for cell, manifest in found.items() if cell.dataset == dataset}
    with table_writer(paths.predictions(dataset), PREDICTIONS) as writer:
        for cell, manifest in mine.items():
            if manifest["status"] == "ok":
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
        {name: manifest[name] for name in RUNS.names}
        | {name: json.dumps(manifest[name], sort_keys=True) for name in packed}
        for manifest in manifests
    ]
    return pa.Table.from_pylist(rows, schema=RUNS)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="example: python -m stages.train --dataset yeast; python -m stages.train --plan",
    )
    parser.add_argument("--dataset", help="one data set (default: all of params.yaml)")
    parser.add_argument("--model", help="only its cells, and no assembly of the results")
    parser.add_argument("--plan", action="store_true", help="list the cells, compute nothing")
    parser.add_argument(
        "--profile",
        choices=profile_names(),
        help="with --plan: as if params.yaml were this profile",
    )
    parser.add_argument(
        "--retry",
        choices=("failed", "timeout", "oom"),
        action="append",
        default=[],
        help="compute cells with this status again",
    )
    parser.add_argument("--workers", type=int, default=worker_count(), help="processes at a time")
    parser.add_argument(
        "--tolerate-failures",
        action="store_true",
        help="exit 0 although cells failed, so that the report can show them",
    )
    args = parser.parse_args()
    if args.profile and not args.plan:
        raise UserError("--profile only shows a plan; to switch: make profile NAME=" + args.profile)
    params = params_under(args.profile) if args.profile else load_params()
    if args.dataset:
        load_catalog().entry(args.dataset)  # an unknown name stops here
    if args.model and args.model not in params.models_used():
        hint = nearest(args.model, params.models_used())
        raise UserError(f"model {args.model!r} is in no experiment of params.yaml; {hint}")
    datasets = [args.dataset] if args.dataset else list(params.datasets)
    store = Store(paths.store())
    if args.plan:
        print(describe_plan(datasets, params, store, args.workers))
        return 0
    cells = plan(params, load_catalog(), datasets)
    names = keys([cell for cell in cells if args.model in (None, cell.model)], params)
    found = fill(names, params, store, retry=args.retry, workers=args.workers)
    for dataset in datasets if args.model is None else ():
        assemble(dataset, found, store)
    return 0 if say(found) or args.tolerate_failures else CELLS_FAILED


if __name__ == "__main__":
    run_command(main)
