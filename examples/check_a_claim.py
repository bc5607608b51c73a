"""Check a claim of the paper yourself, on real data: python -m examples.check_a_claim

The paper's main table says that on yeast the rank losses of BR, CC-DP and CC are far above that of
RethinkNet, and that of CC-RNN higher still. We ask two questions that its table cannot answer. What
does a prediction score that looks at no feature at all? And what does plain logistic regression
score, if it predicts for rank loss?
"""

import csv
from pathlib import Path

import numpy as np

from examples.yeast import load_yeast
from rethink import DecisionRule, LogisticRelevance, get_cost
from rethink.statistics import mean_ste
from stages.split import split_rows

PRINTED = Path(__file__).parents[1] / "data" / "paper" / "algorithms.csv"
SPLITS = 5  # the first of the ten that the benchmark uses
NEAR = 0.1  # about one standard error of the paper's


def printed() -> dict[str, float]:
    """The paper's rank losses on yeast, by algorithm."""
    with PRINTED.open() as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == "yeast"]
    return {row["model"]: float(row["mean"]) for row in rows if row["cost"] == "rank"}


def measured() -> dict[str, list[float]]:
    """Rank losses on the test part of each split."""
    X, Y = load_yeast()
    rank = get_cost("rank")
    losses: dict[str, list[float]] = {"no label": [], "labels of most rows": []}
    losses |= {"logistic, above one half": [], "logistic, for rank loss": []}
    for seed in range(SPLITS):
        train = split_rows("yeast", len(Y), seed)
        truth = Y[~train]
        usual = Y[train].mean(axis=0) > 0.5
        losses["no label"].append(rank.score(truth, np.zeros_like(truth)))
        losses["labels of most rows"].append(rank.score(truth, np.tile(usual, (len(truth), 1))))
        model = DecisionRule(LogisticRelevance()).fit(X[train], Y[train])
        for cost, name in (("hamming", "above one half"), ("rank", "for rank loss")):
            P = model.set_params(cost=cost).predict(X[~train])
            losses[f"logistic, {name}"].append(rank.score(truth, P))
    return losses


def main() -> tuple[dict[str, float], dict[str, list[float]]]:
    """Print both, one below the other."""
    theirs, ours = printed(), measured()
    print("Rank loss on yeast, the smaller the better\n\nprinted in the paper")
    for name, loss in sorted(theirs.items(), key=lambda item: item[1]):
        print(f"  {name:<28}{loss:6.2f}")
    print(f"\nmeasured here, mean and standard error of {SPLITS} splits")
    for name, losses in sorted(ours.items(), key=lambda item: np.mean(item[1])):
        mean, ste = mean_ste(losses)
        print(f"  {name:<28}{mean:6.2f} ± {ste or 0:.2f}")
    print("\nPredictions that look at no feature:")
    for name in ("no label", "labels of most rows"):
        near = [model for model, loss in theirs.items() if abs(loss - np.mean(ours[name])) < NEAR]
        print(f"  {name} scores what is printed for {', '.join(near) or 'none'}")
    return theirs, ours


if __name__ == "__main__":
    main()
