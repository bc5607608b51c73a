"""What orchestration costs: workers against bare cores, the two doors, and finding cached cells.

python -m benchmarks.orchestration     # a quarter of an hour, with a server and workers on loopback
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml

from stages.train.plan import Cell
from stages.train.results import to_table
from stages.train.store import Store
from tests.conftest import CATALOG, PARAMS, ROOT, copy_of_the_project
from tests.flows.conftest import LEAD
from tests.flows.lab import Shell, free_port

WORKERS, MODELS, SEEDS = 2, 10, 5
AN_HOUR = 3600
BUSY = '''
import time

from rethink.models.constant import AllZeros


class Busy(AllZeros):
    """Keeps a core busy for a second of CPU time for each cost."""

    def __init__(self, cost="hamming", number=0):
        self.cost, self.number = cost, number

    def fit(self, X, Y):
        end = time.process_time() + 1
        while time.process_time() < end:
            pass
        return super().fit(X, Y)
'''


def busy_project(folder):
    """The tiny project with ten models whose cells take a second each: 200 cells."""
    for package in ("rethink", "stages", "flows"):
        shutil.copytree(ROOT / package, folder / package)
    for name in ("prefect.yaml", "prefect.toml"):
        shutil.copy2(ROOT / name, folder / name)
    (folder / "rethink" / "models" / "busy.py").write_text(BUSY)
    (folder / "lead.py").write_text(LEAD)
    (folder / "data").mkdir()
    (folder / "data" / "catalog.yaml").write_text(yaml.safe_dump(CATALOG))
    models = {f"busy-{n}": {"estimator": "Busy", "params": {"number": n}} for n in range(MODELS)}
    costs = PARAMS["experiments"]["algorithms"]["costs"]
    params = PARAMS | {
        "models": models,
        "experiments": {"algorithms": {"models": list(models), "costs": costs}},
        "train": PARAMS["train"] | {"seeds": SEEDS, "device": "cpu"},
    }
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    for stage in ("fetch", "prepare", "split"):
        command = [sys.executable, "-m", f"stages.{stage}", "--dataset", "tiny"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return MODELS * len(costs) * SEEDS


def seconds(run, *args):
    started = time.monotonic()
    run(*args)
    return time.monotonic() - started


def doors(base):
    """Seconds of the same plan through the workers and through the stage."""
    folder = base / "project"
    folder.mkdir()
    cells = busy_project(folder)
    shell = Shell(folder, base / "prefect", free_port())
    try:
        shell.start(f"prefect server start --host 127.0.0.1 --port {shell.port}")
        shell.run("python -m flows.pools")
        for number in range(WORKERS):
            shell.start(f"prefect worker start --pool cpu --limit 1 --name {number}")
        flow = seconds(shell.run, f"python lead.py {WORKERS}")
        found = sum(1 for _ in (folder / "data" / "cells").glob("**/manifest.json"))
        assert found == cells, f"{found} of {cells} cells"
        shutil.rmtree(folder / "data" / "cells")
    finally:
        shell.stop()
    return cells, flow, seconds(shell.run, f"python -m stages.train --workers {WORKERS}")


def commands(base):
    """The two commands that do everything, each in a fresh copy: seconds, and those of the cells.

    The latter, in CPU time, tell how fast the machine was meanwhile.
    """
    flow = Shell(copy_of_the_project(base / "flow"), base / "prefect", free_port())
    try:
        flow.start(f"prefect server start --host 127.0.0.1 --port {flow.port}")
        flow.run("python -m flows.pools")
        flow.start("prefect worker start --pool lead")
        flow.start(f"prefect worker start --pool cpu --limit {WORKERS}")
        deployment = seconds(
            flow.run, "prefect deployment run rethink/full-benchmark --watch", AN_HOUR
        )
    finally:
        flow.stop()
    dvc = Shell(copy_of_the_project(base / "dvc"), base / "prefect", free_port())
    repro = seconds(dvc.run, "dvc repro", AN_HOUR)
    return (deployment, cell_seconds(flow.folder)), (repro, cell_seconds(dvc.folder))


def cell_seconds(folder):
    manifests = (folder / "data" / "cells").glob("**/manifest.json")
    return sum(json.loads(path.read_text())["seconds"] for path in manifests)


def cached(base):
    """Seconds to recognise 3,080 cells of the size of yeast's."""
    rng = np.random.default_rng(0)
    table = to_table((rng.random((3, 2417, 14)) < 0.3).astype(np.uint8), np.ones(2417, bool))
    cells = [Cell(f"d{d}", f"m{m}", c, s)
             for d in range(11) for m in range(7) for c in "abcd" for s in range(10)]  # fmt: skip
    store, keys = Store(str(base / "store")), dict.fromkeys(cells, "0" * 32)
    for cell, key in keys.items():
        store.put(cell, key, {"status": "ok", "seconds": 1.0}, table)
    started = time.monotonic()
    assert all(store.find_all(keys).values())
    return len(cells), time.monotonic() - started


def main():
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        number, took = cached(Path(name))
        print(f"{number} cached cells are recognised in {took:.1f} s")
    with tempfile.TemporaryDirectory() as name:
        cells, flow, stage = doors(Path(name))
    ideal = cells / WORKERS
    print(f"{cells} cells of 1 s, {WORKERS} workers: {ideal:.0f} s would be ideal")
    print(f"  through the workers {flow:.1f} s, {ideal / flow:.0%} of the ideal")
    print(f"  through the stage   {stage:.1f} s, {ideal / stage:.0%} of the ideal")
    print(f"  the workers take {flow / stage:.2f} times as long")
    with tempfile.TemporaryDirectory() as name:
        doors_apart = commands(Path(name))
    print("all of params.yaml, and the CPU time of its cells alone:")
    for door, (took, cells) in zip(("the deployment", "dvc repro"), doors_apart, strict=True):
        print(f"  {door:<15}{took:.0f} s, cells {cells:.0f} s")
    (flow, _), (dvc, _) = doors_apart
    print(f"  the deployment takes {flow / dvc:.2f} times as long")


if __name__ == "__main__":
    main()
