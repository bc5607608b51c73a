"""Logistic regressions with the prediction that suits the cost."""

from typing import Any

import numpy as np

from rethink.costs import Cost, get_cost
from rethink.models.logistic import LogisticRelevance
from rethink.models.rules import Empty, may_be_empty
from rethink.rules import independent_rule


class LogisticRule(LogisticRelevance):
    """`DecisionRule(LogisticRelevance())` in one: a logistic regression a label, then the rule.

    It predicts the same. It stays because published results were asked for by this name, and are
    found by what was asked for.

    Parameters
    ----------
    cost : str or Cost
        Matters for predictions alone.
    C : float
        Inverse strength of the regularisation.
    empty : {"auto", "allowed", "never"}
        As in `DecisionRule`.

    Attributes
    ----------
    coef_, intercept_
        As in `LogisticRelevance`.
    empty_ : bool

    Examples
    --------
    >>> X, Y = [[0.0]] * 5, [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    >>> LogisticRule(cost="rank", C=100).fit(X, Y).predict([[0.0]])
    array([[1, 0, 1]])
    """

    def __init__(self, cost: str | Cost = "rank", C: float = 1.0, empty: Empty = "auto"):
        self.cost = cost
        self.C = C
        self.empty = empty

    @property
    def fit_uses_cost(self) -> bool:
        """The cost matters for predictions alone."""
        return False

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for the cost, shape (n, K)."""
        return self.predict_costs(X, [self.cost])[0]

    def predict_costs(self, X: Any, costs: list[str | Cost]) -> list[np.ndarray]:
        """Predictions for several costs from the same probabilities, each of shape (n, K)."""
        marginals = self.predict_proba(X)
        predictions = (independent_rule(marginals, get_cost(cost), self.empty_) for cost in costs)
        return [self._as_labels(labels) for labels in predictions]

    def _check_fit(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        get_cost(self.cost)
        X, Y = super()._check_fit(X, Y)
        self.empty_ = may_be_empty(self.empty, Y)
        return X, Y
