"""One logistic regression for each label."""

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.utils.extmath import safe_sparse_dot

from rethink.models.base import MultiLabelEstimator


class LogisticRelevance(MultiLabelEstimator):
    """Binary relevance with L2-regularised logistic regression (liblinear).

    The intercept is regularised too, as an extra feature of value 1. A label that is constant in
    the training part keeps that value with probability 1.

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

    def fit(self, X: Any, Y: Any) -> "LogisticRelevance":
        """Fit every label of Y, shape (n, K), on X, shape (n, d)."""
        X, Y = self._check_fit(X, Y)
        with config_context(assume_finite=True):  # X is checked once, not once a label
            fits = [self._fit_label(X, column) for column in Y.T]
        self.coef_ = np.array([coef for coef, _ in fits])
        self.intercept_ = np.array([intercept for _, intercept in fits])
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        X = self._check_predict(X)
        return expit(safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_)

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a probability above one half, shape (n, K)."""
        return self._as_labels(self.predict_proba(X) > 0.5)

    def _fit_label(self, X: Any, y: np.ndarray) -> tuple[np.ndarray, float]:
        if y.min() == y.max():
            return np.zeros(X.shape[1]), np.inf if y[0] else -np.inf
        # liblinear's default of 100 steps is too few for weak regularisation
        model = LogisticRegression(C=self.C, solver="liblinear", max_iter=1000).fit(X, y)
        return model.coef_[0], model.intercept_[0]
