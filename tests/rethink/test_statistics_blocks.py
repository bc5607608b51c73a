"""Incomplete grids: what is used is said, what is not has a reason, nothing is NaN."""

import math
import warnings

import pytest

from rethink.statistics import (
    complete_blocks,
    corrected_t,
    critical_difference,
    friedman,
    indistinct_groups,
    mean_ranks,
    nemenyi_groups,
    paired_t,
    signed_rank,
    wilcoxon_holm,
)

GRID = {
    f"set{i}": {"a": 0.1 * i, "b": 0.1 * i + 0.05 * (i % 3), "c": 0.1 * i + 0.2} for i in range(6)
}


def test_a_complete_grid_is_used_as_it_is():
    blocks = complete_blocks(GRID)
    assert (blocks.models, blocks.datasets, blocks.left_out) == (["a", "b", "c"], list(GRID), [])
    assert blocks.values[2] == [GRID["set2"][model] for model in "abc"]


def test_a_data_set_with_a_hole_is_left_out_and_the_missing_models_are_named():
    grid = GRID | {"set1": {"a": 0.1, "b": None, "c": 0.2}, "set4": {"b": math.nan, "a": 0.3}}
    blocks = complete_blocks(grid)
    assert blocks.datasets == ["set0", "set2", "set3", "set5"]
    assert blocks.left_out == [
        ("dataset", "set1", "no value of b"),
        ("dataset", "set4", "no value of b, c"),
    ]


def test_a_model_without_any_value_is_left_out_instead_of_all_data_sets():
    blocks = complete_blocks({name: row | {"d": None} for name, row in GRID.items()})
    assert blocks.models == ["a", "b", "c"]
    assert blocks.datasets == list(GRID)
    assert blocks.left_out == [("model", "d", "no value on any data set")]


def test_a_model_absent_on_three_sets_leaves_the_other_three():
    grid = {name: dict(row) for name, row in GRID.items()}
    for name in ("set0", "set1", "set2"):
        del grid[name]["c"]
    assert complete_blocks(grid).datasets == ["set3", "set4", "set5"]


def test_no_table_and_an_empty_table_are_empty_blocks_with_reasons():
    assert complete_blocks({}) == ([], [], [], [])
    assert complete_blocks({"x": {}}).left_out == [("dataset", "x", "no value of any model")]
    empty = complete_blocks({"x": {"a": None, "b": None}})
    assert (empty.models, empty.datasets) == ([], [])
    assert ("dataset", "x", "no value of a, b") in empty.left_out


DEGENERATE = {
    "no data set": {},
    "nothing but holes": {"x": {"a": None, "b": None}},
    "no complete data set": {"x": {"a": 1.0, "b": None}, "y": {"a": None, "b": 2.0}},
    "one data set": {"x": {"a": 1.0, "b": 2.0, "c": 3.0}},
    "two models": {"x": {"a": 1.0, "b": 2.0}, "y": {"a": 1.5, "b": 2.0}},
    "one model": {"x": {"a": 1.0}, "y": {"a": 1.5}},
    "all ties": {name: {"a": 0.5, "b": 0.5, "c": 0.5} for name in "xyz"},
    "equal differences": {name: {"a": 0.1, "b": 0.2, "c": 0.3} for name in "uvwxyz"},
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_every_test_over_data_sets_gives_a_number_or_a_reason(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        blocks = complete_blocks(DEGENERATE[name])
        test = friedman(blocks.values, greater_is_better=True)
        pairs = wilcoxon_holm(blocks.values, blocks.models, greater_is_better=True)
        ranks = dict(zip(blocks.models, mean_ranks(blocks.values, True), strict=False))
        if blocks.values and len(blocks.models) > 1:
            cd = critical_difference(len(blocks.models), len(blocks.datasets))
            assert isinstance(nemenyi_groups(ranks, cd), list)
            assert isinstance(indistinct_groups(blocks.models, pairs, ranks), list)
            a, b, *_ = zip(*blocks.values, strict=True)
            result = signed_rank(a, b, 0.01, greater_is_better=True, seed=1, samples=100)
            assert sum(result) == pytest.approx(1.0)
            for one in (paired_t(a, b, True), corrected_t(a, b, True)):
                assert one.result == "too few" if one.p is None else 0 <= one.p <= 1
    assert (test.why is None) == (test.p is not None and math.isfinite(test.statistic))
    assert all(0 <= pair.p <= pair.p_holm <= 1 for pair in pairs)
