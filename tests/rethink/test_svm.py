import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from rethink.svm import (
    Curvature,
    Extensions,
    Kernel,
    SquaredHinge,
    minimise,
    norm_interval,
    with_ones,
)

STRENGTHS = [1e-4, 0.1, 1.0, 100.0, 1e4]


def fit_svm(X, y, C, start=None):
    w = minimise(SquaredHinge(with_ones(X), y, C), start).w
    return w[:-1], w[-1]


def data(seed, n=60, d=5):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    y = (X @ rng.standard_normal(d) + rng.standard_normal(n) > 0).astype(np.uint8)
    y[:2] = 0, 1
    return X, y, rng


def objective(w, X, y, C):
    slack = np.maximum(0, 1 - np.where(y, 1, -1) * (X @ w[:-1] + w[-1]))
    return w @ w / 2 + C * slack @ slack


def gradient(w, X, y, C):
    Z, signs = with_ones(X), np.where(y, 1, -1)
    return w - 2 * C * Z.T @ (signs * np.maximum(0, 1 - signs * (Z @ w)))


@pytest.mark.parametrize("C", STRENGTHS)
@pytest.mark.parametrize("shape", [(60, 5), (30, 80)])
def test_equals_linear_svc(shape, C):
    X, y, _ = data(0, *shape)
    coef, intercept = fit_svm(X, y, C)
    peer = LinearSVC(C=C, tol=1e-9, max_iter=100_000, dual=False).fit(X, y)
    scale = np.abs(coef).max()
    np.testing.assert_allclose(coef, peer.coef_[0], rtol=0, atol=1e-4 * scale)
    assert abs(intercept - peer.intercept_[0]) < 1e-4 * max(scale, 1)


@pytest.mark.parametrize("C", STRENGTHS)
def test_no_optimiser_finds_a_lower_objective(C):
    X, y, _ = data(1)
    w = np.append(*fit_svm(X, y, C))
    peer = minimize(objective, w, args=(X, y, C), jac=gradient, method="L-BFGS-B")
    assert objective(w, X, y, C) <= peer.fun * (1 + 1e-13)


@pytest.mark.parametrize("C", STRENGTHS)
@pytest.mark.parametrize("seed", range(5))
def test_gradient_vanishes(seed, C):
    X, y, _ = data(seed, n=200, d=30)
    w = np.append(*fit_svm(X, y, C))
    # the solution is at most as far away as the gradient is long
    assert np.linalg.norm(gradient(w, X, y, C)) <= 1e-12 * max(1, C) * (1 + np.linalg.norm(w))


def test_start_does_not_change_the_solution():
    X, y, rng = data(2)
    cold = np.append(*fit_svm(X, y, 10.0))
    for start in (100 * rng.standard_normal(6), cold):
        np.testing.assert_allclose(np.append(*fit_svm(X, y, 10.0, start)), cold, atol=1e-10)


@pytest.mark.parametrize("shape", [(60, 5), (30, 80)])
def test_sparse_equals_dense(shape):
    X, y, _ = data(3, *shape)
    X[X < 0.5] = 0
    dense, sparse = fit_svm(X, y, 1.0), fit_svm(sp.csr_array(X), y, 1.0)
    np.testing.assert_allclose(sparse[0], dense[0], atol=1e-11)


def test_repeated_columns_share_their_weight():
    X, y, _ = data(4)
    coef, _ = fit_svm(np.hstack([X, X]), y, 1.0)
    np.testing.assert_allclose(coef[:5], coef[5:], atol=1e-12)


@pytest.mark.parametrize("rows", [0, 3, 20, 60])
def test_curvature_is_inverted_on_either_side(rows):
    rng = np.random.default_rng(5)
    Z, active = rng.standard_normal((60, 20)), np.arange(60) < rows
    full = np.eye(20) + 2 * 0.7 * Z[active].T @ Z[active]
    right = rng.standard_normal((20, 4))
    kernel = Kernel.of(Z[:, :15])
    for known in ({}, {"gram": Z.T @ Z}, {"kernel": kernel}):
        solved = Curvature(SquaredHinge(Z, np.ones(60), 0.7, **known), active).solve(right)
        np.testing.assert_allclose(full @ solved, right, atol=1e-10)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_any_point_bounds_the_norm_of_the_solution(C):
    X, y, rng = data(6)
    w = np.append(*fit_svm(X, y, C))
    for size in 10.0 ** np.arange(-9, 3):
        trial = w + size * rng.standard_normal(6)
        low, high = norm_interval(trial, gradient(trial, X, y, C))
        assert low - 1e-12 <= np.linalg.norm(w) <= high + 1e-12


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_for_every_machine_with_one_column_more(seed, C):
    X, y, rng = data(seed, n=80, d=8)
    extra = (rng.random((80, 6)) < 0.3).astype(float)
    columns = (sp.csc_array if seed % 2 else np.array)(np.hstack([1 - extra, extra]))
    machines = Extensions(minimise(SquaredHinge(with_ones(X), y, C)), columns, range(6, 12))
    norms = [np.linalg.norm(np.append(*fit_svm(np.hstack([X, e[:, None]]), y, C))) for e in extra.T]
    machines.keep(np.arange(6) != 2)
    exact = np.array(norms)[machines.index]
    machines.prepare()
    for _ in range(8):
        assert (machines.low <= exact + 1e-9).all() and (exact <= machines.high + 1e-9).all()
        machines.step()
    assert C > 0.01 or np.allclose(np.linalg.norm(machines.W, axis=0), exact, rtol=1e-6)


def test_extended_problem_has_the_further_column():
    X, y, rng = data(7)
    column = rng.random((60, 1))
    Z = with_ones(X)
    machines = Extensions(minimise(SquaredHinge(Z, y, 1.0, Z.T @ Z)), column)
    problem = machines.extended(0)
    np.testing.assert_allclose(problem.gram, problem.Z.T @ problem.Z)
    np.testing.assert_array_equal(problem.Z, np.hstack([Z, column]))
