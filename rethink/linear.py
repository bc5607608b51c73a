"""L2-regularised logistic regression for many labels at once: the optimum, found fast.

    minimise  ½|w|² + C Σ weight log(1 + exp(-y f)),   f = [x, 1] w,   y = ±1

This is liblinear's objective: the intercept is the coefficient of an extra feature of value 1 and
is regularised with the others. The interface, meant to stay as it is:

    fit_logistic(X, Y, C, weight=None, start=None, allowed=None) -> coefficients
    fit_path(X, Y, Cs, weight=None, start=None, allowed=None) -> coefficients for each C
    decision(X, coefficients) -> f

Newton's method with conjugate gradients for all labels together. A Cholesky factor for each label,
over the features or over the rows that matter, makes a handful of iterations enough, and serves
until it is out of date. Nothing is drawn at random.
"""

import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning

from rethink.newton import Curvature, direction, dots

GRADIENT = 1e-6  # its norm bounds |w - optimum|, because the Hessian is at least the identity
ROUNDING = 1e-14  # of the gradient at zero: what cancelling terms may leave
LABELS_AT_ONCE = 64  # keeps the arrays of a batch in the cache
MOST_STEPS = 200
MOST_HALVINGS = 40


def fit_logistic(
    X: Any,
    Y: np.ndarray,
    C: float = 1.0,
    *,
    weight: np.ndarray | None = None,
    start: np.ndarray | None = None,
    allowed: np.ndarray | None = None,
) -> np.ndarray:
    """Coefficients, intercept last: shape (d + 1,) for Y of shape (n,), else (K, d + 1).

    A label that is constant over the rows of positive weight gets zeros and an intercept of
    plus or minus infinity.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    Y : ndarray of shape (n,) or (n, K)
        0 or 1.
    C : float
        Inverse strength of the regularisation, above 0.
    weight : ndarray of shape (n,) or of the shape of Y, optional
        What each row counts, at least 0.
    start : ndarray of the shape of the result, optional
        Where to begin; infinite values count as zero. It changes the time, not the result.
    allowed : boolean ndarray of shape (K, d), optional
        The features that each label may use; the coefficients of the others are 0.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> fit_logistic(X, y, C=10).round(3)
    array([ 0.686, -0.923])
    """
    return fit_path(X, Y, [C], weight=weight, start=start, allowed=allowed)[0]


def fit_path(
    X: Any,
    Y: np.ndarray,
    Cs: Sequence[float],
    *,
    weight: np.ndarray | None = None,
    start: np.ndarray | None = None,
    allowed: np.ndarray | None = None,
    tolerance: float = GRADIENT,
) -> np.ndarray:
    """Coefficients for every C, in the order of `Cs`: as `fit_logistic`, with an axis before.

    Small C are solved first, and their solutions show where the next one lies. The coefficients
    of a label are as close to the optimum as `tolerance` says, times √C where C is below 1.
    """
    for C in Cs:
        if not (isinstance(C, Real) and 0 < C < np.inf):
            raise ValueError(f"the 'C' parameter is {C!r}, but needs a number above 0, such as 1.0")
    n, labels = len(Y), Y.reshape(len(Y), -1).astype(float)
    weights = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    weights = np.broadcast_to(weights.reshape(n, -1), labels.shape)
    A = _with_intercept(X)
    result = np.zeros((len(Cs), labels.shape[1], A.shape[1]))
    result[..., -1], varies = _constants(labels, weights)
    begin, mask = _begin(start, result.shape[1:]), _mask(allowed, result.shape[1:])
    used = _used(A)  # the others have coefficients of zero
    for first in range(0, len(varies), LABELS_AT_ONCE):
        part = varies[first : first + LABELS_AT_ONCE]
        place = np.ix_(part, used)
        masked = None if mask is None else mask[place].T
        problem = _Problem(A[:, used], labels[:, part], weights[:, part], masked)
        solved = np.swapaxes(_path(problem, Cs, begin[place].T, tolerance), 1, 2)
        result[np.ix_(np.arange(len(Cs)), part, used)] = solved
    return result.reshape(len(Cs), *Y.shape[1:], A.shape[1])


def decision(X: Any, coefficients: np.ndarray) -> np.ndarray:
    """f for each row of X, shape (n, d): shape (n,) or (n, K) as the coefficients are."""
    return np.asarray(X @ coefficients[..., :-1].T) + coefficients[..., -1]


def _with_intercept(X: Any) -> Any:
    ones = np.ones((X.shape[0], 1))
    if sp.issparse(X):
        return sp.csr_array(sp.hstack([X, ones], format="csr"))
    return np.hstack([X, ones])


def _used(A: Any) -> np.ndarray:
    """The columns that are not zero in every row."""
    if sp.issparse(A):
        return np.flatnonzero(np.bincount(A.indices, minlength=A.shape[1]))
    return np.arange(A.shape[1])


def _mask(allowed: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray | None:
    """Which coefficients each label has, shape (K, p): the intercept always."""
    if allowed is None:
        return None
    mask = np.ones(shape, dtype=bool)
    mask[:, :-1] = allowed
    return mask


def _constants(Y: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Intercepts, infinite for labels that are constant where it counts, and the other labels."""
    counts = weights > 0
    has_one, has_zero = (counts & (Y == 1)).any(axis=0), (counts & (Y == 0)).any(axis=0)
    intercepts = np.where(has_one == has_zero, 0.0, np.where(has_one, np.inf, -np.inf))
    return intercepts, np.flatnonzero(has_one & has_zero)


def _begin(start: np.ndarray | None, shape: tuple[int, ...]) -> np.ndarray:
    if start is None:
        return np.zeros(shape)
    return np.where(np.isfinite(start), start, 0.0).reshape(shape)


class _Problem:
    """Labels to be fitted together: A of shape (n, p), the rest with a column for each label."""

    def __init__(self, A: Any, Y: np.ndarray, weight: np.ndarray, mask: np.ndarray | None):
        self.Y, self.weight = Y, weight
        self.curvature = Curvature(A, mask, Y.shape[1])

    def loss(self, W: np.ndarray, F: np.ndarray, C: float, columns: np.ndarray) -> np.ndarray:
        signed = np.where(self.Y[:, columns] == 1, F, -F)
        return dots(W, W) / 2 - C * dots(self.weight[:, columns], log_expit(signed))

    def gradient(self, W: np.ndarray, P: np.ndarray, C: float, columns: np.ndarray) -> np.ndarray:
        residual = C * self.weight[:, columns] * (P - self.Y[:, columns])
        return W + self.curvature.to_features(residual, columns)


def _path(problem: _Problem, Cs: Sequence[float], W: np.ndarray, tolerance: float) -> np.ndarray:
    """Solutions of shape (p, k) for each C; from the third on, the last two are extrapolated."""
    result = np.empty((len(Cs), *W.shape))
    known: list[int] = []
    for index in np.argsort(Cs, kind="stable"):
        if len(known) > 1 and Cs[known[-2]] < Cs[known[-1]]:
            step = np.log(Cs[index] / Cs[known[-1]]) / np.log(Cs[known[-1]] / Cs[known[-2]])
            W = W + min(step, 1.0) * (W - result[known[-2]])
        W = result[index] = _minimise(problem, W, Cs[index], tolerance)
        known.append(int(index))
    return result


def _minimise(problem: _Problem, W: np.ndarray, C: float, within: float) -> np.ndarray:
    """Newton's method from W, each label until its own gradient is small enough."""
    result, columns, curvature = W.copy(), np.arange(W.shape[1]), problem.curvature
    begin = problem.gradient(0 * W, np.full(problem.Y.shape, 0.5), C, columns)
    wanted = within * min(1.0, np.sqrt(C))  # little data: w is off by the whole of the norm
    tolerance = np.maximum(wanted, ROUNDING * np.sqrt(dots(begin, begin)))
    F = curvature.to_rows(W)
    value = problem.loss(W, F, C, columns)
    for _ in range(MOST_STEPS):
        P = expit(F)
        gradient = problem.gradient(W, P, C, columns)
        norm = np.sqrt(dots(gradient, gradient))
        going = norm > tolerance[columns]
        result[:, columns[~going]] = W[:, ~going]
        if not going.any():
            return result
        columns, norm, value = columns[going], norm[going], value[going]
        W, F, P, gradient = (array[:, going] for array in (W, F, P, gradient))
        curved = C * problem.weight[:, columns] * P * (1 - P)
        S = direction(curvature, curved, gradient, tolerance[columns] / norm, columns)
        W, F, value = _step(problem, W, F, value, S, dots(gradient, S), C, columns)
    warnings.warn(f"not converged in {MOST_STEPS} steps", ConvergenceWarning, stacklevel=3)
    result[:, columns] = W
    return result


def _step(
    problem: _Problem,
    W: np.ndarray,
    F: np.ndarray,
    value: np.ndarray,
    S: np.ndarray,
    slope: np.ndarray,
    C: float,
    columns: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Along S as far as the objective falls enough: W, F and the objective there."""
    along, length = problem.curvature.to_rows(S), np.ones(len(columns))
    unseen = 1e-12 * np.abs(value)  # close to the optimum a fall is lost in rounding
    for _ in range(MOST_HALVINGS):
        there, F_there = W + length * S, F + length * along
        reached = problem.loss(there, F_there, C, columns)
        short = reached <= value + 1e-4 * length * slope + unseen
        if short.all():
            break
        length[~short] /= 2
    return there, F_there, reached
