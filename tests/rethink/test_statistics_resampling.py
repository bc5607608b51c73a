"""The bootstrap against brute force, Student's interval and what must not matter."""

import numpy as np
import pytest
from scipy import stats

from rethink.statistics import (
    DRAWS,
    bootstrap,
    improvability,
    rank_intervals,
    rank_last,
    shares_gained,
    win_rates,
)


def difference(means):
    return (means[..., 0] - means[..., 1])[..., None]


def first(averages):
    return averages[..., 0]


def brute_force(samples, draws=DRAWS, seed=1):
    """Draw data sets, then splits of each, one by one."""
    rng = np.random.default_rng(seed)
    effects = []
    for _ in range(draws):
        chosen = [samples[i] for i in rng.integers(len(samples), size=len(samples))]
        means = [s[rng.integers(len(s), size=len(s))].mean(axis=0) for s in chosen]
        effects.append(np.mean([a - b for a, b in means]))
    return np.array(effects)


def made(count, splits=4, gap=0.3, spread=0.5, seed=0):
    rng = np.random.default_rng(seed)
    return [
        np.column_stack([rng.normal(gap + shift, 0.2, splits), rng.normal(0.0, 0.2, splits)])
        for shift in rng.normal(0.0, spread, count)
    ]


def test_the_draws_spread_as_those_of_a_loop_stretched_for_few_data_sets():
    samples = made(8)
    plain = brute_force(samples)
    interval = bootstrap(samples, difference, first)
    factor = np.sqrt(8 / 7) * stats.t.ppf(0.975, 7) / stats.norm.ppf(0.975)
    assert interval.draws.std() == pytest.approx(plain.std() * factor, rel=0.05)
    assert interval.draws.mean() == pytest.approx(plain.mean(), abs=0.02)


def test_with_one_split_each_the_interval_of_a_mean_is_about_that_of_student():
    values = np.random.default_rng(5).normal(1.0, 1.0, 12)
    samples = [np.array([[value, 0.0]]) for value in values]
    interval = bootstrap(samples, difference, first)
    low, high = stats.t.interval(0.95, 11, values.mean(), stats.sem(values))
    assert interval.effect == pytest.approx(values.mean())
    assert interval.low == pytest.approx(low, abs=0.12)
    assert interval.high == pytest.approx(high, abs=0.12)


def test_an_interval_of_95_percent_covers_the_truth_about_that_often():
    covered = 0
    for seed in range(200):
        interval = bootstrap(made(6, seed=seed), difference, first)
        covered += interval.low <= 0.3 <= interval.high
    assert 0.90 <= covered / 200 <= 0.99


def test_the_smallest_effect_to_be_seen_is_seen_in_four_of_five_runs():
    sizes = [bootstrap(made(10, seed=seed), difference, first).detectable for seed in range(40)]
    size = float(np.median(sizes))
    runs = [bootstrap(made(10, gap=size, seed=seed), difference, first) for seed in range(200)]
    assert 0.7 <= np.mean([run.low > 0 for run in runs]) <= 0.9


def test_equal_models_are_as_often_ahead_as_behind():
    scores = np.random.default_rng(0).normal(size=(5, 3))
    samples = [np.column_stack([row, row]) for row in scores]
    interval = bootstrap(samples, difference, first)
    assert (interval.low, interval.high) == (0.0, 0.0)
    assert interval.share_within(0.0, np.inf) == 0.5


def test_the_same_scores_give_the_same_numbers():
    one, other = (bootstrap(made(5), difference, first) for _ in range(2))
    assert (one.low, one.high, one.detectable) == (other.low, other.high, other.detectable)


@pytest.mark.parametrize("greater", [True, False])
def test_ranks_along_the_last_axis_are_those_of_scipy(greater):
    means = np.random.default_rng(2).integers(0, 4, size=(50, 3, 6)).astype(float)
    signed = -means if greater else means
    assert np.array_equal(rank_last(means, greater), stats.rankdata(signed, axis=-1))
    lowest = stats.rankdata(signed, method="min", axis=-1)
    assert np.array_equal(rank_last(means + 0.2, greater, rounded=True), lowest)


def test_intervals_of_average_ranks_hold_the_rank_and_stay_between_first_and_last():
    rng = np.random.default_rng(4)
    samples = [rng.normal([0.0, 0.1, 5.0], 0.3, size=(4, 3)) for _ in range(6)]
    ranks = rank_last(np.stack([s.mean(axis=0) for s in samples]), False).mean(axis=0)
    for rank, (low, high) in zip(ranks, rank_intervals(samples, False), strict=True):
        assert 1.0 <= low <= rank <= high <= 3.0
    assert rank_intervals(samples, False)[2] == (3.0, 3.0)


def test_a_share_gained_is_of_the_larger_and_zero_of_nothing():
    assert shares_gained(np.array([2.0]), np.array([1.0]), True) == pytest.approx([0.5])
    assert shares_gained(np.array([2.0]), np.array([1.0]), False) == pytest.approx([-0.5])
    assert shares_gained(np.zeros(1), np.zeros(1), True) == pytest.approx([0.0])


def test_improvability_is_the_mean_share_of_the_error_that_the_best_lacks():
    means = {"a": {"x": 0.9, "y": 0.8}, "b": {"x": 0.5, "y": 0.75}}
    expected = {"x": (0 + (1 - 0.25 / 0.5)) / 2, "y": ((1 - 0.1 / 0.2) + 0) / 2}
    assert improvability(means, True) == pytest.approx(expected)


def test_a_win_rate_counts_every_data_set_the_same_and_a_tie_half():
    many = np.array([[1.0, 0.0]] * 9)  # the first model always wins
    once = np.array([[0.0, 1.0]])
    tied = np.array([[1.0, 1.0]])
    assert win_rates({"a": many, "b": once}, True).tolist() == [0.5, 0.5]
    assert win_rates({"a": many, "b": tied}, True).tolist() == [0.75, 0.25]
