import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.linear_model import LogisticRegression

from rethink import design, newton
from rethink.linear import decision, fit_path, fit_single

STRENGTHS = [10.0**power for power in range(-4, 5)]


def fit_logistic(X, Y, C=1.0, **options):
    return fit_path(X, Y, [C], **options)[0]


def problem(n, d, labels, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    Y = ((X - 0.5) @ rng.normal(size=(d, labels)) + rng.logistic(size=(n, labels)) > 0).astype(
        np.uint8
    )
    return X, Y


def objective(w, X, y, C, weight):
    f = X @ w[:-1] + w[-1]
    return w @ w / 2 - C * weight @ log_expit(np.where(y == 1, f, -f))


def gradient(w, X, y, C, weight):
    residual = C * weight * (expit(X @ w[:-1] + w[-1]) - y)
    return w + np.append(X.T @ residual, residual.sum())


def peer(X, y, C, weight=None):
    model = LogisticRegression(C=C, solver="liblinear", tol=1e-10, max_iter=100_000)
    return model.fit(X, y, sample_weight=weight).predict_proba(X)[:, 1]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_the_optimum_is_that_of_a_general_minimiser(C, weighted):
    X, Y = problem(40, 3, 1)
    weight = np.random.default_rng(1).exponential(size=40) if weighted else np.ones(40)
    args = (X, Y[:, 0], C, weight)
    expected = minimize(objective, np.zeros(4), args, jac=gradient, options={"gtol": 1e-9}).x
    result = fit_logistic(X, Y[:, 0], C, weight=weight if weighted else None)
    np.testing.assert_allclose(result, expected, atol=1e-5)
    assert np.linalg.norm(gradient(result, *args)) < 2e-6


@pytest.mark.parametrize("shape", [(150, 20), (40, 90), (60, 450)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_probabilities_are_those_of_liblinear(shape, kind):
    X, Y = problem(*shape, 3)
    for C, W in zip(STRENGTHS[::4], fit_path(kind(X), Y, STRENGTHS[::4]), strict=True):
        ours = expit(decision(kind(X), W))
        for label in range(3):
            np.testing.assert_allclose(ours[:, label], peer(X, Y[:, label], C), atol=2e-6)


def test_weights_are_those_of_liblinear_and_may_differ_by_label():
    X, Y = problem(80, 6, 2)
    weight = np.random.default_rng(2).exponential(size=Y.shape)
    ours = expit(decision(X, fit_logistic(X, Y, 2.0, weight=weight)))
    for label in range(2):
        expected = peer(X, Y[:, label], 2.0, weight[:, label])
        np.testing.assert_allclose(ours[:, label], expected, atol=1e-6)


@pytest.mark.parametrize("shape", [(120, 8), (30, 60)])
def test_rows_of_integer_weight_count_as_often(shape):
    X, Y = problem(*shape, 2)
    times = np.random.default_rng(3).integers(0, 4, shape[0])
    repeated = fit_logistic(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0), 3.0)
    np.testing.assert_allclose(fit_logistic(X, Y, 3.0, weight=times), repeated, atol=1e-6)


@pytest.mark.parametrize("shape", [(120, 8), (30, 60)])
def test_a_path_gives_what_single_fits_give_in_any_order(shape):
    X, Y = problem(*shape, 4)
    shuffled = [1.0, 1e4, 1e-4, 10.0, 1.0]
    path = fit_path(X, Y, shuffled)
    for C, result in zip(shuffled, path, strict=True):
        np.testing.assert_allclose(result, fit_logistic(X, Y, C), atol=2e-6)


def test_a_start_changes_nothing_but_the_time():
    X, Y = problem(90, 5, 3)
    cold = fit_logistic(X, Y, 10.0)
    rng = np.random.default_rng(4)
    far = rng.normal(size=cold.shape) * 30
    far[0, -1] = np.inf
    np.testing.assert_allclose(fit_logistic(X, Y, 10.0, start=far), cold, atol=2e-6)
    single = fit_logistic(X, Y[:, 0], 10.0, start=cold[0])
    np.testing.assert_allclose(single, cold[0], atol=2e-6)


def test_a_start_at_the_optimum_needs_no_step(monkeypatch):
    X, Y = problem(90, 5, 3)
    result = fit_logistic(X, Y, 10.0)
    monkeypatch.setattr("rethink.linear.direction", None)
    np.testing.assert_array_equal(fit_logistic(X, Y, 10.0, start=result), result)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(100, 9), (25, 40)])
def test_labels_use_the_earlier_ones_they_are_allowed(shape, kind):
    X, Y = problem(*shape, 4)
    allowed = np.random.default_rng(5).random((4, 4)) < 0.6
    result = fit_logistic(kind(X), Y, 5.0, earlier=1 - Y, allowed=allowed)
    for label in range(4):
        alone = fit_logistic(np.hstack([X, 1 - Y[:, allowed[label]]]), Y[:, label], 5.0)
        used = np.concatenate([np.ones(shape[1], bool), allowed[label], [True]])
        np.testing.assert_allclose(result[label, used], alone, atol=2e-6)
        assert (result[label, ~used] == 0).all()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("shape", [(60, 5), (20, 50)])
def test_a_row_can_stand_for_several_examples(shape, kind):
    X, _ = problem(*shape, 3)
    rng = np.random.default_rng(7)
    row = rng.integers(0, shape[0], 2 * shape[0])
    earlier, weight = rng.integers(0, 2, (len(row), 3)), rng.exponential(size=(len(row), 3))
    before, labels = np.tri(3, k=-1, dtype=bool), rng.integers(0, 2, (len(row), 3))
    result = fit_logistic(
        kind(X), labels, 2.0, weight=weight, row=row, earlier=earlier, allowed=before
    )
    for label in range(3):
        repeated = np.hstack([X[row], earlier[:, :label]])
        alone = fit_logistic(repeated, labels[:, label], 2.0, weight=weight[:, label])
        used = np.r_[: shape[1] + label, shape[1] + 3]
        np.testing.assert_allclose(result[label, used], alone, atol=2e-6)


def test_products_of_rows_are_the_same_kept_or_formed_anew(monkeypatch):
    X, Y = problem(50, 80, 3)
    before = np.tri(3, k=-1, dtype=bool)
    for kind in (np.asarray, sp.csr_array):
        kept = fit_logistic(kind(X), Y, 1e3, earlier=Y, allowed=before)
        with monkeypatch.context() as patch:
            patch.setattr(design, "ROWS_OF_A_GRAM", 0)
            anew = fit_logistic(kind(X), Y, 1e3, earlier=Y, allowed=before)
            np.testing.assert_allclose(anew, kept, 1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_one_label_alone_is_fitted_as_among_many(kind):
    X, Y = problem(80, 6, 1)
    weight = np.random.default_rng(2).integers(0, 4, 80).astype(float)
    together = fit_logistic(X, Y, 2.0, weight=weight)[0]
    np.testing.assert_allclose(fit_single(kind(X), Y[:, 0], 2.0, weight), together, atol=1e-6)
    np.testing.assert_array_equal(fit_single(X, Y[:, 0], 1.0, weight * Y[:, 0])[-1], np.inf)
    np.testing.assert_array_equal(fit_single(X, Y[:, 0], 1.0, 0 * weight), np.zeros(7))


def test_few_rows_in_the_factor_still_reach_the_optimum(monkeypatch):
    X, Y = problem(60, 90, 2)
    expected = fit_logistic(X, Y, 1e4)
    monkeypatch.setattr(newton, "MOST_ROWS", 5)
    np.testing.assert_allclose(fit_logistic(X, Y, 1e4), expected, atol=2e-6)


def test_labels_constant_where_it_counts_are_constant():
    X, Y = problem(30, 2, 4)
    Y[:, 0], Y[:, 1] = 0, 1
    weight = np.ones(Y.shape)
    weight[:, 2] = Y[:, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fit_logistic(X, Y, weight=weight)
    np.testing.assert_array_equal(result[:3, -1], [-np.inf, np.inf, np.inf])
    assert (result[:3, :-1] == 0).all() and np.isfinite(result[3]).all()
    np.testing.assert_allclose(result[3], fit_logistic(X, Y[:, 3]), atol=1e-9)


def test_no_weight_at_all_decides_nothing():
    X, Y = problem(30, 2, 1)
    np.testing.assert_array_equal(fit_logistic(X, Y, weight=np.zeros(30)), np.zeros((1, 3)))


def test_many_labels_are_fitted_in_batches(monkeypatch):
    X, Y = problem(60, 4, 7)
    whole = fit_logistic(X, Y)
    monkeypatch.setattr("rethink.linear.LABELS_AT_ONCE", 3)
    np.testing.assert_allclose(fit_logistic(X, Y), whole, atol=1e-6)


def test_the_same_input_gives_the_same_bits():
    X, Y = problem(60, 80, 5)
    assert fit_path(X, Y, STRENGTHS).tobytes() == fit_path(X, Y, STRENGTHS).tobytes()


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_features_of_any_scale_converge(scale):
    X, Y = problem(70, 4, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fit_path(scale * X, Y, [1e-4, 1.0, 1e4])
    assert np.isfinite(result).all()


def test_a_fit_that_does_not_converge_says_so(monkeypatch):
    X, Y = problem(30, 2, 1)
    monkeypatch.setattr("rethink.linear.MOST_STEPS", 1)
    with pytest.warns(UserWarning, match="not converged in 1 steps"):
        fit_logistic(X, Y)


@pytest.mark.parametrize("C", [0, -1.0, np.nan, np.inf, "1", None])
def test_a_strength_is_a_positive_number(C):
    X, Y = problem(9, 2, 1)
    with pytest.raises(ValueError, match=r"'C' parameter is .* but needs a number above 0"):
        fit_path(X, Y, [1.0, C])
