"""Rules against the best of all predictions, found by trying them."""

import numpy as np
import pytest

from rethink.costs import Cost, get_cost
from rethink.costs.extra.asymmetric import Asymmetric
from rethink.joint import (
    enumerate_chain,
    sample_chain,
    sample_independent,
    spread_draws,
)
from rethink.rules import independent_rule, mode, sizes
from rethink.rules.additive import additive_thresholds
from rethink.rules.general import best_of_vectors
from rethink.rules.mode import mode_of_chain
from rethink.rules.sizes import gfm_independent, jaccard_independent
from rethink.rules.thresholds import search_thresholds
from tests.rethink.test_inference import independent_joint

NAMES = ["hamming", "rank", "f1", "accuracy", "subset", "asymmetric"]


class Neighbours(Cost):
    """A mistake counts, and twice beside another: no sum over labels, and no counts."""

    def values(self, Y, P, empty):
        wrong = Y != P
        return wrong.sum(axis=1) + (wrong[:, 1:] & wrong[:, :-1]).sum(axis=1)


def random_marginals(labels, n, seed):
    """Sparse, dense and even rows, with certain labels and ties among them."""
    rng = np.random.default_rng(seed)
    p = rng.random((n, labels)) ** rng.choice([1, 4, 0.2], size=(n, 1))
    p[rng.random(p.shape) < 0.1] = 0
    p[rng.random(p.shape) < 0.1] = 1
    p[: n // 5] = np.round(p[: n // 5], 1)
    p[:3] = [[0.0], [1.0], [0.5]]
    return p


def regret(cost, predicted, support, probabilities, empty=True):
    """What the prediction loses against the best of all, which without `empty` is not empty."""
    table = np.array([cost(support, np.tile(p, (len(support), 1))) for p in support])
    values = probabilities @ table.T
    values = -values if cost.greater_is_better else values
    reached = values[np.arange(len(values)), predicted @ (1 << np.arange(support.shape[1])[::-1])]
    return reached - values[:, 0 if empty else 1 :].min(axis=1)


@pytest.mark.parametrize("name", [*NAMES, Neighbours()])
@pytest.mark.parametrize("labels", range(1, 7))
def test_rules_are_optimal_for_independent_labels(labels, name):
    p = random_marginals(labels, 500, labels)
    predicted = independent_rule(p, get_cost(name))
    assert regret(get_cost(name), predicted, *independent_joint(p)).max() < 1e-9


@pytest.mark.parametrize("name", ["f1", "accuracy", "subset"])
@pytest.mark.parametrize("labels", range(1, 7))
def test_rules_are_optimal_among_predictions_with_a_label(labels, name):
    p = random_marginals(labels, 500, 10 + labels)
    predicted = independent_rule(p, get_cost(name), empty=False)
    assert predicted.any(axis=1).all()
    assert regret(get_cost(name), predicted, *independent_joint(p), empty=False).max() < 1e-9


@pytest.mark.parametrize("labels", range(2, 7))
def test_without_empty_other_costs_are_optimal_given_that_there_is_a_label(labels):
    p = random_marginals(labels, 200, 20 + labels)
    p[0] = 0.1  # the row in which no label is possible has no such distribution
    support, joint = independent_joint(p)
    joint[:, 0] = 0
    predicted = independent_rule(p, Neighbours(), empty=False)
    assert regret(Neighbours(), predicted, support, joint).max() < 1e-9


@pytest.mark.parametrize("rule", [gfm_independent, jaccard_independent])
def test_ties_go_to_the_smaller_set_and_the_first_label(rule):
    rows = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.5, 0.5, 0.0]])
    np.testing.assert_array_equal(rule(rows)[:2], [[0, 0, 0], [1, 0, 1]])
    np.testing.assert_array_equal(rule(rows[:1], empty=False), [[1, 0, 0]])
    alone = rule(np.array([[0.3, 0.3, 0.3, 0.3]]), empty=False)[0]
    assert (np.diff(alone.astype(int)) <= 0).all()


@pytest.mark.parametrize("name", ["hamming", "asymmetric"])
def test_a_label_on_its_threshold_is_left_out(name):
    threshold = {"hamming": 1 / 2, "asymmetric": 1 / 6}[name]
    rows = np.array([[threshold, threshold + 1e-6, threshold - 1e-6]])
    np.testing.assert_array_equal(independent_rule(rows, get_cost(name)), [[0, 1, 0]])


@pytest.mark.parametrize("rule", [gfm_independent, jaccard_independent])
@pytest.mark.parametrize("power", [0.3, 1, 4, 30])
def test_few_points_and_sizes_lose_nothing_with_many_labels(rule, power, monkeypatch):
    p = np.random.default_rng(0).random((40, 400)) ** power
    quick = rule(p)
    monkeypatch.setattr(sizes, "_largest_size", lambda lower, upper: np.full(len(upper), 400))
    monkeypatch.setattr(sizes, "_gauss", every_point)
    monkeypatch.setattr(sizes, "NUMBERS_IN_CACHE", 1)
    np.testing.assert_array_equal(quick, rule(p))


def every_point(labels):
    places, weights = np.polynomial.legendre.leggauss(labels)
    points = (places + 1) / 2
    return points, weights / 2, points ** np.arange(labels)[:, None]


def test_what_mistakes_cost_is_read_off_a_cost_that_adds_up():
    missed, false_alarm = np.array([1.0, 5.0, 2.0]), np.array([1.0, 1.0, 7.0])
    cost = Asymmetric(missed, false_alarm)
    result = additive_thresholds(cost, 3)
    np.testing.assert_allclose(result, [missed, false_alarm])
    shifted = Cost.of(lambda Y, P: 3 - 2 * (Y == P).sum(axis=1), greater_is_better=False)
    np.testing.assert_allclose(additive_thresholds(shifted, 3), [[2, 2, 2], [2, 2, 2]])
    upwards = Cost.of(lambda Y, P: (Y == P).sum(axis=1), greater_is_better=True)
    np.testing.assert_allclose(additive_thresholds(upwards, 3), [[1, 1, 1], [1, 1, 1]])
    assert additive_thresholds(Neighbours(), 3) is None


@pytest.mark.parametrize("labels", range(1, 7))
@pytest.mark.parametrize("empty", [True, False])
def test_the_mode_of_a_chain_is_the_most_probable_vector(labels, empty, monkeypatch):
    monkeypatch.setattr(mode, "WIDTHS", (1, 4, 64))
    rng = np.random.default_rng(labels)
    order = rng.permutation(labels)
    effects = np.zeros((labels, labels))
    for place, label in enumerate(order):
        effects[label, order[:place]] = rng.normal(size=place) * 3
    logits = rng.normal(size=(300, labels)) * 2
    joint = enumerate_chain(logits, effects, order)
    predicted = mode_of_chain(logits, effects, order, empty)
    assert empty or predicted.any(axis=1).all()
    reached = (joint.support == predicted[:, None]).all(axis=2) * joint.probabilities
    allowed = joint.probabilities if empty else joint.probabilities[:, joint.support.any(axis=1)]
    np.testing.assert_allclose(reached.sum(axis=1), allowed.max(axis=1))


def test_samples_of_a_chain_given_a_label_have_its_distribution():
    rng = np.random.default_rng(0)
    order = np.array([2, 0, 1])
    effects = np.array([[0, 0, 2.0], [-1, 0, 1], [0, 0, 0]])
    logits = rng.normal(size=(20, 3)) - 3
    draws = spread_draws(40_000, 3, np.random.RandomState(0))
    drawn = sample_chain(logits, effects, order, draws, empty=False)
    exact = enumerate_chain(logits, effects, order).never_empty()
    assert drawn.samples.any(axis=2).all()
    np.testing.assert_allclose(drawn.marginals, exact.marginals, atol=0.015)


def test_samples_of_independent_labels_given_a_label():
    p = np.array([[1e-12, 1e-12, 3e-12], [0.0, 0.0, 0.0], [1.0, 0.0, 0.5]])
    drawn = sample_independent(p, spread_draws(2000, 3, np.random.RandomState(0)), empty=False)
    np.testing.assert_allclose(
        drawn.marginals, [[0.2, 0.2, 0.6], [0, 0, 0], [1, 0, 0.5]], atol=0.04
    )


@pytest.mark.parametrize("empty", [True, False])
def test_sampled_vectors_are_nearly_the_best(empty, monkeypatch):
    p = random_marginals(6, 150, 3)[3:]
    exact = best_of_vectors(p, Neighbours(), empty)
    monkeypatch.setattr("rethink.rules.general.MOST_ENUMERATED", 0)
    sampled = best_of_vectors(p, Neighbours(), empty)
    assert (exact == sampled).mean() > 0.95


@pytest.mark.parametrize("name", ["macro-f1", "micro-f1", "recall-at-precision", "rank"])
def test_searched_thresholds_are_the_best_of_all_on_the_rows_given(name):
    rng = np.random.default_rng(5)
    cost, sign = get_cost(name), 1 if get_cost(name).greater_is_better else -1
    for _ in range(20):
        p = np.round(rng.random((30, 3)), 1)
        Y = (rng.random((30, 3)) < p).astype(int)
        result = sign * cost.score(Y, p > search_thresholds(cost, p, Y))
        common = [np.full(3, t) for t in np.arange(-0.05, 1.1, 0.1)]
        each = [np.array(t) for t in np.ndindex(12, 12, 12)] if name == "macro-f1" else []
        tried = common + [t / 10 - 0.05 for t in each[::7]]
        assert result >= max(sign * cost.score(Y, p > t) for t in tried) - 1e-12


def test_equal_scores_take_the_highest_threshold():
    p, Y = np.array([[0.2], [0.4], [0.9]]), np.zeros((3, 1), dtype=int)
    assert search_thresholds(get_cost("macro-f1"), p, Y)[0] >= 0.9
