"""Calibration: from probabilities to frequencies, label by label."""

from typing import Any, Literal, Self

import numpy as np
from scipy.special import logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

CALIBRATIONS = ("isotonic", "sigmoid")
CERTAIN = 1e-6  # probabilities are kept so far from 0 and 1 before their logits are taken


class Calibrator:
    """A map of the probabilities of each label to frequencies, from held-out rows.

    "isotonic" takes the best map that never falls, with interpolation between its steps. "sigmoid"
    is Platt's: a logistic regression on the logit. A label that is constant keeps its
    probabilities.

    Examples
    --------
    >>> p = np.array([[0.1], [0.2], [0.3], [0.4]])
    >>> Calibrator("isotonic").fit(p, np.array([[0], [1], [0], [1]])).transform(p).ravel()
    array([0. , 0.5, 0.5, 1. ])
    """

    def __init__(self, kind: Literal["isotonic", "sigmoid"]):
        self.kind = kind

    def fit(self, marginals: np.ndarray, Y: np.ndarray) -> Self:
        """Learn from held-out probabilities and labels, both of shape (n, K)."""
        pairs = zip(marginals.T, Y.T, strict=True)
        self.maps_ = [_points(self.kind, p, y) for p, y in pairs]
        return self

    def transform(self, marginals: np.ndarray) -> np.ndarray:
        """Calibrated probabilities, shape (n, K)."""
        pairs = zip(marginals.T, self.maps_, strict=True)
        return np.column_stack([_mapped(p, of_label) for p, of_label in pairs])


def reliability(probabilities: np.ndarray, Y: np.ndarray, bins: int = 10) -> np.ndarray:
    """How far probabilities of labels are frequencies; both arrays are of shape (n, K).

    Returns
    -------
    ndarray of shape (bins, 3)
        For each of `bins` equal parts of [0, 1]: how many entries lie in it, the sum of their
        probabilities, and how many of them are on. Tables of several models or splits add up.

    Examples
    --------
    >>> reliability(np.array([[0.2, 0.9], [0.4, 0.8]]), np.array([[0, 1], [1, 1]]), bins=2)
    array([[2. , 0.6, 1. ],
           [2. , 1.7, 2. ]])
    """
    p = np.asarray(probabilities, dtype=float).ravel()
    place = np.minimum((p * bins).astype(int), bins - 1)
    sums = [np.bincount(place, weights, bins) for weights in (None, p, np.ravel(Y))]
    return np.column_stack(sums)


def _points(kind: str, p: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Places of a map and its values there; None keeps the probabilities of a constant label."""
    if y.min() == y.max():
        return None
    if kind == "isotonic":
        steps = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, y)
        return steps.X_thresholds_, steps.y_thresholds_
    curve: Any = LogisticRegression(C=1e6).fit(_logits(p)[:, None], y)
    if curve.coef_[0, 0] <= 0:  # the order of the probabilities is never turned round
        return np.array([0.0]), np.array([y.mean()])
    places = np.linspace(0, 1, 1001)
    return places, curve.predict_proba(_logits(places)[:, None])[:, 1]


def _mapped(p: np.ndarray, points: tuple[np.ndarray, np.ndarray] | None) -> np.ndarray:
    return p if points is None else np.interp(p, *points)


def _logits(p: np.ndarray) -> np.ndarray:
    return logit(np.clip(p, CERTAIN, 1 - CERTAIN))
