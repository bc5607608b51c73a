"""Names of labels: kept from a DataFrame, and given back on request."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV

from rethink.costs import get_cost
from rethink.models.chain import ClassifierChain
from rethink.models.constant import AllZeros, TopK
from rethink.models.logistic import LogisticRelevance
from rethink.models.logistic_rule import LogisticRule
from rethink.models.mixture import ChainEnsemble, Mixture
from rethink.models.probabilistic import ProbabilisticChain
from rethink.models.rethinknet import RethinkNet
from rethink.models.rules import DecisionRule
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=80, features=3, labels=3, seed=4)
X = pd.DataFrame(SAMPLE.X, columns=["a", "b", "c"], index=np.arange(80) + 1000)
Y = pd.DataFrame(SAMPLE.Y, columns=["sun", "beach", "sea"], index=X.index)
MODELS = [
    AllZeros(),
    TopK("f1"),
    LogisticRelevance(),
    LogisticRule("f1"),
    DecisionRule(RandomForestClassifier(5, random_state=0), "f1"),
    ClassifierChain(),
    ProbabilisticChain("f1", random_state=0),
    ChainEnsemble(chains=2, random_state=0),
    Mixture(),
    RethinkNet(hidden=4, features=4, epochs=2, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_names_are_kept_and_given_back(model):
    fitted = clone(model).set_output(predict="frame").fit(X, Y)
    assert fitted.label_names_.tolist() == ["sun", "beach", "sea"]
    result = fitted.predict(X.iloc[:7])
    assert isinstance(result, pd.DataFrame) and list(result.columns) == list(Y.columns)
    assert (result.index == X.index[:7]).all()
    plain = clone(model).fit(X, Y).predict(X.iloc[:7])
    assert isinstance(plain, np.ndarray)
    np.testing.assert_array_equal(result, plain)


def test_a_clone_keeps_the_choice_and_a_score_does_not_mind():
    model = LogisticRule("f1").set_output(predict="frame")
    fitted = clone(model).fit(X, Y)
    assert isinstance(fitted.predict(X), pd.DataFrame)
    assert fitted.score(X, Y) == get_cost("f1").score(Y, fitted.predict(X))
    searched = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=2).fit(X, Y)
    assert isinstance(searched.predict(X), pd.DataFrame)
    assert isinstance(fitted.set_output(predict="array").predict(X), np.ndarray)


def test_arrays_get_the_names_of_the_labels_seen_in_fit():
    model = LogisticRelevance().set_output(predict="frame").fit(X.to_numpy(), Y)
    assert list(model.predict(X.to_numpy()).columns) == list(Y.columns)
    assert list(model.predict(sp.csr_array(X.to_numpy())).columns) == list(Y.columns)


def test_names_of_an_earlier_fit_are_forgotten():
    model = LogisticRelevance().fit(X, Y).fit(X, Y.to_numpy())
    assert not hasattr(model, "label_names_")
    with pytest.raises(ValueError, match="fit got an array; give fit a DataFrame"):
        model.set_output(predict="frame").predict(X)
    with pytest.raises(ValueError, match="unknown output 'pandas'; valid: array, frame"):
        model.set_output(predict="pandas")


@pytest.mark.parametrize(
    ("model", "sign"),
    [(DecisionRule(cost="rank"), -1), (ProbabilisticChain("f1"), 1), (TopK("hamming"), -1)],
)
def test_a_score_is_that_of_the_cost_and_greater_is_better(model, sign):
    fitted = model.fit(X, Y)
    expected = sign * get_cost(model.cost).score(Y, fitted.predict(X))
    assert fitted.score(X, Y) == pytest.approx(expected)
    weights = np.arange(80)
    weighted = get_cost(model.cost).score(Y, fitted.predict(X), sample_weight=weights)
    assert fitted.score(X, Y, weights) == pytest.approx(sign * weighted)


def test_a_model_without_a_cost_is_scored_by_the_rows_that_are_right():
    model = LogisticRelevance().fit(X, Y)
    assert model.score(X, Y) == pytest.approx((model.predict(X) == Y).all(axis=1).mean())
