import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rethink.scaling import UnitScaler


def table(seed=0, rows=60, columns=12):
    rng = np.random.default_rng(seed)
    X = rng.normal(scale=10.0 ** rng.integers(-3, 4, columns), size=(rows, columns)) + 5
    X[:, 0], X[:, 1] = 3.7, 0
    return X


def sparse_table(rows=200, seed=0):
    """No negative values; column 2 is positive in the first half of the rows and then often 0."""
    X = sp.random_array((rows, 8), density=0.3, rng=np.random.default_rng(seed)).toarray()
    X[: rows // 2, 2] += 0.5
    X[:, 3] = 4.0
    X[:, 4] = 0.0
    return X


@parametrize_with_checks([UnitScaler()])
def test_scaler_obeys_scikit_learn(estimator, check):
    check(estimator)


def test_fitted_rows_span_the_unit_interval_exactly():
    scaled = UnitScaler().fit_transform(table())[:, 2:]
    assert (scaled.min(axis=0) == 0).all() and (scaled.max(axis=0) == 1).all()


def test_equals_scikit_learns_scaler_where_columns_vary():
    X = table()
    expected = MinMaxScaler().fit(X[:40]).transform(X)[:, 2:]
    scaled = UnitScaler().fit(X[:40]).transform(X)[:, 2:]
    np.testing.assert_allclose(scaled, expected, rtol=1e-9, atol=1e-12)


def test_constant_columns_become_zero_in_every_row():
    X = table()
    X[50:, 0] = 99
    scaled = UnitScaler().fit(X[:40]).transform(X)
    assert (scaled[:, :2] == 0).all()


def test_a_single_row_becomes_zero():
    assert (UnitScaler().fit_transform([[3.0, -2.0, 0.0]]) == 0).all()


def test_other_rows_are_not_clipped():
    scaled = UnitScaler().fit([[0.0], [2.0]]).transform([[-2.0], [5.0]])
    np.testing.assert_array_equal(scaled, [[-1.0], [2.5]])


def test_scaling_all_rows_first_changes_nothing():
    X = table()
    once = UnitScaler().fit(X[:40]).transform(X)
    first = UnitScaler().fit_transform(X)
    twice = UnitScaler().fit(first[:40]).transform(first)
    np.testing.assert_allclose(twice, once, rtol=0, atol=1e-12)


def test_scaling_all_sparse_rows_first_changes_nothing():
    X = sp.csr_array(sparse_table())
    once = UnitScaler().fit(X[:90]).transform(X)
    first = UnitScaler().fit_transform(X)
    twice = UnitScaler().fit(first[:90]).transform(first)
    np.testing.assert_allclose(twice.toarray(), once.toarray(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_sparse_rows_get_the_dense_values(kind):
    X = sparse_table()
    scaler = UnitScaler().fit(kind(X[:100]))
    dense = UnitScaler().fit(X[:100])
    scaled = scaler.transform(kind(X))
    assert sp.issparse(scaled) and scaled.format == "csr"
    np.testing.assert_array_equal(scaled.toarray(), dense.transform(X))
    np.testing.assert_array_equal(dense.transform(kind(X)).toarray(), dense.transform(X))
    assert (dense.transform(X)[:, 2] < 0).any(), "zeros below the fitted minimum are in the test"
    assert scaled.nnz == np.count_nonzero(dense.transform(X))


def test_input_is_left_as_it_was():
    for X in (table(), sp.csr_array(sparse_table())):
        before = X.copy()
        UnitScaler().fit(X).transform(X)
        assert (before != X).sum() == 0


def test_sparse_columns_with_a_negative_minimum_are_refused():
    X = sparse_table()
    X[5, 6] = -1
    with pytest.raises(ValueError, match=r"column 6.*store the set dense"):
        UnitScaler().fit(sp.csr_array(X))
    with pytest.raises(ValueError, match="store the set dense"):
        UnitScaler().fit(X).transform(sp.csr_array(X))


def test_a_constant_negative_sparse_column_is_no_problem():
    X = sparse_table()
    X[:, 3] = -4.0
    assert (UnitScaler().fit_transform(sp.csr_array(X)).toarray()[:, 3] == 0).all()


def test_tiny_and_huge_spans_stay_finite():
    X = np.array([[1e9, 0.0, 1e300], [1e9 + 1e-6, 5e-324, 0.0]])
    np.testing.assert_array_equal(UnitScaler().fit_transform(X), [[0, 0, 1], [1, 1, 0]])
