"""Accuracy score of each instance, also known as Jaccard index."""

import numpy as np

from rethink.costs.base import CountCost


class Accuracy(CountCost):
    """The intersection of both label sets over their union: tp / (tp + fp + fn).

    Examples
    --------
    >>> Accuracy()([[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]])
    array([0.5, 1. ])
    """

    name = "accuracy"
    title = "Accuracy score"
    greater_is_better = True
    range = "0 to 1"
    position = 4

    def from_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray, K: int, empty: float
    ) -> np.ndarray:
        """Values, shape (n,), from the counts of each row, shapes (n,)."""
        union = relevant + predicted - hits
        return np.divide(hits, union, out=np.full(union.shape, float(empty)), where=union > 0)

    def label_weights(self, Y: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Weights, shape (n, K): 1/union if relevant, else from the union without the label."""
        hits = (Y * P).sum(axis=1, keepdims=True)
        union = (Y | P).sum(axis=1, keepdims=True) - P * (1 - Y)
        # a relevant label always lies in the union, so its union is never empty
        below = np.where(Y == 1, union, union * (union + 1))
        top = np.where(Y == 1, 1, hits)
        return np.divide(top, below, out=np.ones(Y.shape), where=below > 0)
