"""The right prediction for your cost, on real data: python -m examples.right_prediction

A gene of yeast has several functions at once. One logistic regression for each function tells how
probable it is. But which functions should we *predict*? Those above one half? It depends on what a
mistake costs, and the answer needs no new training.
"""

from sklearn.model_selection import train_test_split

from examples.yeast import load_yeast
from rethink import DecisionRule, LogisticRelevance, get_cost

COSTS = ("hamming", "rank", "f1", "accuracy")


def main() -> dict[str, dict[str, float]]:
    """Score the prediction made for each cost by every cost; a row is what was predicted for."""
    X, Y = load_yeast()
    X_train, X_test, Y_train, Y_test = train_test_split(X, Y, random_state=0)

    # One fit. The rule is chosen afterwards: set_params(cost=...) trains nothing.
    model = DecisionRule(LogisticRelevance(C=1.0)).fit(X_train, Y_train)

    scores = {}
    for made_for in COSTS:
        P = model.set_params(cost=made_for).predict(X_test)
        scores[made_for] = {cost: get_cost(cost).score(Y_test, P) for cost in COSTS}
        scores[made_for]["labels"] = float(P.sum(axis=1).mean())

    print("One set of probabilities; each row predicts from it for another cost:\n")
    print("predicted for   " + "".join(f"{cost:>10}" for cost in (*COSTS, "labels")))
    for made_for, row in scores.items():
        print(f"{made_for:<16}" + "".join(f"{value:>10.3f}" for value in row.values()))
    print("\nHamming and rank are losses, F1 and accuracy scores; labels: so many a row.")
    for cost in COSTS:
        best = (max if get_cost(cost).greater_is_better else min)(
            COSTS, key=lambda made_for, cost=cost: scores[made_for][cost]
        )
        print(f"By {cost} the prediction made for {best} is best.")
    return scores


if __name__ == "__main__":
    main()
