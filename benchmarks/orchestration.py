"""What orchestration costs: the two doors against bare cores, many workers, and cached cells.

python -m benchmarks.orchestration     # a quarter of an hour, with a server on loopback
python -m benchmarks.orchestration scale     # or one part: cached, doors, scale
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

from stages.common.plan import Cell, jobs
from stages.common.predictions import to_table
from stages.common.profile import params_under
from stages.common.published import read_published
from stages.common.store import Store
from stages.common.tables import table_to_bytes
from tests.conftest import CATALOG, PARAMS, ROOT, copy_of_the_project
from tests.flows.lab import Shell, free_port
from torture.load import made_up_manifest

WORKERS, CELLS = 2, 200
REPLAYS = ((50, 8), (50, 32), (50, 64), (10, 32))  # time divided by, workers
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


class Sleep(AllZeros):
    """Does nothing for a while, once for all costs."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, Y):
        time.sleep(self.seconds)
        return super().fit(X, Y)


class SleepForCost(Sleep):
    """Does nothing for a while, for each cost."""

    def __init__(self, cost="hamming", seconds=0.0):
        self.cost, self.seconds = cost, seconds
'''
REPLAY = """
import json, os, psutil, sys, threading, time
from stages.common.catalog import load_catalog
from stages.common.params import load_params
from stages.train.lead import Lead
from stages.common.plan import plan
from stages.train.progress import Progress
from stages.common.store import Store
from pathlib import Path

if __name__ == "__main__":
    workers, params = int(sys.argv[1]), load_params()
    cells = plan(params, load_catalog(), params.datasets)
    idle = {"queue": 0.0, "tail": 0.0}  # worker seconds while jobs wait, and after

    def watch(engine, ended):
        last = time.monotonic()
        while not ended.wait(0.05):
            now = time.monotonic()
            busy = sum(not flight.landed for flight in list(engine.flying))
            idle["queue" if engine.waiting else "tail"] += (now - last) * (workers - busy)
            last = now

    with Lead(params, Store(Path("cells")), workers, Progress(len(cells))) as lead:
        for name, model in params.models.items():
            lead.forecast.timed[name]["tiny"] = [model.params["seconds"]]
        while len(lead.engine.workers) < workers:
            time.sleep(0.5)
        lead.engine.client.run(__import__, "rethink.models.busy")  # the start does not count
        time.sleep(2)
        ended, processes = threading.Event(), psutil.Process().children(recursive=True)

        def used():
            return sum(sum(p.cpu_times()[:2]) for p in processes)

        started, cpu, theirs = time.monotonic(), time.process_time(), used()
        threading.Thread(target=watch, args=(lead.engine, ended)).start()
        lead.train(cells)
        seconds, cpu = time.monotonic() - started, time.process_time() - cpu
        ended.set()
        took = {"seconds": seconds, "lead": cpu, "workers": used() - theirs, **idle}
    print(json.dumps(took | {"cores": seconds * os.cpu_count()}))
"""


def seconds(run, *args):
    started = time.monotonic()
    run(*args)
    return time.monotonic() - started


def cached():
    """Seconds to recognise 10,000 cells of the size of yeast's."""
    rng = np.random.default_rng(0)
    table = to_table((rng.random((3, 2417, 14)) < 0.3).astype(np.uint8), np.ones(2417, bool))
    content = table_to_bytes(table)
    cells = [Cell(f"d{d}", f"m{m}", c, s)
             for d in range(10) for m in range(25) for c in "abcd" for s in range(10)]  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        store, keys = Store(Path(name)), dict.fromkeys(cells, "0" * 32)
        for cell, key in keys.items():
            store.put(cell, key, made_up_manifest(cell), content)
        started = time.monotonic()
        known = store.find_all(keys)
        took = time.monotonic() - started
    assert all(known.values()), "a cell was not recognised"
    print(f"{len(cells):,} cached cells are recognised in {took:.1f} s", flush=True)


def doors():
    """The same 200 cells of a second of CPU time through each door, as a user would start them."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        folder = copy_of_the_project(base / "clone")
        write_busy(folder)
        shell = Shell(folder, base / "prefect", free_port(), RETHINK_WORKERS=str(WORKERS))
        try:
            shell.start(f"prefect server start --host 127.0.0.1 --port {shell.port}")
            shell.run("dvc repro split@exclusive")
            bare = seconds(shell.run, f"python -m stages.train --workers {WORKERS}")
            stored = sum(1 for _ in (folder / "data" / "cells").glob("**/manifest.json"))
            assert stored == CELLS, f"{stored} of {CELLS} cells"
            times = {"python -m stages.train": bare}
            before = (folder / "dvc.lock").read_text()
            for command in (
                "dvc repro train@exclusive",
                "python -m flows.rethink --dataset exclusive",
            ):
                shutil.rmtree(folder / "data" / "cells")
                (folder / "dvc.lock").write_text(before)
                times[command] = seconds(shell.run, command)
        finally:
            shell.stop()
    ideal = CELLS / WORKERS
    print(f"{CELLS} cells of 1 s, {WORKERS} workers, start included: {ideal:.0f} s would be ideal")
    for what, took in times.items():
        print(f"  {what:<46}{took:6.1f} s, {ideal / took:4.0%} of the ideal", flush=True)
    dvc, flow = list(times.values())[1:]
    print(f"  the flow takes {flow / dvc:.2f} times as long as dvc repro", flush=True)


def write_busy(folder):
    """Have a clone of the project plan 200 cells of a second, and nothing else."""
    (folder / "rethink" / "models" / "busy.py").write_text(BUSY)
    path = folder / "params.yaml"
    params = yaml.safe_load(path.read_text())
    models = {f"busy-{n}": {"estimator": "Busy", "params": {"number": n}} for n in range(5)}
    params |= {"datasets": ["exclusive"], "models": models}
    costs = ["hamming", "rank", "f1", "accuracy"]
    params["experiments"] = {"algorithms": {"models": list(models), "costs": costs}}
    params["train"] |= {"seeds": 10, "fewer_seeds": [], "device": "cpu"}
    path.write_text(yaml.safe_dump(params, sort_keys=False))


def reference_jobs():
    """Model entries that sleep as long as the jobs of the published run took on average."""
    params = params_under("paper")
    took = {Cell(row["dataset"], row["model"], row["cost"], row["seed"]): row["seconds"]
            for row in read_published().values() if row["model"] in params.models}  # fmt: skip
    groups = {}
    for job in jobs(took, params):
        groups.setdefault((job[0].model, job[0].dataset), []).append(job)
    for (model, dataset), members in groups.items():
        cells = [cell for job in members for cell in job]
        yield {
            "name": f"{model}-{dataset}".replace("+", "-"),
            "shared": len(members[0]) > 1,
            "costs": sorted({cell.cost for cell in cells}),
            "seconds": sum(took[cell] for cell in cells) / len(members),
            "seeds": len({cell.seed for cell in cells}),
            "jobs": len(members),
        }


def scale():
    """The reference run's times, replayed as sleeps on many workers of this machine."""
    groups = list(reference_jobs())
    work = sum(group["jobs"] * group["seconds"] for group in groups)
    longest = max(group["seconds"] for group in groups)
    number = sum(group["jobs"] for group in groups)
    print(f"sleeps in place of the published run's {number} jobs, {work:.0f} s in all, "
          f"the longest {longest:.0f} s", flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_replay(folder)
        for divisor, workers in REPLAYS:
            write_sleeps(folder / "params.yaml", groups, divisor)
            for stage in ("fetch", "prepare", "split"):
                command = [sys.executable, "-m", f"stages.{stage}", "--dataset", "tiny"]
                subprocess.run(command, cwd=folder, check=True, capture_output=True)
            shutil.rmtree(folder / "cells", ignore_errors=True)
            done = subprocess.run([sys.executable, "replay.py", str(workers)], cwd=folder,
                                  capture_output=True, text=True)  # fmt: skip
            assert done.returncode == 0, done.stderr
            took = json.loads(done.stdout.splitlines()[-1])
            print_replay(took, divisor, workers, work / divisor, longest / divisor)


def write_replay(folder):
    """The code, with models that sleep, and a data set that they do not look at."""
    for package in ("rethink", "stages"):
        shutil.copytree(ROOT / package, folder / package)
    (folder / "rethink" / "models" / "busy.py").write_text(BUSY)
    (folder / "replay.py").write_text(REPLAY)
    (folder / "data").mkdir()
    (folder / "data" / "catalog.yaml").write_text(yaml.safe_dump(CATALOG))


def write_sleeps(path, groups, divisor):
    models, experiments = {}, {}
    for group in groups:
        estimator = "Sleep" if group["shared"] else "SleepForCost"
        seconds = round(group["seconds"] / divisor, 5)
        models[group["name"]] = {"estimator": estimator, "params": {"seconds": seconds}}
        experiments[group["name"].lower()] = {"models": [group["name"]], "costs": group["costs"]}
    most = max(group["seeds"] for group in groups)
    fewer = [{"models": [group["name"]], "seeds": group["seeds"]}
             for group in groups if group["seeds"] < most]  # fmt: skip
    train = PARAMS["train"] | {"seeds": most, "fewer_seeds": fewer, "device": "cpu"}
    params = PARAMS | {"models": models, "experiments": experiments, "train": train}
    path.write_text(yaml.safe_dump(params, sort_keys=False))


def print_replay(took, divisor, workers, work, longest):
    ideal, spent = max(work / workers, longest), took["seconds"] * workers
    shares = {
        "sleeps": work,
        "idle while jobs wait": took["queue"],
        "idle at the end": took["tail"],
        "jobs on their way": spent - work - took["queue"] - took["tail"],
    }
    where = ", ".join(f"{share / spent:.0%} {what}" for what, share in shares.items())
    print(f"  1/{divisor}, {workers:2} workers: {took['seconds']:.1f} s, ideal {ideal:.1f} s: "
          f"{ideal / took['seconds']:.0%}; worker time: {where}; CPU: lead with scheduler "
          f"{took['lead']:.1f} s, workers {took['workers']:.1f} s, of {took['cores']:.0f} s "
          "that the cores have", flush=True)  # fmt: skip


def main():
    """Measure and print."""
    parts = {"cached": cached, "scale": scale, "doors": doors}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
