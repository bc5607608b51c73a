from itertools import combinations

import numpy as np
import pytest

from rethink.statistics import Pair, indistinct_groups, nemenyi_groups


def pair(a, b, better=None):
    return Pair(a, b, 0.5, 0.5, 10, better)


def test_groups_overlap_and_none_lies_inside_another():
    ranks = {"d": 4.0, "a": 1.0, "b": 2.0, "c": 3.2}
    assert nemenyi_groups(ranks, cd=2.1) == [["a", "b"], ["b", "c", "d"]]
    assert nemenyi_groups(ranks, cd=9) == [["a", "b", "c", "d"]]


def test_a_model_alone_is_no_group():
    assert nemenyi_groups({"a": 1.0, "b": 2.0}, cd=0.5) == []
    assert nemenyi_groups({"a": 1.0}, cd=0.5) == []
    assert nemenyi_groups({}, cd=0.5) == []


def test_ranks_that_differ_by_just_the_critical_difference_are_told_apart():
    assert nemenyi_groups({"a": 0.1, "b": 0.1 + 0.2}, cd=0.2) == []


def test_equal_ranks_keep_the_given_order():
    assert nemenyi_groups({"b": 1.5, "a": 1.5}, cd=1.0) == [["b", "a"]]


def test_a_pair_that_is_told_apart_splits_a_run():
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    pairs = [pair("a", "b"), pair("a", "c", better="a"), pair("b", "c")]
    assert indistinct_groups(["c", "b", "a"], pairs, ranks) == [["a", "b"], ["b", "c"]]


def test_a_pair_told_apart_in_the_middle_leaves_no_run_across_it():
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    pairs = [pair("a", "b"), pair("a", "c"), pair("c", "b", better="b")]
    assert indistinct_groups(ranks, pairs, ranks) == [["a", "b"]]


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_maximal_runs_by_their_definition(seed):
    rng = np.random.default_rng(seed)
    models = [f"m{i}" for i in range(7)]
    ranks = dict(zip(models, rng.permutation(7).tolist(), strict=True))
    pairs = [pair(a, b, a if rng.random() < 0.3 else None) for a, b in combinations(models, 2)]
    facts = {frozenset(p[:2]) for p in pairs if p.better}
    order = sorted(models, key=ranks.get)
    runs = [
        order[i:j]
        for i, j in combinations(range(len(order) + 1), 2)
        if j - i > 1 and not any(frozenset(two) in facts for two in combinations(order[i:j], 2))
    ]
    maximal = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    assert indistinct_groups(models, pairs, ranks) == maximal
