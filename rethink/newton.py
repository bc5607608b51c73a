"""Newton directions of logistic regression for many labels at once.

The Hessian of a label is H = identity + A' D A with D diagonal. Each label keeps a Cholesky factor
of an earlier H: over the features where they are few, else over the rows whose part in H is large
(Woodbury). Conjugate gradients make up for what the factor misses; once they need too many
iterations the label gets a new factor.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.lapack import dpotrf, dpotrs

FEW_FEATURES = 400
ROW_MATTERS = 2.0  # the d|x|² above which a row enters the factor
MOST_ROWS = 400
ROWS_OF_A_GRAM = 4000  # above that, products of rows are formed where they are needed
TOO_MANY = 4  # iterations after which a new factor pays
MOST_ITERATIONS = 1000
FORCING = 0.05  # the residual a step may leave, relative to its gradient
NOTHING = 1e-300  # a label solved exactly waits for the others at 0, not at 0/0


def dots(U: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Inner products of the columns."""
    return np.einsum("ij,ij->j", U, V)


class Curvature:
    """Products with A, shape (n, p), and the factors of k labels; `mask` is (p, k) or None."""

    def __init__(self, A: Any, mask: np.ndarray | None, labels: int):
        sparse = sp.issparse(A)
        self.A, self.transposed = A, A.T.tocsr() if sparse else A.T
        self.mask = np.ones((A.shape[1], labels), dtype=bool) if mask is None else mask
        self.partial = np.flatnonzero(~self.mask.all(axis=1))  # features that not all labels use
        self.partial_mask = self.mask[self.partial].astype(float)
        narrow = not sparse and A.shape[1] <= min(FEW_FEATURES, A.shape[0])
        self.factors = (_OverFeatures if narrow else _OverRows)(self, labels)

    def to_rows(self, V: np.ndarray) -> np.ndarray:
        """A V for V of shape (p, columns)."""
        return self.A @ V

    def to_features(self, U: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """A' U for U of shape (n, columns), zero where a label has no coefficient."""
        product = self.transposed @ U
        if len(self.partial):
            product[self.partial] *= self.partial_mask[:, columns]
        return product

    def hessian_times(self, V: np.ndarray, D: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """V + A' D A V, column by column; D has shape (n, columns)."""
        product = self.to_features(D * self.to_rows(V), columns)
        product += V
        return product


def direction(
    curvature: Curvature, D: np.ndarray, gradient: np.ndarray, goal: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Solve H S = -gradient, shape (p, columns), as well as a Newton step can use it.

    `goal` is the residual, relative to the gradient, below which nothing is gained.
    """
    factors, result = curvature.factors, np.zeros_like(gradient)
    factors.refresh(D, columns)
    S, R, left = np.zeros_like(gradient), -gradient, np.arange(len(columns))
    enough = dots(R, R) * np.maximum(FORCING, goal / 2) ** 2
    P = factors.solve(R, columns)
    power = dots(R, P)
    for _ in range(MOST_ITERATIONS):
        HP = curvature.hessian_times(P, D, columns)
        length = power / np.maximum(dots(P, HP), NOTHING)
        S += length * P
        R -= length * HP
        factors.iterations[columns] += 1
        going = dots(R, R) > enough
        if going.sum() < 0.75 * len(columns):  # narrower arrays only where it saves much
            result[:, left] = S
            if not going.any():
                return result
            left, columns = left[going], columns[going]
            S, R, P, D = (array[:, going] for array in (S, R, P, D))
            power, enough = power[going], enough[going]
        Z = factors.solve(R, columns)
        before, power = power, dots(R, Z)
        P *= power / np.maximum(before, NOTHING)
        P += Z
    result[:, left] = S
    return result


class _Factors(ABC):
    """A factor for each label, remade when the last one needed too many iterations."""

    def __init__(self, curvature: Curvature, labels: int):
        self.curvature = curvature
        self.kept: list[Any] = [None] * labels
        self.iterations = np.full(labels, TOO_MANY + 1)

    def refresh(self, D: np.ndarray, columns: np.ndarray) -> None:
        """See to it that every label has a factor that is good enough."""
        for place, label in enumerate(columns):
            if self.iterations[label] > TOO_MANY:
                self.kept[label] = self._factor(D[:, place], label)
        self.iterations[columns] = 0

    @abstractmethod
    def _factor(self, d: np.ndarray, label: int) -> Any:
        """What `solve` needs to divide by the Hessian of a label at d, shape (n,)."""

    @abstractmethod
    def solve(self, R: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """R, shape (p, columns), divided by the Hessians that were factored."""


class _OverFeatures(_Factors):
    """The whole Hessian, p by p."""

    def _factor(self, d: np.ndarray, label: int) -> Any:
        scaled = self.curvature.A * np.sqrt(d)[:, None]
        used = np.flatnonzero(self.curvature.mask[:, label])
        return used, _cholesky((scaled.T @ scaled)[np.ix_(used, used)])

    def solve(self, R: np.ndarray, columns: np.ndarray) -> np.ndarray:
        result = np.zeros_like(R)
        for place, label in enumerate(columns):
            used, factor = self.kept[label]
            result[used, place] = dpotrs(factor, R[used, place], lower=1)[0]
        return result


class _OverRows(_Factors):
    """The rows that weigh most in the Hessian; the others are left to conjugate gradients."""

    def __init__(self, curvature: Curvature, labels: int):
        super().__init__(curvature, labels)
        A = curvature.A
        everyone = curvature.mask.all(axis=1)
        self.common, self.own = A[:, everyone], _dense(A[:, ~everyone])
        self.sizes = np.asarray((A * A).sum(axis=1)).ravel()
        small = A.shape[0] <= ROWS_OF_A_GRAM
        self.gram = _dense(self.common @ self.common.T) if small else None

    def _factor(self, d: np.ndarray, label: int) -> Any:
        part = d * self.sizes
        rows = np.flatnonzero(part > ROW_MATTERS)
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.argpartition(-part, MOST_ROWS)[:MOST_ROWS])
        root = np.sqrt(d[rows])
        return rows, root, _cholesky(root[:, None] * self._products(rows, label) * root)

    def _products(self, rows: np.ndarray, label: int) -> np.ndarray:
        """Inner products of the rows over the features that the label may use."""
        if self.gram is None:
            chosen = self.common[rows]
            products = _dense(chosen @ chosen.T)
        else:
            products = self.gram[np.ix_(rows, rows)]
        own = self.own[np.ix_(rows, np.flatnonzero(self.curvature.partial_mask[:, label]))]
        return products + own @ own.T

    def solve(self, R: np.ndarray, columns: np.ndarray) -> np.ndarray:
        in_rows = self.curvature.to_rows(R)
        solved = np.zeros_like(in_rows)
        for place, label in enumerate(columns):
            rows, root, factor = self.kept[label]
            if len(rows):
                solved[rows, place] = root * dpotrs(factor, root * in_rows[rows, place], lower=1)[0]
        product = self.curvature.to_features(solved, columns)
        return np.subtract(R, product, out=product)


def _cholesky(matrix: np.ndarray) -> np.ndarray:
    """The lower factor of identity + matrix, which is taken over."""
    matrix.flat[:: len(matrix) + 1] += 1
    return dpotrf(matrix, lower=1, overwrite_a=1, clean=0)[0] if len(matrix) else matrix


def _dense(matrix: Any) -> np.ndarray:
    return matrix.toarray() if sp.issparse(matrix) else matrix
