"""Our ARFF reader beside liac-arff: CPU seconds, the best of three, in one run.

python -m benchmarks.arff
"""

import os
import sys
import time
from pathlib import Path

import arff as liac

from stages.prepare.arff import read_arff

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "mirror"
MULAN = "mulan/data/multi-label"
FILES = (
    f"{MULAN}/emotions/emotions.arff",
    f"{MULAN}/scene/scene.arff",
    f"{MULAN}/yeast/yeast.arff",
    f"{MULAN}/birds/birds-train.arff",
    f"{MULAN}/tmc2007/tmc2007-500.arff",
    "Boomer-Datasets/yahoo-arts.arff",
    f"{MULAN}/medical/medical.arff",
    f"{MULAN}/enron/enron.arff",
    f"{MULAN}/bibtex/bibtex.arff",
    f"{MULAN}/cal500/cal500.arff",
    f"{MULAN}/corel5k/Corel5k-sparse.arff",
)


def read_with_liac(path):
    with path.open(encoding="utf-8") as file:
        text = file.read()
    sparse = text.partition("@data")[2].lstrip().startswith("{")
    liac.loads(text, return_type=liac.LOD if sparse else liac.DENSE)


def seconds(read, path):
    start = time.process_time()
    read(path)
    return time.process_time() - start


def best_of_three(path):
    """Both readers in turn, so that a busy machine slows both."""
    rounds = [(seconds(read_with_liac, path), seconds(read_arff, path)) for _ in range(3)]
    return tuple(min(times) for times in zip(*rounds, strict=True))


def main():
    mirror = Path(os.environ.get("RETHINK_MIRROR", BESIDE))
    paths = [mirror / name for name in FILES if (mirror / name).is_file()]
    if not paths:
        print(f"no data sets in {mirror}: set RETHINK_MIRROR to the folder of the mirror")
        return 1
    print(f"{'file':22} {'liac-arff s':>12} {'ours s':>8} {'ratio':>6}")
    rows = [(path.name, *best_of_three(path)) for path in paths]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    for name, theirs, ours in rows:
        print(f"{name:22} {theirs:12.3f} {ours:8.3f} {theirs / ours:6.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
