"""`kill -9` at random moments of everything that takes part in a run: `python -m torture.kills`.

Small cells are run through `dvc repro`, the stage alone, a Prefect flow, a worker of Prefect's pool
or a Dask cluster of its own. The run, or a part of it, is killed again and again, and started again
where it died. After each kill: no finished cell is lost or computed again. At the end: predictions
equal to those of a run in peace, byte by byte; no process, lock or temporary file is left.

Several runs go on side by side, each in a clone of its own. Most processes are forks of one that
has imported the libraries (`warm.py`); one in `COLD` is started as a user does. The ledger counts
kills of each kind, so a thousand can be reached in several sittings.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

import psutil
from filelock import FileLock, Timeout

from tests.flows.conftest import WORKER, ask_for, make_clone
from tests.flows.lab import Shell, family, free_port, gone, until
from tests.readme import blocks
from torture.ledger import Ledger, machine
from torture.warm import Child, Warm

MODELS = [f"slow-{number}" for number in range(8)]  # 0.5 s a job
SEEDS = 5
CELLS = len(MODELS) * SEEDS
COLD = 12
# Of a thousand kills. Each costs from half a second of CPU time, a worker, to many, Prefect's.
SHARES = {"worker": 620, "lead": 150, "scheduler": 120, "dvc": 50, "prefect-server": 35,
          "prefect-worker": 25}  # fmt: skip
DOORS = {
    "stage": ("stages.train", "--dataset", "exclusive", "--workers", "2"),
    "flow": ("flows.rethink", "--dataset", "exclusive", "--workers", "2"),
    # another store is no news to DVC
    "dvc": ("dvc", "repro", "-q", "--force", "--single-item", "train@exclusive"),
}
IMPORTED = [
    "dvc.cli", "dvc.commands.repro", "dvc.repo", "dvc.repo.reproduce", "prefect.cli.server",
    "prefect.cli.worker", "prefect.engine", "prefect.server.api.server", "prefect.workers.process",
    "distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "sklearn.linear_model",
    "stages.train.engine", "stages.outlook", "stages.train.assemble", "rich.live", "primed",
]  # fmt: skip
# the names of cells depend on the code, which takes half a second to read
PRIMED = "from stages.common.keys import versions\n\nversions('Slow', 'f1')\n"
PATIENCE = 900  # seconds; a busy machine is slow
AT_THE_END = 8  # cells without kills: a job that dies three times has killed its worker itself

Process = Child | subprocess.Popen[bytes]


class Lost(Exception):
    """A promise was broken."""


class Pattern:
    """A clone with prepared data and deployments, from which others are copied."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clone = folder, folder / "clone"
        if not (folder / "store").exists():
            self.make()
        self.expected = predictions(self.clone)

    def make(self) -> None:
        """Set up all that a run needs, and run it in peace."""
        folder = self.folder
        shell: Any = Shell(make_clone(self.clone), folder / "prefect", free_port())
        ask_for(self.clone, MODELS, seeds=SEEDS)
        *setting_up, _ = blocks("docs/pipeline.md", section="With Prefect")
        try:
            for line in [line for block in setting_up for line in block if WORKER not in line]:
                shell.follow(line)
        finally:
            shell.stop()
        shell.run("dvc repro -q split@exclusive")
        shell.env["RETHINK_STORE"] = str(folder / "store")
        shell.run(f"{sys.executable} -m {' '.join(DOORS['stage'])}")


def predictions(clone: Path) -> bytes:
    """What the run has predicted."""
    return (clone / "data" / "predictions" / "exclusive.parquet").read_bytes()


class Bench:
    """A clone in which runs are started, disturbed and looked at."""

    def __init__(self, pattern: Pattern, folder: Path) -> None:
        for name in ("clone", "prefect"):
            shutil.copytree(pattern.folder / name, folder / name, symlinks=True)
        self.folder, self.clone, self.expected = folder, folder / "clone", pattern.expected
        (self.clone / "primed.py").write_text(PRIMED)
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        quick = {"RETHINK_WORKERS": "2", "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
        self.shell: Any = Shell(self.clone, folder / "prefect", free_port(), **quick)
        self.shell.env["TMPDIR"] = str(self.temporary)
        self.warm = Warm(self.clone, IMPORTED, **self.shell.env)
        self.names, self.server = count(), None
        self.all: list[Process] = []

    def fresh(self, chance: random.Random) -> None:
        """An empty store, for another run."""
        self.chance, self.killed = chance, 0
        self.store = self.folder / f"run-{next(self.names)}" / "store"
        self.store.parent.mkdir()
        self.seen: dict[Path, int] = {}
        self.members: list[psutil.Process] = []

    def start(self, module: str, *arguments: str, **env: str) -> Process:
        """Start a module, warm or cold."""
        env = self.shell.env | {"RETHINK_STORE": str(self.store)} | env
        output = self.store.parent / f"{module}-{next(self.names)}.log"
        process: Process
        if self.chance.randrange(COLD):
            leads = module in (DOORS["stage"][0], DOORS["flow"][0])
            process = self.warm.start(module, *arguments, output=output, env=env, ready=leads)
        else:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments], cwd=self.clone, env=env,
                stdout=output.open("wb"), stderr=subprocess.STDOUT, process_group=0,
            )  # fmt: skip
        self.all.append(process)
        return process

    def wait_for(self, process: Process, cells: int, seconds: float) -> None:
        """Wait until there are so many more cells, then so long; or until the run has ended."""
        before = len(self.cells())
        until(
            lambda: len(self.cells()) >= before + cells or process.poll() is not None,
            f"{cells} cells", PATIENCE,
        )  # fmt: skip
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            time.sleep(min(0.05, max(0, end - time.monotonic())))

    def at_some_moment(self, process: Process, most: float) -> None:
        """Any time after a start, or after a cell was computed."""
        self.wait_for(process, self.chance.choice((0, 0, 1, 2)), self.chance.uniform(0, most))

    def kill(self, process: Process, whole: bool = False, counts: bool = True) -> None:
        """Kill a process, or all that it has started, too, unless it has ended."""
        if process.poll() is not None:  # its number may be that of another process by now
            return
        members = family(process.pid)
        self.members += members
        for member in members if whole else members[:1]:
            with suppress(psutil.NoSuchProcess):
                member.kill()
        process.wait(PATIENCE)
        self.killed += counts
        self.look()

    def cells(self) -> dict[Path, int]:
        """When each finished cell was written."""
        known = {}
        for path in self.store.rglob("manifest.json"):
            with suppress(FileNotFoundError):
                known[path] = path.stat().st_mtime_ns
        return known

    def left(self) -> int:
        """How many cells are to be computed."""
        return CELLS - len(self.cells())

    def look(self) -> None:
        """See that no cell that was finished is gone or was computed again."""
        now = self.cells()
        if not self.seen.items() <= now.items():
            raise Lost(f"{self.seen.items() - now.items()} was lost or computed twice")
        self.seen = now

    def finish(self, process: Process) -> None:
        """Let a run end in peace, and compare."""
        if process.wait(PATIENCE):
            raise Lost(f"exit code {process.returncode}: {self.last_words()}")
        self.look()
        if len(self.seen) != CELLS:
            raise Lost(f"{len(self.seen)} of {CELLS} cells")
        if predictions(self.clone) != self.expected:
            raise Lost("the predictions differ")
        self.warm.exit_codes()  # else they would wait to be asked for, and live
        gone(self.members)
        try:
            FileLock(self.store / ".lock").acquire(blocking=False)
        except Timeout:
            raise Lost("the store is locked") from None
        places = (self.store, self.clone / "data", self.clone / "reports")
        if left := [path for place in places for path in place.rglob("*.tmp")]:
            raise Lost(f"left behind: {left}")

    def last_words(self) -> str:
        """What the last process has printed."""
        logs = sorted(self.store.parent.glob("*.log"), key=lambda path: path.stat().st_mtime)
        return "\n".join(f"{path.name}: {path.read_text()[-1500:]}" for path in logs[-2:])

    def serve(self) -> None:
        """Have a Prefect server."""
        if self.server is None or self.server.poll() is not None:
            self.server = self.start(
                "prefect", "server", "start", "--host", "127.0.0.1", "--port", self.shell.port
            )
            until(lambda: self.shell.ask("health", method="GET"), "the server answers", PATIENCE)

    def ask(self, path: str, query: Any = None, method: str = "POST") -> Any:
        """The answer of the Prefect server, which may be busy for a while."""
        return until(lambda: [self.shell.ask(path, query, method)], path, PATIENCE)[0]

    def clear(self) -> None:
        """End all processes that are left; the next run shall not see them."""
        for process in self.all:
            if process is not self.server and process.poll() is None:  # else its number may be
                for member in family(process.pid):  # that of another by now
                    with suppress(psutil.NoSuchProcess):
                        member.kill()
        for member in self.members:
            with suppress(psutil.NoSuchProcess):
                member.kill()
        self.all = [] if self.server is None else [self.server]
        shutil.rmtree(self.store.parent, ignore_errors=True)

    def close(self) -> None:
        """End all."""
        if self.server is not None:
            self.server.kill()
        self.server = None
        if hasattr(self, "store"):
            self.clear()
        self.warm.close()


def workers_of(process: Process) -> list[psutil.Process]:
    """What computes for a lead: children of the process that it has them forked from."""
    found = []
    for member in family(process.pid) if process.poll() is None else ():
        with suppress(psutil.NoSuchProcess):
            names = " ".join(member.cmdline())
            forks = "warm.py" in names and member.pid != process.pid
            if forks or "multiprocessing.forkserver" in names:
                found += member.children()
    return found


def kill_workers(bench: Bench) -> None:
    """Processes that compute, of any door."""
    door = bench.chance.choice(("stage", "stage", "stage", "dvc", "flow"))
    if door == "flow":
        bench.serve()
    process = bench.start(*DOORS[door])
    bench.wait_for(process, 1, 0)
    while bench.left() > AT_THE_END and process.poll() is None:
        # where all workers are killed before they have computed anything, a run gives up
        bench.wait_for(process, bench.chance.choice((0, 1)), bench.chance.uniform(0, 0.8))
        with suppress(psutil.NoSuchProcess, IndexError):
            victim = bench.chance.choice(workers_of(process))
            bench.members.append(victim)
            victim.kill()
            bench.killed += 1
        bench.look()
    bench.members += family(process.pid) if process.poll() is None else []
    bench.finish(process)


def kill_leads(bench: Bench) -> None:
    """The process that leads a run; the others notice and end."""
    door = bench.chance.choice(("stage", "stage", "flow"))
    if door == "flow":
        bench.serve()
    while bench.left() and bench.killed < 15:
        process = bench.start(*DOORS[door])
        bench.at_some_moment(process, 3)
        bench.kill(process)
    bench.finish(bench.start(*DOORS[door]))


def kill_dvc(bench: Bench) -> None:
    """DVC, alone, so that its stage goes on and the next one has to wait for it; or with it."""
    while bench.left() and bench.killed < 8:
        process = bench.start(*DOORS["dvc"])
        bench.at_some_moment(process, 6)
        bench.kill(process, whole=bench.chance.random() < 0.7)
    bench.finish(bench.start(*DOORS["dvc"]))


def kill_schedulers(bench: Bench) -> None:
    """The scheduler of a Dask cluster that was there before the run."""
    while bench.left() and bench.killed < 12:
        port = str(free_port())
        address = f"tcp://127.0.0.1:{port}"
        quiet = ("--host", "127.0.0.1", "--no-dashboard")
        scheduler = bench.start("distributed.cli.dask_scheduler", *quiet, "--port", port)
        common = (address, *quiet, "--nthreads", "1", "--no-nanny", "--death-timeout", "60")
        workers = [bench.start("distributed.cli.dask_worker", *common) for _ in range(2)]
        until(lambda n=port: answers(int(n)), "the scheduler listens", PATIENCE)
        process = bench.start(*DOORS["stage"], RETHINK_CLUSTER=address)
        bench.at_some_moment(process, 3)
        bench.kill(scheduler, counts=process.poll() is None)
        process.wait(PATIENCE)  # it has ended with what it has, or says that the cluster is gone
        for worker in workers:
            bench.kill(worker, whole=True, counts=False)
        bench.look()
    bench.finish(bench.start(*DOORS["stage"]))


def answers(port: int) -> bool:
    """Whether someone listens there."""
    import socket

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def kill_servers(bench: Bench) -> None:
    """The Prefect server, away for a while, and back."""
    bench.serve()
    process = bench.start(*DOORS["flow"])
    while bench.killed < 10 and process.poll() is None:
        time.sleep(bench.chance.uniform(0, 6))
        if bench.server is not None and process.poll() is None:
            bench.kill(bench.server, whole=True)
            time.sleep(bench.chance.uniform(0, 3))
        bench.serve()
    process.wait(PATIENCE)
    bench.look()
    bench.finish(bench.start(*DOORS["flow"]))


def kill_prefect_workers(bench: Bench) -> None:
    """A worker of the pool, with the run that it carries."""
    bench.serve()
    deployment = bench.ask("deployments/name/rethink/one-dataset", method="GET")["id"]
    while bench.killed < 5 and bench.left():
        worker = bench.start("prefect", "worker", "start", "--pool", "rethink")
        waiting = {"flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}}}
        if not bench.ask("flow_runs/filter", waiting):
            asked = {"parameters": {"dataset": "exclusive"}, "state": {"type": "SCHEDULED"}}
            bench.ask(f"deployments/{deployment}/create_flow_run", asked)
        until(
            lambda now=worker: len(family(now.pid)) > 1 or now.poll() is not None,
            "a run begins", PATIENCE,
        )  # fmt: skip
        bench.at_some_moment(worker, 8)
        bench.kill(worker, whole=True)
    bench.finish(bench.start(*DOORS["flow"]))


EPISODES = {
    "worker": kill_workers,
    "lead": kill_leads,
    "dvc": kill_dvc,
    "scheduler": kill_schedulers,
    "prefect-server": kill_servers,
    "prefect-worker": kill_prefect_workers,
}


class Sitting:
    """Runs side by side, until there were enough kills or the time is up."""

    def __init__(self, ledger: Ledger, kinds: list[str], kills: int, end: float) -> None:
        self.ledger, self.kinds, self.kills, self.end = ledger, kinds, kills, end
        self.lock, self.killed = Lock(), ledger.data.setdefault("killed", {})
        ledger.data.setdefault("broken", [])
        self.running: Counter[str] = Counter()  # a run counts as done while it goes on

    def next(self) -> tuple[str, int] | None:
        """The kind that lags most behind its share, and the number of the run."""
        with self.lock:
            if sum(self.killed.values()) >= self.kills or time.monotonic() > self.end:
                return None
            kind = min(
                self.kinds, key=lambda k: (self.killed.get(k, 0) + 8 * self.running[k]) / SHARES[k]
            )
            self.running[kind] += 1
            self.ledger.data["runs"] = self.ledger.data.get("runs", 0) + 1
            return kind, self.ledger.data["runs"]

    def work(self, pattern: Pattern, folder: Path) -> None:
        """One run after the other."""
        bench = Bench(pattern, folder)
        try:
            while task := self.next():
                kind, number = task
                bench.fresh(random.Random(f"{kind} {number}"))
                started, problem = time.monotonic(), ""
                try:
                    EPISODES[kind](bench)
                except (Lost, AssertionError, subprocess.TimeoutExpired, OSError) as error:
                    problem = f"run {number}, {kind}: {error!s:.3000}\n{bench.last_words()}"
                with self.lock:
                    self.running[kind] -= 1
                    self.killed[kind] = self.killed.get(kind, 0) + bench.killed
                    self.ledger.data["broken"] += [problem] if problem else []
                    self.ledger.save()
                    seconds = time.monotonic() - started
                    line = f"run {number}: {bench.killed} x {kind} in {seconds:.0f} s; {problem}"
                    print(line, json.dumps(self.killed), file=sys.stderr, flush=True)
                bench.clear()
        finally:
            bench.close()


def report(ledger: Ledger) -> int:
    """How many of each kind; and what was broken."""
    killed, broken = ledger.data.get("killed", {}), ledger.data.get("broken", [])
    for kind in SHARES:
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
    kept = "a folder that keeps the clone of which others are copies, for the next sitting"
    parser.add_argument("--pattern", type=Path, help=kept)
    parser.add_argument("--side-by-side", type=int, default=3, help="runs at a time")
    args = parser.parse_args()
    ledger, end = Ledger("kills"), time.monotonic() + 60 * args.minutes
    sitting = Sitting(ledger, args.only or list(EPISODES), args.kills, end)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        pattern = Pattern(args.pattern or folder / "pattern")
        with ThreadPoolExecutor(args.side_by_side) as pool:
            places = [folder / f"bench-{number}" for number in range(args.side_by_side)]
            for done in [pool.submit(sitting.work, pattern, place) for place in places]:
                done.result()
    return 1 if report(ledger) else 0


if __name__ == "__main__":
    sys.exit(main())
