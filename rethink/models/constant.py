"""Predictions that ignore the features: what every model has to beat."""

from typing import Any

import numpy as np

from rethink.costs import Cost, get_cost
from rethink.models.base import MultiLabelEstimator


class AllZeros(MultiLabelEstimator):
    """Predict no label at all.

    Examples
    --------
    >>> AllZeros().fit([[0.0], [1.0]], [[1, 1], [1, 0]]).predict([[5.0]])
    array([[0, 0]])
    """

    no_probabilities = "it looks at no feature and predicts nothing"

    def fit(self, X: Any, Y: Any) -> "AllZeros":
        """Learn the number of labels from Y, shape (n, K)."""
        self._check_fit(X, Y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Zeros of shape (n, K)."""
        X = self._check_predict(X)
        return self._as_labels(np.zeros((X.shape[0], len(self.classes_)), dtype=np.uint8))


class TopK(MultiLabelEstimator):
    """Predict the k most frequent labels, with the k that suits the cost best.

    Labels of equal frequency are taken in their order. Every k from 0 to K is tried on the
    training part; equal mean costs give the smaller k.

    Parameters
    ----------
    cost : str or Cost

    Attributes
    ----------
    labels_ : ndarray of shape (k,)
        The predicted labels, most frequent first.

    Examples
    --------
    >>> X, Y = [[0.0], [0.0], [0.0]], [[0, 1, 0], [0, 1, 1], [1, 1, 0]]
    >>> TopK(cost="hamming").fit(X, Y).predict([[7.0]])
    array([[0, 1, 0]])
    """

    no_probabilities = "it looks at no feature and predicts the same labels for every row"

    def __init__(self, cost: str | Cost = "hamming"):
        self.cost = cost

    def fit(self, X: Any, Y: Any) -> "TopK":
        """Choose the labels from Y, shape (n, K)."""
        _, Y = self._check_fit(X, Y)
        cost = get_cost(self.cost)
        order = np.argsort(-Y.sum(axis=0, dtype=np.int64), kind="stable")
        means = [cost(Y, _constant(order[:k], Y.shape)).mean() for k in range(len(order) + 1)]
        best = np.argmax(means) if cost.greater_is_better else np.argmin(means)
        self.labels_ = order[:best]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The same labels in every row, shape (n, K)."""
        X = self._check_predict(X)
        return self._as_labels(_constant(self.labels_, (X.shape[0], len(self.classes_))))


def _constant(labels: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    rows = np.zeros(shape, dtype=np.uint8)
    rows[:, labels] = 1
    return rows
