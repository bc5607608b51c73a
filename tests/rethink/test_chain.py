import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as PeerChain

from rethink.costs import get_cost
from rethink.models import get_model, is_cost_sensitive
from rethink.models.chain import ENOUGH_TO_CHOOSE, ClassifierChain
from rethink.search import cross_validate, fold_rows, search
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=250, features=5, labels=5, seed=4)
X, Y = SAMPLE.X, SAMPLE.Y
NAMES = ["hamming", "rank", "f1", "accuracy"]
STRENGTHS = [10.0**power for power in range(-4, 5)]


def peer(C, **options):
    link = LogisticRegression(C=C, solver="liblinear", tol=1e-10, max_iter=100_000)
    return PeerChain(link, **options)


@pytest.mark.parametrize("order", [None, [3, 0, 4, 1, 2]])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_a_chain_equals_scikit_learns(C, order):
    theirs = peer(C, order=order).fit(X, Y)
    ours = ClassifierChain(C=C, order=order).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-6)


def test_training_on_predictions_fits_each_link_on_what_those_before_predict():
    model = ClassifierChain(C=3.0, training="predicted").fit(X, Y)
    seen = X
    for label in range(5):
        link = LogisticRegression(C=3.0, solver="liblinear", tol=1e-10).fit(seen, Y[:, label])
        np.testing.assert_allclose(model.coef_[label], link.coef_[0, :5], atol=1e-5)
        np.testing.assert_allclose(model.effects_[label, :label], link.coef_[0, 5:], atol=1e-5)
        seen = np.column_stack([seen, link.predict(seen)])
    np.testing.assert_array_equal(model.predict(X), seen[:, 5:])


def test_training_on_predictions_follows_the_order():
    order = [2, 0, 1, 4, 3]
    shuffled = ClassifierChain(training="predicted", order=order).fit(X, Y)
    straight = ClassifierChain(training="predicted").fit(X, Y[:, order])
    np.testing.assert_array_equal(shuffled.predict(X)[:, order], straight.predict(X))


def test_a_label_depends_on_earlier_labels_only():
    effects = ClassifierChain(order=[4, 2, 0, 1, 3]).fit(X, Y).effects_
    assert effects[0, [4, 2]].all() and not effects[0, [0, 1, 3]].any()
    assert not effects[4].any()


@pytest.mark.parametrize("training", ["true", "predicted"])
def test_sparse_data_give_the_predictions_of_dense_data(training):
    dense = ClassifierChain(training=training).fit(X, Y)
    sparse = ClassifierChain(training=training).fit(sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_array_equal(sparse.predict(sp.csr_matrix(X)), dense.predict(X))
    np.testing.assert_allclose(sparse.predict_proba(X), dense.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("training", ["true", "predicted"])
def test_constant_labels_keep_their_value(training):
    labels = Y.copy()
    labels[:, 1], labels[:, 2] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        proba = ClassifierChain(training=training).fit(X, labels).predict_proba(X)
    assert (proba[:, 1] == 0).all() and (proba[:, 2] == 1).all() and np.isfinite(proba).all()


@pytest.mark.parametrize("training", ["true", "predicted"])
@pytest.mark.parametrize(
    ("features", "labels"),
    [(X, Y[:, :1]), (X[:, :1], Y), (X, 0 * Y), (X, 0 * Y + 1), (X[:1], Y[:1]), (X[:2], Y[:2])],
    ids=["one label", "one feature", "all empty", "all full", "one row", "two rows"],
)
def test_degenerate_data_are_fitted(features, labels, training):
    model = ClassifierChain(training=training).fit(features, labels)
    assert np.isfinite(model.predict_proba(features)).all()
    assert model.predict(features).shape == labels.shape


def test_a_path_gives_what_single_fits_give():
    for training in ("true", "predicted"):
        for model in ClassifierChain(training=training).fit_path(X, Y, STRENGTHS):
            alone = ClassifierChain(C=model.C, training=training).fit(X, Y)
            np.testing.assert_allclose(model.effects_, alone.effects_, atol=ENOUGH_TO_CHOOSE)
            np.testing.assert_array_equal(model.predict(X), alone.predict(X))


def test_a_path_leaves_the_model_as_it_was():
    model = ClassifierChain(C=7.0)
    model.fit_path(X, Y, [1.0, 2.0])
    assert not hasattr(model, "classes_") and model.C == 7.0


@pytest.mark.parametrize("model", ["ClassifierChain", "LogisticRelevance"])
def test_a_search_along_a_path_equals_the_plain_search(model, monkeypatch):
    kind = get_model(model)
    assert not is_cost_sensitive(kind)
    quick = search(kind(), {"C": STRENGTHS}, X, Y, NAMES, seed=3)
    monkeypatch.delattr(kind if "fit_path" in vars(kind) else kind.__mro__[1], "fit_path")
    plain = search(kind(), {"C": STRENGTHS}, X, Y, NAMES, seed=3)
    for name in NAMES:
        assert quick[name].params == plain[name].params
        assert quick[name].fold_scores == plain[name].fold_scores


def test_a_search_over_more_than_the_strength_is_plain(monkeypatch):
    monkeypatch.setattr(ClassifierChain, "fit_path", None)
    grid = {"C": [0.1, 1.0], "training": ["true", "predicted"]}
    chosen = search(ClassifierChain(), grid, X, Y, ["f1"], seed=0)["f1"]
    assert len(chosen.fold_scores) == 4 * 3


def test_a_path_in_any_order_keeps_the_points_apart():
    parts = fold_rows(len(Y), 3, 0)
    costs = [get_cost("f1")]
    points = [{"C": 1e4}, {"C": 1e-4}, {"C": 1.0}]
    together = cross_validate(ClassifierChain(), points, X, Y, parts, costs)[0]
    for point, trial in zip(points, together, strict=True):
        [[alone]] = cross_validate(ClassifierChain(), [point], X, Y, parts, costs)
        assert alone == trial


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": [0, 1, 2, 3]}, r"order is .* but needs each label from 0 to 4 once"),
        ({"order": [0, 1, 2, 3, 3]}, r"order is .* but needs each label from 0 to 4 once"),
        ({"training": "truth"}, "unknown training 'truth'; did you mean 'true'"),
        ({"C": 0}, "'C' parameter is 0, but needs a number above 0"),
    ],
)
def test_wrong_options_are_refused_with_what_is_needed(options, message):
    with pytest.raises(ValueError, match=message):
        ClassifierChain(**options).fit(X, Y)


@pytest.mark.parametrize("kind", [np.uint8, np.int64, float])
def test_predictions_have_the_type_of_the_labels(kind):
    assert clone(ClassifierChain()).fit(X, Y.astype(kind)).predict(X).dtype == kind
