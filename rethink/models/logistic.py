"""One logistic regression for each label."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import clone

from rethink.linear import ENOUGH_TO_CHOOSE, decision, fit_path
from rethink.models.base import MultiLabelEstimator


class LogisticRelevance(MultiLabelEstimator):
    """Binary relevance with L2-regularised logistic regression.

    The objective is liblinear's: the intercept is regularised too, as an extra feature of value 1.
    A label that is constant in the training part keeps that value with probability 1.

    Parameters
    ----------
    C : float
        Inverse strength of the regularisation.

    Attributes
    ----------
    coef_ : ndarray of shape (K, d)
    intercept_ : ndarray of shape (K,)
        Infinite for constant labels.

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 1]]
    >>> model = LogisticRelevance(C=10).fit(X, Y)
    >>> model.predict([[-1.0], [4.0]])
    array([[0, 1],
           [1, 1]])
    >>> model.predict_proba([[4.0]]).round(2)
    array([[0.99, 1.  ]])
    """

    def __init__(self, C: float = 1.0):
        self.C = C

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every label of y, shape (n, K), on X, shape (n, d)."""
        X, Y = self._check_fit(X, y)
        weight = self._check_weight(sample_weight, X)
        return self._keep(fit_path(X, Y, [self.C], weight=weight)[0])

    def fit_path(self, X: Any, Y: Any, Cs: Sequence[float]) -> list[Self]:
        """For each C a copy of this model, fitted well enough to choose among them.

        Coefficients are within 1e-3 of those of `fit`, in a fraction of the time.
        """
        model = clone(self)
        X, Y = model._check_fit(X, Y)
        fitted = fit_path(X, Y, Cs, tolerance=ENOUGH_TO_CHOOSE)
        return [copy(model).set_params(C=C)._keep(each) for C, each in zip(Cs, fitted, strict=True)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        X = self._check_predict(X)
        return expit(decision(X, np.column_stack([self.coef_, self.intercept_])))

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a probability above one half, shape (n, K)."""
        return self._as_labels(self.predict_proba(X) > 0.5)

    def _keep(self, coefficients: np.ndarray) -> Self:
        self.coef_, self.intercept_ = coefficients[:, :-1], coefficients[:, -1]
        return self
