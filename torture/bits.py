"""The same cells in many ways: `python -m torture.bits --python /path/to/another/python`.

One worker computes small cells of every family of models. Then more workers do, in another order,
under another locale, time zone, hash seed and umask, and in another installation: their predictions
must be equal to the byte. With the instructions of an older processor libraries round in another
way: there the scores must agree within `TOLERANCE`.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from stages.common.tables import read_table
from torture.ledger import Ledger, machine

ROOT = Path(__file__).parents[1]
MODELS = ["BR-LR+rule", "ET+rule", "CC", "CC-DP", "CC-RNN", "PCC", "CFT", "BR", "RethinkNet"]
# Of each library, by its own variable: NumPy, OpenBLAS below NumPy and SciPy, torch, oneDNN, MKL.
OLD_PROCESSOR = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL",
    "OPENBLAS_CORETYPE": "Nehalem",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "SSE41",
    "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
}
TOLERANCE = 0.05  # of a score, or of its size above 1: a row or two of a small test part

Cells = dict[str, bytes]
Scores = dict[tuple[Any, ...], float]


class Way(NamedTuple):
    """How a run differs from that of one worker in peace."""

    workers: int = 1
    umask: int = -1  # as it is
    env: Mapping[str, str] = MappingProxyType({})
    change: Callable[[Any], None] = lambda params: None
    python: str = sys.executable


def shuffle(params: Any) -> None:
    """Another order of models and costs."""
    for name in ("models", "costs"):
        random.Random(1).shuffle(params["experiments"]["algorithms"][name])


WAYS = {
    "2 workers": Way(workers=2),
    "4 workers": Way(workers=4),
    "another order": Way(workers=2, change=shuffle),
    "another locale": Way(env={"LC_ALL": "C", "LANG": "C"}),
    "another time zone": Way(env={"TZ": "Asia/Kathmandu"}),
    "another hash seed": Way(env={"PYTHONHASHSEED": "4321"}),
    "another umask": Way(umask=0o077),
}

OTHER_MACHINE = {"an older processor": Way(env=OLD_PROCESSOR)}  # `TOLERANCE` holds here


def run(folder: Path, module: str, *arguments: str, way: Way | None = None) -> None:
    """A command of the project, in an interpreter of its own."""
    way = way or Way()
    path = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [way.python, "-m", module, *arguments],
        cwd=folder, env={**os.environ, **path, **way.env}, umask=way.umask,
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{module}: {done.stdout}{done.stderr}")


def make_project(folder: Path) -> None:
    """The data set of the profile `smoke`, prepared, and one split of the models above."""
    (folder / "data").mkdir(parents=True)
    for name in ("params.yaml", "data/catalog.yaml"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("profiles", "data/listings"):
        shutil.copytree(ROOT / name, folder / name)
    run(folder, "stages.common.profile", "smoke")
    params = yaml.safe_load((folder / "params.yaml").read_text())
    costs = params["experiments"]["algorithms"]["costs"]
    params["experiments"] = {"algorithms": {"models": MODELS, "costs": costs}}
    params["train"]["seeds"] = 1
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    for stage in ("fetch", "features", "prepare", "split"):
        run(folder, f"stages.{stage}", "--dataset", "tiny")


def compute(project: Path, folder: Path, way: Way) -> tuple[Cells, Scores]:
    """The predictions of all cells and their scores on the test part."""
    shutil.copytree(project, folder)
    params = yaml.safe_load((folder / "params.yaml").read_text())
    way.change(params)
    (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    run(folder, "stages.train", "--workers", str(way.workers), way=way)
    run(folder, "stages.evaluate")
    store = folder / "data" / "cells"
    cells = {
        str(path.parents[1].relative_to(store)): path.read_bytes()
        for path in sorted(store.rglob("predictions.parquet"))
    }
    return cells, scores_in(folder)


def scores_in(folder: Path) -> Scores:
    """The last scores on the test part, by model, cost, seed, criterion and convention."""
    place = ("model", "cost", "seed", "criterion", "empty")
    rows = read_table(folder / "data" / "scores.parquet").to_pylist()
    test = [row for row in rows if row["part"] == "test" and row["last"]]
    return {tuple(row[name] for name in place): row["value"] for row in test}


def apart(one: Scores, other: Scores) -> float:
    """The largest difference of a score, relative to its size where that is above 1."""
    assert one.keys() == other.keys()
    return max(abs(one[place] - other[place]) / max(1, abs(one[place])) for place in one)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", nargs="*", default=[], help="of other installations")
    args = parser.parse_args()
    others = {f"installation of {python}": Way(python=python) for python in args.python}
    ledger, wrong = Ledger("bits", anew=True), 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_project(folder / "project")
        cells, scores = compute(folder / "project", folder / "peace", Way())
        print(f"{len(cells)} cells of {len(MODELS)} models by one worker; {machine()}", flush=True)
        for number, (name, way) in enumerate((WAYS | others | OTHER_MACHINE).items()):
            mine, theirs = compute(folder / "project", folder / str(number), way)
            equal, distance = (
                sum(mine.get(cell) == cells[cell] for cell in cells),
                apart(scores, theirs),
            )
            shown = "another installation" if name in others else name
            ledger.data[shown] = {"cells": len(cells), "equal": equal, "apart": distance}
            ledger.save()
            broken = len(cells) - equal + len(mine.keys() - cells.keys())
            wrong += distance > TOLERANCE if name in OTHER_MACHINE else broken
            print(
                f"{name}: {equal} of {len(cells)} cells equal, scores {distance:.3g} apart",
                flush=True,
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
