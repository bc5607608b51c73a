"""Subset 0/1 loss."""

import numpy as np

from rethink.costs.base import CountCost


class Subset(CountCost):
    """1 for a row with any wrong label, 0 for a perfect one.

    Examples
    --------
    >>> Subset()([[1, 0], [1, 0]], [[1, 0], [1, 1]])
    array([0., 1.])
    """

    name = "subset"
    title = "Subset 0/1 loss"
    range = "0 or 1"

    def from_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray, K: int, empty: float
    ) -> np.ndarray:
        """Values, shape (n,), from the counts of each row, shapes (n,)."""
        return ((relevant != hits) | (predicted != hits)).astype(float)
