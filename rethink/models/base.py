"""What all models share: checks of the data, the scikit-learn tags, and who is cost-sensitive."""

import inspect
from collections.abc import Callable
from copy import copy
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from rethink.costs import get_cost
from rethink.costs.base import check_binary
from rethink.discovery import unknown_name
from rethink.labels import labels_from_names

OUTPUTS = ("array", "frame", "names")


class MultiLabelEstimator(ClassifierMixin, BaseEstimator):
    """A classifier of 0/1 label vectors; a subclass defines `fit` and `predict`.

    Attributes
    ----------
    n_features_in_ : int
    classes_ : list of K arrays
        The values of each label, always 0 and 1, in the type of Y: that of predictions, too.
    label_names_ : ndarray of shape (K,)
        The columns of Y; only if it was a DataFrame, or a list of the names of each row's labels.

    Examples
    --------
    >>> import numpy as np
    >>> class Everything(MultiLabelEstimator):
    ...     def fit(self, X, Y):
    ...         self._check_fit(X, Y)
    ...         return self
    ...     def predict(self, X):
    ...         X = self._check_predict(X)
    ...         return self._as_labels(np.ones((X.shape[0], len(self.classes_))))
    >>> Everything().fit([[0.5], [1.5]], np.array([[0, 1], [1, 1]])).predict([[2.0]])
    array([[1, 1]])
    """

    no_probabilities: ClassVar[str] = "it predicts labels alone"  # why there is no predict_proba

    def __getattr__(self, name: str) -> Any:
        """Say why there are no probabilities, to those who ask for them."""
        kind = type(self).__name__
        if name == "predict_proba":
            raise AttributeError(f"{kind} has no predict_proba: {self.no_probabilities}")
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How good the predictions for X, shape (n, d), are: greater is better.

        A model that knows a cost is judged by it, and a loss is negative here, as scikit-learn
        wants it. Others are judged by the share of rows without a mistake.
        """
        if not is_cost_sensitive(type(self)):
            y = labels_from_names(y, getattr(self, "label_names_", None))[0]
            return accuracy_score(y, self._predicted(X), sample_weight=sample_weight)
        cost = get_cost(self.cost)
        y = labels_from_names(y, getattr(self, "label_names_", None))[0]
        value = cost.score(y, self._predicted(X), sample_weight=sample_weight)
        return value if cost.greater_is_better else -value

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let `predict` obey `set_output`, as scikit-learn does with `transform`."""
        super().__init_subclass__(**kwargs)
        if "predict" in cls.__dict__:
            cls.predict = _as_wanted(cls.__dict__["predict"])

    def _predicted(self, X: Any) -> np.ndarray:
        """Predictions as an array, whatever `set_output` chose."""
        return copy(self).set_output(predict="array").predict(X)

    def set_output(self, *, predict: Literal["array", "frame", "names"]) -> Self:
        """Choose what `predict` returns: an array, a frame, or the names of the labels row by row.

        The frame is of the kind that `predict` is given, or else that `fit` got its labels in.
        """
        if predict not in OUTPUTS:
            raise unknown_name("output", predict, OUTPUTS)
        self._sklearn_output_config = {"predict": predict}  # the one that clones keep
        return self

    def save(self, path: str | Path) -> None:
        """Write the fitted model to a folder, without pickle; `rethink.load` reads it."""
        from rethink.saving import save

        save(self, path)

    @property
    def fit_uses_cost(self) -> bool:
        """Whether a parameter `cost` changes the fit, not the predictions alone."""
        return True

    def _check_fit(self, X: Any, Y: Any) -> tuple[Any, np.ndarray]:
        """X as float64, dense or CSR of shape (n, d), and Y as dense uint8 of shape (n, K)."""
        if Y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "give a 0/1 matrix with a row for each row of X"
            )
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        if sp.issparse(X) and max(X.nnz, *X.shape) < 2**31:  # liblinear takes 32-bit indices only
            short = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
            X = type(X)((X.data, *short), shape=X.shape)
        Y, names = labels_from_names(Y)
        labels = _check_labels(Y)
        if labels.shape[0] != X.shape[0]:
            raise ValueError(
                f"X has {X.shape[0]} rows but Y has {labels.shape[0]}; "
                "give both for the same instances"
            )
        self._keep_names(Y, names)
        kind = Y.dtype if sp.issparse(Y) else np.asarray(Y).dtype
        self.classes_ = [np.array([0, 1], dtype=kind) for _ in range(labels.shape[1])]
        return X, labels.astype(np.uint8)

    def _keep_names(self, Y: Any, names: list[str] | None) -> None:
        """Remember the columns of a frame or the names of labels, and forget those of earlier."""
        self.__dict__.pop("label_names_", None)
        self._frame_kind = type(Y) if hasattr(Y, "columns") else None
        if self._frame_kind is not None:
            self.label_names_ = np.asarray(Y.columns, dtype=object)
        elif names is not None:
            self.label_names_ = np.array(names, dtype=object)

    def _check_weight(self, sample_weight: Any, X: Any) -> np.ndarray | None:
        """Weights of the rows, shape (n,), none below 0 and not all 0; None if none are given."""
        if sample_weight is None:
            return None
        weight = check_array(
            sample_weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
        )
        if weight.shape != (X.shape[0],):
            raise ValueError(f"sample_weight has shape {weight.shape}, but X has {X.shape[0]} rows")
        if not weight.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        if (weight < 0).any():
            raise ValueError(f"sample_weight has {weight.min():g}, but needs no number below 0")
        return weight

    def _check_predict(self, X: Any) -> Any:
        """X as float64, dense or CSR, with the columns that `fit` saw."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)

    def _as_labels(self, predicted: np.ndarray) -> np.ndarray:
        """Predictions in the type of the labels that `fit` saw."""
        return predicted.astype(self.classes_[0].dtype, copy=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.sparse = True
        return tags


def _as_wanted(predict: Callable[..., np.ndarray]) -> Callable[..., Any]:
    """A method `predict` that returns what `set_output` chose."""

    @wraps(predict)
    def wrapped(self: MultiLabelEstimator, X: Any) -> Any:
        labels = predict(self, X)
        wanted = getattr(self, "_sklearn_output_config", {}).get("predict", "array")
        if wanted == "array" or not isinstance(labels, np.ndarray):
            return labels
        return _frame(self, X, labels) if wanted == "frame" else _named(self, labels)

    return wrapped


def _named(model: MultiLabelEstimator, labels: np.ndarray) -> list[tuple[str, ...]]:
    if not hasattr(model, "label_names_"):
        raise ValueError(
            "predictions as names need names of labels, but fit got an array; "
            "give fit a DataFrame of labels, or for each row a list of names"
        )
    return [tuple(model.label_names_[row != 0]) for row in labels]


def _frame(model: MultiLabelEstimator, X: Any, labels: np.ndarray) -> Any:
    kind = type(X) if hasattr(X, "columns") else getattr(model, "_frame_kind", None)
    if kind is None or not hasattr(model, "label_names_"):
        raise ValueError(
            "predictions as a frame need names of labels, but fit got an array; "
            'give fit a DataFrame of labels, or set_output(predict="array")'
        )
    return kind(labels, columns=model.label_names_, index=getattr(X, "index", None))


def _check_labels(Y: Any) -> np.ndarray:
    try:
        labels = check_binary(Y, "Y")
    except ValueError as error:
        raise ValueError(
            f"{error}. Only binary classification is supported. "
            "Targets of several classes or continuous ones are not. "
            "Labels by name are a list of names for each row."
        ) from None
    return labels.toarray() if sp.issparse(labels) else labels


def is_cost_sensitive(model: type) -> bool:
    """Whether the model is trained for one cost: its constructor then has a parameter `cost`.

    Examples
    --------
    >>> from rethink.models import MODELS
    >>> is_cost_sensitive(MODELS["TopK"]), is_cost_sensitive(MODELS["LogisticRelevance"])
    (True, False)
    """
    return "cost" in inspect.signature(model.__init__).parameters  # type: ignore[misc]


def shares_fits(model: Any) -> bool:
    """Whether one fit serves all costs, because the cost plays no part in fitting."""
    return not is_cost_sensitive(type(model)) or not getattr(model, "fit_uses_cost", True)
