import tracemalloc

import baycomp
import numpy as np
import pytest

from rethink.statistics import signed_rank

SAMPLES = 20_000
MONTE_CARLO = 0.02  # more than four standard errors of two shares of 20,000


@pytest.mark.parametrize(
    ("loc", "rope"), [(0.02, 0.01), (0.005, 0.01), (-0.02, 0.01), (0.01, 0.0), (-0.003, 0.002)]
)
def test_the_probabilities_agree_with_baycomp(loc, rope):
    rng = np.random.default_rng(7)
    b = rng.uniform(0.4, 0.9, size=9)
    a = b + rng.normal(loc, 0.02, size=9)
    result = signed_rank(a, b, rope, greater_is_better=True, seed=1, samples=SAMPLES)
    expected = baycomp.SignedRankTest(a, b, rope, nsamples=SAMPLES, random_state=2).probs()
    assert result == pytest.approx(expected, abs=MONTE_CARLO)


def test_a_difference_on_the_edge_counts_half_as_in_baycomp():
    a, b = np.array([1.0, 3.0, -1.0, 0.0, 2.0]) / 64, np.zeros(5)  # exact in binary
    result = signed_rank(a, b, 1 / 64, greater_is_better=True, seed=1, samples=SAMPLES)
    expected = baycomp.SignedRankTest(a, b, 1 / 64, nsamples=SAMPLES, random_state=2).probs()
    assert result == pytest.approx(expected, abs=MONTE_CARLO)


def test_for_a_loss_the_smaller_one_is_better():
    a, b = [0.1, 0.2, 0.3, 0.2], [0.3, 0.5, 0.4, 0.6]
    result = signed_rank(a, b, 0.01, greater_is_better=False, seed=1)
    assert result.p_a > 0.9
    assert signed_rank(b, a, 0.01, False, seed=1) == result[::-1]


def test_the_probabilities_sum_to_one_and_follow_from_the_seed():
    a, b = [0.1, 0.2, 0.3], [0.11, 0.18, 0.3]
    result = signed_rank(a, b, 0.005, greater_is_better=False, seed=4)
    assert sum(result) == pytest.approx(1.0)
    assert result == signed_rank(a, b, 0.005, greater_is_better=False, seed=4)
    assert result != signed_rank(a, b, 0.005, greater_is_better=False, seed=5)


def test_equal_models_are_practically_equal_and_without_a_rope_nobody_leads():
    same = [0.3, 0.4, 0.5]
    assert signed_rank(same, same, 0.01, greater_is_better=True, seed=1) == (0.0, 1.0, 0.0)
    assert signed_rank(same, same, 0.0, greater_is_better=True, seed=1) == (0.5, 0.0, 0.5)


def test_one_data_set_is_enough_to_say_something():
    result = signed_rank([0.9], [0.1], 0.01, greater_is_better=True, seed=1)
    assert result.p_a > result.p_rope > result.p_b == 0.0


@pytest.mark.parametrize(("values", "rope"), [([], 0.01), ([0.5], -0.01)])
def test_nothing_to_compare_is_refused_with_a_reason(values, rope):
    with pytest.raises(ValueError, match="needs a data set"):
        signed_rank(values, values, rope, greater_is_better=True, seed=1)


def test_memory_is_bounded_by_the_step_not_by_the_samples():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 300))
    tracemalloc.start()
    signed_rank(a, b, 0.01, greater_is_better=True, seed=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # all weights at once are 120 MB
