"""`kill -9` at random moments of everything that takes part in a run: `python -m torture.kills`.

A run of small cells, through `dvc repro`, the stage alone, a Prefect flow or a Dask cluster of its
own, is killed, or a part of it is, and started again where it died. After each kill: no finished
cell is lost or computed again. At the end: the predictions are those of a run in peace, byte by
byte, and no process and no temporary file is left. The ledger counts kills of each kind, so a
thousand can be reached in several sittings.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.flows.conftest import WORKER, ask_for, make_clone
from tests.flows.lab import Shell, dask_workers, family, free_port, gone, power_cut, until
from tests.readme import blocks
from tests.stages.train.test_cluster import Cluster
from torture.ledger import Ledger, machine

MODELS = [f"slow-{number}" for number in range(8)]  # 0.5 s a job
SEEDS = 5
CELLS = len(MODELS) * SEEDS
EACH = 5  # kills of one kind in an episode
KINDS = ["worker", "lead", "dvc", "scheduler", "prefect-server", "prefect-worker"]


class Lost(Exception):
    """A promise was broken."""


class Runs:
    """A clone in which runs are started, disturbed and looked at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shell: Any = Shell(make_clone(folder / "clone"), folder / "prefect", free_port())
        self.clone = self.shell.folder
        ask_for(self.clone, MODELS, seeds=SEEDS)
        self.shell.run("dvc repro -q split@exclusive")
        self.server: Any = None
        self.fresh()
        self.shell.run(self.stage)
        self.expected = self.predictions()

    stage = f"{sys.executable} -m stages.train --dataset exclusive --workers 2"
    flow = f"{sys.executable} -m flows.rethink --dataset exclusive --workers 2"
    dvc = "dvc repro -q --force --single-item train@exclusive"  # another store is no news to DVC

    def fresh(self) -> None:
        """An empty store."""
        self.store = Path(tempfile.mkdtemp(dir=self.folder)) / "store"
        self.shell.env["RETHINK_STORE"] = str(self.store)
        self.seen: dict[Path, int] = {}
        self.members: list[psutil.Process] = []

    def predictions(self) -> bytes:
        """What the run has predicted."""
        return (self.clone / "data" / "predictions" / "exclusive.parquet").read_bytes()

    def serve(self) -> None:
        """Have a Prefect server with the deployments, as the documentation says."""
        if self.server is None:
            *setting_up, _ = blocks("docs/pipeline.md", section="With Prefect")
            for line in [line for block in setting_up for line in block if WORKER not in line]:
                self.shell.follow(line)
            self.server = self.shell.started[0]

    def start(self, command: str, **env: str) -> subprocess.Popen[str]:
        """Start a run and wait until it has computed a cell, or has ended."""
        process = subprocess.Popen(
            f"exec {command}", shell=True, cwd=self.clone, env=self.shell.env | env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        before = len(self.cells())
        until(lambda: len(self.cells()) > before or process.poll() is not None, "a cell")
        self.members += family(process.pid)
        return process

    def cells(self) -> dict[Path, int]:
        """When each finished cell was written."""
        return {path: path.stat().st_mtime_ns for path in self.store.rglob("manifest.json")}

    def look(self) -> None:
        """See that no cell that was finished is gone or was computed again."""
        now = self.cells()
        if not self.seen.items() <= now.items():
            raise Lost(f"{self.seen.items() - now.items()} was lost or computed twice")
        self.seen = now

    def finish(self, command: str) -> None:
        """Let a run end in peace, and compare."""
        self.shell.run(command, timeout=900)
        self.look()
        if len(self.seen) != CELLS:
            raise Lost(f"{len(self.seen)} of {CELLS} cells")
        if self.predictions() != self.expected:
            raise Lost("the predictions differ")
        gone(self.members)
        left = [*self.store.rglob("*.tmp"), *(self.clone / "data").rglob("*.tmp")]
        if left:
            raise Lost(f"left behind: {left}")


def kill_workers(runs: Runs, chance: random.Random) -> int:
    """Processes that compute, of the stage or of DVC's."""
    process, killed = runs.start(chance.choice((runs.stage, runs.dvc))), 0
    while killed < EACH and process.poll() is None:
        time.sleep(chance.uniform(0.1, 1.5))
        workers = dask_workers(process.pid)
        with suppress(psutil.NoSuchProcess, IndexError):
            chance.choice(workers).kill()
            killed += 1
        runs.look()
    output, _ = process.communicate(timeout=600)
    if process.returncode:
        raise Lost(output[-2000:])
    runs.finish(runs.stage)
    return killed


def kill_whole(runs: Runs, chance: random.Random, command: str) -> int:
    """The process that leads a run, with all that it has not told to go on without it."""
    killed = 0
    while killed < EACH and len(runs.cells()) < CELLS:
        process = runs.start(command)
        time.sleep(chance.uniform(0, 2))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.communicate()
        runs.look()
    runs.finish(command)
    return killed


def kill_schedulers(runs: Runs, chance: random.Random) -> int:
    """The scheduler of a Dask cluster that was there before the run."""
    killed = 0
    while killed < EACH and len(runs.cells()) < CELLS:
        cluster = Cluster(Path(tempfile.mkdtemp(dir=runs.folder)) / "cluster")
        try:
            cluster.scheduler()
            cluster.worker("--nworkers", "2", code=runs.clone)
            process = runs.start(runs.stage, RETHINK_CLUSTER=cluster.address)
            time.sleep(chance.uniform(0, 2))
            if process.poll() is None:
                os.killpg(cluster.processes[0].pid, signal.SIGKILL)
                killed += 1
            process.communicate(timeout=600)
        finally:
            cluster.stop()
        runs.look()
    runs.finish(runs.stage)
    return killed


def kill_servers(runs: Runs, chance: random.Random) -> int:
    """The Prefect server, away for a while, and back."""
    runs.serve()
    process, killed = runs.start(runs.flow), 0
    while killed < 2 and process.poll() is None:
        power_cut(runs.server)
        killed += 1
        time.sleep(chance.uniform(0, 4))
        runs.server = runs.shell.start(runs.server.args.removeprefix("exec "))
    process.communicate(timeout=900)
    runs.look()
    runs.finish(runs.flow)
    return killed


def kill_prefect_workers(runs: Runs, chance: random.Random) -> int:
    """A worker of the pool, with the run that it carries."""
    runs.serve()
    killed = 0
    while killed < 2 and len(runs.cells()) < CELLS:
        before = len(runs.cells())
        worker = runs.shell.start("prefect worker start --pool rethink")
        runs.shell.run("prefect deployment run rethink/one-dataset --param dataset=exclusive")
        until(lambda n=before: len(runs.cells()) > n, "a cell")
        time.sleep(chance.uniform(0, 2))
        power_cut(worker)
        killed += 1
        runs.look()
    runs.finish(runs.flow)
    return killed


EPISODES: dict[str, Any] = {
    "worker": kill_workers,
    "lead": lambda runs, chance: kill_whole(runs, chance, runs.stage),
    "dvc": lambda runs, chance: kill_whole(runs, chance, runs.dvc),
    "scheduler": kill_schedulers,
    "prefect-server": kill_servers,
    "prefect-worker": kill_prefect_workers,
}


def report(ledger: Ledger) -> int:
    """How many of each kind; and what was broken."""
    killed, broken = ledger.data.get("killed", {}), ledger.data.get("broken", [])
    for kind in KINDS:
        print(f"{kind:15} {killed.get(kind, 0):>5} kills")
    runs = ledger.data.get("runs", 0)
    print(f"{sum(killed.values())} kills in {runs} runs of {CELLS} cells, {len(broken)} promises "
          f"broken; {machine()}")  # fmt: skip
    for line in broken:
        print(f"    {line}")
    return len(broken)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=1000, help="of all kinds together")
    parser.add_argument("--only", choices=EPISODES, action="append", help="only this kind")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after so many")
    args = parser.parse_args()
    ledger, until_then = Ledger("kills"), time.monotonic() + 60 * args.minutes
    ledger.data.setdefault("broken", [])
    counts = Counter(ledger.data.setdefault("killed", {}))
    kinds = args.only or list(EPISODES)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        runs = Runs(Path(folder))
        try:
            while sum(counts.values()) < args.kills and time.monotonic() < until_then:
                number = ledger.data["runs"] = ledger.data.get("runs", 0) + 1
                kind = kinds[number % len(kinds)]
                runs.fresh()
                try:
                    counts[kind] += EPISODES[kind](runs, random.Random(f"{kind} {number}"))
                except (Lost, AssertionError, subprocess.TimeoutExpired) as error:
                    ledger.data["broken"].append(f"run {number}, {kind}: {error!s:.2000}")
                    for member in runs.members:
                        with suppress(psutil.NoSuchProcess):
                            member.kill()
                ledger.data["killed"] = dict(counts)
                ledger.save()
                shutil.rmtree(runs.store.parent, ignore_errors=True)
                print(f"run {number}: {kind}, {dict(counts)}", file=sys.stderr, flush=True)
        finally:
            runs.shell.stop()
    return 1 if report(ledger) else 0


if __name__ == "__main__":
    sys.exit(main())
