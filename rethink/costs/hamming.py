"""Hamming loss."""

import numpy as np

from rethink.costs.base import CountCost


class Hamming(CountCost):
    """The share of labels that are wrong: (fp + fn) / K.

    Examples
    --------
    >>> Hamming()([[1, 1, 0, 0]], [[1, 0, 0, 1]])
    array([0.5])
    """

    name = "hamming"
    title = "Hamming loss"
    range = "0 to 1"
    position = 1

    def from_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray, K: int, empty: float
    ) -> np.ndarray:
        """Values, shape (n,), from the counts of each row, shapes (n,)."""
        return (relevant + predicted - 2 * hits) / K

    def label_weights(self, Y: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Weights, shape (n, K): every label decides 1/K."""
        return np.full(Y.shape, 1 / Y.shape[1])
