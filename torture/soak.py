"""A day of a cluster in minutes: `python -m torture.soak --hours 24`.

Sixteen workers, a scheduler and a lead, each a process of its own, compute as many cells as they
would in so many hours, if each cell took as long as the published ones did on average. Here a cell
sleeps for a moment, and all else is as ever: a job goes to a worker, the lead stores its cells. The
memory of lead and scheduler is noted as the cells come in. It may grow with what a run must know of
a cell, and with nothing else: an hour of sleep must cost nothing.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import psutil
import yaml

from stages.common.tables import read_table
from torture import load
from torture.ledger import Ledger, machine
from torture.warm import Child, Warm

ROOT = Path(__file__).parents[1]
WORKERS = 16
SLEEPS = '''"""A model that sleeps instead of learning."""

import time

from rethink.models.constant import AllZeros


class Sleeps(AllZeros):
    """Takes a moment."""

    def fit(self, X, Y):
        time.sleep(0.02)
        return super().fit(X, Y)
'''
IMPORTED = [
    "distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "stages.train.assemble",
    "stages.train.cluster", "stages.train.engine", "stages.outlook", "stages.train.work",
]  # fmt: skip
# what a local run sets, and what docs/machines.md asks of others
SHORT_LOG = {"DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH": "50"}
DONE = re.compile(r"(\d+) done")
WARM = 0.25  # of the cells: until then buffers fill and caches are made
GROWTH = 4.0  # KB of a cell that the lead may keep: its manifest, for the table of all runs
JUDGED = 12.0  # hours: in fewer, what a process needs at its start would count as growth
PATIENCE = 36_000


def cells_of(hours: float) -> int:
    """How many cells so many hours of all workers are, at the pace of the published ones."""
    seconds = read_table(ROOT / "results" / "paper" / "runs.parquet", ["seconds"])["seconds"]
    return int(WORKERS * hours * 3600 / np.mean(seconds.to_numpy()))


def make_project(folder: Path, cells: int) -> None:
    """Data sets for so many cells, and the code with a model that sleeps."""
    load.make_project(folder, -(-cells // load.EACH) * load.EACH)
    for package in ("rethink", "stages"):
        shutil.copytree(ROOT / package, folder / package)
    (folder / "rethink" / "models" / "sleeps.py").write_text(SLEEPS)
    params = yaml.safe_load((folder / "params.yaml").read_text())
    params["models"] = {name: {"estimator": "Sleeps"} for name in load.MODELS}
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))


def private(process: Child) -> float:
    """Memory of a process alone, in MB."""
    return psutil.Process(process.pid).memory_full_info().uss / 1e6


def soak(folder: Path, cells: int, ledger: Ledger) -> None:
    """Compute cells; note what lead and scheduler had in memory after how many."""
    from tests.flows.lab import free_port

    env = os.environ | {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "TMPDIR": str(folder)}
    samples: list[tuple[int, float, float]] = ledger.data.setdefault("samples", [])
    with closing(Warm(folder, IMPORTED, **SHORT_LOG)) as warm:
        port, started = str(free_port()), list[Child]()
        address = f"tcp://127.0.0.1:{port}"

        def start(module: str, *arguments: str, **more: str) -> Child:
            log = folder / f"{len(started)}.log"
            started.append(warm.start(module, *arguments, output=log, env=env | more, ready=False))
            return started[-1]

        quiet = ("--host", "127.0.0.1", "--no-dashboard")
        try:
            scheduler = start("distributed.cli.dask_scheduler", *quiet, "--port", port)
            for _ in range(WORKERS):
                single = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0")
                start("distributed.cli.dask_worker", address, *quiet, *single)
            lead = start("stages.train", RETHINK_CLUSTER=address)
            began = time.monotonic()
            while lead.poll() is None:
                done = [int(text) for text in DONE.findall(lead.output.read_text())]
                if done and (not samples or done[-1] - samples[-1][0] >= cells / 200):
                    with suppress(psutil.NoSuchProcess):
                        now = private(lead), private(scheduler)
                        if not all(now):  # the lead has just ended
                            break
                        samples.append((done[-1], *now))
                        ledger.data["cells"] = done[-1]
                        ledger.data["minutes"] = (time.monotonic() - began) / 60
                        ledger.save()
                        print(*samples[-1], file=sys.stderr, flush=True)
                if time.monotonic() - began > PATIENCE:
                    raise subprocess.TimeoutExpired("soak", PATIENCE)
                time.sleep(1)
            if lead.wait(PATIENCE):
                raise SystemExit(lead.output.read_text()[-3000:])
        finally:
            for process in started:
                process.kill()


def slope(cells: list[int], memory: list[float]) -> float:
    """KB a cell, once the first have come in."""
    late = np.asarray(cells) >= WARM * max(cells)
    return float(np.polyfit(np.asarray(cells)[late], np.asarray(memory)[late], 1)[0]) * 1000


def report(ledger: Ledger) -> int:
    """The memory over time and how it grows; tells how many of the two grow too fast."""
    if len(ledger.data["samples"]) < 2:
        raise SystemExit("the cells were computed before the memory was looked at twice; give more "
                         "--hours")  # fmt: skip
    cells, lead, scheduler = map(list, zip(*ledger.data["samples"], strict=True))
    for at in np.linspace(0, len(cells) - 1, 6).astype(int):
        print(f"{cells[at]:>9,} cells: lead {lead[at]:.0f} MB, scheduler {scheduler[at]:.0f} MB")
    growth = {"lead": slope(cells, lead), "scheduler": slope(cells, scheduler)}
    hours = ledger.data["cells"] / cells_of(1)
    ledger.data |= {"growth": growth, "hours": hours}
    ledger.save()
    print(f"{hours:.1f} h of {WORKERS} workers, {ledger.data['cells']:,} cells, in "
          f"{ledger.data['minutes']:.0f} minutes; growth a cell: lead {growth['lead']:.2f} KB, "
          f"scheduler {growth['scheduler']:.2f} KB; {machine()}")  # fmt: skip
    if hours < JUDGED:
        print(f"growth is judged from {JUDGED:g} hours on")
        return 0
    return (growth["lead"] > GROWTH) + (growth["scheduler"] > 0.2)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hours", type=float, default=24, help="of the cluster, not of yours")
    args = parser.parse_args()
    ledger = Ledger("soak", anew=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder, cells = Path(place) / "project", cells_of(args.hours)
        make_project(folder, cells)
        soak(folder, cells, ledger)
    return 1 if report(ledger) else 0


if __name__ == "__main__":
    sys.exit(main())
