"""The first edition's way to train nets beside ours: scores and CPU seconds, one thread.

python -m benchmarks.protocol --published paper --splits 10    the proof: six sets, four costs
python -m benchmarks.protocol --sets emotions scene --costs f1 rank
python -m benchmarks.protocol --sets yeast --set batch_size=512    a variant of ours

Both choose on the training part of the stored splits and are scored on the rest. The first edition:
Nadam at the constant rate .002, batches of 256, one penalty, epochs on three folds up to 250.
With `--published`, ours are the cells of that run, with the CPU seconds they took there.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import yaml

from rethink.costs import COSTS, get_cost
from rethink.models import get_model
from rethink.scaling import UnitScaler
from rethink.search import search_and_fit
from rethink.seeds import derive_seed
from rethink.statistics.paired import corrected_t
from rethink.tables import encode
from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.published import RUNS, SCORES
from stages.common.tables import read_table
from stages.prepare.readers import read_dataset
from stages.split import split_rows

MIRROR = Path(
    os.environ.get("RETHINK_MIRROR", Path(__file__).resolve().parents[2] / "shared" / "mirror")
)
SMALL = ["emotions", "scene", "yeast", "birds", "medical", "cal500"]
FIRST_EDITION = {
    "batch_size": 256,
    "learning_rate": 0.002,
    "schedule": "constant",
    "average": False,
    "stopping": "folds",
    "most_epochs": 250,
    "patience": 60,
}


def load(name):
    """Features and labels from the mirror, as the stage `prepare` reads them."""
    entry = load_catalog().entry(name)
    source = next(s for s in entry.sources if s.mirror and (MIRROR / s.mirror).is_dir())
    raw = read_dataset(source, MIRROR / source.mirror)
    return encode(raw.features, entry.nominal)[0], raw.labels


def score(model, settings, penalties, data, name, cost, split):
    """The test score of one cell, its CPU seconds and what was chosen."""
    X, Y = data
    train = split_rows(name, len(Y), split)
    X = UnitScaler().fit(X[train]).transform(X)
    seed = derive_seed("model", name, split)
    net = get_model(model)(random_state=seed, device="cpu").set_params(**settings)
    started = time.process_time()
    folds = derive_seed("folds", name, split)
    fits = search_and_fit(net, {"l2": penalties}, X[train], Y[train], [cost], seed=folds)
    [(chosen, fitted)] = list(fits)
    used = time.process_time() - started
    known = {"epochs": fitted.epochs_} | chosen.params  # a search need not choose them
    return get_cost(cost)(Y[~train], fitted.predict(X[~train])).mean(), used, known


def read_run(run):
    """The test score, CPU seconds and choice of every cell of a published run, by its names."""
    cell = ["dataset", "model", "cost", "seed"]
    scores = read_table(paths.RESULTS / run / SCORES).to_pandas()
    own = scores["criterion"].eq(scores["cost"]) & scores["empty"].eq(1)
    last = scores["part"].eq("test") & scores["last"]
    runs = read_table(paths.RESULTS / run / RUNS).to_pandas().set_index(cell)
    cells = scores[own & last].set_index(cell)["value"].to_frame().join(runs)
    return {
        names: (row["value"], row["seconds"], json.loads(row["chosen"]))
        for names, row in cells.iterrows()
    }


def compare(name, cost, first, ours):
    """One line: means of both, their CPU seconds, and the corrected resampled t-test; returns p,
    the gain and both CPU times."""
    (before, then, _), (after, now, chosen) = (zip(*rows, strict=True) for rows in (first, ours))
    greater = get_cost(cost).greater_is_better
    p = corrected_t(after, before, greater).p
    gain = (np.mean(after) / np.mean(before) - 1) * (1 if greater else -1)
    epochs = " ".join(f"{point['epochs']}/{point['l2']:g}" for point in chosen)
    print(
        f"{name:12} {cost:9} {np.mean(before):8.4f} {np.mean(after):8.4f} {gain:7.1%} "
        f"{'' if p is None else f'{p:.3f}':>6} {sum(then):7.1f} {sum(now):7.1f}  {epochs}",
        flush=True,
    )
    return p, gain, sum(then), sum(now)


def summarize(lines):
    """What the whole table shows; the smallest p of worse lines counts as one of so many."""
    ps, gains, then, now = (np.array(column, float) for column in zip(*lines, strict=True))
    worse = [p for p, gain in zip(ps, gains, strict=True) if gain < 0 and not np.isnan(p)]
    print(
        f"{len(lines)} lines: ours is better in {np.sum(gains > 0)}, by {gains.mean():.1%} on "
        f"average; CPU seconds {then.sum():.0f} and {now.sum():.0f}, {then.sum() / now.sum():.1f} "
        "times"
    )
    if worse:
        least = min(1.0, min(worse) * len(lines))
        print(f"the smallest p of a line that is worse, of {len(lines)} (Bonferroni): {least:.3f}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="RethinkNet")
    parser.add_argument("--sets", nargs="+", default=SMALL)
    parser.add_argument("--costs", nargs="+", default=list(COSTS), choices=list(COSTS))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--begin", type=int, default=0, help="the first split")
    parser.add_argument("--penalties", nargs="+", type=float, default=[1e-5, 1e-7])
    parser.add_argument("--published", metavar="RUN", help="take ours from results/RUN")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", dest="changes")
    options = parser.parse_args()
    changes = {k: yaml.safe_load(v) for k, v in (change.split("=") for change in options.changes)}
    splits = range(options.begin, options.begin + options.splits)
    known = read_run(options.published) if options.published else {}
    head = f"{'set':12} {'cost':9} {'first':>8} {'ours':>8} {'gain':>7} {'p':>6} {'CPU s':>7}"
    print(head, f"{'CPU s':>7}  epochs/l2")
    lines = []
    for name in options.sets:
        data = load(name)
        for cost in options.costs:
            place = data, name, cost
            first = [score(options.model, FIRST_EDITION, [1e-5], *place, n) for n in splits]
            ours = [
                known.get((name, options.model, cost, split))
                or score(options.model, changes, options.penalties, *place, split)
                for split in splits
            ]
            lines.append(compare(name, cost, first, ours))
    summarize(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
