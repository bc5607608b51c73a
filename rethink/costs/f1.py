"""F1 score of each instance."""

import numpy as np

from rethink.costs.base import CountCost


class F1(CountCost):
    """The harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn).

    Examples
    --------
    >>> F1()([[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]).round(3)
    array([0.667, 1.   ])
    """

    name = "f1"
    title = "F1 score"
    greater_is_better = True
    range = "0 to 1"
    position = 3

    def from_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray, K: int, empty: float
    ) -> np.ndarray:
        """Values, shape (n,), from the counts of each row, shapes (n,)."""
        size = relevant + predicted
        return np.divide(2 * hits, size, out=np.full(size.shape, float(empty)), where=size > 0)

    def label_weights(self, Y: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Weights, shape (n, K), from the hits and the sizes of both sets without the label."""
        hits = (Y * P).sum(axis=1, keepdims=True) - Y * P
        size = Y.sum(axis=1, keepdims=True) + P.sum(axis=1, keepdims=True) - P
        top = 2 * np.where(Y == 1, size - hits, hits)
        return np.divide(top, size * (size + 1), out=np.ones(Y.shape), where=size > 0)
