"""Rank loss of 0/1 predictions."""

import numpy as np

from rethink.costs.base import CountCost


class Rank(CountCost):
    """Pairs (relevant, irrelevant) in the wrong order; equal predictions count one half.

    On 0/1 predictions the pair sum is (Q fn + P fp) / 2 for P relevant and Q irrelevant labels.

    Examples
    --------
    >>> Rank()([[1, 0, 0]], [[1, 1, 0]])  # one pair right, one tied
    array([0.5])
    """

    name = "rank"
    title = "Rank loss"
    range = "0 to K²/4"
    position = 2

    def from_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray, K: int, empty: float
    ) -> np.ndarray:
        """Values, shape (n,), from the counts of each row, shapes (n,)."""
        missed, false = relevant - hits, predicted - hits
        return ((K - relevant) * missed + relevant * false) / 2

    def label_weights(self, Y: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Weights, shape (n, K): Q/2 for relevant, P/2 for irrelevant labels, whatever P says."""
        relevant = Y.sum(axis=1, keepdims=True)
        return np.where(Y == 1, Y.shape[1] - relevant, relevant) / 2
