"""The prediction that suits a cost, from the marginal probabilities of any model."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.base import MetaEstimatorMixin, clone

from rethink.costs import Cost, get_cost
from rethink.costs.accuracy import Accuracy
from rethink.costs.f1 import F1
from rethink.costs.hamming import Hamming
from rethink.costs.rank import Rank
from rethink.inference import gfm_independent, hamming_rule, rank_rule, row_blocks
from rethink.joint import enumerate_chain
from rethink.models.base import MultiLabelEstimator
from rethink.models.logistic import LogisticRelevance

MOST_ENUMERATED = 10  # labels; a cost without a rule of its own is tried on all 2**K vectors


class DecisionRule(MetaEstimatorMixin, MultiLabelEstimator):
    """Predict what is best for a cost, given any model's probabilities of single labels.

    Labels are taken as independent given x. The rules: above one half for Hamming loss; above the
    average probability for rank loss, which is right whatever the dependence; the best of all
    label sets for F1, used for accuracy too; and for another cost the best of all vectors, with
    up to ten labels.

    Parameters
    ----------
    estimator : estimator with `predict_proba`
        It gives an array of shape (n, K), or scikit-learn's list of K arrays of shape (n, 2).
        None stands for `LogisticRelevance()`.
    cost : str or Cost
        Matters for predictions alone.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.

    Examples
    --------
    >>> X, Y = [[0.0]] * 5, [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    >>> model = DecisionRule(LogisticRelevance(C=100), cost="hamming").fit(X, Y)
    >>> model.predict([[0.0]])
    array([[0, 0, 0]])
    >>> model.set_params(cost="rank").predict([[0.0]])  # no new fit
    array([[1, 0, 1]])
    """

    def __init__(self, estimator: Any = None, cost: str | Cost = "rank"):
        self.estimator = estimator
        self.cost = cost

    @property
    def fit_uses_cost(self) -> bool:
        """The cost matters for predictions alone."""
        return False

    def fit(self, X: Any, Y: Any) -> "DecisionRule":
        """Fit the estimator on X, shape (n, d), and Y, shape (n, K)."""
        X, Y = self._check_fit(X, Y)
        get_cost(self.cost)
        estimator = LogisticRelevance() if self.estimator is None else self.estimator
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(
                f"estimator is {estimator!r}, which has no predict_proba; give a model that "
                "predicts probabilities, such as LogisticRelevance()"
            )
        self.estimator_ = clone(estimator).fit(X, Y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The estimator's probability of each label, shape (n, K)."""
        X = self._check_predict(X)
        found = self.estimator_.predict_proba(X)
        if not isinstance(found, list):
            return np.asarray(found)
        classes = self.estimator_.classes_  # a label that is constant in training has one class
        pairs = zip(found, classes, strict=True)
        return np.column_stack([(each * (np.asarray(of) == 1)).sum(axis=1) for each, of in pairs])

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for the cost, shape (n, K)."""
        return self._as_labels(independent_rule(self.predict_proba(X), get_cost(self.cost)))


class LogisticRule(LogisticRelevance):
    """`DecisionRule` on `LogisticRelevance`: one logistic regression a label, then the rule.

    Parameters
    ----------
    cost : str or Cost
        Matters for predictions alone.
    C : float
        Inverse strength of the regularisation.

    Attributes
    ----------
    coef_, intercept_
        As in `LogisticRelevance`.

    Examples
    --------
    >>> X, Y = [[0.0]] * 5, [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    >>> LogisticRule(cost="rank", C=100).fit(X, Y).predict([[0.0]])
    array([[1, 0, 1]])
    """

    def __init__(self, cost: str | Cost = "rank", C: float = 1.0):
        self.cost = cost
        self.C = C

    @property
    def fit_uses_cost(self) -> bool:
        """The cost matters for predictions alone."""
        return False

    def fit(self, X: Any, Y: Any) -> "LogisticRule":
        """Fit every label of Y, shape (n, K), on X, shape (n, d)."""
        get_cost(self.cost)
        super().fit(X, Y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for the cost, shape (n, K)."""
        return self._as_labels(independent_rule(self.predict_proba(X), get_cost(self.cost)))


def independent_rule(marginals: np.ndarray, cost: Cost) -> np.ndarray:
    """The prediction of the best expected cost for independent labels, shape (n, K)."""
    rules: dict[type[Cost], Callable[[np.ndarray], np.ndarray]] = {
        Hamming: hamming_rule,
        Rank: rank_rule,
        F1: gfm_independent,
        Accuracy: gfm_independent,
    }
    return rules[type(cost)](marginals) if type(cost) in rules else _best_of_all(marginals, cost)


def _best_of_all(marginals: np.ndarray, cost: Cost) -> np.ndarray:
    n, labels = marginals.shape
    if labels > MOST_ENUMERATED:
        raise ValueError(
            f"the cost {cost.name!r} has no rule of its own, and there are {labels} labels; all "
            f"vectors are compared for {MOST_ENUMERATED} at most, so take ProbabilisticChain"
        )
    result = np.empty(marginals.shape, dtype=np.uint8)
    for rows in row_blocks(n, 2**labels):
        no_effects = np.zeros((labels, labels))
        joint = enumerate_chain(logit(marginals[rows]), no_effects, np.arange(labels))
        result[rows] = joint.best(cost)
    return result
