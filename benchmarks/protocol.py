"""The first edition's way to train nets beside ours: scores and CPU seconds, one thread.

python -m benchmarks.protocol --sets emotions scene --costs f1 rank --splits 3
python -m benchmarks.protocol --sets yeast --set batch_size=512    a variant of ours

Both choose on the training part of the stored splits and are scored on the rest. The first edition:
Nadam at the constant rate .002, batches of 256, epochs chosen on three folds up to 250.
"""

import argparse
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
from stages.common.catalog import load_catalog
from stages.prepare.readers import read_dataset
from stages.split import split_rows

MIRROR = Path(
    os.environ.get("RETHINK_MIRROR", Path(__file__).resolve().parents[2] / "shared" / "mirror")
)
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
    return get_cost(cost)(Y[~train], fitted.predict(X[~train])).mean(), used, chosen.params


def compare(model, name, cost, splits, settings, penalties):
    """One line: means of both, their CPU seconds, and the corrected resampled t-test."""
    data, scores = load(name), {"first": [], "ours": []}
    for split in splits:
        scores["first"].append(score(model, FIRST_EDITION, [1e-5], data, name, cost, split))
        scores["ours"].append(score(model, settings, penalties, data, name, cost, split))
    columns = [list(zip(*rows, strict=True)) for rows in scores.values()]
    (first, before, _), (ours, after, chosen) = columns
    test = corrected_t(ours, first, get_cost(cost).greater_is_better)
    p = "" if test.p is None else f"{test.p:.3f}"
    epochs = " ".join(f"{point['epochs']}/{point['l2']:g}" for point in chosen)
    print(
        f"{name:12} {cost:9} {np.mean(first):8.4f} {np.mean(ours):8.4f} {p:>6} "
        f"{sum(before):7.1f} {sum(after):7.1f}  {epochs}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="RethinkNet")
    parser.add_argument("--sets", nargs="+", default=["emotions", "scene"])
    parser.add_argument("--costs", nargs="+", default=["f1", "rank"], choices=list(COSTS))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--begin", type=int, default=0, help="the first split")
    parser.add_argument("--penalties", nargs="+", type=float, default=[1e-5])
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE", dest="changes")
    options = parser.parse_args()
    changes = {k: yaml.safe_load(v) for k, v in (change.split("=") for change in options.changes)}
    splits = range(options.begin, options.begin + options.splits)
    print(
        f"{'set':12} {'cost':9} {'first':>8} {'ours':>8} {'p':>6} {'CPU s':>7} {'CPU s':>7}",
        "epochs/l2",
    )
    for name in options.sets:
        for cost in options.costs:
            compare(options.model, name, cost, splits, changes, options.penalties)
    return 0


if __name__ == "__main__":
    sys.exit(main())
