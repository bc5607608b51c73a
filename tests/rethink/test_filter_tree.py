import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain

from rethink.costs import COSTS, Cost, get_cost
from rethink.models.bayes import BayesOptimal
from rethink.models.filter_tree import CondensedFilterTree, Training, Truth
from rethink.search import cross_validate, fold_rows, grid_points, search_and_fit
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=160, features=3, labels=4, seed=5)
X, Y = SAMPLE.X[:100], SAMPLE.Y[:100]
NEW = SAMPLE.X[100:]


class ZeroOne(Cost):
    def values(self, Y, P, empty):
        return (Y != P).any(axis=1)


def flipped_weights(cost, path):
    """|C(label off) - C(label on)|, each evaluated anew."""
    result = np.empty(path.shape)
    for label in range(path.shape[1]):
        off, on = path.copy(), path.copy()
        off[:, label], on[:, label] = 0, 1
        result[:, label] = np.abs(cost(Y, off) - cost(Y, on))
    return result


def logistic(C):
    return LogisticRegression(C=C, solver="liblinear", tol=1e-10, max_iter=10_000)


def follow(models, rows, path, first=0):
    """Fill the labels from `first` on with what the classifiers say."""
    for label in range(first, len(models)):
        path[:, label] = models[label].predict(np.hstack([rows, path[:, :label]]))
    return path


def plain_rounds(cost, C, rounds):
    """All blocks stacked, nothing merged, every round from scratch."""
    paths, weights, models = [Y], [], []
    for _ in range(rounds):
        weight = flipped_weights(cost, paths[-1])
        weights.append(weight * weight.size / weight.sum())
        stacked = np.vstack(paths)
        models = [
            logistic(C).fit(
                np.hstack([np.tile(X, (len(paths), 1)), stacked[:, :label]]),
                np.tile(Y[:, label], len(paths)),
                sample_weight=np.vstack(weights)[:, label],
            )
            for label in range(4)
        ]
        paths.append(follow(models, X, np.zeros_like(Y)))
    return models


def plain_subtree_round(cost, C):
    """One round from the last label to the first, with rolled-out leaves."""
    models = [None] * 4
    sign = -1 if cost.greater_is_better else 1
    for label in reversed(range(4)):
        leaves = []
        for value in (0, 1):
            path = Y.copy()
            path[:, label] = value
            leaves.append(sign * cost(Y, follow(models, X, path, first=label + 1)))
        weight = np.abs(leaves[0] - leaves[1])
        features = np.hstack([X, Y[:, :label]])
        scaled = weight * len(weight) / weight.sum()
        models[label] = logistic(C).fit(features, leaves[1] < leaves[0], sample_weight=scaled)
    return models


def assert_same_chain(model, plain):
    for label, expected in enumerate(plain):
        ours = np.hstack([model.coef_[label], model.effects_[label, :label]])
        np.testing.assert_allclose(ours, expected.coef_[0], atol=1e-3, rtol=1e-3)
        np.testing.assert_allclose(model.intercept_[label], expected.intercept_[0], atol=2e-3)


@pytest.mark.parametrize("name", COSTS)
def test_equals_stacked_unmerged_rounds(name):
    model = CondensedFilterTree(cost=name, C=0.5, rounds=4).fit(X, Y)
    assert_same_chain(model, plain_rounds(get_cost(name), 0.5, rounds=4))


@pytest.mark.parametrize("name", COSTS)
def test_subtree_weights_are_costs_of_leaves_that_later_labels_reach(name):
    model = CondensedFilterTree(cost=name, C=0.5, rounds=1, node_costs="subtree").fit(X, Y)
    assert_same_chain(model, plain_subtree_round(get_cost(name), 0.5))


@pytest.mark.parametrize("name", COSTS)
def test_weights_are_those_of_flipped_labels_with_mean_one(name):
    path = np.random.default_rng(0).integers(0, 2, Y.shape).astype(np.uint8)
    for labels in (Y, path):
        raw = flipped_weights(get_cost(name), labels)
        outcome = Truth(X, Y, get_cost(name)).examples(labels)
        np.testing.assert_allclose(outcome.weight, raw / raw.mean())


def test_equal_paths_become_one_example_of_their_common_weight():
    truth = Truth(X, Y, get_cost("hamming"))
    path = np.where(np.arange(100)[:, None] < 40, Y, 1 - Y)
    joined = truth.own_paths.joined(truth.examples(path))
    assert len(joined.row) == 160 and joined.times.sum() == 200
    pairs = {(row, *labels) for row, labels in zip(joined.row, joined.path.tolist(), strict=True)}
    assert len(pairs) == 160
    np.testing.assert_allclose(joined.weight, joined.times[:, None] * np.ones((1, 4)))


def test_one_round_for_hamming_loss_is_a_plain_chain():
    chain = ClassifierChain(logistic(1.0)).fit(X, Y)
    model = CondensedFilterTree(rounds=1).fit(X, Y)
    assert_same_chain(model, chain.estimators_)
    np.testing.assert_array_equal(model.predict(NEW), chain.predict(NEW))


def test_examples_merge_where_paths_agree():
    model = CondensedFilterTree(rounds=3).fit(X, Y)
    assert model.node_counts_.shape == (3, 4)
    assert (model.node_counts_[:, 0] == 100).all()  # the first label has no earlier ones
    assert (model.node_counts_[0] == 100).all()
    assert (np.diff(model.node_counts_, axis=0) >= 0).all()
    assert 100 < model.node_counts_[-1, -1] < 300


def test_examples_without_weight_are_dropped():
    some = (Y.sum(axis=1) > 0) & (Y.sum(axis=1) < 4)  # rank loss cares for no other rows
    model = CondensedFilterTree(cost="rank", rounds=1).fit(X, Y)
    assert (model.node_counts_ == some.sum()).all() and some.sum() < 100


def test_prediction_is_that_of_the_last_round():
    three = CondensedFilterTree(cost="f1", rounds=3).fit(X, Y)
    training = Training(Truth(X, Y, get_cost("f1")), C=1.0)
    training.fit_labels()
    for _ in range(2):
        training.add_path(training.follow(X))
        training.fit_labels()
    np.testing.assert_array_equal(three.coef_, training.chain.coef)
    assert training.examples.times.sum() == 300


@pytest.mark.parametrize("node_costs", ["label", "subtree"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_path_of_strengths_gives_what_single_fits_give(kind, node_costs):
    model, Cs = CondensedFilterTree("f1", rounds=3, node_costs=node_costs), [1.0, 0.01, 100.0]
    for C, outcome in zip(Cs, model.fit_path(kind(X), Y, Cs), strict=True):
        single = CondensedFilterTree("f1", C, rounds=3, node_costs=node_costs).fit(kind(X), Y)
        assert outcome.C == C
        np.testing.assert_allclose(outcome.coef_, single.coef_, atol=2e-2)
        np.testing.assert_array_equal(outcome.predict(NEW), single.predict(NEW))


@pytest.mark.parametrize("name", ["rank", "f1"])
def test_a_search_that_gives_up_strengths_chooses_about_as_well(name):
    model, cost = CondensedFilterTree(), get_cost(name)
    points = [{"C": 10.0**power} for power in range(3, -5, -1)]
    parts = fold_rows(200, 3, seed=0)
    losses = []
    for seed in range(3):
        sample = generate("logistic-chain", instances=200, features=5, labels=5, seed=seed)
        [ours] = model.cross_validate(points, sample.X, sample.Y, parts, [cost])
        [plain] = cross_validate(model, points, sample.X, sample.Y, parts, [cost])
        for trial, known in zip(ours, plain, strict=True):
            assert trial.params == known.params
            assert trial.values in (known.values, [None] * 3)
        left = [np.mean(trial.values) for trial in ours if None not in trial.values]
        assert 1 <= len(left) <= 2
        all_of_them = [np.mean(trial.values) for trial in plain]
        best = max if cost.greater_is_better else min
        losses.append(abs(best(left) - best(all_of_them)) / best(all_of_them))
    assert np.mean(losses) < 0.01 < abs(np.ptp(all_of_them)) / best(all_of_them)


@pytest.mark.parametrize(
    ("node_costs", "grid"), [("label", {"C": [1.0], "rounds": [1, 2]}), ("subtree", {"C": [1, 9]})]
)
def test_other_grids_and_trees_are_tried_point_by_point(node_costs, grid):
    model = CondensedFilterTree(node_costs=node_costs)
    args = grid_points(grid), X, Y, fold_rows(100, 3, seed=0), [get_cost("f1")]
    assert model.cross_validate(*args) == cross_validate(model, *args)


def test_learns_for_a_cost_of_the_user():
    model = CondensedFilterTree(cost=ZeroOne(), rounds=3).fit(X, Y)
    assert_same_chain(model, plain_rounds(ZeroOne(), 1.0, rounds=3))


@pytest.mark.parametrize("node_costs", ["label", "subtree"])
@pytest.mark.parametrize("name", ["rank", "f1"])
def test_more_data_brings_it_closer_to_the_best_possible_prediction(name, node_costs):
    sample = generate("logistic-chain", instances=6000, features=3, labels=4, seed=2)
    held, cost = slice(4000, None), get_cost(name)
    best = BayesOptimal(name, sample.support).fit(sample.joint)

    def regret(model):
        outcome = cost(sample.Y[held], model.predict(sample.X[held])).mean()
        return abs(outcome - cost(sample.Y[held], best.predict(sample.joint[held])).mean())

    def tree(name, n):
        model = CondensedFilterTree(cost=name, C=10, rounds=4, node_costs=node_costs)
        return model.fit(sample.X[:n], sample.Y[:n])

    few, many = regret(tree(name, 40)), regret(tree(name, 4000))
    assert many < 0.7 * few
    assert many < regret(tree("hamming", 4000))


@pytest.mark.parametrize("node_costs", ["label", "subtree"])
def test_sparse_equals_dense(node_costs):
    dense = CondensedFilterTree(cost="f1", rounds=3, node_costs=node_costs).fit(X, Y)
    sparse = clone_fit(dense, sp.csr_array(X), sp.csr_array(Y))
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-5)
    np.testing.assert_array_equal(dense.predict(NEW), sparse.predict(sp.csr_array(NEW)))


def clone_fit(model, rows, labels):
    return type(model)(**model.get_params()).fit(rows, labels)


@pytest.mark.parametrize("node_costs", ["label", "subtree"])
@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        (X, Y[:, :1]),
        (X[:, :1], Y),
        (X, np.zeros_like(Y)),
        (X, np.ones_like(Y)),
        (X, np.column_stack([Y[:, 0], np.ones(100), np.zeros(100)]).astype(int)),
        (X[:1], Y[:1]),
    ],
    ids=["one label", "one feature", "all empty", "all full", "constant labels", "one row"],
)
def test_degenerate_data_is_learned(rows, labels, name, node_costs):
    model = CondensedFilterTree(cost=name, rounds=3, node_costs=node_costs).fit(rows, labels)
    predicted = model.predict(rows)
    assert predicted.shape == labels.shape and np.isfinite(model.coef_).all()
    constant = labels.min(axis=0) == labels.max(axis=0)
    np.testing.assert_array_equal(predicted[:, constant], labels[:, constant])


def test_search_works_with_fewer_rows_than_folds():
    model = CondensedFilterTree(rounds=2)
    for _, outcome in search_and_fit(model, {"C": [0.1, 1.0]}, X[:2], Y[:2], ["f1"], seed=0):
        assert outcome.cost.name == "f1"
        assert outcome.predict(NEW).shape == (60, 4)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": -1.0}, "C is -1.0.*above 0"),
        ({"C": "one"}, "C is 'one'"),
        ({"rounds": 0}, "rounds is 0"),
        ({"rounds": 2.5}, "rounds is 2.5.*whole number"),
        ({"node_costs": "subtrees"}, "unknown node_costs 'subtrees'; did you mean 'subtree'"),
        ({"cost": "ranks"}, "unknown cost 'ranks'; did you mean 'rank'"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        CondensedFilterTree(**params).fit(X, Y)
