"""Hostile inputs for every reader: `python -m torture.hostile --inputs 1000000`.

Each input is made from its number alone, so one that does harm can be made again:
`python -m torture.hostile --show arff 4711`. The count is kept and a run goes on from it. A child
process reads a batch of inputs, with a limit of memory, and watches what it does: files written
outside its folder, connections, processes, pickles. More than a second of CPU time is a hang.
"""

import argparse
import contextlib
import faulthandler
import io
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from torture.ledger import Ledger, machine
from torture.targets import TARGETS, Target

SLOW = 1.0  # seconds of CPU time for one input
STUCK = 300  # seconds after which a reader is stopped; a busy machine is slow
LOOK = 500  # inputs that share a watchdog: to wind it up anew costs more than to read one
MEMORY = 1 << 30  # bytes that reading may take, beside what the program takes
BATCH = 50_000  # of one reader, in one child
ROUND = 200_000  # of all readers together
KEPT = 20  # harmful inputs of each target that the ledger keeps
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate")
NEVER = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec",
         "os.posix_spawn", "pickle.find_class")  # fmt: skip


class Watch:
    """What the process does to the world; only changes below a folder are fine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.on, self.seen = str(folder), False, list[str]()
        sys.addaudithook(self.hear)

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """Note what must not be."""
        if not self.on:
            return
        if event in NEVER:
            self.seen.append(f"{event} {args!r:.200}")
        elif (
            event == "open" and isinstance(args[2], int) and args[2] & WRITES
        ) or event in CHANGES:
            both = event in ("os.rename", "os.link", "os.symlink")
            numbers = [arg for arg in args[1 + both :] if isinstance(arg, int)]
            folders = [] if event == "open" else numbers
            for path, folder in zip(
                args[: 1 + both], [*folders[-1 - both :], -1, -1], strict=False
            ):
                if isinstance(path, str | bytes | os.PathLike) and not self.inside(path, folder):
                    self.seen.append(f"{event} {path!r:.200}")

    def inside(self, path: str | bytes | os.PathLike[str], folder: int) -> bool:
        """Whether a path, perhaps below an open folder, leads into the one that is watched."""
        base = Path(f"/proc/self/fd/{folder}").readlink() if folder > 2 else Path.cwd()
        whole = os.path.normpath(base / os.fsdecode(path))
        return whole == os.devnull or whole.startswith(self.folder + "/")


def hostile(name: str, number: int, valid: list[dict[str, bytes]]) -> dict[str, bytes]:
    """The input with this number."""
    return TARGETS[name].inputs(valid, Random(f"{name} {number}"))


def outcome(target: Target, files: dict[str, bytes], folder: Path, watch: Watch) -> tuple[str, str]:
    """What became of an input, `read`, `refused` or what is wrong, and details."""
    place = folder / "input"
    place.mkdir()
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    watch.on, watch.seen, started = True, [], time.process_time()
    kind, detail = "read", ""
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # warnings of damaged cells
            target.read(place)
    except target.refusals as error:
        kind = "refused"
        detail = "" if str(error).strip() else f"an error without text: {type(error).__name__}"
    except MemoryError:
        kind, detail = "memory", traceback.format_exc(limit=-3)
    except Exception as error:
        kind, detail = type(error).__name__, traceback.format_exc(limit=-4)
    seconds = time.process_time() - started
    watch.on = False
    if watch.seen or sorted(path.name for path in folder.iterdir()) != ["input", "outside"]:
        kind, detail = "outside", f"{watch.seen}"
    elif seconds > SLOW:
        kind, detail = "hang", f"{seconds:.1f} s {detail}"
    elif kind == "refused" and detail:
        kind = "silent"
    shutil.rmtree(place)
    return kind, detail


def read_batch(name: str, first: int, last: int, progress: Path) -> None:
    """Read inputs in this process and print what became of them."""
    target = TARGETS[name]
    valid = target.make()
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as scratch:
        folder = Path(scratch).resolve()
        (folder / "outside").write_text("untouched")
        os.chdir(_setting(folder.parent / f"{folder.name}.project"))
        watch = Watch(folder)
        for files in valid:  # imports and caches do not count; they need memory, too
            outcome(target, files, folder, watch)
        limit_memory()
        counts: Counter[str] = Counter()
        faults = []
        faulthandler.dump_traceback_later(STUCK, exit=True)
        with progress.open("w") as now:
            for number in range(first, last):
                if number % LOOK == 0:
                    faulthandler.dump_traceback_later(STUCK, exit=True)
                now.seek(0)
                now.write(f"{number:>20}")
                now.flush()
                kind, detail = outcome(target, hostile(name, number, valid), folder, watch)
                counts[kind] += 1
                if kind not in ("read", "refused"):
                    faults.append({"number": number, "kind": kind, "detail": detail})
        faulthandler.cancel_dump_traceback_later()
        shutil.rmtree(Path.cwd())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"counts": counts, "found": faults[:KEPT], "peak": peak}))


def _setting(folder: Path) -> Path:
    """The project that readers of parameters look into."""
    from torture.examples import CATALOG

    (folder / "data").mkdir(parents=True)
    (folder / "data" / "catalog.yaml").write_text(json.dumps(CATALOG))
    return folder


def limit_memory() -> None:
    """Let this process take no more than `MEMORY` beside what it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def run_batch(name: str, first: int, last: int, ledger: Ledger) -> None:
    """Have a child read inputs; one that kills it is noted, and the next child goes on after it."""
    progress = ledger.path.with_suffix(f".{name}.now")
    command = [
        sys.executable,
        "-m",
        "torture.hostile",
        "--batch",
        name,
        str(first),
        str(last),
        str(progress),
    ]
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
    done = subprocess.run(command, env=os.environ | quiet, capture_output=True, text=True)
    entry = ledger.data.setdefault(name, {"inputs": 0, "counts": {}, "found": [], "peak": 0})
    if done.returncode == 0:
        outcome = json.loads(done.stdout.splitlines()[-1])
    else:
        if not progress.exists():
            raise SystemExit(done.stderr)
        last = int(progress.read_text()) + 1
        kind = "hang" if "Timeout (" in done.stderr else "crash"
        detail = f"exit {done.returncode}: {done.stderr[-1500:]}"
        outcome = {"counts": {kind: 1, "lost": last - first - 1}, "peak": 0}
        outcome["found"] = [{"number": last - 1, "kind": kind, "detail": detail}]
    progress.unlink(missing_ok=True)
    entry["inputs"] = last
    entry["counts"] = dict(Counter(entry["counts"]) + Counter(outcome["counts"]))
    entry["found"] = (entry["found"] + outcome["found"])[:KEPT]
    entry["peak"] = max(entry["peak"], outcome["peak"])
    ledger.save()


def read_again(ledger: Ledger) -> None:
    """Read the inputs that did harm again: of those that do none any more, the code was mended."""
    for name, entry in ledger.data.items():
        for fault in list(entry["found"]):
            trial = Trial(ledger.path)
            run_batch(name, fault["number"], fault["number"] + 1, trial)
            counts = trial.data[name]["counts"]
            if counts.keys() <= {"read", "refused"}:
                entry["found"].remove(fault)
                gone = Counter(entry["counts"]) - Counter([fault["kind"]])
                entry["counts"] = dict(gone + Counter(counts))
                entry["mended"] = entry.get("mended", 0) + 1
    ledger.save()


class Trial(Ledger):
    """A ledger that is not kept."""

    def __init__(self, path: Path) -> None:
        self.path, self.data = path, {}

    def save(self) -> None:
        """Keep nothing."""


def report(ledger: Ledger) -> int:
    """A line for each reader; the number of inputs that something was wrong with."""
    total: Counter[str] = Counter()
    print(f"{'reader':10} {'inputs':>9} {'read':>8} {'refused':>8} {'wrong':>6}  peak memory")
    for name, entry in ledger.data.items():
        counts = Counter(entry["counts"])
        wrong = sum(counts.values()) - counts["read"] - counts["refused"] - counts["lost"]
        print(f"{name:10} {entry['inputs']:>9,} {counts['read']:>8,} {counts['refused']:>8,} "
              f"{wrong:>6}  {entry['peak'] / 2**20:.0f} MiB")  # fmt: skip
        for fault in entry["found"][:5]:
            print(f"    {fault['kind']}: --show {name} {fault['number']}")
        total.update({"inputs": entry["inputs"], "wrong": wrong})
    print(f"{total['inputs']:,} inputs, {total['wrong']} wrong; {machine()}")
    return total["wrong"]


def show(name: str, number: int) -> None:
    """Make an input again and read it, with the whole error."""
    valid = TARGETS[name].make()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.chdir(_setting(folder / "project"))
        for file, content in hostile(name, number, valid).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
            print(f"--- {file}\n{content[:3000]!r}")
        TARGETS[name].read(folder)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000, help="of all readers together")
    parser.add_argument("--only", choices=TARGETS, action="append", help="only this reader")
    parser.add_argument("--anew", action="store_true", help="forget what was counted")
    parser.add_argument(
        "--show", nargs=2, metavar=("READER", "NUMBER"), help="read one input again"
    )
    parser.add_argument("--batch", nargs=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.batch:
        name, first, last, progress = args.batch
        read_batch(name, int(first), int(last), Path(progress))
        return 0
    if args.show:
        show(args.show[0], int(args.show[1]))
        return 0
    ledger = Ledger("hostile", anew=args.anew)
    read_again(ledger)
    for total in [*range(ROUND, args.inputs, ROUND), args.inputs]:  # all readers have their turn
        for name in args.only or TARGETS:
            wanted = total * TARGETS[name].share // 1000
            while (done := ledger.data.get(name, {}).get("inputs", 0)) < wanted:
                run_batch(name, done, min(wanted, done + BATCH), ledger)
    return 1 if report(ledger) else 0


if __name__ == "__main__":
    sys.exit(main())
