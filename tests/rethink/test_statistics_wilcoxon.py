from itertools import product

import numpy as np
import pytest
import scikit_posthocs
from scipy import stats
from statsmodels.stats.multitest import multipletests

from rethink.statistics import control_holm, holm, signed_rank_p, smallest_p_holm, wilcoxon_holm

CRITICAL = {6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 13: 17, 14: 21, 15: 25}  # textbooks


def differences_with_negative_sum(n, total):
    """Sizes 1..n, signs such that the negative ones sum to `total`."""
    result = np.arange(n, 0, -1)
    for place, size in enumerate(result):
        if size <= total:
            total -= size
            result[place] = -size
    return result


@pytest.mark.parametrize("n", CRITICAL)
def test_the_critical_values_are_those_of_the_printed_tables(n):
    assert signed_rank_p(differences_with_negative_sum(n, CRITICAL[n])) <= 0.05
    assert signed_rank_p(differences_with_negative_sum(n, CRITICAL[n] + 1)) > 0.05


@pytest.mark.parametrize("n", [1, 2, 5, 9, 16, 30, 50])
def test_without_ties_p_is_scipys_exact_one(n):
    differences = np.random.default_rng(n).normal(loc=0.2, size=n)
    expected = stats.wilcoxon(differences, zero_method="zsplit", method="exact").pvalue
    assert signed_rank_p(differences) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(12))
def test_with_ties_and_zeros_p_is_the_share_of_signs_at_least_as_extreme(seed):
    rng = np.random.default_rng(seed)
    differences = rng.integers(-3, 5, size=3 + seed % 6).astype(float)
    ranks = stats.rankdata(np.abs(differences))
    observed = abs((np.sign(differences) * ranks).sum())
    signs = np.array(list(product([-1, 1], repeat=len(ranks)))) * (differences != 0)
    expected = (np.abs(signs @ ranks) >= observed - 1e-9).mean()
    assert signed_rank_p(differences) == pytest.approx(expected)


def test_with_ties_and_zeros_p_is_scipys_permutation_p():
    differences = [0.0, 1.0, 1.0, 2.0, -1.0, 3.0]
    for zeros in ("zsplit", "pratt"):
        method = stats.PermutationMethod()
        expected = stats.wilcoxon(differences, zero_method=zeros, method=method).pvalue
        assert signed_rank_p(differences) == pytest.approx(expected)


@pytest.mark.parametrize("differences", [[], [0.0], [0.0, 0.0, 0.0]])
def test_no_difference_at_all_has_p_one(differences):
    assert signed_rank_p(differences) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_holm_agrees_with_statsmodels(seed):
    p = np.random.default_rng(seed).uniform(size=1 + 3 * seed) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_the_whole_table_agrees_with_scikit_posthocs():
    values = np.random.default_rng(3).normal([0.0, 0.0, 1.5, 3.0], size=(11, 4))
    pairs = wilcoxon_holm(values, ["a", "b", "c", "d"], greater_is_better=False)
    expected = scikit_posthocs.posthoc_wilcoxon(values.T, p_adjust="holm")
    expected.index = expected.columns = ["a", "b", "c", "d"]
    for pair in pairs:
        assert pair.p_holm == pytest.approx(expected.loc[pair.a, pair.b])
        assert pair.n == 11
        assert (pair.better is not None) == (pair.p_holm < 0.05)
    assert {(pair.a, pair.b): pair.better for pair in pairs}["a", "d"] == "a"


def test_the_better_one_depends_on_the_direction():
    values = [[i + 0.1 * i, float(i)] for i in range(1, 9)]
    assert wilcoxon_holm(values, ["a", "b"], greater_is_better=True)[0].better == "a"
    assert wilcoxon_holm(values, ["a", "b"], greater_is_better=False)[0].better == "b"


def test_too_few_data_sets_can_tell_nothing_apart_and_that_is_known_before():
    values = [[float(i), float(i) + 1 + i / 9] for i in range(5)]
    assert wilcoxon_holm(values, ["a", "b"], False)[0][2:] == (0.0625, 0.0625, 5, None)
    assert smallest_p_holm(n=5, tests=1) == 0.0625
    assert smallest_p_holm(n=12, tests=66) == pytest.approx(66 / 2048)
    assert smallest_p_holm(n=0, tests=3) == 1.0


def test_no_data_set_leaves_every_pair_untold():
    assert wilcoxon_holm([], ["a", "b"], True) == [("a", "b", 1.0, 1.0, 0, None)]
    assert wilcoxon_holm([[1.0]], ["a"], True) == []


def test_a_control_is_tested_against_each_other_model_alone():
    rng = np.random.default_rng(8)
    table = rng.normal([0.0, 0.4, 1.5, 0.1], 0.5, size=(10, 4))
    models = ["control", "a", "b", "c"]
    pairs = control_holm(table.tolist(), models, "control", True)
    alone = [stats.wilcoxon(table[:, 0], table[:, k]).pvalue for k in (1, 2, 3)]
    assert [(pair.a, pair.b) for pair in pairs] == [("control", name) for name in "abc"]
    assert [pair.p for pair in pairs] == pytest.approx(alone)
    assert [pair.p_holm for pair in pairs] == pytest.approx(holm(alone))
    assert pairs[1].better == "b"


def test_a_model_that_everybody_beats_does_not_change_what_is_told_of_the_others():
    rng = np.random.default_rng(8)
    table = rng.normal([0.0, 0.4, 1.5, 0.1], 0.5, size=(10, 4))
    worst = np.column_stack([table, table.min(axis=1) - 1.0])
    names = ["control", "a", "b", "c"]
    before = control_holm(table.tolist(), names, "control", True)
    after = control_holm(worst.tolist(), [*names, "worst"], "control", True)
    assert [pair.better for pair in after][:3] == [pair.better for pair in before]
    assert after[3].better == "control"
