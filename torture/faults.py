"""Poor machines for every stage: `python -m torture.faults --cases 440`.

The disk is full at a random moment (a tmpfs of random size), the folder is read-only, a file cannot
be renamed over another, the clock jumps by hours, each process may have 1 GiB. A stage must
give the right result, or end with one clear error: no traceback, no half file, no temporary file.
When the fault is gone, the same command must end with the bytes of a run in peace. Needs the right
to mount, and a C compiler.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from stages.common.image_features import SPEED
from stages.common.tables import table_from_bytes
from tests.conftest import CATALOG, PARAMS, ROOT
from torture.ledger import Ledger, machine
from torture.warm import Warm

STARTUP = ROOT / "torture" / "startup"
PAGE = 4096
WRITTEN = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d UTC")  # the report says when it was made
MEASURED = ("seconds", "host")  # of a cell: these differ between any two runs
UNTOLD = ("dask.log", ".lock", SPEED)  # files that are no result, or one that differs each time
ENV = {"PYTHONPATH": os.pathsep.join([str(STARTUP), str(ROOT)]), "RETHINK_WORKERS": "1"}
PATIENCE = 600  # seconds; a busy machine is slow
COLD = 20  # one in so many cases starts as a user does, the others are forks (`warm.py`)

IMPORTED = [
    "cryptography.x509", "defusedxml.ElementTree", "great_expectations", "jinja2", "pyarrow.csv",
    "pyarrow.pandas_compat", "rich.live", "scipy.stats", "sklearn.calibration",
    "sklearn.linear_model", "sklearn.model_selection", "stages.split", "stages.evaluate",
    *(f"stages.{name}.__main__"
      for name in ("fetch", "features", "prepare", "train", "compare", "report")),
    "stages.features.extract", "stages.train.engine",
]  # fmt: skip

Files = dict[str, bytes]


class Stage(NamedTuple):
    """A command, and what it writes: files, or all in folders."""

    arguments: list[str]
    writes: tuple[str, ...]


TINY, DRAWN = ["--dataset", "tiny"], ["--dataset", "drawn"]
DRAWINGS = {
    "images": {"weights": "small-cnn"},
    "sources": [{"format": "shapes", "drawing": {"instances": 40, "size": 32}}],
}
STAGES = {
    "fetch": Stage(TINY, ("data/raw/tiny/",)),
    "features": Stage(DRAWN, ("data/features/drawn/",)),
    "prepare": Stage(TINY, ("data/prepared/tiny/",)),
    "split": Stage(TINY, ("data/splits/tiny.parquet",)),
    "train": Stage(TINY, ("data/cells/tiny/", "data/predictions/tiny", "data/runs/tiny")),
    "evaluate": Stage([], ("data/scores.parquet",)),
    "compare": Stage([], ("reports/comparison.json", "reports/claims.json", "reports/metrics.json",
                          "reports/plots/")),
    "report": Stage([], ("reports/report.html",)),
}  # fmt: skip


class Wrong(Exception):
    """A promise was broken."""


def run(stage: str, folder: Path, arguments: list[str], **env: str) -> tuple[int, str]:
    """The exit code of a stage and all that it prints."""
    done = subprocess.run(
        [sys.executable, "-m", f"stages.{stage}", *arguments],
        cwd=folder, env=os.environ | ENV | env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=PATIENCE,
    )  # fmt: skip
    return done.returncode, done.stdout


def make_project(folder: Path) -> None:
    """The tiny project of the tests and a set of drawings, run in peace through all stages."""
    (folder / "data").mkdir(parents=True)
    weights = yaml.safe_load((ROOT / "data" / "catalog.yaml").read_text())["weights"]
    datasets = CATALOG["datasets"] | {"drawn": DRAWINGS}
    catalog = {"datasets": datasets, "weights": {"small-cnn": weights["small-cnn"]}}
    (folder / "data" / "catalog.yaml").write_text(yaml.safe_dump(catalog))
    (folder / "params.yaml").write_text(yaml.safe_dump(PARAMS, sort_keys=False))
    shutil.copytree(ROOT / "data" / "paper", folder / "data" / "paper")
    steps = [(stage, about.arguments) for stage, about in STAGES.items()]
    for stage, arguments in [("fetch", DRAWN), *steps]:
        code, output = run(stage, folder, arguments)
        if code:
            raise SystemExit(f"{stage}: {output}")


def files_in(folder: Path) -> Files:
    """All files and what they hold, but logs and locks."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(UNTOLD)
    }


def told(name: str, content: bytes) -> object:
    """What a file says, without times."""
    if name.endswith("manifest.json"):
        return {k: v for k, v in json.loads(content).items() if k not in MEASURED}
    if name.startswith("data/runs/"):
        table = table_from_bytes(content)
        return table.drop_columns([k for k in MEASURED if k in table.column_names])
    return WRITTEN.sub(b"", content)


class Bench:
    """A small disk, and what each stage reads and writes on it in peace."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.folder, self.disk, self.scratch = folder, folder / "disk", folder / "scratch"
        self.scratch.mkdir()
        self.log = folder / "output.log"
        known = files_in(project)
        self.outputs = {
            stage: {name: known[name] for name in known if name.startswith(STAGES[stage].writes)}
            for stage in STAGES
        }
        written = {name for files in self.outputs.values() for name in files}
        before = {name: known[name] for name in known if name not in written}
        self.inputs: dict[str, Files] = {}
        for stage, files in self.outputs.items():
            self.inputs[stage] = dict(before)
            before |= files

    @cached_property
    def clock(self) -> Path:
        """The library that makes the clock jump."""
        library = self.folder / "clock.so"
        command = ["cc", "-shared", "-fPIC", "-o", str(library), str(STARTUP / "clock.c"), "-ldl"]
        subprocess.run(command, check=True)
        return library

    @cached_property
    def warm(self) -> Warm:
        """What stages are forked from; its clock can be made to jump."""
        return Warm(self.disk, IMPORTED, **ENV, LD_PRELOAD=str(self.clock))

    def close(self) -> None:
        """End what stages are forked from."""
        if "warm" in vars(self):
            self.warm.close()

    def run(self, stage: str, cold: bool, **env: str) -> tuple[int, str]:
        """The exit code of a stage on this disk, and all that it prints."""
        env["TMPDIR"] = str(self.scratch)
        if cold:
            return run(stage, self.disk, STAGES[stage].arguments, **env)
        self.log.unlink(missing_ok=True)
        everything = os.environ | ENV | {"LD_PRELOAD": str(self.clock)} | env
        child = self.warm.start(
            f"stages.{stage}", *STAGES[stage].arguments, output=self.log, env=everything,
            ready=stage == "train",
        )  # fmt: skip
        return child.wait(PATIENCE), self.log.read_text()

    def lay_out(self, files: Files) -> None:
        """Have these files on the disk, and nothing else."""
        self.remount("rw,size=256m,nr_inodes=100k")
        for path in self.disk.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, content in files.items():
            (self.disk / name).parent.mkdir(parents=True, exist_ok=True)
            (self.disk / name).write_bytes(content)

    def remount(self, options: str) -> None:
        """Change what the disk can hold."""
        subprocess.run(["mount", "-o", f"remount,{options}", str(self.disk)], check=True)

    def fill(self, stage: str, chance: random.Random) -> str:
        """Leave less room than a stage needs, or hardly enough, in pages or in files."""
        used, outputs = os.statvfs(self.disk), self.outputs[stage]
        if chance.random() < 0.25:
            room = chance.randint(0, len(outputs) + 2)
            self.remount(f"nr_inodes={used.f_files - used.f_ffree + room}")
            return f"room for {room} files"
        need = sum(-(-len(content) // PAGE) for content in outputs.values())
        room = chance.randint(0, need)
        self.remount(f"size={(used.f_blocks - used.f_bfree + room) * used.f_frsize}")
        return f"room for {room} of {need} pages"

    def case(self, stage: str, fault: str, chance: random.Random, cold: bool = False) -> str:
        """Run a stage on a poor machine, then on a good one; tells what became of the first."""
        over = fault == "no rename over" or chance.random() < 0.3  # outputs of an earlier run
        self.lay_out(self.inputs[stage] | (self.outputs[stage] if over else {}))
        about, env = FAULTS[fault](self, stage, chance)
        code, output = self.run(stage, cold, **env)
        about = f"{about}{', over older files' if over else ''}: {output[-1500:]}"
        if code == 0:
            self.look(stage, about, complete=True)
            return "right"
        errors = [line for line in output.splitlines() if line.startswith("error: ")]
        if len(errors) != 1 or "Traceback" in output:
            raise Wrong(f"no clear error, {about}")
        self.look(stage, about, complete=False)
        self.remount("rw,size=256m,nr_inodes=100k")
        code, output = self.run(stage, cold)
        if code:
            raise Wrong(f"it does not go on, {about}\nafterwards: {output[-1500:]}")
        self.look(stage, about, complete=True)
        return "refused"

    def look(self, stage: str, about: str, complete: bool) -> None:
        """See that no file is lost, half written or left over; complete: that all are there."""
        there, known = files_in(self.disk), self.inputs[stage] | self.outputs[stage]
        needed = known if complete else self.inputs[stage]
        if missing := sorted(needed.keys() - there.keys()):
            raise Wrong(f"missing {missing}, {about}")
        if left := sorted(there.keys() - known.keys()) + sorted(files_in(self.scratch)):
            raise Wrong(f"left behind {left}, {about}")
        for name, content in there.items():
            if content != known[name] and told(name, content) != told(name, known[name]):
                raise Wrong(f"{name} differs, {about}")


Fault = Callable[[Bench, str, random.Random], tuple[str, dict[str, str]]]


def read_only(bench: Bench, *_: Any) -> tuple[str, dict[str, str]]:
    """Nothing in the project can be written."""
    bench.remount("ro")
    return "read-only", {}


def clock(bench: Bench, stage: str, chance: random.Random) -> tuple[str, dict[str, str]]:
    """The time of day is off by hours, now by more, now by less than nothing."""
    moments = accumulate(
        [0.0, *(chance.uniform(0.1, 2) for _ in range(20))], initial=time.monotonic()
    )
    jumps = "".join(f":{moment:.3f}{chance.randint(-12, 12) * 3600:+d}" for moment in moments)
    return f"clock{jumps}", {"RETHINK_FAULT": f"clock{jumps}", "LD_PRELOAD": str(bench.clock)}


FAULTS: dict[str, Fault] = {
    "full disk": lambda bench, stage, chance: (bench.fill(stage, chance), {}),
    "read-only": read_only,
    "no rename over": lambda *_: ("no rename over", {"RETHINK_FAULT": "rename"}),
    "clock": clock,
    "memory": lambda *_: ("1 GiB", {"RETHINK_FAULT": "memory:1024"}),
}
# chance decides in the first and fourth, so they come more often; every pair comes soon
TIMES = dict(zip(FAULTS, (6, 1, 1, 2, 1), strict=True))
ROUND = [(stage, fault) for turn in range(max(TIMES.values()))
         for fault, times in TIMES.items() if turn < times for stage in STAGES]  # fmt: skip


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A folder that is a file system of its own."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def report(ledger: Ledger) -> int:
    """What became of the cases of each stage and fault; tells how many were wrong."""
    print("stage      " + "".join(f"{fault:>20}" for fault in FAULTS))
    counts, wrong = ledger.data["counts"], ledger.data["wrong"]
    for stage in STAGES:
        known = [counts.get(f"{stage}, {fault}", {}) for fault in FAULTS]
        shown = [f"{k.get('right', 0)} right, {k.get('refused', 0)} refused" for k in known]
        print(f"{stage:10} " + "".join(f"{text:>20}" for text in shown))
    total = sum(n for known in counts.values() for n in known.values())
    print(f"{total} cases, {len(wrong)} wrong; {machine()}")
    for line in wrong:
        print(f"    {line}")
    return len(wrong)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=440, help="in all, with those of the ledger")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--faults", nargs="+", choices=FAULTS, default=list(FAULTS))
    parser.add_argument("--minutes", type=float, default=1e9, help="begin nothing after so many")
    parser.add_argument("--anew", action="store_true", help="forget what the ledger has")
    args = parser.parse_args()
    if os.getuid():
        raise SystemExit("a full disk is a small file system here: to mount one, be root")
    ledger, end = Ledger("faults", args.anew), time.monotonic() + 60 * args.minutes
    counts, wrong = ledger.data.setdefault("counts", {}), ledger.data.setdefault("wrong", [])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_project(folder / "project")
        with ExitStack() as stack:
            stack.enter_context(small_disk(folder / "disk"))
            bench = stack.enter_context(closing(Bench(folder / "project", folder)))
            again = [int(line.split(",")[0].removeprefix("case ")) for line in wrong]
            for number in [*again, *range(ledger.data.get("next", 0), args.cases)]:
                stage, fault = ROUND[number % len(ROUND)]
                if stage not in args.stages or fault not in args.faults:
                    continue
                if time.monotonic() > end:
                    break
                if number in again:  # perhaps it was mended
                    del wrong[0]
                    counts[f"{stage}, {fault}"]["wrong"] -= 1
                # a fork has more in memory than a stage that starts as yours does
                cold = number % COLD == 0 or fault == "memory"
                try:
                    outcome = bench.case(stage, fault, random.Random(number), cold)
                except (Wrong, subprocess.TimeoutExpired) as error:
                    outcome = "wrong"
                    wrong.append(f"case {number}, {stage}, {fault}: {error!s:.3000}")
                    print(wrong[-1], file=sys.stderr, flush=True)
                known = counts.setdefault(f"{stage}, {fault}", {})
                known[outcome] = known.get(outcome, 0) + 1
                ledger.data["next"] = max(number + 1, ledger.data.get("next", 0))
                ledger.save()
    return 1 if report(ledger) else 0


if __name__ == "__main__":
    sys.exit(main())
