"""Criteria of a whole matrix of predictions: F1 by label or over all, recall at a precision."""

from abc import abstractmethod
from typing import Any, Literal

import numpy as np

from rethink.costs.base import Cost, check_pair


class MatrixCost(Cost):
    """A criterion of the counts in a whole matrix: it has a score, but no value for a row.

    So no model can be trained for it row by row. `DecisionRule` searches thresholds for it.
    """

    average: Literal["macro", "micro"] = "micro"

    @abstractmethod
    def of_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray
    ) -> np.ndarray:
        """Values from counts of hits, relevant and predicted labels, arrays of one shape."""

    def score(self, Y: Any, P: Any, empty: float = 1.0, sample_weight: Any = None) -> float:
        """The mean over labels ("macro"), or the value of all counts together ("micro").

        A label that is neither relevant nor predicted counts as right if `empty` is 1.
        """
        Y, P = (_dense(labels) for labels in check_pair(Y, P))
        weights = np.ones(len(Y)) if sample_weight is None else np.asarray(sample_weight)
        counts = [weights @ (Y & P), weights @ Y, weights @ P]
        if self.average == "micro":
            counts = [np.atleast_1d(each.sum()) for each in counts]
        nothing = (counts[1] == 0) & (counts[2] == 0)
        return float(np.where(nothing, empty, self.of_counts(*counts)).mean())

    def values(self, Y: np.ndarray, P: np.ndarray, empty: float) -> np.ndarray:
        """Refused: there is no value for a row."""
        raise ValueError(
            f"the cost {self.name!r} is one of the whole matrix and has no value for a row; "
            f"use get_cost({self.name!r}).score(Y, P), or predict for it with DecisionRule"
        )


class _F1(MatrixCost):
    greater_is_better = True
    range = "0 to 1"

    def of_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray
    ) -> np.ndarray:
        """Values from counts of hits, relevant and predicted labels, arrays of one shape."""
        return 2 * hits / np.maximum(relevant + predicted, 1e-300)


class MacroF1(_F1):
    """The mean of the F1 of each label over all rows.

    Examples
    --------
    >>> MacroF1().score([[1, 0], [1, 1]], [[1, 0], [0, 1]]).__round__(3)
    0.833
    """

    name = "macro-f1"
    title = "Macro F1"
    average = "macro"


class MicroF1(_F1):
    """The F1 of all entries of the matrix together.

    Examples
    --------
    >>> MicroF1().score([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.8
    """

    name = "micro-f1"
    title = "Micro F1"


class RecallAtPrecision(MatrixCost):
    """The share of relevant entries that is predicted, where enough of the predictions are right.

    Predictions below the wanted precision score 0.

    Parameters
    ----------
    precision : float
        The share of predicted entries that must be right.

    Examples
    --------
    >>> RecallAtPrecision(0.5).score([[1, 0], [1, 1]], [[1, 1], [0, 0]]).__round__(3)
    0.333
    """

    name = "recall-at-precision"
    title = "Recall at a precision"
    greater_is_better = True
    range = "0 to 1"

    def __init__(self, precision: float = 0.8):
        self.precision = precision
        if not 0 < precision <= 1:
            raise ValueError(f"precision is {precision!r}, but needs a share above 0, at most 1")

    def __repr__(self) -> str:
        return f"RecallAtPrecision({self.precision!r})"

    def of_counts(
        self, hits: np.ndarray, relevant: np.ndarray, predicted: np.ndarray
    ) -> np.ndarray:
        """Values from counts of hits, relevant and predicted labels, arrays of one shape."""
        precise = hits >= self.precision * predicted - 1e-9
        return np.where(precise, hits / np.maximum(relevant, 1e-300), 0.0)


def _dense(labels: Any) -> np.ndarray:
    return labels.toarray() if hasattr(labels, "toarray") else labels
