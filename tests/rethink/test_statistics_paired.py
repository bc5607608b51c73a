import math

import baycomp
import numpy as np
import pytest
from scipy import stats

from rethink.statistics import corrected_t, paired_t

BOTH = pytest.mark.parametrize("test", [paired_t, corrected_t])


@pytest.mark.parametrize("seed", range(20))
def test_the_paired_test_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=2 + seed % 9)
    b = a + rng.normal(loc=rng.normal(), size=a.size)
    result = paired_t(a, b, greater_is_better=True)
    expected = stats.ttest_rel(a, b)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert result.n == a.size
    better = "win" if expected.statistic > 0 else "loss"
    assert result.result == (better if expected.pvalue < 0.05 else "tie")


@pytest.mark.parametrize("seed", range(10))
def test_the_corrected_test_is_the_formula_of_nadeau_and_bengio(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=2 + seed)
    b = a + rng.normal(loc=3 * rng.normal(), size=a.size)
    result = corrected_t(a, b, greater_is_better=True)
    gained = a - b
    t = gained.mean() / math.sqrt((1 / a.size + 25 / 75) * gained.var(ddof=1))
    p = 2 * stats.t.sf(abs(t), a.size - 1)
    assert result.p == pytest.approx(p, rel=1e-6)
    assert result.result == (("win" if t > 0 else "loss") if p < 0.05 else "tie")


@pytest.mark.parametrize(("runs", "folds"), [(1, 10), (10, 10), (3, 4), (5, 2)])
def test_the_corrected_test_agrees_with_baycomp(runs, folds):
    rng = np.random.default_rng(folds)
    a = rng.normal(size=runs * folds)
    b = a + rng.normal(loc=0.3, size=a.size)
    result = corrected_t(a, b, greater_is_better=True, test_share=1 / folds)
    expected = 2 * min(baycomp.CorrelatedTTest.probs(a, b, rope=0, runs=runs))
    assert result.p == pytest.approx(expected, rel=1e-6)


def test_the_corrected_test_wins_less_easily():
    a, b = [0.30, 0.35, 0.31, 0.36], [0.29, 0.30, 0.30, 0.31]
    assert paired_t(a, b, True, level=0.1).result == "win"
    assert corrected_t(a, b, True, level=0.1).result == "tie"


@BOTH
def test_a_win_seen_from_the_other_side_is_a_loss(test):
    a, b = [0.10, 0.12, 0.11], [0.30, 0.31, 0.33]
    assert test(a, b, greater_is_better=False).result == "win"
    assert test(b, a, greater_is_better=False).result == "loss"
    assert test(a, b, greater_is_better=True).result == "loss"


@BOTH
def test_equal_vectors_tie_without_a_warning(test):
    assert test([0.1, 0.2], [0.1, 0.2], greater_is_better=True) == ("tie", 1.0, 2)


@BOTH
def test_the_same_gain_on_every_split_wins(test):
    assert test([0.2, 0.3, 0.4], [0.1, 0.2, 0.3], True) == ("win", 0.0, 3)
    assert test([0.2, 0.3, 0.4], [0.1, 0.2, 0.3], False) == ("loss", 0.0, 3)


@BOTH
def test_rounding_noise_is_not_a_win(test):
    noisy = [0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2]
    assert test(noisy, [0.3, 0.3, 0.3], greater_is_better=True).result == "tie"


@BOTH
@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_splits_are_too_few(test, values):
    assert test(values, values, greater_is_better=True) == ("too few", None, len(values))
