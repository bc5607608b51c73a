import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from rethink.costs import COSTS, Cost, get_cost
from rethink.models import MODELS, get_model, is_cost_sensitive
from rethink.models.constant import AllZeros, TopK
from rethink.models.logistic import LogisticRelevance
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=300, features=5, labels=4, seed=3)
X, Y = SAMPLE.X, SAMPLE.Y


def test_models_are_found_by_class_name():
    assert {"AllZeros", "TopK", "LogisticRelevance", "BayesOptimal"} <= set(MODELS)
    assert get_model("TopK") is TopK
    assert "MultiLabelEstimator" not in MODELS


def test_an_unknown_model_names_the_nearest_one():
    with pytest.raises(ValueError, match="unknown model 'topk'; did you mean 'TopK'"):
        get_model("topk")


def test_a_model_is_cost_sensitive_if_its_constructor_takes_a_cost():
    sensitive = {name for name in MODELS if is_cost_sensitive(MODELS[name])}
    assert {"TopK", "BayesOptimal"} <= sensitive
    assert not {"AllZeros", "LogisticRelevance"} & sensitive


@pytest.mark.parametrize("model", [AllZeros(), TopK(), LogisticRelevance()])
@pytest.mark.parametrize("kind", [np.uint8, np.int64, float])
def test_predictions_have_the_shape_and_type_of_the_labels(model, kind):
    P = clone(model).fit(X, Y.astype(kind)).predict(X[:7])
    assert P.shape == (7, 4) and P.dtype == kind and set(np.unique(P)) <= {0, 1}


@pytest.mark.parametrize("model", [AllZeros(), TopK(), LogisticRelevance()])
def test_sparse_data_give_the_predictions_of_dense_data(model):
    dense = clone(model).fit(X, Y)
    sparse = clone(model).fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_array_equal(sparse.predict(sp.csr_matrix(X)), dense.predict(X))


def test_sparse_rows_with_indices_of_64_bits_are_fitted():
    wide = sp.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    expected = LogisticRelevance().fit(sp.csr_array(X), Y)
    np.testing.assert_array_equal(LogisticRelevance().fit(wide, Y).coef_, expected.coef_)


@pytest.mark.parametrize("model", [AllZeros(), TopK(cost="f1"), LogisticRelevance()])
def test_one_label_and_one_row_are_enough(model):
    assert clone(model).fit(X, Y[:, :1]).predict(X).shape == (300, 1)
    assert clone(model).fit(X[:1], Y[:1]).predict(X).shape == (300, 4)


@pytest.mark.parametrize("model", [AllZeros(), TopK(), LogisticRelevance()])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (Y[:, 0], r"Y has shape \(300,\), but needs two dimensions"),
        (Y[:9], "X has 300 rows but Y has 9"),
        (Y + 1, "Y holds 2, but labels are 0 or 1"),
        (None, "requires y to be passed"),
    ],
)
def test_wrong_labels_are_refused_with_what_is_needed(model, labels, message):
    with pytest.raises(ValueError, match=message):
        clone(model).fit(X, labels)


def test_all_zeros_predicts_nothing():
    assert AllZeros().fit(X, Y).predict(X).sum() == 0


class Recall(Cost):
    greater_is_better = True

    def values(self, Y, P, empty):
        return (Y * P).sum(axis=1) / np.maximum(Y.sum(axis=1), 1)


@pytest.mark.parametrize("cost", [*COSTS, Recall()])
def test_topk_is_the_best_of_all_prefixes_of_the_frequency_order(cost):
    cost = get_cost(cost)
    rng = np.random.default_rng(0)
    for K in (1, 2, 6):
        labels = (rng.random((40, K)) < rng.random(K)).astype(int)
        order = sorted(range(K), key=lambda label: (-labels[:, label].sum(), label))
        means = []
        for k in range(K + 1):
            P = np.zeros_like(labels)
            for label in order[:k]:
                P[:, label] = 1
            means.append(cost(labels, P).mean())
        best = max(means) if cost.greater_is_better else min(means)
        model = TopK(cost=cost).fit(np.zeros((40, 1)), labels)
        assert list(model.labels_) == order[: means.index(best)]


def test_topk_prefers_few_labels_and_low_indices_in_ties():
    labels = np.array([[1, 1, 0], [0, 0, 0]])
    for cost, expected in {"hamming": [], "f1": [], "rank": [0, 1]}.items():
        assert list(TopK(cost=cost).fit(np.zeros((2, 1)), labels).labels_) == expected
    many = np.eye(90, dtype=int)[:, ::-1]
    assert list(TopK(cost="rank").fit(np.zeros((90, 1)), many).labels_) == []
    assert list(TopK(cost=Recall()).fit(np.zeros((90, 1)), many).labels_) == list(range(90))
    one = TopK(cost="f1").fit(np.zeros((2, 1)), [[1, 0, 0], [0, 1, 0]])
    assert list(one.labels_) == [0, 1]
    assert list(TopK(cost="accuracy").fit(np.zeros((2, 1)), [[1, 0], [0, 1]]).labels_) == [0]


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_logistic_relevance_equals_scikit_learns_binary_relevance(C):
    exact = LogisticRegression(C=C, solver="liblinear", tol=1e-10, max_iter=100_000)
    peer = MultiOutputClassifier(exact).fit(X, Y)
    model = LogisticRelevance(C=C).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    expected = np.column_stack([p[:, 1] for p in peer.predict_proba(X)])
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=2e-6)


def test_constant_labels_keep_their_value_with_certainty():
    labels = Y.copy()
    labels[:, 1], labels[:, 2] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRelevance().fit(X, labels)
        proba = model.predict_proba(X)
    assert (proba[:, 1] == 0).all() and (proba[:, 2] == 1).all()
    others = LogisticRelevance().fit(X, labels[:, [0, 3]]).predict_proba(X)
    np.testing.assert_array_equal(proba[:, [0, 3]], others)


def test_weak_regularisation_of_separable_labels_does_not_warn():
    labels = (X[:, :3] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRelevance(C=1e4).fit(X, labels)
    assert (model.predict(X) == labels).mean() > 0.99


def test_fits_are_bitwise_repeatable():
    first, second = (LogisticRelevance(C=10).fit(X, Y).coef_ for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_a_label_does_not_depend_on_the_other_labels():
    whole = LogisticRelevance().fit(X, Y)
    for order in itertools.islice(itertools.permutations(range(4)), 5):
        part = LogisticRelevance().fit(X, Y[:, order])
        np.testing.assert_array_equal(part.coef_, whole.coef_[list(order)])


def test_an_invalid_strength_is_refused():
    with pytest.raises(ValueError, match="'C' parameter"):
        LogisticRelevance(C=-1).fit(X, Y)
