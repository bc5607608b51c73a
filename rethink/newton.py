"""Newton directions of logistic regression for many labels at once.

The Hessian of a label is H = identity + A' D A with D diagonal. Each label keeps a Cholesky factor
of an earlier H: over the features where they are few, else over the rows whose part in H is large
(Woodbury). Conjugate gradients make up for what the factor misses; once they need too many
iterations the label gets a new factor.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rethink.design import Design

FEW_FEATURES = 400
ROW_MATTERS = 2.0  # the d|x|² above which a row enters the factor
MOST_ROWS = 400
TOO_MANY = 4  # iterations after which a new factor pays
MOST_ITERATIONS = 1000
FORCING = 0.05  # the residual a step may leave, relative to its gradient
NOTHING = 1e-300  # a label solved exactly waits for the others at 0, not at 0/0


def dots(U: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Inner products of the columns."""
    return np.einsum("ij,ij->j", U, V)


class Factors(ABC):
    """A factor for each label, remade when the last one needed too many iterations."""

    @classmethod
    def of(cls, design: Design, labels: int) -> "Factors":
        """Over the features where they are few, else over the rows."""
        narrow = design.shape[1] <= min(FEW_FEATURES, design.shape[0])
        return (_OverFeatures if narrow and not design.features.sparse else _OverRows)(
            design, labels
        )

    def __init__(self, design: Design, labels: int):
        self.design = design
        self.kept: list[Any] = [None] * labels
        self.iterations = np.full(labels, TOO_MANY + 1)

    def way_to(self, C: float) -> list[float]:
        """Strengths to pass on the way from coefficients of zero to C."""
        return []

    def refresh(self, D: np.ndarray, columns: np.ndarray) -> None:
        """See to it that every label has a factor that is good enough."""
        for place, label in enumerate(columns):
            if self.iterations[label] > TOO_MANY:
                self.kept[label] = self._factor(D[:, place], label)
        self.iterations[columns] = 0

    @abstractmethod
    def _factor(self, d: np.ndarray, label: int) -> Any:
        """What `solve` needs to divide by the Hessian of a label at d, shape (m,)."""

    @abstractmethod
    def solve(self, R: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """R, shape (p, columns), divided by the Hessians that were factored."""


class _OverFeatures(Factors):
    """The whole Hessian, p by p."""

    def _factor(self, d: np.ndarray, label: int) -> Any:
        return self.design.columns_of(label), _cholesky(self.design.weighted_gram(d, label))

    def solve(self, R: np.ndarray, columns: np.ndarray) -> np.ndarray:
        result = np.zeros_like(R)
        for place, label in enumerate(columns):
            used, factor = self.kept[label]
            result[used, place] = dpotrs(factor, R[used, place], lower=1)[0]
        return result


class _OverRows(Factors):
    """The rows that weigh most in the Hessian; the others are left to conjugate gradients."""

    def way_to(self, C: float) -> list[float]:
        """Tenfold steps: only near the solution do few rows weigh much."""
        return [10.0**power for power in range(-3, 5) if 10.0**power < C]

    def _factor(self, d: np.ndarray, label: int) -> Any:
        part = d * self.design.sizes
        rows = np.flatnonzero(part > ROW_MATTERS)
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.argpartition(-part, MOST_ROWS)[:MOST_ROWS])
        root = np.sqrt(d[rows])
        if not len(rows):
            return rows, root, None
        return rows, root, _cholesky(root[:, None] * self.design.products(rows, label) * root)

    def solve(self, R: np.ndarray, columns: np.ndarray) -> np.ndarray:
        if not any(len(self.kept[label][0]) for label in columns):
            return R.copy()
        in_rows = self.design.to_rows(R)
        solved = np.zeros_like(in_rows)
        for place, label in enumerate(columns):
            rows, root, factor = self.kept[label]
            if len(rows):
                solved[rows, place] = root * dpotrs(factor, root * in_rows[rows, place], lower=1)[0]
        product = self.design.to_features(solved, columns)
        return np.subtract(R, product, out=product)


def direction(
    factors: Factors, D: np.ndarray, gradient: np.ndarray, goal: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Solve H S = -gradient, shape (p, columns), as well as a Newton step can use it.

    `goal` is the residual, relative to the gradient, below which nothing is gained.
    """
    result = np.zeros_like(gradient)
    factors.refresh(D, columns)
    S, R, left = np.zeros_like(gradient), -gradient, np.arange(len(columns))
    enough = dots(R, R) * np.maximum(FORCING, goal / 2) ** 2
    P = factors.solve(R, columns)
    power = dots(R, P)
    for _ in range(MOST_ITERATIONS):
        HP = _hessian_times(factors.design, P, D, columns)
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


def _hessian_times(design: Design, V: np.ndarray, D: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """V + A' D A V, column by column; D has shape (m, columns)."""
    product = design.to_features(D * design.to_rows(V), columns)
    product += V
    return product


def _cholesky(matrix: np.ndarray) -> np.ndarray:
    """The lower factor of identity + matrix, which is taken over."""
    matrix.flat[:: len(matrix) + 1] += 1
    return dpotrf(matrix, lower=1, overwrite_a=1, clean=0)[0]
