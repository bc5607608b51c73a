"""Stage `train`: compute the missing cells and assemble the predictions of each data set."""

import argparse
import sys
from collections import Counter

from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.closed import nearest
from stages.common.errors import CELLS_FAILED, UserError, run_command
from stages.common.machine import worker_count
from stages.common.params import load_params
from stages.common.plan import Cell, plan
from stages.common.store import Manifest, Store
from stages.common.words import as_line
from stages.train.assemble import assemble
from stages.train.lead import Lead
from stages.train.progress import Progress

NO_RESULT = ("failed", "timeout", "died")


def summarize(cells: dict[Cell, Manifest]) -> bool:
    """Print how many cells have which status and why some have no result; tells if all have one."""
    counts = Counter(manifest["status"] for manifest in cells.values())
    print(f"{len(cells)} cells: " + ", ".join(f"{n} {status}" for status, n in counts.items()))
    bad = Counter(
        as_line(f"{manifest['status']}: {cell.dataset} / {cell.model}: {manifest['reason']}")
        for cell, manifest in cells.items()
        if manifest["status"] != "ok"
    )
    for line, n in bad.items():
        print(f"{line} ({n} cells)" if n > 1 else line, file=sys.stderr)
    if bad:
        print("to compute them again: python -m stages.train --retry", file=sys.stderr)
    return not bad


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.train --dataset yeast"
    )
    parser.add_argument("--dataset", help="one data set (default: all of params.yaml)")
    parser.add_argument("--model", help="only its cells, and no assembly of the results")
    again = "compute cells with these statuses again (default: with any but ok)"
    parser.add_argument("--retry", choices=NO_RESULT, nargs="*", help=again)
    parser.add_argument("--workers", type=int, default=worker_count(), help="processes at a time")
    tolerate = "exit 0 although cells failed, so that the report can show them"
    parser.add_argument("--tolerate-failures", action="store_true", help=tolerate)
    args = parser.parse_args()
    params = load_params()
    if args.model and args.model not in params.models_used():
        hint = nearest(args.model, params.models_used())
        raise UserError(f"model {args.model!r} is in no experiment of params.yaml; {hint}")
    datasets = params.chosen(args.dataset)
    store = Store(paths.store())
    cells = plan(params, load_catalog(), datasets)
    cells = [cell for cell in cells if args.model in (None, cell.model)]
    retry = () if args.retry is None else args.retry or NO_RESULT
    with Lead(params, store, args.workers, Progress(len(cells)), retry) as lead:
        trained = lead.train(cells)
        if args.model is None:
            assemble(datasets, trained, store)
    return 0 if summarize(trained) or args.tolerate_failures else CELLS_FAILED


if __name__ == "__main__":
    run_command(main)
