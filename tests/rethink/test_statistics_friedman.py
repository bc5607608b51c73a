"""Friedman's test and Nemenyi's distance; the worked example is that of Demšar (2006), table 6."""

from math import sqrt

import numpy as np
import pytest
import scikit_posthocs
from scipy import stats

from rethink.statistics import critical_difference, friedman, mean_ranks, nemenyi_groups

MODELS = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
AUC = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.975, 0.9749],  # printed 0.975 twice, but ranked 2 and 3
    [0.957, 0.978, 0.946, 0.970],
]
Q = {  # table 5a of the same paper
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


def test_the_worked_example_has_its_average_ranks():
    assert mean_ranks(AUC, greater_is_better=True) == pytest.approx(
        [3.143, 2.000, 2.893, 1.964], abs=5e-4
    )


def test_the_worked_example_has_its_statistic_without_the_correction_for_ties():
    n, k = len(AUC), len(MODELS)
    squares = sum(rank**2 for rank in mean_ranks(AUC, greater_is_better=True))
    plain = 12 * n / (k * (k + 1)) * (squares - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.005)
    assert friedman(AUC, greater_is_better=True).statistic > plain  # there are ties


def test_the_worked_example_has_its_critical_differences_and_groups():
    ranks = dict(zip(MODELS, mean_ranks(AUC, greater_is_better=True), strict=True))
    strict, lax = critical_difference(4, 14), critical_difference(4, 14, level=0.10)
    assert (round(strict, 2), round(lax, 2)) == (1.25, 1.12)
    assert nemenyi_groups(ranks, strict) == [["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]]
    assert nemenyi_groups(ranks, lax) == [["C4.5+m+cf", "C4.5+m", "C4.5+cf"], ["C4.5+cf", "C4.5"]]


@pytest.mark.parametrize("level", Q)
def test_the_critical_values_are_those_of_the_published_table(level):
    n = 10
    for k, printed in enumerate(Q[level], start=2):
        q = critical_difference(k, n, level) / sqrt(k * (k + 1) / (6 * n))
        assert q == pytest.approx(printed, abs=2e-3)  # the table is itself rounded twice


@pytest.mark.parametrize("greater", [True, False])
@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_friedman_agrees_with_scipy_also_with_ties(greater, decimals):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        values = np.round(rng.normal(size=(2 + seed, 3 + seed % 4)), decimals)
        result, expected = friedman(values, greater), stats.friedmanchisquare(*values.T)
        assert result.statistic == pytest.approx(expected.statistic)
        assert result.p == pytest.approx(expected.pvalue)
        assert (result.n, result.k, result.why) == (*values.shape, None)


@pytest.mark.parametrize("seed", range(4))
def test_two_models_lie_apart_exactly_where_scikit_posthocs_says_so(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(12, 5)) + np.arange(5) * 0.8
    ranks = mean_ranks(values, greater_is_better=False)
    p = scikit_posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    gaps = np.abs(np.subtract.outer(ranks, ranks))
    assert ((gaps >= critical_difference(5, 12)) == (p < 0.05)).all()
    assert (p < 0.05).any()


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([], "no data set has a value of every model"),
        ([[1.0, 2.0], [2.0, 1.0]], "needs at least 3 models, has 2"),
        ([[1.0, 2.0, 3.0]], "needs at least 2 data sets, has 1"),
        ([[1.0, 1.0, 1.0], [0.1 + 0.2, 0.3, 0.3]], "all models are equal on every data set"),
    ],
)
def test_friedman_says_why_it_cannot_say_anything(values, why):
    result = friedman(values, greater_is_better=True)
    assert (result.statistic, result.p, result.why) == (None, None, why)
    assert result.n == len(values)


@pytest.mark.parametrize(("k", "n"), [(1, 5), (3, 0)])
def test_no_critical_difference_without_two_models_and_a_data_set(k, n):
    with pytest.raises(ValueError, match=f"got {k} and {n}"):
        critical_difference(k, n)
