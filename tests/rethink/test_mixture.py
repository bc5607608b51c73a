"""Averaged probabilities of several models, and their search."""

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from rethink.costs import get_cost
from rethink.models.chain import ClassifierChain
from rethink.models.logistic import LogisticRelevance
from rethink.models.mixture import ChainEnsemble, Mixture
from rethink.models.probabilities import seeded
from rethink.models.rethinknet import RethinkNet
from rethink.models.rules import DecisionRule
from rethink.search import cross_validate, fold_rows, search_and_fit
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=150, features=5, labels=4, seed=4)
X, Y = SAMPLE.X, SAMPLE.Y


def test_an_ensemble_averages_chains_in_different_orders():
    model = ChainEnsemble(C=2.0, chains=3, random_state=0).fit(X, Y)
    orders = [chain.order_ for chain in model.chains_]
    assert len({tuple(order) for order in orders}) > 1
    alone = [ClassifierChain(2.0, order).fit(X, Y).predict_proba(X) for order in orders]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(alone, axis=0))
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) > 0.5)


def test_a_mixture_averages_its_parts():
    parts = [("linear", LogisticRelevance()), ("bayes", GaussianNB())]
    model = Mixture(parts).fit(X, Y)
    alone = [DecisionRule(part).fit(X, Y).predict_proba(X) for _, part in parts]
    np.testing.assert_allclose(model.predict_proba(X), np.mean(alone, axis=0))
    assert model.set_params(linear__C=7.0).estimators[0][1].C == 7.0
    assert Mixture().fit(X, Y).predict(X).shape == Y.shape


def test_a_search_of_a_mixture_gives_the_values_of_a_plain_one():
    parts = [("trees", RandomForestClassifier(5)), ("bayes", GaussianNB())]
    points = [
        {"trees__max_depth": 2, "bayes__var_smoothing": 1e-9},
        {"trees__max_depth": 2, "bayes__var_smoothing": 0.5},
        {"trees__max_depth": 4, "bayes__var_smoothing": 0.5},
        {"trees": GaussianNB(var_smoothing=0.1)},
        {"random_state": 7},
    ]
    folds, costs = fold_rows(len(Y), 3, seed=0), [get_cost("f1"), get_cost("rank")]
    model = Mixture(parts, random_state=3)
    assert not model.needs_folds
    assert model.cross_validate(points, X, Y, folds, costs) == cross_validate(
        model, points, X, Y, folds, costs
    )
    ruled = DecisionRule(model, random_state=5)
    points = [{f"estimator__{name}": value for name, value in point.items()} for point in points]
    assert ruled.cross_validate(points, X, Y, folds, costs) == cross_validate(
        ruled, points, X, Y, folds, costs
    )


def test_a_net_in_a_mixture_chooses_its_epochs_as_it_does_alone():
    net = RethinkNet(hidden=4, features=4, reweight=None, most_epochs=45, ensemble=2)
    model = DecisionRule(Mixture([("net", net), ("linear", LogisticRelevance())]), random_state=0)
    assert model.needs_folds
    folds, costs = fold_rows(len(Y), 3, seed=0), [get_cost("f1"), get_cost("rank")]
    points = [{"estimator__linear__C": C} for C in (0.01, 1.0)]
    tried = model.cross_validate(points, X, Y, folds, costs)
    inner = seeded(clone(model.estimator), 0).estimators[0][1]
    ((alone,),) = inner.cross_validate([{}], X, Y, folds, [get_cost("hamming")])
    chosen = [point | {"estimator__net__epochs": alone.params["epochs"]} for point in points]
    assert [trial.params for trial in tried[0]] == chosen
    assert tried == cross_validate(model, chosen, X, Y, folds, costs)
    grid = {"estimator__linear__C": [0.01, 1.0]}
    for selection, each in search_and_fit(model, grid, X, Y, costs, seed=0):
        assert each.estimator_.estimators_[0].epochs_ == selection.params["estimator__net__epochs"]
