from functools import cache
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

from rethink.ordering import dp_order, first_least, greedy_order
from rethink.svm import SquaredHinge, minimise, with_ones


def labelled(seed, n, d, K, noise=1.0):
    """Labels that depend on features and on each other, frequent and rare ones."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    Y = np.zeros((n, K), dtype=np.uint8)
    for k in range(K):
        effect = Y[:, :k] @ rng.normal(0, 1, k) if k else 0
        score = X @ rng.normal(0, 2, d) + effect + noise * rng.standard_normal(n)
        Y[:, k] = score > np.quantile(score, rng.uniform(0.5, 0.95))
    return X, Y


def costs_of(X, Y, C):
    """c(i|S), each machine solved from scratch."""

    @cache
    def cost(i, members):
        if Y[:, i].min() == Y[:, i].max():
            return 0.0
        Z = with_ones(np.hstack([X, Y[:, sorted(members)]]))
        w = minimise(SquaredHinge(Z, Y[:, i], C)).w
        return w @ w

    return cost


def plain_recurrence(X, Y, C):
    cost, labels = costs_of(X, Y, C), range(Y.shape[1])
    V = {(i, 1): cost(i, frozenset()) for i in labels}
    M = {(i, 1): (i,) for i in labels}
    for length in labels[1:]:
        for i in labels:
            before = [j for j in labels if (j, length) in M and i not in M[j, length]]
            if not before:
                continue
            values = [V[j, length] + cost(i, frozenset(M[j, length])) for j in before]
            best = first_least(np.array(values))
            V[i, length + 1] = values[best]
            M[i, length + 1] = (*M[before[best], length], i)
    ends = [i for i in labels if (i, len(labels)) in V]
    best = ends[first_least(np.array([V[i, len(labels)] for i in ends]))]
    return M[best, len(labels)], V[best, len(labels)]


def value_of(order, cost):
    return sum(cost(i, frozenset(order[:at])) for at, i in enumerate(order))


def assert_same(X, Y, C):
    order, value = plain_recurrence(X, Y, C)
    result = dp_order(X, Y, C)
    assert result.labels == order
    assert result.value == pytest.approx(value, rel=1e-9)
    assert result.solved <= result.pairs


@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 30.0, 1e4])
@pytest.mark.parametrize("seed", range(4))
def test_finds_what_the_plain_recurrence_finds(seed, C):
    assert_same(*labelled(seed, n=60 + 20 * seed, d=3 + 2 * seed, K=5 + seed), C)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_finds_what_the_plain_recurrence_finds_for_fourteen_labels(C):
    assert_same(*labelled(9, n=100, d=6, K=14), C)


def test_finds_what_the_plain_recurrence_finds_with_more_columns_than_rows():
    assert_same(*labelled(10, n=25, d=60, K=7), 1.0)


def test_equal_and_opposite_and_constant_labels_are_no_trouble():
    X, Y = labelled(11, n=60, d=4, K=3)
    Y = np.column_stack([Y, Y[:, 0], 1 - Y[:, 1], np.zeros(60), np.ones(60)]).astype(np.uint8)
    assert_same(X, Y, 1.0)


def test_equal_labels_are_taken_in_label_order_by_the_greedy_search():
    X, Y = labelled(12, n=60, d=4, K=1)
    assert greedy_order(X, np.repeat(Y, 4, axis=1), 1.0).labels == (0, 1, 2, 3)


@pytest.mark.parametrize("K", [1, 2])
def test_is_the_best_of_all_orders_where_the_recurrence_sees_all(K):
    for seed in range(6):
        X, Y = labelled(seed, n=50, d=3, K=K)
        cost = costs_of(X, Y, 1.0)
        best = min(value_of(order, cost) for order in permutations(range(K)))
        assert dp_order(X, Y, 1.0).value == pytest.approx(best)


@pytest.mark.parametrize("seed", range(6))
def test_value_is_that_of_the_order_and_never_below_the_best_of_all(seed):
    X, Y = labelled(seed, n=50, d=3, K=4)
    cost, result = costs_of(X, Y, 1.0), dp_order(X, Y, 1.0)
    values = {order: value_of(order, cost) for order in permutations(range(4))}
    assert result.value == pytest.approx(values[result.labels])
    assert min(values.values()) - 1e-9 <= result.value <= np.median(list(values.values()))


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_greedy_search_appends_the_cheapest_label(C):
    X, Y = labelled(13, n=80, d=5, K=7)
    cost, order = costs_of(X, Y, C), []
    while len(order) < 7:
        left = [i for i in range(7) if i not in order]
        order.append(min(left, key=lambda i: cost(i, frozenset(order))))
    result = greedy_order(X, Y, C)
    assert result.labels == tuple(order)
    assert result.value == pytest.approx(value_of(order, cost))
    assert result.pairs == 7 * 8 / 2


def test_bounds_spare_solving_most_machines_of_rare_labels():
    rng = np.random.default_rng(14)
    X = rng.random((150, 5))
    Y = (rng.random((150, 16)) < rng.uniform(0.02, 0.3, 16)).astype(np.uint8)
    result = dp_order(X, Y, 0.01)
    assert result.solved < 0.5 * result.pairs
    assert result.pairs < 16**3 / 2  # of which many have the same label set


@pytest.mark.parametrize("search", [dp_order, greedy_order])
@pytest.mark.parametrize("d", [4, 90])
def test_sparse_equals_dense(search, d):
    X, Y = labelled(15, n=60, d=d, K=5)
    X[X < 0.4] = 0
    dense, sparse = search(X, Y, 1.0), search(sp.csr_array(X), Y, 1.0)
    assert dense.labels == sparse.labels
    assert dense.value == pytest.approx(sparse.value, rel=1e-9)


@pytest.mark.parametrize("search", [dp_order, greedy_order])
def test_all_labels_constant_costs_nothing(search):
    result = search(np.ones((4, 1)), np.array([[0, 1, 0]] * 4), 1.0)
    assert sorted(result.labels) == [0, 1, 2] and result.value == 0
