"""The matrix of a chain's examples: features that many of them share, and labels of their own."""

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

ROWS_OF_A_GRAM = 4000  # above that, products of rows are formed where they are needed


class Features:
    """X of shape (n, d) and a column of ones, kept for as many fits as look at it.

    `used` are the columns that are not zero in every row, the only ones that `X` keeps.
    """

    def __init__(self, X: Any):
        self.sparse, self.columns = sp.issparse(X), X.shape[1]
        self.used = np.arange(self.columns)
        if self.sparse:
            X = sp.csr_array(X)  # whose * is by element
            self.used = np.flatnonzero(np.bincount(X.indices, minlength=self.columns))
        self.X = X[:, self.used]
        self.transposed = self.X.T.tocsr() if self.sparse else self.X.T
        self.sizes = np.asarray((self.X * self.X).sum(axis=1)).ravel() + 1

    @cached_property
    def gram(self) -> np.ndarray | None:
        """Products of all pairs of rows, if they are few enough."""
        return self._products(self.X) if self.X.shape[0] <= ROWS_OF_A_GRAM else None

    def products(self, rows: np.ndarray) -> np.ndarray:
        """Products of the pairs of some rows."""
        if self.gram is not None:
            return self.gram[np.ix_(rows, rows)]
        return self._products(self.X[rows])

    def _products(self, X: Any) -> np.ndarray:
        return dense(X @ X.T) + 1


class Design:
    """A = [X[row], extra, 1], shape (m, p): row after row of X, some of them more than once.

    Parameters
    ----------
    features : Features
    row : int ndarray of shape (m,) or None
        The row of X that each example has; None for each once.
    extra : 0/1 ndarray of shape (m, L)
        Further columns.
    allowed : boolean ndarray of shape (K, L)
        Which of these each of K labels has. The others count as zeros.
    """

    def __init__(
        self, features: Features, row: np.ndarray | None, extra: np.ndarray, allowed: np.ndarray
    ):
        (n, self.d), (m, further) = features.X.shape, extra.shape
        self.features, self.row = features, np.arange(n) if row is None else row
        each = np.arange(m)
        self.sums = None if row is None else sp.csr_array((np.ones(m), (row, each)), shape=(n, m))
        self.own, self.allowed = extra.astype(np.float32), allowed
        columns = extra.astype(float)
        kind: Any = sp.csr_array if features.sparse else np.asarray
        self.extra, self.extra_transposed = kind(columns), kind(columns.T)
        self.shape = m, self.d + further + 1

    @property
    def columns(self) -> int:
        """How many columns there are with those of X that are zero in every row."""
        return self.features.columns + self.own.shape[1] + 1

    @property
    def places(self) -> np.ndarray:
        """Where the columns of A are among all of these."""
        return np.append(self.features.used, np.arange(self.features.columns, self.columns))

    def part(self, labels: np.ndarray) -> "Design":
        """The same examples for some of the labels."""
        result = copy(self)
        result.allowed = self.allowed[labels]
        return result

    def to_rows(self, V: np.ndarray) -> np.ndarray:
        """A V for V of shape (p, columns)."""
        product = self.features.X @ V[: self.d]
        product += V[-1]
        if self.sums is not None:
            product = product[self.row]
        if self.own.shape[1]:
            product += self.extra @ V[self.d : -1]
        return product

    def to_features(self, U: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """A' U for U of shape (m, columns), zero where a label has no coefficient."""
        result = np.empty((self.shape[1], U.shape[1]))
        summed = U if self.sums is None else self.sums @ U
        result[: self.d] = self.features.transposed @ summed
        if self.own.shape[1]:
            result[self.d : -1] = self.extra_transposed @ U
            result[self.d : -1] *= self.allowed[columns].T
        result[-1] = summed.sum(axis=0)
        return result

    def columns_of(self, label: int) -> np.ndarray:
        """The columns that a label has, extra ones last: as `weighted_gram` orders them."""
        extra = self.d + np.flatnonzero(self.allowed[label])
        return np.concatenate([np.arange(self.d), [self.shape[1] - 1], extra])

    def weighted_gram(self, weight: np.ndarray, label: int) -> np.ndarray:
        """A' diag(weight) A over the columns that a label has; X is dense."""
        ones = np.ones((len(self.features.X), 1))
        X, own = np.hstack([self.features.X, ones]), self.extra[:, self.allowed[label]]
        summed = weight if self.sums is None else self.sums @ weight
        weighted = weight[:, None] * own
        cross = X.T @ (weighted if self.sums is None else self.sums @ weighted)
        return np.block([[X.T @ (summed[:, None] * X), cross], [cross.T, own.T @ weighted]])

    def products(self, rows: np.ndarray, label: int) -> np.ndarray:
        """Products of the pairs of some examples over the columns that a label has."""
        own = self.own[np.ix_(rows, np.flatnonzero(self.allowed[label]))]
        return self.features.products(self.row[rows]) + own @ own.T

    @cached_property
    def sizes(self) -> np.ndarray:
        """The squared length of each row, all columns counted."""
        return self.features.sizes[self.row] + self.own.sum(axis=1)


def dense(matrix: Any) -> np.ndarray:
    """The matrix, dense."""
    return matrix.toarray() if sp.issparse(matrix) else matrix
