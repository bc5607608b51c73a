"""Does calibration help a rule? Scores and reliability with and without it, one thread.

python -m benchmarks.calibration --sets emotions scene --splits 3
python -m benchmarks.calibration --learners ET --bins    also how often labels are on where p is

Each learner is fitted on the training part of the stored splits with default parameters; the same
fit serves all costs. A gain is a share of the score against the same learner without calibration.
"""

import argparse
import sys
import time

import numpy as np
from scipy.special import stdtrit
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from benchmarks.protocol import load
from rethink.calibration import CALIBRATIONS, reliability
from rethink.costs import get_cost
from rethink.models.logistic import LogisticRelevance
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rules import DecisionRule
from rethink.scaling import UnitScaler
from rethink.seeds import derive_seed
from stages.split import split_rows

SIX = ["emotions", "scene", "yeast", "birds", "medical", "cal500"]
COSTS = ["rank", "f1", "accuracy"]
LEARNERS = {
    "BR-LR": LogisticRelevance(),
    "ET": ExtraTreesClassifier(100),
    "ET-5": ExtraTreesClassifier(100, min_samples_leaf=5),
    "HGB": HistGradientBoostingClassifier(),
    "BR": BinaryRelevance(device="cpu"),
}


def measure(learner, calibration, data, name, split):
    """Scores by cost, the table of reliability, the Brier score and CPU seconds, on one split."""
    X, Y = data
    train = split_rows(name, len(Y), split)
    X = UnitScaler().fit(X[train]).transform(X)
    seed = derive_seed("model", name, split)
    started = time.process_time()
    model = DecisionRule(LEARNERS[learner], calibration=calibration, random_state=seed)
    model.fit(X[train], Y[train])
    seconds = time.process_time() - started
    p, truth = model.predict_proba(X[~train]), Y[~train]
    predicted = model.predict_costs(X[~train], COSTS)
    pairs = zip(COSTS, predicted, strict=True)
    scores = [float(np.mean(get_cost(cost)(truth, labels))) for cost, labels in pairs]
    return np.array(scores), reliability(p, truth), float(((p - truth) ** 2).mean()), seconds


def gain(after, before):
    """How much better each score is, as a share of the larger."""
    signs = [1 if get_cost(cost).greater_is_better else -1 for cost in COSTS]
    return np.array(signs) * (after - before) / np.maximum(after, before)


def error(table):
    """The mean distance between probabilities and frequencies."""
    return np.abs(table[:, 2] - table[:, 1]).sum() / table[:, 0].sum()


def interval(values):
    """The mean over data sets and half of Student's 95 % interval, as text."""
    if len(values) < 2:
        return f"{values[0]:+7.1%}         "
    half = stdtrit(len(values) - 1, 0.975) * np.std(values, ddof=1) / len(values) ** 0.5
    return f"{np.mean(values):+7.1%} ± {half:5.1%}"


def on_dataset(learner, name, splits, show_bins):
    """A line for each kind of calibration; returns the gains of the two kinds."""
    data, plain, gains = load(name), None, {}
    for kind in (None, *CALIBRATIONS):
        result = [measure(learner, kind, data, name, split) for split in splits]
        scores, tables, briers, seconds = (list(each) for each in zip(*result, strict=True))
        mean, table = np.mean(scores, axis=0), np.sum(tables, axis=0)
        plain = mean if kind is None else plain
        gains[kind] = gain(mean, plain)
        shown = " ".join(f"{score:8.4f}" for score in mean)
        print(
            f"{learner:6} {name:9} {kind or 'none':9} {shown} {np.mean(briers):7.4f} "
            f"{error(table):6.1%} {sum(seconds):7.1f}",
            flush=True,
        )
        if show_bins:
            print_bins(table)
    return gains


def print_bins(table):
    for rows, expected, on in table[table[:, 0] > 0]:
        share = rows / table[:, 0].sum()
        print(f"{'':26} p {expected / rows:.2f}: {on / rows:.2f} on, {share:6.1%} of all labels")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", default=SIX)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--bins", action="store_true", help="print the tables of reliability, too")
    options = parser.parse_args()
    titles = " ".join(f"{cost:>8}" for cost in COSTS)
    print(f"{'model':6} {'set':9} {'kind':9} {titles} {'Brier':>7} {'apart':>6} {'CPU s':>7}")
    summary = []
    for learner in options.learners:
        splits = range(options.splits)
        gains = [on_dataset(learner, name, splits, options.bins) for name in options.sets]
        for kind in CALIBRATIONS:
            columns = np.array([each[kind] for each in gains]).T
            summary.append(f"{learner:6} {kind:9} " + "  ".join(map(interval, columns)))
    print(f"\ngain by calibration, mean over data sets and 95 % interval\n{'':16}", end=" ")
    print("  ".join(f"{cost:>15}" for cost in COSTS))
    print("\n".join(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main())
