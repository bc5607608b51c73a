"""The best possible prediction where the distribution of the labels is known."""

from typing import Any

import numpy as np

from rethink.costs import Cost, get_cost
from rethink.costs.base import check_binary
from rethink.design import dense
from rethink.models.base import MultiLabelEstimator
from rethink.synthetic import MOST_LABELS, all_label_vectors

ROWS_AT_ONCE = 512
TIE = 1e-12  # rounding in the sums must not decide between predictions of equal value


class BayesOptimal(MultiLabelEstimator):
    """Predict the label vector of the best expected cost, among all 2**K.

    `X` is not features but the distribution itself: row by row P(y|x) over the label vectors in
    `support`, so it tells how well any model could do on synthetic data. Equal expected costs
    give the vector that comes first when vectors are read as binary numbers.

    Parameters
    ----------
    cost : str or Cost
    support : array-like of shape (m, K)
        The label vectors of the columns of `X`; K at most 12. There is no default.

    Attributes
    ----------
    predictions_ : ndarray of shape (2**K, K)
    cost_matrix_ : ndarray of shape (m, 2**K)
        The cost of each prediction for each label vector of `support`.

    Examples
    --------
    >>> import numpy as np
    >>> support = [[0, 0], [1, 0], [0, 1]]
    >>> joint = np.array([[0.3, 0.4, 0.3]])
    >>> BayesOptimal("hamming", support).fit(joint).predict(joint)
    array([[0, 0]], dtype=uint8)
    >>> best = BayesOptimal("f1", support).fit(joint)
    >>> best.predict(joint), best.expected(joint).round(3)
    (array([[1, 1]], dtype=uint8), array([0.467]))
    """

    def __init__(self, cost: str | Cost = "hamming", support: Any = None):
        self.cost = cost
        self.support = support

    def fit(self, X: Any, Y: Any = None) -> "BayesOptimal":
        """Compute the cost of every prediction; X, shape (n, m), is checked and Y ignored."""
        support = check_binary(self.support, "support")
        labels = support.shape[1]
        if labels > MOST_LABELS:
            raise ValueError(
                f"support has {labels} labels, but all 2**K predictions are compared, "
                f"so at most {MOST_LABELS} are possible; generate a set with fewer labels"
            )
        cost = get_cost(self.cost)
        self.predictions_ = all_label_vectors(labels)
        self.cost_matrix_ = np.array(
            [cost(np.tile(y, (2**labels, 1)), self.predictions_) for y in support]
        )
        self.sign_ = -1.0 if cost.greater_is_better else 1.0
        self.n_features_in_ = len(support)
        self.classes_ = [np.array([0, 1]) for _ in range(labels)]
        self._check_joint(X)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The best label vector for each row of X, shape (n, m); returns (n, K), uint8."""
        return self.predictions_[self._best(X)[0]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each label, shape (n, K), from those of the label vectors."""
        return self._check_joint(X) @ check_binary(self.support, "support").astype(float)

    def expected(self, X: Any) -> np.ndarray:
        """The expected cost of the best prediction for each row of X; returns (n,)."""
        return self._best(X)[1]

    def _best(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Index and expected cost of the best prediction, shapes (n,)."""
        X = self._check_joint(X)
        index, value = np.empty(len(X), dtype=np.int64), np.empty(len(X))
        for start in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            signed = self.sign_ * (X[rows] @ self.cost_matrix_)
            lowest = signed.min(axis=1, keepdims=True)
            index[rows] = np.argmax(signed <= lowest + TIE, axis=1)
            value[rows] = self.sign_ * lowest[:, 0]
        return index, value

    def _check_joint(self, X: Any) -> np.ndarray:
        X = dense(self._check_predict(X))
        if (X < 0).any() or not np.allclose(X.sum(axis=1), 1, rtol=0, atol=1e-6):
            raise ValueError(
                "X must hold the probabilities of the label vectors in support, "
                "but has negative values or rows that do not sum to 1"
            )
        return X
