"""Compute a random sample of published cells again, the cheap ones first, and compare scores."""

import argparse
import random
import tempfile
from pathlib import Path

from stages.common.catalog import load_catalog
from stages.common.errors import CELLS_FAILED, UserError, run_command
from stages.common.keys import names
from stages.common.machine import worker_count
from stages.common.params import Params, load_params
from stages.common.plan import Cell, plan
from stages.common.published import Row, published_scores, read_published
from stages.common.store import Store
from stages.evaluate import SCHEMA
from stages.publish import scores_of
from stages.train.lead import Lead
from stages.train.progress import Progress

CHEAP = 5  # a sample of n cells is drawn from the 5 n cheapest
EQUAL = 1e-9  # scores are means of exact values: the same computation gives the same digits


def sample(params: Params, cells: int, seed: int) -> dict[Cell, Row]:
    """Published cells of this run, drawn from the cheapest."""
    published = read_published()
    published_datasets = {row["dataset"] for row in published.values()}
    datasets = [name for name in params.datasets if name in published_datasets]
    named = names(plan(params, load_catalog(), datasets), params)
    known = {cell: published[both.asked] for cell, both in named.items() if both.asked in published}
    cheap = sorted(known, key=lambda cell: (known[cell]["seconds"], cell))[: CHEAP * cells]
    chosen = random.Random(seed).sample(cheap, min(cells, len(cheap)))
    return {cell: known[cell] for cell in sorted(chosen)}


def compare(cell: Cell, published: Row, manifest: Row, store: Store) -> float | None:
    """The largest difference of a score, or None where one has no result and the other has."""
    if published["status"] != manifest["status"]:
        return None
    old = {
        _place(row): row["value"]
        for row in published_scores(published["published"], cell.dataset, SCHEMA).to_pylist()
        if (row["model"], row["cost"], row["seed"]) == (cell.model, cell.cost, cell.seed)
    }
    new = {_place(row): row["value"] for row in scores_of(cell, manifest, store)}
    both = [(old[place], new[place]) for place in old.keys() & new.keys()]
    return max((abs(a - b) for a, b in both if a is not None and b is not None), default=0.0)


def _place(row: Row) -> tuple[str, int | None, str, float]:
    return row["part"], row["iteration"], row["criterion"], row["empty"]


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.verify --cells 50"
    )
    parser.add_argument("--cells", type=int, default=20, help="how many (default: 20)")
    parser.add_argument("--seed", type=int, default=0, help="another seed, another sample")
    args = parser.parse_args()
    params = load_params()
    chosen = sample(params, args.cells, args.seed)
    if not chosen:
        raise UserError(
            "no cell of params.yaml is published in results/; "
            "switch to a profile that was: make profile NAME=paper"
        )
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        with Lead(params, store, worker_count(), Progress(len(chosen)), fresh=True) as lead:
            ended = lead.train(list(chosen))
        for cell, manifest in ended.items():
            apart = compare(cell, chosen[cell], manifest, store)
            equal = apart is not None and apart <= EQUAL
            different += not equal
            how = (
                "equal" if equal else manifest["status"] if apart is None else f"{apart:.3g} apart"
            )
            print(f"{cell}: {how}; published by {chosen[cell]['commit'][:12]}")
    print(f"{len(chosen) - different} of {len(chosen)} published cells have the same scores")
    return CELLS_FAILED if different else 0


if __name__ == "__main__":
    run_command(main)
