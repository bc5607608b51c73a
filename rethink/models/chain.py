"""Chains of logistic regressions: a label is predicted from the features and the labels before."""

from collections.abc import Sequence
from copy import copy
from typing import Any, Literal, Self

import numpy as np
from scipy.special import expit
from sklearn.base import clone

from rethink.discovery import unknown_name
from rethink.linear import ENOUGH_TO_CHOOSE, GRADIENT, decision, fit_path, fit_single
from rethink.models.base import MultiLabelEstimator
from rethink.svm import append_columns

TRAININGS = ("true", "predicted")


class _Chain(MultiLabelEstimator):
    """What a chain of logistic regressions learns; a subclass has `C` and says how to predict."""

    C: float
    order: Sequence[int] | None = None
    training: str = "true"

    def fit(self, X: Any, Y: Any) -> Self:
        """Fit every link of the chain on X, shape (n, d), and Y, shape (n, K)."""
        X, Y = self._begin(X, Y)
        return self._keep(self._fitted(X, Y, [self.C])[0])

    def fit_path(self, X: Any, Y: Any, Cs: Sequence[float]) -> list[Self]:
        """For each C a copy of this model, fitted well enough to choose among them.

        Coefficients are within 1e-3 of those of `fit`, in a fraction of the time.
        """
        model = clone(self)
        fitted = model._fitted(*model._begin(X, Y), Cs, ENOUGH_TO_CHOOSE)
        return [copy(model).set_params(C=C)._keep(each) for C, each in zip(Cs, fitted, strict=True)]

    def _begin(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        """Check options and data."""
        if self.training not in TRAININGS:
            raise unknown_name("training", self.training, TRAININGS)
        X, Y = self._check_fit(X, Y)
        self.order_ = check_order(self.order, Y.shape[1])
        return X, Y

    def _fitted(
        self, X: Any, Y: np.ndarray, Cs: Sequence[float], tolerance: float = GRADIENT
    ) -> np.ndarray:
        """Coefficients of shape (len(Cs), K, d + K + 1)."""
        if self.training == "true":
            return fit_on_truth(X, Y, Cs, self.order_, tolerance)
        return np.array([fit_on_predictions(X, Y, C, self.order_) for C in Cs])

    def _keep(self, coefficients: np.ndarray) -> Self:
        d = self.n_features_in_
        self.coef_, self.effects_ = coefficients[:, :d], coefficients[:, d:-1]
        self.intercept_ = coefficients[:, -1]
        return self

    def logits(self, X: Any) -> np.ndarray:
        """The part of the logits that the features decide, shape (n, K)."""
        X = self._check_predict(X)
        return decision(X, np.column_stack([self.coef_, self.intercept_]))


class ClassifierChain(_Chain):
    """Classifier chain with L2-regularised logistic regression.

    A label of the chain is predicted from the features and from the labels before it; hard 0/1
    predictions are fed on. A label that is constant in the training part keeps that value.

    Parameters
    ----------
    C : float
        Inverse strength of the regularisation; the intercept is regularised too, as by liblinear.
    order : sequence of int, optional
        The labels as they follow each other in the chain; the order of Y's columns by default.
    training : {"true", "predicted"}
        What stands for the earlier labels in training: their true values, which gives the numbers
        printed in the paper, or the chain's own predictions, as in the authors' public class.

    Attributes
    ----------
    coef_ : ndarray of shape (K, d)
    intercept_ : ndarray of shape (K,)
        Infinite for constant labels.
    effects_ : ndarray of shape (K, K)
        Row k: what each label adds to the logit of label k; zero for labels that come later.
    order_ : ndarray of shape (K,)

    References
    ----------
    Read, Pfahringer, Holmes, Frank: Classifier chains for multi-label classification.
    Machine Learning 85, 2011.

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> chain = ClassifierChain(C=10).fit(X, Y)
    >>> chain.predict([[-1.0], [4.0]])
    array([[0, 0],
           [1, 1]])
    >>> chain.effects_.round(1)
    array([[0. , 0. ],
           [1.7, 0. ]])
    """

    def __init__(
        self,
        C: float = 1.0,
        order: Sequence[int] | None = None,
        training: Literal["true", "predicted"] = "true",
    ):
        self.C = C
        self.order = order
        self.training = training

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label given the predictions of those before, shape (n, K)."""
        return greedy_path(self.logits(X), self.effects_, self.order_)

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a probability above one half given those before, shape (n, K)."""
        return self._as_labels(self.predict_proba(X) > 0.5)


def check_order(order: Sequence[int] | None, labels: int) -> np.ndarray:
    """The labels as they follow each other; a ValueError unless each is there once."""
    places = np.arange(labels) if order is None else np.asarray(order)
    if places.shape != (labels,) or sorted(places.tolist()) != list(range(labels)):
        raise ValueError(
            f"order is {order!r}, but needs each label from 0 to {labels - 1} once; "
            "None takes them as they are"
        )
    return places.astype(np.int64)


def fit_on_truth(
    X: Any, Y: np.ndarray, Cs: Sequence[float], order: np.ndarray, tolerance: float = GRADIENT
) -> np.ndarray:
    """Links fitted on the true earlier labels, for each C: independent, so fitted together."""
    place = np.argsort(order)
    return fit_path(X, Y, Cs, earlier=Y, allowed=place < place[:, None], tolerance=tolerance)


def fit_on_predictions(X: Any, Y: np.ndarray, C: float, order: np.ndarray) -> np.ndarray:
    """Links fitted one after the other, on what those before predict for the training rows."""
    d, labels = X.shape[1], Y.shape[1]
    coefficients = np.zeros((labels, d + labels + 1))
    predicted = np.zeros(Y.shape, dtype=np.uint8)
    for place, label in enumerate(order):
        used = np.concatenate([np.arange(d), d + order[:place], [d + labels]])
        seen = append_columns(X, predicted[:, order[:place]].astype(float))
        link = fit_single(seen, Y[:, label], C)
        coefficients[label, used] = link
        predicted[:, label] = decision(seen, link) > 0
    return coefficients


def greedy_path(logits: np.ndarray, effects: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Probability of each label, shape (n, K), where earlier ones are on if above one half."""
    on = np.zeros(logits.shape)
    path = np.empty(logits.shape)
    for label in order:
        path[:, label] = expit(logits[:, label] + on @ effects[label])
        on[:, label] = path[:, label] > 0.5
    return path
