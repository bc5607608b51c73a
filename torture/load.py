"""Tiny cells by the thousand in one plan and store: `python -m torture.load --cells 1000 10000`.

A data set of 24 rows has 200 cells; more cells are more data sets. What is in the store was made
up, not computed: this is about the time and memory of all that comes before and after computing.
Each step runs in a process of its own. An exponent of 1 is linear growth, between the last sizes.
"""

import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.keys import keys
from stages.common.params import load_params
from stages.common.plan import Cell, plan
from stages.common.predictions import to_table
from stages.common.store import Manifest, Store
from stages.common.tables import table_to_bytes
from stages.train.assemble import assemble
from stages.train.compute import Result
from torture.ledger import Ledger, machine

ROWS, LABELS = 24, 3
MODELS = [f"model-{number}" for number in range(5)]
COSTS = ["hamming", "rank", "f1", "accuracy"]
SEEDS = 10
EACH = len(MODELS) * len(COSTS) * SEEDS  # cells of a data set
LARGEST_PAGE = 5_000_000  # bytes
PAPER = Path(__file__).parents[1] / "data" / "paper"


def make_project(folder: Path, cells: int) -> None:
    """A project with so many cells, its data prepared: one set, under many names."""
    names = [f"set-{number:04d}" for number in range(cells // EACH)]
    recipe = {"generator": "logistic-chain", "instances": ROWS, "features": 3, "labels": LABELS}
    entry = {"sources": [{"format": "synthetic", "recipe": recipe}]}
    params = {
        "profile": "load",
        "datasets": names,
        "experiments": {"algorithms": {"models": MODELS, "costs": COSTS}},
        "train": {"seeds": SEEDS, "folds": 3, "rescale": True, "time_limit": 60},
        "grids": {},
        "models": {name: {"estimator": "TopK"} for name in MODELS},
    }
    (folder / "data" / "splits").mkdir(parents=True)
    (folder / "data" / "catalog.yaml").write_text(
        yaml.safe_dump({"datasets": dict.fromkeys(names, entry)})
    )
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    shutil.copytree(PAPER, folder / "data" / "paper")
    for stage in ("fetch", "prepare", "split"):
        command = [sys.executable, "-m", f"stages.{stage}", "--dataset", names[0]]
        subprocess.run(command, cwd=folder, env=environment(), check=True, capture_output=True)
    for name in names[1:]:
        shutil.copytree(
            folder / "data" / "prepared" / names[0], folder / "data" / "prepared" / name
        )
        shutil.copy(
            folder / "data" / "splits" / f"{names[0]}.parquet",
            folder / "data" / "splits" / f"{name}.parquet",
        )


def environment() -> dict[str, str]:
    """That of a child, which finds this code from another folder."""
    return os.environ | {"PYTHONPATH": str(PAPER.parents[1]), "OMP_NUM_THREADS": "1"}


def cells_and_keys() -> tuple[list[Cell], dict[Cell, str]]:
    """The plan and its names."""
    params = load_params()
    cells = plan(params, load_catalog(), params.datasets)
    return cells, keys(cells, params)


def made_up_manifest(cell: Cell) -> Manifest:
    """What a lead would write of a cell that took a tenth of a second."""
    known = vars(Result(cell.cost)) | vars(cell)
    del known["predictions"]
    return known | {"work": 1, "versions": {}, "seconds": 0.1}


def fill() -> None:
    """Put a result that was made up under the name of every cell."""
    cells, named = cells_and_keys()
    store, chance = Store(paths.store()), np.random.default_rng(1)
    train = np.arange(ROWS) % 4 > 0
    tables = [
        table_to_bytes(to_table((chance.random((1, ROWS, LABELS)) < share).astype(np.uint8), train))
        for share in np.linspace(0.2, 0.8, 50)
    ]
    for number, cell in enumerate(cells):
        store.put(cell, named[cell], made_up_manifest(cell), tables[(7 * number) % len(tables)])


def recognise() -> None:
    """Find every cell in the store."""
    _, named = cells_and_keys()
    assert all(Store(paths.store()).find_all(named).values())


def tables() -> None:
    """Find every cell and assemble the tables of all data sets."""
    params, store = load_params(), Store(paths.store())
    _, named = cells_and_keys()
    manifests = store.find_all(named).items()
    complete = {cell: manifest | {"asked": named[cell]} for cell, manifest in manifests if manifest}
    assemble(params.datasets, complete, store)


def stage(name: str) -> Callable[[], None]:
    """The main function of a stage."""

    def run() -> None:
        from importlib import import_module

        sys.argv = [name]
        import_module(name).main()

    return run


STEPS: dict[str, Callable[[], Any]] = {
    "plan": cells_and_keys,
    "store": fill,
    "recognise": recognise,
    "assemble": tables,
    "evaluate": stage("stages.evaluate"),
    "compare": stage("stages.compare.__main__"),
    "report": stage("stages.report.__main__"),
}


def measure(step: str, folder: Path) -> dict[str, float]:
    """CPU seconds and peak memory of a step, in a process of its own."""
    command = [sys.executable, "-m", "torture.load", "--step", step]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{step}: {done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def run_step(step: str) -> None:
    """Run a step here; starting and importing do not count as its time."""
    load_params()
    started = time.process_time()
    STEPS[step]()
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": round(seconds, 2), "peak": round(peak)}))


def exponent(known: dict[int, float]) -> float | None:
    """How a quantity grows between the two largest sizes: with which power of the cells."""
    if len(known) < 2 or not all(list(known.values())[-2:]):
        return None
    (one, before), (two, after) = list(known.items())[-2:]
    return math.log(after / before) / math.log(two / one)


def report(ledger: Ledger) -> int:
    """A table of all sizes; tells how many steps grow faster than linear."""
    sizes = sorted(map(int, ledger.data))
    print("step       " + "".join(f"{size:>12,} cells" for size in sizes) + "   exponent")
    wrong = 0
    for step in STEPS:
        known = {
            size: ledger.data[str(size)][step] for size in sizes if step in ledger.data[str(size)]
        }
        shown = "".join(f"{k['seconds']:>9.1f} s {k['peak']:>4.0f} MB" for k in known.values())
        power = exponent({size: k["seconds"] for size, k in known.items()})
        wrong += power is not None and power > 1.2 and known[max(known)]["seconds"] > 5
        print(f"{step:10} {shown}   {'' if power is None else f'{power:.2f}'}")
    pages = {
        size: ledger.data[str(size)]["page"] for size in sizes if "page" in ledger.data[str(size)]
    }
    for size, page in pages.items():
        print(f"report of {size:,} cells: {page['bytes'] / 1e6:.2f} MB")
        wrong += page["bytes"] > LARGEST_PAGE
    print(f"CPU seconds and peak memory; {machine()}")
    return wrong


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cells", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step:
        run_step(args.step)
        return 0
    ledger = Ledger("load")
    for cells in args.cells:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "project"
            make_project(folder, cells)
            known = ledger.data.setdefault(str(cells), {})
            for step in args.steps:
                known[step] = measure(step, folder)
                ledger.save()
                print(f"{cells:,} {step}: {known[step]}", file=sys.stderr, flush=True)
            page = folder / "reports" / "report.html"
            if page.exists():
                known["page"] = {"bytes": page.stat().st_size}
                ledger.save()
    return 1 if report(ledger) else 0


if __name__ == "__main__":
    sys.exit(main())
