"""A cost in which a missed label and a false alarm are of different weight."""

from typing import Any

import numpy as np

from rethink.costs.base import Cost


class Asymmetric(Cost):
    """So much for each missed label, so much for each false alarm, summed over the labels.

    It adds up over the labels, so the best prediction is known exactly: a label is worth
    predicting where its probability is above false_alarm / (missed + false_alarm).

    Parameters
    ----------
    missed, false_alarm : float or array-like of shape (K,)
        What a mistake costs, for all labels or for each.
    name : str
        How tables call it, if not "asymmetric".

    Examples
    --------
    >>> from rethink import DecisionRule
    >>> cost = Asymmetric(missed=5, false_alarm=1)
    >>> cost([[1, 1, 0]], [[1, 0, 1]])
    array([6.])
    >>> X, Y = [[0.0]] * 5, [[1, 0], [0, 0], [0, 0], [0, 0], [0, 0]]
    >>> model = DecisionRule(cost=cost).fit(X, Y)
    >>> model.predict_proba([[0.0]]).round(2), model.predict([[0.0]])  # above 1/6
    (array([[0.34, 0.  ]]), array([[1, 0]]))
    """

    name = "asymmetric"
    title = "Asymmetric loss"
    range = "0 to K times the dearer mistake"

    def __init__(self, missed: Any = 5.0, false_alarm: Any = 1.0, name: str = "asymmetric"):
        self.missed = missed
        self.false_alarm = false_alarm
        self.name = name
        if np.ndim(missed) == np.ndim(false_alarm) == 0:
            self.title = f"Asymmetric loss (missed {missed:g}, false alarm {false_alarm:g})"
        for key, value in (("missed", missed), ("false_alarm", false_alarm)):
            if not (np.isfinite(value).all() and np.greater(value, 0).all()):
                raise ValueError(f"{key} is {value!r}, but a mistake must cost more than nothing")

    def __repr__(self) -> str:
        return f"Asymmetric(missed={self.missed!r}, false_alarm={self.false_alarm!r})"

    def values(self, Y: np.ndarray, P: np.ndarray, empty: float) -> np.ndarray:
        """Values, shape (n,), of 0/1 arrays of shape (n, K)."""
        return (self.label_weights(Y, P) * (Y != P)).sum(axis=1)

    def label_weights(self, Y: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Weights, shape (n, K): what a mistake on each label costs."""
        missed, false_alarm = np.asarray(self.missed), np.asarray(self.false_alarm)
        return np.where(Y == 1, missed, false_alarm).astype(float)
