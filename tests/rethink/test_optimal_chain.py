import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.svm import LinearSVC

from rethink.models import optimal_chain
from rethink.models.optimal_chain import LinearChain, OptimalChain
from rethink.ordering import dp_order, greedy_order
from rethink.search import search, search_and_fit
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=200, features=4, labels=5, seed=3)
X, Y = SAMPLE.X[:120], SAMPLE.Y[:120]
NEW = SAMPLE.X[120:]


def plain_chain(order, C):
    """Machines of scikit-learn, each on the true labels before it; predictions fed on."""
    predicted = np.zeros((len(NEW), Y.shape[1]))
    for at, label in enumerate(order):
        before = order[:at]
        machine = LinearSVC(C=C, tol=1e-10, max_iter=100_000, dual=False)
        machine.fit(np.hstack([X, Y[:, before]]), Y[:, label])
        predicted[:, label] = machine.predict(np.hstack([NEW, predicted[:, before]]))
    return predicted


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("order_search", ["dp", "greedy", "file"])
def test_predicts_as_a_chain_of_linear_svc_in_its_order(order_search, C):
    model = OptimalChain(C=C, order_search=order_search).fit(X, Y)
    assert sorted(model.order_) == list(range(5))
    np.testing.assert_array_equal(model.predict(NEW), plain_chain(list(model.order_), C))


@pytest.mark.parametrize(("order_search", "find"), [("dp", dp_order), ("greedy", greedy_order)])
def test_order_is_that_of_the_search(order_search, find):
    model = OptimalChain(C=0.3, order_search=order_search).fit(X, Y)
    result = find(X, Y, 0.3)
    assert tuple(model.order_) == result.labels
    assert model.order_value_ == result.value


def test_value_of_the_file_order_is_the_sum_of_squared_weights():
    model = OptimalChain(order_search="file").fit(X, Y)
    assert model.order_.tolist() == [0, 1, 2, 3, 4]
    total = sum((part**2).sum() for part in (model.coef_, model.effects_, model.intercept_))
    assert model.order_value_ == pytest.approx(total)
    assert OptimalChain().fit(X, Y).order_value_ < model.order_value_


def test_order_can_be_searched_with_another_strength():
    model = OptimalChain(C=10.0, order_C=0.01).fit(X, Y)
    assert tuple(model.order_) == dp_order(X, Y, 0.01).labels
    np.testing.assert_array_equal(model.predict(NEW), plain_chain(list(model.order_), 10.0))


def test_later_labels_are_not_looked_at():
    model = OptimalChain().fit(X, Y)
    place = np.argsort(model.order_)
    assert (model.effects_[place[:, None] <= place] == 0).all()


def test_sparse_equals_dense():
    dense, sparse = OptimalChain().fit(X, Y), OptimalChain().fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_array_equal(dense.order_, sparse.order_)
    np.testing.assert_array_equal(dense.predict(NEW), sparse.predict(sp.csr_array(NEW)))


def test_constant_labels_come_free_and_stay():
    padded = np.column_stack([Y[:, :2], np.ones(120), np.zeros(120)]).astype(int)
    model = OptimalChain().fit(X, padded)
    assert (model.predict(NEW)[:, 2:] == [1, 0]).all()
    assert np.isinf(model.intercept_[2:]).all() and np.isfinite(model.order_value_)


@pytest.mark.parametrize("order_search", ["dp", "greedy", "file"])
@pytest.mark.parametrize(
    ("rows", "columns"),
    [(X, Y[:, :1]), (X[:, :1], Y), (X, np.zeros_like(Y)), (X, np.ones_like(Y)), (X[:1], Y[:1])],
    ids=["one label", "one feature", "all empty", "all full", "one row"],
)
def test_degenerate_data_is_learned(rows, columns, order_search):
    model = OptimalChain(order_search=order_search).fit(rows, columns)
    predicted = model.predict(rows)
    assert predicted.shape == columns.shape and np.isfinite(model.order_value_)
    constant = columns.min(axis=0) == columns.max(axis=0)
    np.testing.assert_array_equal(predicted[:, constant], columns[:, constant])


def test_search_works_with_fewer_rows_than_folds():
    grid = {"C": [0.1, 1.0]}
    for _, model in search_and_fit(OptimalChain(), grid, X[:2], Y[:2], ["f1"], folds=3, seed=0):
        assert model.predict(NEW).shape == (80, 5)


def refuse(*_):
    raise AssertionError("searched an order")


def test_cross_validation_keeps_the_file_order_of_many_labels(monkeypatch):
    grid, few = {"C": [0.1, 1.0]}, OptimalChain(search_order_up_to=4)
    in_file_order = search(clone(few).set_params(order_search="file"), grid, X, Y, ["f1"], seed=0)
    monkeypatch.setitem(optimal_chain.ORDER_SEARCHES, "dp", refuse)
    assert search(few, grid, X, Y, ["f1"], seed=0) == in_file_order
    with pytest.raises(AssertionError, match="searched an order"):
        search(few.set_params(search_order_up_to=5), grid, X, Y, ["f1"], seed=0)


def test_final_fit_searches_the_order_of_many_labels():
    ((_, model),) = search_and_fit(
        OptimalChain(search_order_up_to=2), {"C": [0.1, 0.2]}, X, Y, ["rank"], seed=0
    )
    assert tuple(model.order_) == dp_order(X, Y, model.C).labels


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0.0}, "C is 0.0.*above 0"),
        ({"C": np.inf}, "C is inf"),
        ({"order_C": -1.0}, "order_C is -1.0"),
        ({"order_search": "greed"}, "unknown order_search 'greed'; did you mean 'greedy'"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        OptimalChain(**params).fit(X, Y)


def test_chain_is_followed_through_its_own_predictions():
    chain = LinearChain(np.array([[1.0], [0.0]]), np.array([[0, 0], [2.0, 0]]), np.array([0, -1.0]))
    assert chain.follow(np.array([[1.0], [-1.0]]), [0, 1]).tolist() == [[1, 1], [0, 0]]


def test_with_its_own_strength_the_order_is_searched_once_for_a_grid(monkeypatch):
    searches = []

    def counted(*args):
        searches.append(args)
        return dp_order(*args)

    monkeypatch.setitem(optimal_chain.ORDER_SEARCHES, "dp", counted)
    grid = {"C": [0.1, 1.0, 10.0]}
    costs = ["hamming", "rank", "f1"]
    result = search_and_fit(OptimalChain(order_C=0.5), grid, X, Y, costs, folds=3, seed=0)
    fitted = [(selection.params, model.predict(X)) for selection, model in result]
    assert len(searches) == 3 + 1
    for params, predicted in fitted:
        plain = OptimalChain(order_C=0.5, **params).fit(X, Y)
        np.testing.assert_array_equal(plain.predict(X), predicted)


def test_a_given_order_is_taken_and_a_wrong_one_refused():
    K = Y.shape[1]
    backwards = list(range(K))[::-1]
    assert OptimalChain(order=backwards).fit(X, Y).order_.tolist() == backwards
    with pytest.raises(ValueError, match=f"needs each label from 0 to {K - 1} once"):
        OptimalChain(order=[0, 0]).fit(X, Y)


@pytest.mark.parametrize("more", [{}, {"order_C": 0.1}], ids=str)
def test_a_path_of_no_strengths_has_no_chains(more):
    assert OptimalChain(**more).fit_path(X, Y, []) == []


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("more", [{}, {"order_C": 0.1}, {"order_search": "file"}], ids=str)
def test_a_path_of_strengths_has_the_chains_that_are_fitted_one_by_one(more, kind):
    labels = np.column_stack([Y, np.ones(len(Y))])  # a constant one, too
    strengths = [10.0, 1e-4, 1e4, 0.1]
    for C, model in zip(
        strengths, OptimalChain(**more).fit_path(kind(X), labels, strengths), strict=True
    ):
        alone = OptimalChain(C=C, **more).fit(kind(X), labels)
        assert model.get_params() == alone.get_params()
        np.testing.assert_array_equal(model.order_, alone.order_)
        assert model.order_value_ == pytest.approx(alone.order_value_)
        for name in ("coef_", "effects_", "intercept_"):
            np.testing.assert_allclose(getattr(model, name), getattr(alone, name), atol=1e-8)
        np.testing.assert_array_equal(model.predict(kind(NEW)), alone.predict(kind(NEW)))
