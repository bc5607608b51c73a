"""The order search of CC-DP beside its plain recurrence: CPU seconds, both in one run.

python -m benchmarks.ordering            # emotions and yeast; random sets if the mirror is absent
python -m benchmarks.ordering --cal500   # all 174 labels, accelerated only: some minutes
"""

import argparse
import os
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np

from rethink.ordering import ChainCosts, dp_order, first_least
from rethink.scaling import UnitScaler
from rethink.synthetic import generate
from stages.common.catalog import load_catalog
from stages.prepare.readers import read_dataset

ROOT = Path(__file__).resolve().parents[1]
MIRROR = Path(os.environ.get("RETHINK_MIRROR", ROOT.parent / "shared" / "mirror"))
C = 0.1


def training_part(name):
    """Three quarters of the rows, scaled; None without the files."""
    sources = load_catalog(ROOT / "data" / "catalog.yaml").datasets[name].sources
    folder = MIRROR / next(source.mirror for source in sources if source.mirror)
    if not folder.is_dir():
        return None
    raw = read_dataset(next(source for source in sources if source.mirror), folder)
    rows = np.random.default_rng(0).permutation(len(raw.labels))[: round(0.75 * len(raw.labels))]
    return UnitScaler().fit_transform(raw.features.matrix[rows]), raw.labels[rows]


def random_set(K, d, n):
    sample = generate("logistic-chain", instances=n, features=d, labels=K, seed=0)
    return (sample.X + 1) / 2, sample.Y


def plain_order(X, Y, C):
    """The recurrence as it is written, every machine from scratch, once for each set."""
    costs, labels = ChainCosts(X, Y, C), range(Y.shape[1])

    @cache
    def cost(i, members):
        w = costs.solve(i, sorted(members))
        return w @ w

    chains = {i: (cost(i, frozenset()), (i,)) for i in labels}
    for _ in labels[1:]:
        longer = {}
        for i in labels:
            before = [chain for chain in chains.values() if i not in chain[1]]
            values = np.array([value + cost(i, frozenset(order)) for value, order in before])
            if len(values):
                best = first_least(values)
                longer[i] = (values[best], (*before[best][1], i))
        chains = longer
    ends = list(chains.values())
    return ends[first_least(np.array([value for value, _ in ends]))][1]


def seconds(search, X, Y):
    start = time.process_time()
    result = search(X, Y, C)
    return time.process_time() - start, result


def compare(name, X, Y):
    fast, result = seconds(dp_order, X, Y)
    slow, order = seconds(plain_order, X, Y)
    same = "same order" if result.labels == order else "ORDERS DIFFER"
    print(
        f"{name:10} {Y.shape[1]:3} {slow:9.2f} {fast:9.2f} {slow / fast:6.1f}  {same}", flush=True
    )
    return result.labels == order


def cal500():
    part = training_part("cal500")
    if part is None:
        print(f"no cal500 in {MIRROR}: set RETHINK_MIRROR to the folder of the mirror")
        return 1
    spent, result = seconds(dp_order, *part)
    print(f"CAL500, C={C}: {spent:.0f} CPU s, {result.solved} solves of {result.pairs} pairs")
    print(f"sum of |w|² {result.value:.4f}, order {' '.join(map(str, result.labels))}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cal500", action="store_true", help="search the order of CAL500")
    if parser.parse_args().cal500:
        return cal500()
    sets = {name: training_part(name) for name in ("emotions", "birds", "yeast")}
    sets = {name: part for name, part in sets.items() if part is not None}
    sets = sets or {"random-6": random_set(6, 72, 450), "random-12": random_set(12, 100, 1800)}
    print(f"{'set':10} {'K':>3} {'plain s':>9} {'ours s':>9} {'ratio':>6}")
    agree = [compare(name, *part) for name, part in sets.items()]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
