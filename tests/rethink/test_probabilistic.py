import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from rethink.costs import get_cost
from rethink.joint import enumerate_chain, sample_chain, spread_draws
from rethink.models import probabilistic, shares_fits
from rethink.models.bayes import BayesOptimal
from rethink.models.chain import ClassifierChain
from rethink.models.probabilistic import ProbabilisticChain
from rethink.search import fold_rows, search, search_and_fit
from rethink.synthetic import generate
from tests.rethink.own_cost import Exact

SAMPLE = generate("logistic-chain", instances=300, features=5, labels=5, seed=4)
X, Y = SAMPLE.X, SAMPLE.Y
NAMES = ["hamming", "rank", "f1", "accuracy"]


@pytest.fixture
def sampled(monkeypatch):
    """Sample even where labels are few."""
    monkeypatch.setattr(probabilistic, "MOST_ENUMERATED", 0)


def joint_by_hand(model, x):
    """P(y|x) of every vector, link by link."""
    joint = {}
    for y in itertools.product([0, 1], repeat=len(model.order_)):
        chance = 1.0
        for label in model.order_:
            p = expit(x @ model.coef_[label] + model.intercept_[label] + model.effects_[label] @ y)
            chance *= p if y[label] else 1 - p
        joint[y] = chance
    return joint


def test_the_chain_is_that_of_the_classifier_chain():
    ours, chain = ProbabilisticChain(C=2.0).fit(X, Y), ClassifierChain(C=2.0).fit(X, Y)
    for name in ("coef_", "intercept_", "effects_", "order_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(chain, name))


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 1, 4, 0, 2]])
def test_the_enumerated_joint_is_the_product_of_the_links(order):
    model = ClassifierChain(order=order).fit(X, Y)
    joint = enumerate_chain(model.logits(X[:4]), model.effects_, model.order_)
    for row in range(4):
        expected = joint_by_hand(model, X[row])
        for y, chance in zip(joint.support.tolist(), joint.probabilities[row], strict=True):
            assert chance == pytest.approx(expected[tuple(y)], abs=1e-12)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [3, 1, 4, 0, 2]])
def test_samples_agree_with_enumeration(order):
    model = ClassifierChain(order=order).fit(X, Y)
    chain = model.logits(X[:40]), model.effects_, model.order_
    exact = enumerate_chain(*chain)
    drawn = sample_chain(*chain, spread_draws(20_000, 5, np.random.RandomState(0)))
    np.testing.assert_allclose(drawn.marginals, exact.marginals, atol=0.015)
    sizes = max(drawn.sizes[0].shape[1], exact.sizes[0].shape[1])
    D = np.zeros((40, sizes, 5))
    D[:, : drawn.sizes[0].shape[1]] = drawn.sizes[0]
    np.testing.assert_allclose(D[:, : exact.sizes[0].shape[1]], exact.sizes[0], atol=0.015)
    np.testing.assert_allclose(drawn.sizes[1], exact.sizes[1], atol=0.015)


@pytest.mark.parametrize("cost", [*NAMES[:3], Exact()])
def test_predictions_are_bayes_optimal_for_the_chains_joint(cost):
    model = ProbabilisticChain(cost).fit(X, Y)
    joint = enumerate_chain(model.logits(X), model.effects_, model.order_)
    best = BayesOptimal(cost, joint.support).fit(joint.probabilities)
    reached = best.cost_matrix_[:, model.predict(X) @ (1 << np.arange(5)[::-1])]
    ours = np.einsum("nm,mn->n", joint.probabilities, reached)
    np.testing.assert_allclose(ours, best.expected(joint.probabilities), atol=1e-9)


def test_accuracy_over_all_vectors_is_bayes_optimal_and_the_rule_of_f1_is_not():
    model = ProbabilisticChain("accuracy", accuracy_rule="samples").fit(X, Y)
    joint = enumerate_chain(model.logits(X), model.effects_, model.order_)
    best = BayesOptimal("accuracy", joint.support).fit(joint.probabilities)
    np.testing.assert_array_equal(model.predict(X), best.predict(joint.probabilities))
    by_f1 = model.set_params(accuracy_rule="f1").predict(X)
    np.testing.assert_array_equal(by_f1, model.set_params(cost="f1").predict(X))
    assert (by_f1 != best.predict(joint.probabilities)).any()


@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize("rule", ["f1", "samples"])
def test_many_samples_give_nearly_the_exact_predictions(rule, monkeypatch):
    model = ProbabilisticChain(samples=1000, accuracy_rule=rule, random_state=0).fit(X, Y)
    costs = [*NAMES, Exact()]
    drawn = model.predict_costs(X[:60], costs)
    monkeypatch.setattr(probabilistic, "MOST_ENUMERATED", 10)
    exact = model.predict_costs(X[:60], costs)
    for one, other in zip(drawn, exact, strict=True):
        assert (one == other).mean() > 0.95


@pytest.mark.usefixtures("sampled")
def test_rows_are_predicted_alike_alone_and_together(monkeypatch):
    model = ProbabilisticChain("f1", random_state=0).fit(X, Y)
    together = model.predict(X)
    monkeypatch.setattr("rethink.inference.NUMBERS_AT_ONCE", 50)
    np.testing.assert_array_equal(model.predict(X), together)
    np.testing.assert_array_equal(model.predict(X[17:19]), together[17:19])


@pytest.mark.usefixtures("sampled")
def test_draws_come_from_the_random_state_alone():
    one, same, other = (ProbabilisticChain("f1", random_state=seed).fit(X, Y) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.predict(X), same.predict(X))
    assert (one.draws_ != other.draws_).any()


def test_draws_are_spread_evenly():
    draws = spread_draws(50, 3, np.random.RandomState(0))
    assert draws.shape == (50, 3) and draws.min() > 0 and draws.max() < 1
    np.testing.assert_array_equal(np.sort((draws * 50).astype(int), axis=0)[:, 0], np.arange(50))


def test_as_published_hamming_is_the_greedy_chain_and_rank_its_mean_threshold():
    model = ProbabilisticChain("hamming", inference="as-published").fit(X, Y)
    chain = ClassifierChain().fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), chain.predict(X))
    path = chain.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), path)
    above = path > path.mean(axis=1, keepdims=True)
    np.testing.assert_array_equal(model.set_params(cost="rank").predict(X), above)


def test_as_published_f1_and_accuracy_are_never_empty_and_worse_than_exact():
    scores = {}
    for inference in ("exact", "as-published"):
        model = ProbabilisticChain(inference=inference, random_state=0).fit(X, Y)
        f1, accuracy = model.predict_costs(X, ["f1", "accuracy"])
        np.testing.assert_array_equal(f1, accuracy)
        scores[inference] = get_cost("f1")(Y, f1).mean()
        assert (f1.sum(axis=1) == 0).any() == (inference == "exact")
    assert scores["exact"] > scores["as-published"] + 0.02


def test_as_published_a_users_cost_is_predicted_exactly():
    model = ProbabilisticChain(Exact(), inference="as-published").fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), model.set_params(inference="exact").predict(X))


@pytest.mark.parametrize("labels", [2, 12])
def test_one_fit_serves_all_costs_of_a_search(labels, monkeypatch):
    fits, fit_path = [], ProbabilisticChain.fit_path
    monkeypatch.setattr(
        ProbabilisticChain, "fit_path", lambda *args: fits.append(1) or fit_path(*args)
    )
    refits, fit = [], ProbabilisticChain.fit
    monkeypatch.setattr(ProbabilisticChain, "fit", lambda *args: refits.append(1) or fit(*args))
    assert shares_fits(ProbabilisticChain())
    labelled = np.tile(Y, 3)[:, :labels]
    result = search_and_fit(
        ProbabilisticChain(random_state=0), {"C": [0.01, 1.0]}, X, labelled, NAMES, seed=0
    )
    chosen = [(selection.cost.name, selection.params["C"]) for selection, _ in result]
    assert len(fits) == 3 and len(refits) == len({C for _, C in chosen})
    assert [name for name, _ in chosen] == NAMES


@pytest.mark.parametrize("inference", ["exact", "as-published"])
def test_a_search_along_a_path_equals_fits_and_predictions_one_by_one(inference):
    options = {"inference": inference, "random_state": 0}
    strengths = [1e-3, 1.0, 1e3]
    result = search(ProbabilisticChain(**options), {"C": strengths}, X, Y, NAMES, seed=3)
    for name in NAMES:
        values = []
        for C, held in itertools.product(strengths, fold_rows(len(Y), 3, 3)):
            kept = np.setdiff1d(np.arange(len(Y)), held)
            model = ProbabilisticChain(name, C, **options).fit(X[kept], Y[kept])
            values.append(get_cost(name)(Y[held], model.predict(X[held])).mean())
        assert [score["value"] for score in result[name].fold_scores] == values


def test_sparse_data_give_the_predictions_of_dense_data():
    dense = ProbabilisticChain(random_state=0).fit(X, Y)
    sparse = ProbabilisticChain(random_state=0).fit(sp.csr_array(X), sp.csr_array(Y))
    for one, other in zip(
        sparse.predict_costs(sp.csr_array(X), NAMES), dense.predict_costs(X, NAMES), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("inference", ["exact", "as-published"])
@pytest.mark.parametrize("most", [0, 10], ids=["sampled", "enumerated"])
@pytest.mark.parametrize(
    ("features", "labels"),
    [(X, Y[:, :1]), (X[:, :1], Y), (X, 0 * Y), (X, 0 * Y + 1), (X[:1], Y[:1])],
    ids=["one label", "one feature", "all empty", "all full", "one row"],
)
def test_degenerate_data_are_fitted(features, labels, most, inference, monkeypatch):
    monkeypatch.setattr(probabilistic, "MOST_ENUMERATED", most)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ProbabilisticChain(inference=inference, random_state=0).fit(features, labels)
        assert np.isfinite(model.predict_proba(features)).all()
        for predicted in model.predict_costs(features, NAMES):
            assert predicted.shape == labels.shape
    if not labels.any() and inference == "exact":
        assert not any(predicted.any() for predicted in model.predict_costs(features, NAMES))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost": "f2"}, "unknown cost 'f2'"),
        ({"inference": "publish"}, "unknown inference 'publish'; .*valid: exact, as-published"),
        ({"accuracy_rule": "f"}, "unknown accuracy_rule 'f'; .*valid: f1, samples"),
        ({"samples": 0}, "samples is 0, but at least 1"),
        ({"C": -1}, "'C' parameter is -1"),
    ],
)
def test_wrong_options_are_refused_with_what_is_needed(options, message):
    with pytest.raises(ValueError, match=message):
        ProbabilisticChain(**options).fit(X, Y)


@pytest.mark.parametrize("generator", ["logistic-chain", "exclusive"])
def test_more_data_bring_the_chain_closer_to_the_best_possible_cost(generator):
    whole = generate(generator, instances=6000, features=4, labels=5, seed=2)
    test = slice(4000, 6000)
    gaps = {}
    for n in (60, 4000):
        model = ProbabilisticChain(C=1.0, random_state=0).fit(whole.X[:n], whole.Y[:n])
        for name, P in zip(NAMES, model.predict_costs(whole.X[test], NAMES), strict=True):
            best = BayesOptimal(name, whole.support).fit(whole.joint[test])
            expected = best.expected(whole.joint[test]).mean()
            cost = get_cost(name)
            table = best.cost_matrix_[:, P @ (1 << np.arange(5)[::-1])]
            reached = np.einsum("nm,mn->n", whole.joint[test], table).mean()
            gaps[name, n] = expected - reached if cost.greater_is_better else reached - expected
    for name in NAMES:
        assert -1e-9 <= gaps[name, 4000] < 0.5 * gaps[name, 60], name
