"""What every model costs on every data set: CPU seconds of a tuned cell in the published runs.

python -m benchmarks.cells [run] [--peers emotions yeast]

A cell is searched, refitted and predicted for one cost and seed; costs share a shared search.
Peers, with CPU seconds beside ours: RethinkNet trained as the paper says (eight penalties,
three folds, up to 1,000 epochs) from the same run, and scikit-learn's chain and its classifiers for
each label (liblinear), searched over the same strengths and folds by GridSearchCV, measured now.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is loaded

import argparse
import time
import warnings

import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier

from benchmarks.protocol import load
from rethink.costs import get_cost
from rethink.models import get_model
from rethink.scaling import UnitScaler
from rethink.search import search_and_fit
from stages.common import paths
from stages.common.published import RUNS
from stages.common.tables import read_table
from stages.split import split_rows

STRENGTHS = [10.0**power for power in range(-4, 5)]
PEERS = {  # our estimator, the peer, and the name of the searched parameter in it
    "BR-LR": ("LogisticRelevance", MultiOutputClassifier, "estimator__C"),
    "CC": ("ClassifierChain", ClassifierChain, "estimator__C"),
}


def read_seconds(run: str) -> pd.DataFrame:
    """CPU seconds of every finished cell of a published run."""
    rows = read_table(paths.RESULTS / run / RUNS).to_pandas()
    return rows[rows["status"] == "ok"]


def print_cells(rows: pd.DataFrame) -> None:
    """Models x data sets: mean CPU seconds of a cell; then the whole run."""
    table = rows.pivot_table(values="seconds", index="model", columns="dataset", aggfunc="mean")
    table["all cells, CPU h"] = rows.groupby("model")["seconds"].sum() / 3600
    print(table.round(2).to_string(na_rep=""))
    cells, hours = len(rows), rows["seconds"].sum() / 3600
    print(f"\n{cells} cells on {rows['dataset'].nunique()} data sets: {hours:.2f} CPU h")


def print_paper_protocol(rows: pd.DataFrame) -> None:
    """RethinkNet beside itself trained as the paper says."""
    pair = rows[rows["model"].isin(["RethinkNet", "RethinkNet-as-paper"])]
    table = pair.pivot_table(values="seconds", index="dataset", columns="model").dropna()
    if len(table.columns) == 2:
        table["times"] = table["RethinkNet-as-paper"] / table["RethinkNet"]
        print("\n" + table.round(1).to_string())


def print_peers(name: str) -> None:
    """Searches of linear models beside scikit-learn's on one data set."""
    X, Y = load(name)
    train = split_rows(name, len(Y), 0)
    X, Y = UnitScaler().fit_transform(X[train]), Y[train]
    for model, (ours, peer, parameter) in PEERS.items():
        started = time.process_time()
        list(search_and_fit(get_model(ours)(), {"C": STRENGTHS}, X, Y, ["f1"], seed=0))
        between = time.process_time()
        learner, scorer = peer(LogisticRegression(solver="liblinear")), get_cost("f1").scorer()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            GridSearchCV(learner, {parameter: STRENGTHS}, cv=3, scoring=scorer).fit(X, Y)
        mine, theirs = between - started, time.process_time() - between
        print(f"{name:12} {model:6} {mine:8.2f} {theirs:8.2f} {theirs / mine:8.1f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", nargs="?", default="paper")
    parser.add_argument("--peers", nargs="*", default=["emotions", "yeast"])
    options = parser.parse_args()
    rows = read_seconds(options.run)
    print_cells(rows)
    print_paper_protocol(rows)
    print(f"\n{'set':12} {'model':6} {'ours':>8} {'sklearn':>8}")
    for name in options.peers:
        print_peers(name)


if __name__ == "__main__":
    main()
