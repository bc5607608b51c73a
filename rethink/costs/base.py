"""What a cost is: per-instance values of 0/1 predictions, and the weights of single labels."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

ROWS_AT_ONCE = 1024  # bounds the memory of a user's cost on sparse input


class Cost(ABC):
    """A criterion that models are trained for and scored by.

    A subclass needs one method, `values`. It may set the attributes, replace `label_weights` by a
    closed form, and say with `rule` what to predict from probabilities. `Cost.of` makes a cost
    from a function.

    Attributes
    ----------
    name : str
        What `get_cost` and the configuration call it; by default the class name in lower case.
    title : str
        How reports call it; by default the class name.
    greater_is_better : bool
        The direction; False by default.
    range : str
        The values it can take, in words.
    position : int
        Where it stands in a list of costs; equal positions are sorted by name.

    Examples
    --------
    >>> import numpy as np
    >>> class ZeroOne(Cost):
    ...     def values(self, Y, P, empty):
    ...         return (Y != P).any(axis=1)
    >>> cost = ZeroOne()
    >>> cost([[1, 0], [1, 0]], [[1, 0], [1, 1]])
    array([0., 1.])
    >>> cost.weights([[1, 0]], [[1, 1]])  # only turning label 1 off changes the value
    array([[0., 1.]])
    """

    name: str = ""
    title: str = ""
    greater_is_better: bool = False
    range: str = ""
    position: int = 100

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the subclass after its class where it gives no name of its own."""
        super().__init_subclass__(**kwargs)
        cls.name = cls.__dict__.get("name", cls.__name__.lower())
        cls.title = cls.__dict__.get("title", cls.__name__)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __call__(self, Y: Any, P: Any, empty: float = 1.0) -> np.ndarray:
        """Value of each prediction.

        Parameters
        ----------
        Y, P : array-like or sparse matrix of shape (n, K)
            True and predicted labels, 0 or 1.
        empty : float
            The value where both are empty and the formula says 0/0; F1 and accuracy use it.

        Returns
        -------
        ndarray of shape (n,), float64
        """
        Y, P = check_pair(Y, P)
        values = np.asarray(self._evaluate(Y, P, empty), dtype=float)
        if values.shape != Y.shape[:1] or not np.isfinite(values).all():
            raise ValueError(
                f"{self!r}.values must return {Y.shape[0]} finite numbers, one for each row, "
                f"but returned shape {values.shape}"
            )
        return values

    def weights(self, Y: Any, P: Any) -> np.ndarray:
        """What each label decides: |C(y, p with label i = 0) - C(y, p with label i = 1)|.

        Parameters
        ----------
        Y, P : array-like or sparse matrix of shape (n, K)

        Returns
        -------
        ndarray of shape (n, K), float64
        """
        Y, P = (_dense(labels) for labels in check_pair(Y, P))
        return self.label_weights(Y, P)

    def score(self, Y: Any, P: Any, empty: float = 1.0, sample_weight: Any = None) -> float:
        """The mean value of the predictions, weighted by `sample_weight` of shape (n,) if given.

        Examples
        --------
        >>> from rethink.costs import get_cost
        >>> get_cost("hamming").score([[1, 0], [0, 0]], [[1, 1], [0, 0]])
        0.25
        """
        return float(np.average(self(Y, P, empty), weights=sample_weight))

    def scorer(self) -> Callable[..., float]:
        """A scorer for `GridSearchCV` and `cross_val_score`; losses are negative there.

        Examples
        --------
        >>> from sklearn.model_selection import cross_val_score
        >>> from rethink import LogisticRelevance, get_cost
        >>> X, Y = [[0.0], [1.0], [2.0], [3.0]] * 3, [[0, 1], [0, 1], [1, 1], [1, 1]] * 3
        >>> cross_val_score(LogisticRelevance(C=10), X, Y, scoring=get_cost("f1").scorer(), cv=3)
        array([1., 1., 1.])
        """
        from sklearn.metrics import make_scorer  # a cost alone needs no scikit-learn

        return make_scorer(self.score, greater_is_better=self.greater_is_better)

    @staticmethod
    def of(
        function: Callable[[np.ndarray, np.ndarray], np.ndarray],
        *,
        greater_is_better: bool,
        name: str = "",
    ) -> "Cost":
        """A cost from a function of two 0/1 arrays of shape (n, K) that returns a value a row.

        Examples
        --------
        >>> Cost.of(lambda Y, P: (Y != P).any(axis=1), greater_is_better=False)([[1, 0]], [[1, 1]])
        array([1.])
        """
        return _FunctionCost(function, greater_is_better, name)

    def rule(self, marginals: np.ndarray, empty: bool) -> np.ndarray | None:
        """The best prediction for independent labels, shape (n, K); None if the cost knows none.

        `marginals` are their probabilities, shape (n, K); without `empty` no row has no label.
        """
        return None

    @abstractmethod
    def values(self, Y: np.ndarray, P: np.ndarray, empty: float) -> np.ndarray:
        """Values, shape (n,), of integer 0/1 arrays of shape (n, K): the cost's definition."""

    def label_weights(self, Y: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Weights, shape (n, K), of integer 0/1 arrays: here by flipping label after label."""
        result = np.empty(Y.shape)
        for label in range(Y.shape[1]):
            off, on = P.copy(), P.copy()
            off[:, label], on[:, label] = 0, 1
            difference = np.subtract(self.values(Y, off, 1.0), self.values(Y, on, 1.0), dtype=float)
            result[:, label] = np.abs(difference)
        return result

    def _evaluate(self, Y: Any, P: Any, empty: float) -> np.ndarray:
        blocks = range(0, max(Y.shape[0], 1), ROWS_AT_ONCE)
        rows = [slice(start, start + ROWS_AT_ONCE) for start in blocks]
        return np.concatenate([self.values(_dense(Y[r]), _dense(P[r]), empty) for r in rows])


class _FunctionCost(Cost):
    """The cost that `Cost.of` makes."""

    def __init__(self, function: Callable[..., np.ndarray], greater_is_better: bool, name: str):
        self.function = function
        self.greater_is_better = greater_is_better
        self.name = self.title = name or getattr(function, "__name__", "function")

    def __repr__(self) -> str:
        return f"Cost.of({self.name}, greater_is_better={self.greater_is_better})"

    def values(self, Y: np.ndarray, P: np.ndarray, empty: float) -> np.ndarray:
        return self.function(Y, P)


class CountCost(Cost):
    """A cost of the counts of a row alone: hits, relevant labels, predicted labels, all labels."""

    @abstractmethod
    def from_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray, K: int, empty: float
    ) -> np.ndarray:
        """Values, shape (n,), from the counts of each row, shapes (n,)."""

    def values(self, Y: np.ndarray, P: np.ndarray, empty: float) -> np.ndarray:
        """Values, shape (n,), of 0/1 arrays of shape (n, K)."""
        return self._evaluate(Y.astype(bool), P.astype(bool), empty)

    def _evaluate(self, Y: Any, P: Any, empty: float) -> np.ndarray:
        return self.from_counts(*counts(Y, P), Y.shape[1], empty)


def counts(Y: Any, P: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hits, relevant and predicted labels of each row of two boolean matrices, dense or sparse."""
    hits = Y.multiply(P) if sp.issparse(Y) else Y & P
    return _row_sums(hits), _row_sums(Y), _row_sums(P)


def check_pair(Y: Any, P: Any) -> tuple[Any, Any]:
    """Two boolean matrices of equal shape, both dense or both sparse rows (CSR)."""
    Y, P = check_binary(Y, "Y"), check_binary(P, "P")
    if Y.shape != P.shape:
        raise ValueError(
            f"Y has shape {Y.shape} but P has shape {P.shape}; "
            "give the predictions of the same rows and labels"
        )
    if sp.issparse(Y) != sp.issparse(P):
        return sp.csr_array(Y), sp.csr_array(P)
    return Y, P


def check_binary(labels: Any, name: str) -> Any:
    """A boolean matrix, dense or CSR, from 0/1 values; anything else is a ValueError."""
    if sp.issparse(labels):
        return _check_sparse(labels, name)
    labels = np.asarray(labels)
    if labels.ndim != 2 or labels.shape[1] == 0:
        raise ValueError(
            f"{name} has shape {labels.shape}, but needs two dimensions: a row for each instance "
            "and a column for each label (one label: reshape(-1, 1))"
        )
    if labels.dtype != bool:
        _refuse_other_values(labels, name)
    return labels.astype(bool)


def _check_sparse(labels: Any, name: str) -> sp.csr_array:
    if labels.ndim != 2 or labels.shape[1] == 0:
        raise ValueError(f"{name} has shape {labels.shape}, but needs a row for each instance")
    labels = sp.csr_array(labels, copy=True)
    labels.sum_duplicates()
    _refuse_other_values(labels.data, name)
    labels.eliminate_zeros()
    return labels.astype(bool)


def _refuse_other_values(values: np.ndarray, name: str) -> None:
    wrong = values[(values != 0) & (values != 1)]
    if wrong.size:
        raise ValueError(
            f"{name} holds {wrong.flat[0]!s}, but labels are 0 or 1; "
            "write them so (probabilities: P > 0.5)"
        )


def _dense(labels: Any) -> np.ndarray:
    """Signed integers, so that a cost may subtract and multiply without overflow."""
    return (labels.toarray() if sp.issparse(labels) else labels).astype(np.int64)


def _row_sums(labels: Any) -> np.ndarray:
    return np.diff(labels.indptr) if sp.issparse(labels) else np.count_nonzero(labels, axis=1)
