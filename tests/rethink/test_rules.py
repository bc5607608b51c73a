import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from rethink.costs import Cost, get_cost
from rethink.models import get_model, shares_fits
from rethink.models.bayes import BayesOptimal
from rethink.models.chain import ClassifierChain
from rethink.models.constant import AllZeros
from rethink.models.logistic import LogisticRelevance
from rethink.models.logistic_rule import LogisticRule
from rethink.models.rules import DecisionRule
from rethink.search import search, search_and_fit
from rethink.synthetic import all_label_vectors, generate
from tests.rethink.own_cost import Exact

SAMPLE = generate("logistic-chain", instances=250, features=5, labels=5, seed=4)
X, Y = SAMPLE.X, SAMPLE.Y
NAMES = ["hamming", "rank", "f1", "accuracy"]


@pytest.mark.parametrize("cost", ["hamming", "rank", "f1", Exact()])
def test_predictions_are_bayes_optimal_for_independent_labels(cost):
    model = DecisionRule(LogisticRelevance(C=10), cost).fit(X, Y)
    p = model.predict_proba(X)
    support = all_label_vectors(5)
    joint = np.where(support == 1, p[:, None], 1 - p[:, None]).prod(axis=2)
    best = BayesOptimal(cost, support).fit(joint)
    table = best.cost_matrix_[:, model.predict(X) @ (1 << np.arange(5)[::-1])]
    np.testing.assert_allclose(np.einsum("nm,mn->n", joint, table), best.expected(joint), atol=1e-9)


def test_another_rule_than_the_costs_own():
    model = DecisionRule(cost="accuracy").fit(X, Y)
    own, by_f1 = model.predict(X), model.set_params(rule="f1").predict(X)
    assert (own != by_f1).any()
    np.testing.assert_array_equal(by_f1, model.set_params(rule=None, cost="f1").predict(X))
    plain = model.set_params(rule="hamming", cost="rank").predict(X)
    np.testing.assert_array_equal(plain, model.predict_proba(X) > 0.5)
    assert (model.set_params(rule="top-2").predict(X).sum(axis=1) == 2).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_logistic_rule_is_the_rule_on_logistic_relevance(name):
    short = LogisticRule(name, C=3.0).fit(X, Y)
    long = DecisionRule(LogisticRelevance(C=3.0), name).fit(X, Y)
    np.testing.assert_array_equal(short.predict(X), long.predict(X))
    np.testing.assert_array_equal(short.predict_proba(X), long.predict_proba(X))


def test_the_rank_rule_lowers_the_rank_loss():
    rank = get_cost("rank")
    plain, ruled = LogisticRelevance().fit(X, Y), LogisticRule("rank").fit(X, Y)
    assert rank(Y, ruled.predict(X)).mean() < 0.9 * rank(Y, plain.predict(X)).mean()


def test_a_scikit_learn_estimator_may_give_the_probabilities():
    link = LogisticRegression(C=3.0, solver="liblinear", tol=1e-10, max_iter=10_000)
    theirs = DecisionRule(MultiOutputClassifier(link), "f1").fit(X, Y)
    ours = DecisionRule(LogisticRelevance(C=3.0), "f1").fit(X, Y)
    np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))


def test_nested_parameters_are_set_and_searched():
    model = DecisionRule(LogisticRelevance()).set_params(estimator__C=7.0, cost="f1")
    assert model.estimator.C == 7.0 and clone(model).estimator.C == 7.0
    nested = search(model, {"estimator__C": [0.01, 1.0]}, X, Y, NAMES, seed=0)
    direct = search(LogisticRule(), {"C": [0.01, 1.0]}, X, Y, NAMES, seed=0)
    for name in NAMES:
        assert nested[name].params["estimator__C"] == direct[name].params["C"]
        scores = [[s["value"] for s in result[name].fold_scores] for result in (nested, direct)]
        assert scores[0] == pytest.approx(scores[1])


@pytest.mark.parametrize("model", [DecisionRule(LogisticRelevance()), LogisticRule()])
def test_one_fit_serves_all_costs(model, monkeypatch):
    fits, fit = [], LogisticRelevance.fit
    monkeypatch.setattr(LogisticRelevance, "fit", lambda *args: fits.append(1) or fit(*args))
    assert shares_fits(model)
    result = list(search_and_fit(model, {}, X, Y, NAMES, seed=0))
    assert len(fits) == 1
    assert [fitted.cost.name for _, fitted in result] == NAMES
    assert (result[0][1].predict(X) != result[1][1].predict(X)).any()


def test_a_chain_may_give_the_probabilities():
    chain = ClassifierChain().fit(X, Y)
    ruled = DecisionRule(ClassifierChain(), "hamming").fit(X, Y)
    np.testing.assert_array_equal(ruled.predict(X), chain.predict(X))


@pytest.mark.parametrize("model", [DecisionRule(), LogisticRule()])
def test_sparse_data_give_the_predictions_of_dense_data(model):
    dense = clone(model).fit(X, Y).predict(X)
    sparse = clone(model).fit(sp.csr_array(X), sp.csr_array(Y)).predict(sp.csr_array(X))
    np.testing.assert_array_equal(sparse, dense)


@pytest.mark.parametrize("cost", NAMES)
@pytest.mark.parametrize(
    ("features", "labels"),
    [(X, Y[:, :1]), (X[:, :1], Y), (X, 0 * Y), (X, 0 * Y + 1), (X[:1], Y[:1])],
    ids=["one label", "one feature", "all empty", "all full", "one row"],
)
def test_degenerate_data_are_fitted(features, labels, cost):
    predicted = LogisticRule(cost).fit(features, labels).predict(features)
    assert predicted.shape == labels.shape
    if not labels.any():
        assert not predicted.any()


def test_many_labels_and_rows_fit_into_memory():
    rng = np.random.default_rng(0)
    model = LogisticRule("f1").fit(X, np.tile(Y, (1, 75))[:, :374])
    predicted = model.predict(rng.uniform(-1, 1, (60, 5)))
    assert predicted.shape == (60, 374)


def test_models_are_found_by_name():
    assert get_model("LogisticRule") is LogisticRule
    assert get_model("DecisionRule") is DecisionRule


def test_wrong_use_is_refused_with_what_is_needed():
    with pytest.raises(ValueError, match="has no predict_proba; give a model"):
        DecisionRule(AllZeros()).fit(X, Y)
    for model in (DecisionRule(cost="f2"), LogisticRule("f2")):
        with pytest.raises(ValueError, match="unknown cost 'f2'"):
            model.fit(X, Y)
    for options, message in [
        ({"rule": "top-x"}, "rule is 'top-x', but needs a number of labels"),
        ({"rule": "f2"}, r"rule: unknown cost 'f2'; valid: .*, thresholds, top-<labels>"),
        ({"empty": "maybe"}, "unknown empty 'maybe'; valid: auto, allowed, never"),
        ({"calibration": "plat"}, "unknown calibration 'plat'"),
        ({"calibration": "isotonic", "folds": 1}, "folds is 1, but needs 2 at least"),
    ]:
        with pytest.raises(ValueError, match=message):
            DecisionRule(**options).fit(X, Y)


def test_thresholds_belong_to_the_cost_they_were_searched_for():
    model = DecisionRule(cost="macro-f1", random_state=0).fit(X, Y)
    assert not shares_fits(model) and model.thresholds_.shape == (5,)
    model.set_params(cost="micro-f1")
    with pytest.raises(ValueError, match="no thresholds were searched for the cost 'micro-f1'"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"one of the whole matrix: .*fit DecisionRule"):
        LogisticRule("macro-f1").fit(X, Y).predict(X)


class Asymmetric(Cost):
    """A user's cost that adds up over the labels, which the library is not told."""

    def values(self, Y, P, empty):
        return (5 * Y * (1 - P) + (1 - Y) * P).sum(axis=1)


@pytest.mark.parametrize("labels", [1, 5, 12, 40])
def test_a_users_cost_that_adds_up_has_its_exact_threshold(labels):
    many = np.tile(Y, 8)[:, :labels]
    model = DecisionRule(cost=Asymmetric()).fit(X, many)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) > 1 / 6)
    ready = model.set_params(cost="asymmetric").predict(X)
    np.testing.assert_array_equal(ready, model.predict_proba(X) > 1 / 6)


def test_any_cost_is_predicted_for_many_labels():
    many = np.tile(Y, 3)
    model = DecisionRule(cost=Exact()).fit(X, many)
    p, predicted = model.predict_proba(X), model.predict(X)
    best = model.set_params(cost="subset").predict(X)
    reached, possible = (
        np.where(chosen == 1, p, 1 - p).prod(axis=1).mean() for chosen in (predicted, best)
    )
    assert reached > 0.85 * possible


def test_the_empty_set_is_predicted_only_where_training_has_it():
    rare = (np.random.default_rng(0).random((200, 8)) < 0.05).astype(np.uint8)
    blind = np.zeros((200, 1))
    some = rare.copy()
    some[np.arange(200), np.random.default_rng(1).integers(0, 8, 200)] = 1
    for cost in ("f1", "accuracy", "subset"):
        model = LogisticRule(cost)
        assert not model.fit(blind, rare).predict(blind).any() and model.empty_
        assert model.fit(blind, some).predict(blind).any(axis=1).all() and not model.empty_
        assert not model.set_params(empty="allowed").fit(blind, rare).predict(blind).any()
        assert model.set_params(empty="never").fit(blind, rare).predict(blind).any(axis=1).all()
