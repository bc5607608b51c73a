"""What users give, to every model there is: sparse matrices, names of labels, weights of rows."""

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from rethink.models import MODELS
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=90, features=4, labels=3, seed=8)
Y = SAMPLE.Y
NAMES = ["sun", "beach", "sea"]
SMALL = {
    "hidden": 4, "features": 4, "embedding": 4, "attention": 4, "epochs": 2, "patches": 2,
    "rounds": 2, "chains": 2, "random_state": 0, "support": SAMPLE.support,
}  # fmt: skip
NO_PROBABILITIES = {"AllZeros", "TopK", "OptimalChain", "CondensedFilterTree", "CNNRNN"}
WEIGHTED = {"DecisionRule", "LabelByLabel", "LogisticRelevance", "LogisticRule", "Mixture"}


def small(name):
    """The model, as small as it can be."""
    accepted = inspect.signature(MODELS[name]).parameters
    return MODELS[name](**{key: value for key, value in SMALL.items() if key in accepted})


def features(name):
    """The features, or for the one model that wants them the probabilities of the label vectors."""
    return SAMPLE.joint if name == "BayesOptimal" else SAMPLE.X


@pytest.fixture(params=sorted(MODELS))
def name(request):
    if request.param == "Boomer":
        pytest.importorskip("mlrl.boosting", reason="BOOMER is not installed")
    return request.param


def test_sparse_labels_and_features_give_the_predictions_of_dense_ones(name):
    X, model = features(name), small(name)
    expected = clone(model).fit(X, Y).predict(X)
    assert (clone(model).fit(X, sp.csr_array(Y)).predict(X) == expected).all()
    result = clone(model).fit(sp.csr_array(X), sp.csc_array(Y)).predict(sp.csr_array(X))
    assert np.mean(result == expected) > 0.99  # another order of summation may decide a tie


def test_labels_given_by_name_come_back_by_name(name):
    X, model = features(name), small(name)
    if name == "BayesOptimal":
        pytest.skip("its labels are the columns of `support`; it looks at no Y")
    rows = [[label for label, on in zip(NAMES, row, strict=True) if on] for row in Y]
    matrix = pd.DataFrame(Y, columns=NAMES)[sorted(NAMES)]
    expected = clone(model).fit(X, matrix).predict(X)
    named = clone(model).fit(X, rows)
    assert named.label_names_.tolist() == sorted(NAMES)
    np.testing.assert_array_equal(named.predict(X), expected)
    words = named.set_output(predict="names").predict(X)
    assert words == [tuple(np.array(sorted(NAMES))[row == 1]) for row in expected]
    assert named.score(X, rows) == clone(model).fit(X, matrix).score(X, matrix)


def test_probabilities_are_there_or_it_is_said_why_not(name):
    X, model = features(name), small(name)
    fitted = model.fit(X, Y)
    assert hasattr(fitted, "predict_proba") == (name not in NO_PROBABILITIES)
    if name in NO_PROBABILITIES:
        with pytest.raises(AttributeError, match=f"{name} has no predict_proba: it|{name}.*: supp"):
            fitted.predict_proba(X)
        assert fitted.no_probabilities != "it predicts labels alone"
        return
    result = fitted.predict_proba(X)
    assert result.shape == Y.shape and (result >= 0).all() and (result <= 1).all()


def test_weights_of_rows_are_obeyed_where_they_are_taken(name):
    X, model = features(name), small(name)
    assert ("sample_weight" in inspect.signature(model.fit).parameters) == (name in WEIGHTED)
    if name not in WEIGHTED:
        with pytest.raises(TypeError, match="sample_weight"):
            model.fit(X, Y, sample_weight=np.ones(len(Y)))
        return
    weights = np.repeat([0.0, 1.0, 2.0], 30)
    twice = np.concatenate([np.arange(30, 60), np.repeat(np.arange(60, 90), 2)])
    result = clone(model).fit(X, Y, sample_weight=weights).predict_proba(X)
    expected = clone(model).fit(X[twice], Y[twice]).predict_proba(X)
    np.testing.assert_allclose(result, expected, atol=2e-3)


def test_a_label_that_fit_has_not_seen_and_other_values_are_refused(name):
    X, model = features(name), small(name)
    if name == "BayesOptimal":
        pytest.skip("it looks at no Y")
    rows = [["sun"] if number % 2 else ["sea", "sun"] for number in range(len(Y))]
    fitted = clone(model).fit(X, rows)
    with pytest.raises(ValueError, match="Y has the labels moon, which fit has not seen"):
        fitted.score(X, [["moon"]] * len(Y))
    with pytest.raises(ValueError, match="Labels by name are a list of names for each row"):
        clone(model).fit(X, np.where(Y == 1, "yes", "no"))
