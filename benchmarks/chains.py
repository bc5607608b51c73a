"""Searches of classifier chains beside scikit-learn's, in CPU seconds of one run, one thread.

python -m benchmarks.chains [data set ...]

Nine strengths and three folds on yeast, medical and enron. The peer fits every chain from scratch
with scikit-learn's ClassifierChain and LogisticRegression (liblinear) at its default tolerance; for
the probabilistic chain it then predicts with our rules from its own fits. liblinear stops early by
default, so the probabilities are compared with those of liblinear at a tight tolerance, not timed.
That is for our chains as they are refitted; those of the search stop at ENOUGH_TO_CHOOSE.
The peer of the filter tree (CFT) fits each label of each round with liblinear on its merged nodes,
for three strengths and the first fold.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is loaded

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as PeerChain
from sklearn.multioutput import MultiOutputClassifier

from rethink.costs import COSTS, get_cost
from rethink.linear import fit_single
from rethink.models.chain import ClassifierChain
from rethink.models.filter_tree import CondensedFilterTree, Training, Truth
from rethink.models.logistic import LogisticRelevance
from rethink.models.probabilistic import ProbabilisticChain
from rethink.scaling import UnitScaler
from rethink.search import fold_rows, search
from rethink.svm import append_columns
from rethink.tables import encode
from stages.common.catalog import load_catalog
from stages.prepare.readers import read_dataset

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "mirror"
STRENGTHS = [10.0**power for power in range(-4, 5)]
COMPARED = (1e-4, 1.0, 1e4)
FOLDS, SEED = 3, 0


def load(name, mirror):
    entry = load_catalog().datasets[name]
    source = next(s for s in entry.sources if s.format == "arff")
    raw = read_dataset(source, mirror / source.mirror)
    features, _ = encode(raw.features, entry.nominal)
    n = len(raw.labels)
    train = np.sort(np.random.default_rng(SEED).permutation(n)[: n * 3 // 4])
    return UnitScaler().fit_transform(features[train]), raw.labels[train]


def varying(Y, parts):
    """Labels that have both values outside each fold: the peer cannot fit others."""
    kept = [np.delete(Y, held, axis=0) for held in parts]
    return np.all([(rows.min(axis=0) < rows.max(axis=0)) for rows in kept], axis=0)


def peer_chain(C, **options):
    return PeerChain(LogisticRegression(C=C, solver="liblinear", max_iter=100_000, **options))


def as_ours(peer, X, Y, C):
    """Our probabilistic chain with the coefficients of the peer."""
    model = ProbabilisticChain(C=C, random_state=SEED)
    model._begin(X, Y)
    d, labels = X.shape[1], Y.shape[1]
    coefficients = np.zeros((labels, d + labels + 1))
    for label, link in enumerate(peer.estimators_):
        coefficients[label, : d + label] = link.coef_[0]
        coefficients[label, -1] = link.intercept_[0]
    return model._keep(coefficients)


def peer_tree(X, Y, C, cost):
    training = Training(Truth(X, Y, cost), C)
    for _ in range(8):
        on = training.examples
        for label in range(Y.shape[1]):
            nodes = on.nodes(label)
            Z = append_columns(X[on.row[nodes]], on.path[nodes, :label].astype(float))
            weight = np.add.reduceat(on.weight[:, label], nodes)
            w = fit_single(Z, Y[on.row[nodes], label], C, weight, tolerance=1e-4)
            training._keep(label, w)
        training.add_path(training.follow(X))


def compare_trees(name, X, Y, parts):
    kept, cost = np.setdiff1d(np.arange(len(Y)), parts[0]), get_cost("f1")
    X, Y, start = X[kept], Y[kept], time.process_time()
    CondensedFilterTree(cost).fit_path(X, Y, COMPARED)
    ours, start = time.process_time() - start, time.process_time()
    for C in COMPARED:
        peer_tree(X, Y, C, cost)
    show(name, "CFT", time.process_time() - start, ours)


def peer_relevance(X, Y, parts):
    start = time.process_time()
    for C in STRENGTHS:
        for held in parts:
            kept = np.setdiff1d(np.arange(len(Y)), held)
            peer = MultiOutputClassifier(LogisticRegression(C=C, solver="liblinear"))
            peer.fit(X[kept], Y[kept]).predict(X[held])
    return time.process_time() - start


def show(name, title, theirs, ours):
    print(f"{name:10} {title:4} {theirs:14.2f} {ours:8.2f} {theirs / ours:6.1f}", flush=True)


def peer_search(X, Y, parts, probabilistic):
    start = time.process_time()
    for C in STRENGTHS:
        for held in parts:
            kept = np.setdiff1d(np.arange(len(Y)), held)
            peer = peer_chain(C).fit(X[kept], Y[kept])
            if probabilistic:
                model = as_ours(peer, X[kept], Y[kept], C)
                predictions = model.predict_costs(X[held], list(COSTS))
            else:
                predictions = [peer.predict(X[held])] * len(COSTS)
            for cost, P in zip(COSTS.values(), predictions, strict=True):
                cost(Y[held], P).mean()
    return time.process_time() - start


def our_search(model, X, Y):
    start = time.process_time()
    search(model, {"C": STRENGTHS}, X, Y, COSTS, folds=FOLDS, seed=SEED)
    return time.process_time() - start


def largest_difference(X, Y, parts):
    """Between our probabilities along the chain and the peer's at the tight optimum."""
    kept, worst = np.setdiff1d(np.arange(len(Y)), parts[0]), 0.0
    for C in COMPARED:
        peer = peer_chain(C, tol=1e-10).fit(X[kept], Y[kept])
        theirs = peer.predict_proba(X[parts[0]])
        ours = ClassifierChain(C=C).fit(X[kept], Y[kept]).predict_proba(X[parts[0]])
        worst = max(worst, np.abs(ours - theirs).max())
    return worst


def compare(name, mirror):
    X, Y = load(name, mirror)
    parts = fold_rows(len(Y), FOLDS, SEED)
    Y = Y[:, varying(Y, parts)]
    for title, model in (
        ("CC", ClassifierChain()),
        ("PCC", ProbabilisticChain(random_state=SEED)),
    ):
        ours = our_search(model, X, Y)
        theirs = peer_search(X, Y, parts, title == "PCC")
        show(name, title, theirs, ours)
    show(name, "BR", peer_relevance(X, Y, parts), our_search(LogisticRelevance(), X, Y))
    compare_trees(name, X, Y, parts)
    print(f"{name:10} largest difference of a probability: {largest_difference(X, Y, parts):.1e}")


def main(names):
    mirror = Path(os.environ.get("RETHINK_MIRROR", BESIDE))
    if not mirror.is_dir():
        print(f"no data sets in {mirror}: set RETHINK_MIRROR to the folder of the mirror")
        return 1
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FutureWarning)
    print(f"{'data set':10} {'':4} {'scikit-learn s':>14} {'ours s':>8} {'ratio':>6}")
    for name in names or ("yeast", "medical", "enron"):
        compare(name, mirror)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
