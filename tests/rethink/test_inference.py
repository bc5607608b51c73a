import itertools

import numpy as np
import pytest

from rethink import inference
from rethink.costs import COSTS, Cost, get_cost
from rethink.inference import (
    best_expected,
    gfm,
    hamming_rule,
    most_probable_sets,
    pair_costs,
    published_f1_rule,
    rank_rule,
    size_joint,
    size_joint_of_samples,
)
from rethink.rules.sizes import gfm_independent
from rethink.synthetic import all_label_vectors


def random_joints(labels, n, seed):
    """Joints of very different shapes: nearly uniform to nearly certain."""
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.05, 0.3, 1.0, 10.0], size=(n, 1))
    raw = rng.gamma(np.broadcast_to(spread, (n, 2**labels))) + 1e-300
    return all_label_vectors(labels), raw / raw.sum(axis=1, keepdims=True)


def independent_joint(marginals):
    support = all_label_vectors(marginals.shape[1])
    chosen = np.where(support == 1, marginals[:, None, :], 1 - marginals[:, None, :])
    return support, chosen.prod(axis=2)


def expected_costs(name, support, probabilities):
    """Of every prediction for every row: brute force over all pairs."""
    cost = get_cost(name)
    table = np.array([cost(support, np.tile(p, (len(support), 1))) for p in support])
    return probabilities @ table.T


def regret(name, predicted, support, probabilities):
    values = expected_costs(name, support, probabilities)
    index = (predicted.astype(int) @ (1 << np.arange(support.shape[1])[::-1])).astype(int)
    reached = values[np.arange(len(values)), index]
    if get_cost(name).greater_is_better:
        return values.max(axis=1) - reached
    return reached - values.min(axis=1)


@pytest.mark.parametrize("labels", range(1, 7))
def test_rules_are_optimal_on_any_joint(labels):
    support, probabilities = random_joints(labels, 300, labels)
    marginals = probabilities @ support
    D, p_empty = size_joint(support, probabilities)
    predicted = {
        "hamming": hamming_rule(marginals),
        "rank": rank_rule(marginals),
        "f1": gfm(D, p_empty),
    }
    for name, labels_of_rows in predicted.items():
        assert regret(name, labels_of_rows, support, probabilities).max() < 1e-10, name


@pytest.mark.parametrize("labels", range(1, 7))
def test_f1_of_independent_labels_is_optimal(labels):
    rng = np.random.default_rng(labels)
    marginals = rng.random((300, labels)) ** rng.choice([1, 4, 0.2], size=(300, 1))
    marginals[rng.random(marginals.shape) < 0.1] = 0
    marginals[rng.random(marginals.shape) < 0.1] = 1
    support, probabilities = independent_joint(marginals)
    assert regret("f1", gfm_independent(marginals), support, probabilities).max() < 1e-10


def test_f1_of_many_independent_labels_equals_the_general_rule():
    rng = np.random.default_rng(0)
    marginals = rng.random((20, 60)) ** 4
    on = np.zeros((20, 61))  # distribution of the number of labels, one label after the other
    on[:, 0] = 1
    D = np.zeros((20, 60, 60))
    for label in range(60):
        others = np.zeros((20, 61))
        others[:, 0] = 1
        for other in set(range(60)) - {label}:
            p = marginals[:, [other]]
            others[:, 1:], others[:, 0] = (
                others[:, 1:] * (1 - p) + others[:, :-1] * p,
                others[:, 0] * (1 - p[:, 0]),
            )
        D[:, :, label] = marginals[:, [label]] * others[:, :60]
    np.testing.assert_array_equal(gfm_independent(marginals), gfm(D, (1 - marginals).prod(axis=1)))


def test_the_published_rule_misses_the_optimum_and_is_never_empty():
    support, probabilities = random_joints(4, 400, 0)
    D, _ = size_joint(support, probabilities)
    predicted = published_f1_rule(D)
    assert (predicted.sum(axis=1) > 0).all()
    never_empty = gfm(D, None)
    values = expected_costs("f1", support, probabilities)
    weights = 1 << np.arange(4)[::-1]
    rows = np.arange(len(values))
    lost = values[rows, never_empty @ weights] - values[rows, predicted @ weights]
    assert lost.min() > -1e-12
    assert (lost > 1e-9).mean() > 0.2


def test_the_published_rule_follows_the_index_of_a_label():
    D = np.zeros((1, 2, 3))
    D[0, 0] = [0.1, 0.0, 0.15]  # divided by 2 and 4: the first label wins
    np.testing.assert_array_equal(published_f1_rule(D), [[1, 0, 0]])
    np.testing.assert_array_equal(gfm(D, None), [[1, 0, 1]])


def test_nothing_likely_is_predicted_as_nothing():
    certain = np.zeros((2, 5))
    np.testing.assert_array_equal(gfm_independent(certain), certain)
    D, p_empty = size_joint_of_samples(np.zeros((2, 8, 5), dtype=np.uint8))
    np.testing.assert_array_equal(gfm(D, p_empty), certain)
    np.testing.assert_array_equal(rank_rule(certain), certain)
    assert published_f1_rule(D).sum(axis=1).tolist() == [1, 1]


def test_equal_marginals_are_not_told_apart_by_rounding():
    assert not rank_rule(np.full((1, 7), 0.1)).any()


def test_samples_and_their_distribution_give_the_same_sizes():
    rng = np.random.default_rng(0)
    samples = (rng.random((6, 50, 4)) < 0.3).astype(np.uint8)
    D, p_empty = size_joint_of_samples(samples)
    for row, drawn in enumerate(samples):
        direct, empty = size_joint(drawn, np.full((1, 50), 1 / 50))
        np.testing.assert_allclose(D[row, : direct.shape[1]], direct[0], atol=1e-12)
        assert not D[row, direct.shape[1] :].any()
        assert p_empty[row] == pytest.approx(empty[0])


def test_blocks_of_rows_change_nothing(monkeypatch):
    support, probabilities = random_joints(4, 50, 3)
    D, p_empty = size_joint(support, probabilities)
    marginals = probabilities @ support
    whole = gfm(D, p_empty), gfm_independent(marginals), published_f1_rule(D)
    monkeypatch.setattr(inference, "NUMBERS_AT_ONCE", 100)
    parts = gfm(D, p_empty), gfm_independent(marginals), published_f1_rule(D)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_rows_give_no_rows():
    assert gfm_independent(np.empty((0, 3))).shape == (0, 3)
    assert gfm(np.empty((0, 2, 3)), np.empty(0)).shape == (0, 3)


class Exact(Cost):
    greater_is_better = True

    def values(self, Y, P, empty):
        return (Y == P).all(axis=1)


@pytest.mark.parametrize("cost", [*COSTS.values(), Exact()], ids=lambda cost: cost.name)
def test_costs_of_pairs_equal_the_cost(cost):
    rng = np.random.default_rng(1)
    Y, P = (rng.random((2, 5, 4)) < 0.4).astype(int), (rng.random((2, 3, 4)) < 0.4).astype(int)
    result = pair_costs(cost, Y, P)
    for block, truth, guess in itertools.product(range(2), range(5), range(3)):
        expected = cost(Y[block, truth][None], P[block, guess][None])[0]
        assert result[block, truth, guess] == pytest.approx(expected)


def test_the_best_vector_for_a_users_cost_is_the_most_probable_one():
    support, probabilities = random_joints(3, 40, 2)
    result = best_expected(Exact(), support, support, probabilities)
    np.testing.assert_array_equal(result, probabilities.argmax(axis=1))


def test_most_probable_sets_grow_by_the_next_label():
    expected = [[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1]]
    np.testing.assert_array_equal(most_probable_sets(np.array([[0.1, 0.9, 0.4]])), [expected])
