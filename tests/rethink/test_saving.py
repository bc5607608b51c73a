"""Models on disk: the same predictions after loading, and no code runs."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import rethink
from rethink.costs import Cost
from rethink.costs.extra.asymmetric import Asymmetric
from rethink.models.bayes import BayesOptimal
from rethink.models.chain import ClassifierChain
from rethink.models.constant import AllZeros, TopK
from rethink.models.filter_tree import CondensedFilterTree
from rethink.models.logistic import LogisticRelevance
from rethink.models.logistic_rule import LogisticRule
from rethink.models.mixture import ChainEnsemble, Mixture
from rethink.models.optimal_chain import OptimalChain
from rethink.models.probabilistic import ProbabilisticChain
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from rethink.models.rules import DecisionRule
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=120, features=4, labels=3, seed=4)
X, Y = SAMPLE.X, SAMPLE.Y
MODELS = [
    AllZeros(),
    TopK("f1"),
    LogisticRelevance(),
    LogisticRule("f1"),
    ClassifierChain(order=[2, 0, 1]),
    ProbabilisticChain("accuracy", random_state=3),
    OptimalChain(),
    CondensedFilterTree("rank", rounds=2),
    ChainEnsemble(chains=2, random_state=0),
    Mixture([("linear", LogisticRelevance()), ("bayes", GaussianNB())]),
    DecisionRule(cost=Asymmetric(missed=3, false_alarm=2)),
    DecisionRule(cost="macro-f1", calibration="isotonic", random_state=0),
    DecisionRule(LogisticRegression(), "f1", calibration="sigmoid", random_state=0),
    DecisionRule(RandomForestClassifier(5, random_state=0), "rank"),
    DecisionRule(ExtraTreesClassifier(5, random_state=0), "accuracy"),
    DecisionRule(HistGradientBoostingClassifier(max_iter=3), "f1"),
    DecisionRule(BinaryRelevance(hidden=4, epochs=2, random_state=0), "f1"),
    RethinkNet("f1", hidden=4, features=4, epochs=2, random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{type(m).__name__}")
def test_a_loaded_model_is_the_saved_one(model, tmp_path):
    model.fit(X, Y)
    model.save(tmp_path / "model")
    loaded = rethink.load(tmp_path / "model")
    assert type(loaded) is type(model) and repr(loaded) == repr(model)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict(X).dtype == model.predict(X).dtype
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    loaded.fit(X, Y)


def test_names_of_columns_and_labels_are_saved(tmp_path):
    features, labels = pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(Y, columns=list("xyz"))
    DecisionRule(GaussianNB()).fit(features, labels).save(tmp_path)
    loaded = rethink.load(tmp_path).set_output(predict="frame")
    assert list(loaded.predict(features).columns) == list("xyz")
    assert loaded.feature_names_in_.tolist() == list("abcd")


def test_a_random_state_goes_on_where_it_was(tmp_path):
    model = LogisticRule().fit(X, Y)
    model.chance_ = np.random.RandomState(3)
    model.save(tmp_path)
    assert rethink.load(tmp_path).chance_.random_sample() == model.chance_.random_sample()


def test_the_best_possible_prediction_is_saved(tmp_path):
    model = BayesOptimal("f1", SAMPLE.support).fit(SAMPLE.joint)
    model.save(tmp_path)
    np.testing.assert_array_equal(
        rethink.load(tmp_path).predict(SAMPLE.joint), model.predict(SAMPLE.joint)
    )


class Mine(Cost):
    def values(self, Y, P, empty):
        return (Y != P).sum(axis=1)


def test_a_cost_of_ones_own_is_given_again(tmp_path):
    model = LogisticRule(Mine()).fit(X, Y)
    model.save(tmp_path)
    with pytest.raises(ValueError, match=r"saved without cost, .*rethink.load\(path, cost=…\)"):
        rethink.load(tmp_path)
    loaded = rethink.load(tmp_path, cost=Mine())
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_what_cannot_be_saved_is_named(tmp_path):
    model = DecisionRule(KNeighborsClassifier(algorithm="kd_tree")).fit(X, Y)
    with pytest.raises(ValueError, match=r"estimator_.*KDTree, which cannot be saved"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="holds no completely saved model"):
        rethink.load(tmp_path)
    with pytest.raises(Exception, match="not fitted"):
        LogisticRelevance().save(tmp_path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("subprocess:Popen", "neither of rethink nor of scikit-learn"),
        ("sklearnish.x:Y", "neither of rethink nor of scikit-learn"),
        ("sklearn.base:clone", "is no class of its module"),
        ("sklearn.utils._bunch:os", "no attribute|no class"),
    ],
)
def test_only_known_classes_are_made(name, message, tmp_path):
    DecisionRule(GaussianNB()).fit(X, Y).save(tmp_path)
    file = tmp_path / "model.json"
    described = json.loads(file.read_text())
    described["state"]["estimator_"]["object"] = name
    file.write_text(json.dumps(described))
    with pytest.raises(ValueError, match=message):
        rethink.load(tmp_path)


def test_a_class_is_made_with_arguments_only_if_it_is_listed(tmp_path):
    DecisionRule(GaussianNB()).fit(X, Y).save(tmp_path)
    file = tmp_path / "model.json"
    described = json.loads(file.read_text())
    described["state"]["estimator_"]["arguments"] = {"tuple": [1]}
    file.write_text(json.dumps(described))
    with pytest.raises(ValueError, match="is not made with arguments"):
        rethink.load(tmp_path)


@pytest.mark.parametrize("spoil", ["arrays.npz", "model.json", "version", "class"])
def test_spoilt_folders_are_refused(spoil, tmp_path):
    LogisticRelevance().fit(X, Y).save(tmp_path)
    file = tmp_path / "model.json"
    described = json.loads(file.read_text())
    if spoil in ("version", "class"):
        described |= {"version": 99} if spoil == "version" else {"estimator": "LogisticRelevant"}
        file.write_text(json.dumps(described))
    else:
        (tmp_path / spoil).write_bytes(b"{")
    with pytest.raises(ValueError, match=r"save the model again|version 99|did you mean"):
        rethink.load(tmp_path)


def test_a_model_is_saved_over_an_older_one(tmp_path):
    LogisticRelevance().fit(X, Y).save(tmp_path)
    TopK().fit(X, Y).save(tmp_path)
    assert isinstance(rethink.load(tmp_path), TopK)


def test_no_pickle_is_involved(tmp_path, monkeypatch):
    for module in ("pickle", "_pickle"):
        monkeypatch.setattr(sys.modules[module], "loads", None)
        monkeypatch.setattr(sys.modules[module], "load", None)
    DecisionRule(RandomForestClassifier(3, random_state=0)).fit(X, Y).save(tmp_path)
    assert rethink.load(tmp_path).predict(X).shape == Y.shape
