"""Probabilities of labels, shape (n, K), from any classifier of this library or scikit-learn's."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import has_fit_parameter

from rethink.models.base import MultiLabelEstimator
from rethink.splits import MultilabelStratifiedKFold

LARGEST_SEED = np.iinfo(np.int32).max


class LabelByLabel(MetaEstimatorMixin, MultiLabelEstimator):
    """A classifier of its own for each label: any of scikit-learn's that predicts probabilities.

    A label that is constant in the training part keeps that value with probability 1.

    Parameters
    ----------
    estimator : scikit-learn classifier with `predict_proba`
        None stands for `LogisticRegression()`.

    Attributes
    ----------
    estimators_ : list of K estimators
        A fitted one for each label; None for a constant label.
    constants_ : ndarray of shape (K,)
        The value of a constant label, or -1.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 1]]
    >>> LabelByLabel(LogisticRegression()).fit(X, Y).predict([[-1.0], [4.0]])
    array([[0, 1],
           [1, 1]])
    """

    def __init__(self, estimator: Any = None):
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every label of y, shape (n, K), on X, shape (n, d)."""
        X, Y = self._check_fit(X, y)
        sample_weight = self._check_weight(sample_weight, X)
        counted = Y if sample_weight is None else Y[sample_weight > 0]
        constant = counted.min(axis=0) == counted.max(axis=0)
        self.constants_ = np.where(constant, counted[0].astype(int), -1)
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        estimator = LogisticRegression() if self.estimator is None else self.estimator
        self.estimators_ = [
            None if fixed else clone(estimator).fit(X, labels, **weighted)
            for fixed, labels in zip(constant, Y.T, strict=True)
        ]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        X = self._check_predict(X)
        columns = [
            np.full(X.shape[0], float(value)) if model is None else model.predict_proba(X)[:, 1]
            for model, value in zip(self.estimators_, self.constants_, strict=True)
        ]
        return np.column_stack(columns)

    def predict(self, X: Any) -> np.ndarray:
        """Labels with a probability above one half, shape (n, K)."""
        return self._as_labels(self.predict_proba(X) > 0.5)


def fit_inner(
    estimator: Any, X: Any, Y: np.ndarray, sample_weight: Any = None, random_state: Any = None
) -> Any:
    """A fitted clone of a classifier, for each label if it takes one label only."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator is {estimator!r}, which has no predict_proba; give a model that "
            "predicts probabilities, such as LogisticRelevance()"
        )
    if sample_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight was given, but {type(estimator).__name__} takes none; "
            "leave it out, or give an estimator whose fit has sample_weight"
        )
    model = seeded(clone(estimator), random_state)
    if _one_label_only(model, Y.shape[1]):
        model = LabelByLabel(model)
    return model.fit(X, Y, **({} if sample_weight is None else {"sample_weight": sample_weight}))


def probabilities(fitted: Any, X: Any) -> np.ndarray:
    """Probability of each label, shape (n, K), also from scikit-learn's list of K arrays."""
    p = fitted.predict_proba(X)
    if isinstance(p, list):
        classes = fitted.classes_  # a label that is constant in training has one class
        pairs = zip(p, classes, strict=True)
        p = [(each * (np.asarray(of) == 1)).sum(axis=1) for each, of in pairs]
        p = np.column_stack(p)
    p = np.asarray(p, dtype=float)
    if not (np.isfinite(p).all() and (p >= 0).all() and (p <= 1).all()):
        raise ValueError(
            f"{type(fitted).__name__} predicted probabilities that are not between 0 and 1; "
            "give an estimator whose predict_proba does"
        )
    return p


def held_out_probabilities(
    estimator: Any, X: Any, Y: np.ndarray, sample_weight: Any, folds: int, random_state: Any
) -> np.ndarray:
    """Probabilities of each row, shape (n, K), by a fit on the folds without it."""
    if not 2 <= folds <= len(Y):
        raise ValueError(f"folds is {folds}, but needs 2 at least and n_samples={len(Y)} at most")
    result = np.empty(Y.shape)
    parts = MultilabelStratifiedKFold(folds, shuffle=True, random_state=random_state)
    for kept, held in parts.split(Y, Y):  # rare labels are in the training rows of every fold
        weights = None if sample_weight is None else np.asarray(sample_weight)[kept]
        fitted = fit_inner(estimator, X[kept], Y[kept], weights, random_state)
        result[held] = probabilities(fitted, X[held])
    return result


def seeded(estimator: Any, random_state: Any) -> Any:
    """The estimator with a seed wherever its `random_state` is None, at any depth."""
    if random_state is None or not isinstance(estimator, BaseEstimator):
        return estimator
    chance = check_random_state(random_state)
    given = estimator.get_params()
    open_ones = [n for n in sorted(given) if n.split("__")[-1] == "random_state"]
    seeds = {n: int(chance.randint(LARGEST_SEED)) for n in open_ones if given[n] is None}
    return estimator.set_params(**seeds)


def _one_label_only(estimator: Any, labels: int) -> bool:
    """Whether a classifier has to be fitted for each label."""
    tags = get_tags(estimator)
    several = tags.target_tags.multi_output or (
        tags.classifier_tags is not None and tags.classifier_tags.multi_label
    )
    return not several or (labels == 1 and tags.target_tags.single_output)
