"""Linear support vector machines with squared hinge loss, solved to the last digits.

The objective is that of scikit-learn's `LinearSVC`: |w|²/2 + C Σ max(0, 1 - s f)² with s = ±1 and
f = z·w, where z ends with a 1, so that the intercept is regularised too. It is quadratic as long as
the same rows are active (s f < 1), so a Newton step that leaves these as they are is the last.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotrs
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

PRECISION = 1e-13  # of the gradient, relative to the terms that it sums
NEAR = 1e-2  # the tolerance of liblinear where it only finds a start
MOST_STEPS = 200
MOST_HALVINGS = 40


class Kernel(NamedTuple):
    """Products of all pairs of rows, shape (n, n), over the first columns of Z."""

    products: np.ndarray
    columns: int

    @classmethod
    def of(cls, Z: Any) -> "Kernel":
        """The kernel of all columns of Z."""
        return cls(_product(Z, Z.T), Z.shape[1])


@dataclass(frozen=True)
class SquaredHinge:
    """The objective of one 0/1 target on the columns of Z, shape (n, D), dense or CSR.

    A caller with many targets on the same columns may know `gram`, ZᵀZ; one with many problems that
    share their first columns may know the `kernel` of these.
    """

    Z: Any
    y: np.ndarray
    C: float
    gram: np.ndarray | None = None
    kernel: Kernel | None = None

    @cached_property
    def signs(self) -> np.ndarray:
        """+1 and -1 for y of 1 and 0."""
        return np.where(self.y, 1.0, -1.0)

    def slack(self, w: np.ndarray) -> np.ndarray:
        """1 - s f of every row, shape (n,): above 0 where the row is active."""
        return 1 - self.signs * (self.Z @ w)

    def pull(self, slack: np.ndarray) -> np.ndarray:
        """2C s max(0, slack), shape (n,): how strongly each row pulls; Zᵀ pull = w when solved."""
        return 2 * self.C * self.signs * np.maximum(slack, 0)

    def value(self, w: np.ndarray, slack: np.ndarray) -> float:
        """The objective."""
        hinge = np.maximum(slack, 0)
        return float(0.5 * (w @ w) + self.C * (hinge @ hinge))

    def column_products(self, rows: np.ndarray) -> np.ndarray:
        """Z_Iᵀ Z_I, shape (D, D), for a mask of rows; from the other rows if these are fewer."""
        if self.gram is not None and 2 * np.count_nonzero(rows) > len(rows):
            return self.gram - _product(self.Z[~rows].T, self.Z[~rows])
        return _product(self.Z[rows].T, self.Z[rows])

    def row_products(self, rows: np.ndarray) -> np.ndarray:
        """Z_I Z_Iᵀ for a mask of rows."""
        Z = self.Z[rows]
        if self.kernel is None:
            return _product(Z, Z.T)
        places, further = np.flatnonzero(rows), Z[:, self.kernel.columns :]
        products = self.kernel.products[np.ix_(places, places)]
        products += _product(further, further.T)
        return products


class Curvature:
    """The second derivative Id + 2C Z_Iᵀ Z_I of the active rows I, factorised on its smaller side.

    With fewer active rows than columns its inverse is Id - Z_Iᵀ (Id/2C + Z_I Z_Iᵀ)⁻¹ Z_I.
    """

    def __init__(self, problem: SquaredHinge, active: np.ndarray):
        self.active = active
        by_rows = 0 < np.count_nonzero(active) < problem.Z.shape[1]
        self._rows = problem.Z[active] if by_rows else None
        if by_rows:
            matrix, diagonal = problem.row_products(active), 0.5 / problem.C
        else:
            matrix, diagonal = 2 * problem.C * problem.column_products(active), 1.0
        matrix.flat[:: len(matrix) + 1] += diagonal
        self._factor = _cholesky(matrix)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """The inverse times `right`, shape (D,) or (D, m)."""
        if self._rows is None:
            return dpotrs(self._factor, right)[0]
        inner = dpotrs(self._factor, self._rows @ right)[0]
        return right - self._rows.T @ inner


@dataclass(frozen=True)
class Minimum:
    """Where a squared hinge objective is smallest, with the curvature there."""

    problem: SquaredHinge
    w: np.ndarray
    slack: np.ndarray
    curvature: Curvature


def minimise(problem: SquaredHinge, start: np.ndarray | None = None) -> Minimum:
    """Newton's method with halved steps; `start`, shape (D,), is where to begin."""
    Z = problem.Z
    w = _near(problem) if start is None else start
    slack, curvature = problem.slack(w), None
    for _ in range(MOST_STEPS):
        active, pulled = slack > 0, Z.T @ problem.pull(slack)
        same = curvature is not None and np.array_equal(active, curvature.active)
        if curvature is None or not same:
            curvature = Curvature(problem, active)
        gradient = w - pulled
        if np.linalg.norm(gradient) <= PRECISION * (1 + np.linalg.norm(w) + np.linalg.norm(pulled)):
            break
        moved = _descend(problem, w, slack, curvature.solve(gradient))
        if moved is None:
            break
        w, slack = moved
    assert curvature is not None
    return Minimum(problem, w, slack, curvature)


class Extensions:
    """The machines of a solved target on its columns and one column more, followed together.

    Steps use the curvature at the solution without the column, one factor for all. `low` and
    `high` bound the norm of each solution at every time; `index` tells which columns are left.

    Parameters
    ----------
    base : Minimum
    columns : ndarray or sparse array of shape (n, L)
    numbers : sequence of int, optional
        Which of these columns, one for each machine; by default all.
    """

    _ALIGNED = ("index", "numbers", "own", "low", "high", "radius", "extra", "W", "gradient",
                "cross", "shift", "pivot")  # fmt: skip

    def __init__(self, base: Minimum, columns: Any, numbers: Sequence[int] | None = None):
        self.base, self.columns = base, columns
        self.numbers = np.arange(columns.shape[1]) if numbers is None else np.array(numbers)
        self.index = np.arange(len(self.numbers))
        # with coefficient 0 for the further column only its own gradient is not 0
        self.own = (columns.T @ base.problem.pull(base.slack))[self.numbers]
        nothing, length = np.zeros(len(self.own)), np.linalg.norm(base.w)
        self.low, self.high = norm_interval(
            np.stack([nothing + length, nothing]), np.stack([nothing, -self.own])
        )
        self.radius = self.high - self.low

    def keep(self, mask: np.ndarray) -> None:
        """Forget the machines outside the mask."""
        for name in self._ALIGNED:
            if hasattr(self, name):
                setattr(self, name, getattr(self, name)[..., mask])

    def prepare(self) -> None:
        """Extend the curvature by the further columns: [[A, cross], [crossᵀ, corner]] for each."""
        problem, curvature, w = self.base.problem, self.base.curvature, self.base.w
        self.extra = self.dense(self.numbers)
        self.W = np.vstack([np.repeat(w[:, None], len(self.own), axis=1), 0 * self.own])
        self.gradient = np.vstack([np.zeros((len(w), len(self.own))), -self.own])
        rows = curvature.active[:, None] * self.extra
        self.cross = 2 * problem.C * (problem.Z.T @ rows)
        self.shift = curvature.solve(self.cross)
        corner = 1 + 2 * problem.C * np.einsum("nm,nm->m", rows, self.extra)
        self.pivot = corner - np.einsum("dm,dm->m", self.cross, self.shift)

    def step(self) -> np.ndarray:
        """One step of all machines; returns a mask of those that it did not bring much closer."""
        problem = self.base.problem
        self.W = self.W - self._solve(self.gradient)
        fitted = problem.Z @ self.W[:-1] + self.extra * self.W[-1]
        signs = problem.signs[:, None]
        pull = 2 * problem.C * signs * np.maximum(1 - signs * fitted, 0)
        pulled = np.vstack([problem.Z.T @ pull, np.einsum("nm,nm->m", self.extra, pull)])
        self.gradient = self.W - pulled
        low, high = norm_interval(self.W, self.gradient)
        stalled = high - low > 0.5 * self.radius
        self.radius = high - low
        self.low, self.high = np.maximum(self.low, low), np.minimum(self.high, high)
        return stalled

    def dense(self, numbers: np.ndarray) -> np.ndarray:
        """The columns of these numbers as a dense array."""
        columns = self.columns[:, numbers]
        return columns.toarray() if sp.issparse(columns) else columns

    def extended(self, number: int) -> SquaredHinge:
        """The problem of one machine."""
        problem, gram = self.base.problem, self.base.problem.gram
        column = self.dense(np.array([number]))
        if gram is not None:
            cross = problem.Z.T @ column
            gram = np.block([[gram, cross], [cross.T, column.T @ column]])
        return replace(problem, Z=append_columns(problem.Z, column), gram=gram)

    def _solve(self, right: np.ndarray) -> np.ndarray:
        """The extended curvature's inverse times `right`, shape (D + 1, m), column by column."""
        inner = self.base.curvature.solve(right[:-1])
        last = (right[-1] - np.einsum("dm,dm->m", self.cross, inner)) / self.pivot
        return np.vstack([inner - self.shift * last, last])


def norm_interval(w: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the solution's norm from any w and its gradient, shapes (D,) or (D, m).

    The objective is 1-strongly convex, so with e = solution - w: e·e ≤ -gradient·e, and e lies in
    the ball that has 0 and -gradient as opposite poles.

    Examples
    --------
    >>> import numpy as np
    >>> norm_interval(np.array([3.0, 0.0]), np.array([0.0, -8.0]))  # any solution in (3, 0..8)
    (np.float64(1.0), np.float64(9.0))
    """
    centre = np.linalg.norm(w - gradient / 2, axis=0)
    radius = np.linalg.norm(gradient, axis=0) / 2
    return np.maximum(centre - radius, 0), centre + radius


def with_ones(X: Any) -> Any:
    """X with a last column of ones, dense or CSR."""
    return append_columns(X, np.ones((X.shape[0], 1)))


def append_columns(X: Any, columns: np.ndarray) -> Any:
    """[X, columns], dense or CSR as X is."""
    return sp.hstack([X, columns], format="csr") if sp.issparse(X) else np.hstack([X, columns])


def _near(problem: SquaredHinge) -> np.ndarray:
    """Where to begin: for sparse columns what liblinear finds; far away most rows are active."""
    if not sp.issparse(problem.Z) or np.ptp(problem.y) == 0:
        return np.zeros(problem.Z.shape[1])
    Z = sp.csr_array(problem.Z)
    short = (part.astype(np.int32, copy=False) for part in (Z.indices, Z.indptr))  # as it wants
    Z = sp.csr_array((Z.data, *short), shape=Z.shape)
    machine = LinearSVC(C=problem.C, dual=False, fit_intercept=False, tol=NEAR, max_iter=50)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return machine.fit(Z, problem.y).coef_[0]


def _descend(
    problem: SquaredHinge, w: np.ndarray, slack: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The first of w - step, w - step/2, ... that lowers the objective; None if rounding wins."""
    before, change = problem.value(w, slack), problem.signs * (problem.Z @ step)
    for halving in range(MOST_HALVINGS):
        size = 0.5**halving
        moved = w - size * step, slack + size * change
        if problem.value(*moved) < before:
            return moved
    # near the solution the gradient still tells what rounding hides in the objective
    full = w - step, problem.slack(w - step)
    shrinks = _steepness(problem, *full) < 0.5 * _steepness(problem, w, slack)
    return full if shrinks else None


def _steepness(problem: SquaredHinge, w: np.ndarray, slack: np.ndarray) -> float:
    return float(np.linalg.norm(w - problem.Z.T @ problem.pull(slack)))


def _cholesky(matrix: np.ndarray) -> np.ndarray:
    """The upper factor; LAPACK itself, because scipy's checks take longer than small solves."""
    factor, failed = dpotrf(matrix.T, overwrite_a=True)  # symmetric: the transpose is in its order
    if failed:
        raise LinAlgError("the curvature is not positive definite; scale X or lower C")
    return factor


def _product(left: Any, right: Any) -> np.ndarray:
    product = left @ right
    return product.toarray() if sp.issparse(product) else product
