"""L2-regularised logistic regression for many labels at once: the optimum, found fast.

    minimise  ½|w|² + C Σ weight log(1 + exp(-y f)),   f = [x, e, 1] w,   y = ±1

This is liblinear's objective: the intercept is the coefficient of an extra feature of value 1 and
is regularised with the others. In a chain e are the earlier labels. The interface, meant to stay:

    fit_single(X, y, C, weight=None) -> coefficients of one label
    fit_path(X, Y, Cs, weight=None, start=None, earlier=None, ...) -> coefficients for each C
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
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from rethink.design import Design, Features
from rethink.newton import Factors, direction, dots

GRADIENT = 1e-6  # its norm bounds |w - optimum|, because the Hessian is at least the identity
ENOUGH_TO_CHOOSE = 1e-3  # moves held-out probabilities by about 1e-4
ROUGH = 1.0  # the gradient on the way to a C
ROUNDING = 1e-14  # of the gradient at zero: what cancelling terms may leave
LABELS_AT_ONCE = 64  # keeps the arrays of a batch in the cache
MOST_STEPS = 200
MOST_HALVINGS = 40


def fit_single(
    X: Any, y: np.ndarray, C: float, weight: np.ndarray | None = None, tolerance: float = 1e-8
) -> np.ndarray:
    """Coefficients of one label, intercept last, shape (d + 1,): scikit-learn's liblinear.

    For one label at a time it is faster than `fit_path`. Parameters as there.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> fit_single(X, y, C=10).round(3)
    array([ 0.686, -0.923])
    """
    weights = np.ones(len(y)) if weight is None else weight
    intercepts, varies = _constants(y[:, None], weights[:, None])
    if not len(varies):
        return np.append(np.zeros(X.shape[1]), intercepts)
    counts = weights > 0
    model = LogisticRegression(C=C, solver="liblinear", tol=tolerance, max_iter=1000)
    model.fit(X[counts], y[counts], sample_weight=weights[counts])
    return np.append(model.coef_[0], model.intercept_)


def fit_path(
    X: Any,
    Y: np.ndarray,
    Cs: Sequence[float],
    *,
    weight: np.ndarray | None = None,
    start: np.ndarray | None = None,
    row: np.ndarray | None = None,
    earlier: np.ndarray | None = None,
    allowed: np.ndarray | None = None,
    tolerance: float = GRADIENT,
) -> np.ndarray:
    """Coefficients for every C, in the order of `Cs`, intercept last: shape (len(Cs), K, d + 1).

    Small C are solved first, and their solutions show where the next one lies. The coefficients
    of a label are as close to the optimum as `tolerance` says, times √C where C is below 1. A
    label that is constant over the rows of positive weight gets zeros and an intercept of plus or
    minus infinity.

    Parameters
    ----------
    X : ndarray, CSR or Features of shape (n, d)
        As `Features`, it keeps what several fits can share.
    Y : ndarray of shape (m,) or (m, K)
        0 or 1; without the axis of labels the result is without it, too.
    Cs : sequence of float
        Inverse strengths of the regularisation, above 0.
    weight : ndarray of shape (m,) or (m, K), optional
        What each row counts, at least 0.
    start : ndarray of shape (K, d + 1), optional
        Where to begin; infinite values count as zero. It changes the time, not the result.
    row : ndarray of shape (m,), optional
        The row of X that each row of Y belongs to; by default they are the same.
    earlier : 0/1 ndarray of shape (m, L), optional
        Further columns, whose coefficients come after those of X.
    allowed : boolean ndarray of shape (K, L), optional
        Which of these each label may use; the coefficients of the others are 0.
    """
    for C in Cs:
        if not (isinstance(C, Real) and 0 < C < np.inf):
            raise ValueError(f"the 'C' parameter is {C!r}, but needs a number above 0, such as 1.0")
    m, labels = len(Y), Y.reshape(len(Y), -1).astype(float)
    weights = np.ones(m) if weight is None else np.asarray(weight, dtype=float)
    weights = np.broadcast_to(weights.reshape(m, -1), labels.shape)
    design = _design(X, labels, row, earlier, allowed)
    used, p = design.places, design.columns
    result = np.zeros((len(Cs), labels.shape[1], p))
    result[..., -1], varies = _constants(labels, weights)
    begin = _begin(start, result.shape[1:])
    for first in range(0, len(varies), LABELS_AT_ONCE):
        part = varies[first : first + LABELS_AT_ONCE]
        problem = _Problem(design.part(part), labels[:, part], weights[:, part])
        solved = _path(problem, Cs, begin[np.ix_(part, used)].T, tolerance)
        result[np.ix_(np.arange(len(Cs)), part, used)] = np.swapaxes(solved, 1, 2)
    return result.reshape(len(Cs), *Y.shape[1:], p)


def decision(X: Any, coefficients: np.ndarray) -> np.ndarray:
    """f for each row of X, shape (n, d): shape (n,) or (n, K) as the coefficients are."""
    return np.asarray(X @ coefficients[..., :-1].T) + coefficients[..., -1]


def _design(
    X: Any,
    Y: np.ndarray,
    row: np.ndarray | None,
    earlier: np.ndarray | None,
    allowed: np.ndarray | None,
) -> Design:
    features = X if isinstance(X, Features) else Features(X)
    extra = np.zeros((len(Y), 0)) if earlier is None else earlier
    every = np.ones((Y.shape[1], extra.shape[1]), dtype=bool)
    return Design(features, row, extra, every if allowed is None else allowed)


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
    """Labels to be fitted together, with a column for each."""

    def __init__(self, design: Design, Y: np.ndarray, weight: np.ndarray):
        self.design, self.Y, self.weight = design, Y, weight
        self.factors = Factors.of(design, Y.shape[1])

    def loss(self, W: np.ndarray, F: np.ndarray, C: float, columns: np.ndarray) -> np.ndarray:
        signed = np.where(self.Y[:, columns] == 1, F, -F)
        return dots(W, W) / 2 - C * dots(self.weight[:, columns], log_expit(signed))

    def gradient(self, W: np.ndarray, P: np.ndarray, C: float, columns: np.ndarray) -> np.ndarray:
        residual = C * self.weight[:, columns] * (P - self.Y[:, columns])
        return W + self.design.to_features(residual, columns)


def _path(problem: _Problem, Cs: Sequence[float], W: np.ndarray, tolerance: float) -> np.ndarray:
    """Solutions of shape (p, k) for each C, from the smallest C to the largest."""
    path = _Path(problem, W)
    if not W.any():
        for C in problem.factors.way_to(min(Cs)):
            path.go(C, ROUGH)
    result = np.empty((len(Cs), *W.shape))
    for index in np.argsort(Cs, kind="stable"):
        result[index] = path.go(Cs[index], tolerance)
    return result


class _Path:
    """Solutions along growing C; from the third on, the last two are extrapolated."""

    def __init__(self, problem: _Problem, W: np.ndarray):
        self.problem, self.W = problem, W
        self.known: list[tuple[float, np.ndarray]] = []

    def go(self, C: float, tolerance: float) -> np.ndarray:
        """The solution at C, which is not below the last one."""
        guess = self.W
        if len(self.known) > 1:
            (first, W_first), (second, W_second) = self.known
            if first < second:
                step = np.log(C / second) / np.log(second / first)
                guess = W_second + min(step, 1.0) * (W_second - W_first)
        self.W = _minimise(self.problem, guess, C, tolerance)
        self.known = [*self.known[-1:], (C, self.W)]
        return self.W


def _minimise(problem: _Problem, W: np.ndarray, C: float, within: float) -> np.ndarray:
    """Newton's method from W, each label until its own gradient is small enough."""
    result, columns = W.copy(), np.arange(W.shape[1])
    begin = problem.gradient(0 * W, np.full(problem.Y.shape, 0.5), C, columns)
    wanted = within * min(1.0, np.sqrt(C))  # little data: w is off by the whole of the norm
    tolerance = np.maximum(wanted, ROUNDING * np.sqrt(dots(begin, begin)))
    F = problem.design.to_rows(W)
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
        S = direction(problem.factors, curved, gradient, tolerance[columns] / norm, columns)
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
    along, length = problem.design.to_rows(S), np.ones(len(columns))
    unseen = 1e-12 * np.abs(value)  # close to the optimum a fall is lost in rounding
    for _ in range(MOST_HALVINGS):
        there, F_there = W + length * S, F + length * along
        reached = problem.loss(there, F_there, C, columns)
        short = reached <= value + 1e-4 * length * slope + unseen
        if short.all():
            break
        length[~short] /= 2
    return there, F_there, reached
