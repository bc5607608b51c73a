import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rethink.statistics import mean_ste, midranks, paired_t, paper_ranks

PAPER = Path(__file__).parents[2] / "data" / "paper" / "algorithms.csv"


def test_the_standard_error_is_the_sample_deviation_over_root_n():
    mean, ste = mean_ste([1.0, 2.0, 3.0, 6.0])
    assert mean == 3.0
    assert ste == pytest.approx(math.sqrt((4 + 1 + 0 + 9) / 3) / 2)


def test_one_value_has_a_mean_and_no_standard_error():
    assert mean_ste([0.25]) == (0.25, None)


@pytest.mark.parametrize(
    ("greater", "ranks"), [(False, [2.5, 1.0, 4.0, 2.5]), (True, [2.5, 4.0, 1.0, 2.5])]
)
def test_equal_means_share_the_mean_of_their_ranks(greater, ranks):
    assert midranks([0.3, 0.1, 0.9, 0.3], greater) == ranks


def test_a_difference_made_by_the_order_of_a_sum_is_no_difference():
    assert midranks([0.1 + 0.2, 0.3], greater_is_better=False) == [1.5, 1.5]


def test_the_paper_ranks_rounded_means_and_gives_equal_ones_the_best_rank():
    means = [0.2051, 0.2049, 0.2141, 0.21]
    assert paper_ranks(means, greater_is_better=False, decimals=3) == [1, 1, 4, 3]
    assert paper_ranks(means, greater_is_better=False, decimals=1) == [1, 1, 1, 1]


def test_the_rule_gives_287_of_the_296_printed_ranks_and_midranks_only_219():
    tables = defaultdict(list)
    with PAPER.open() as file:
        for row in csv.DictReader(file):
            if row["mean"]:
                tables[row["dataset"], row["cost"]].append((float(row["mean"]), int(row["rank"])))
    agree, mid, printed = 0, 0, 0
    for (_, cost), rows in tables.items():
        means, ranks = zip(*rows, strict=True)
        greater = cost in ("f1", "accuracy")
        agree += np.equal(paper_ranks(means, greater, decimals=3), ranks).sum()
        mid += np.equal(midranks(means, greater), ranks).sum()
        printed += len(rows)
    assert (agree, mid, printed) == (287, 219, 296)


@pytest.mark.parametrize("seed", range(20))
def test_the_paired_test_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=2 + seed % 9)
    b = a + rng.normal(loc=rng.normal(), size=a.size)
    found = paired_t(a, b, greater_is_better=True)
    expected = stats.ttest_rel(a, b)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert found.n == a.size
    better = "win" if expected.statistic > 0 else "loss"
    assert found.result == (better if expected.pvalue < 0.05 else "tie")


def test_a_win_seen_from_the_other_side_is_a_loss():
    a, b = [0.10, 0.12, 0.11], [0.30, 0.31, 0.33]
    assert paired_t(a, b, greater_is_better=False).result == "win"
    assert paired_t(b, a, greater_is_better=False).result == "loss"
    assert paired_t(a, b, greater_is_better=True).result == "loss"


def test_equal_vectors_tie_without_a_warning():
    assert paired_t([0.1, 0.2], [0.1, 0.2], greater_is_better=True) == ("tie", 1.0, 2)


def test_the_same_gain_on_every_split_wins():
    assert paired_t([0.2, 0.3, 0.4], [0.1, 0.2, 0.3], True) == ("win", 0.0, 3)
    assert paired_t([0.2, 0.3, 0.4], [0.1, 0.2, 0.3], False) == ("loss", 0.0, 3)


def test_rounding_noise_is_not_a_win():
    noisy = [0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2]
    assert paired_t(noisy, [0.3, 0.3, 0.3], greater_is_better=True).result == "tie"


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_splits_are_too_few(values):
    assert paired_t(values, values, greater_is_better=True) == ("too few", None, len(values))
