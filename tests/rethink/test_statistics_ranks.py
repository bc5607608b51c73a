import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from rethink.statistics import average_ranks, mean_ranks, mean_ste, midranks, paper_ranks

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


def test_average_ranks_use_the_tables_that_rank_every_model():
    ranks = {"one": {"a": 1, "b": 2}, "two": {"a": 2, "b": 1}, "three": {"a": 1, "b": None}}
    assert average_ranks(ranks) == ({"a": 1.5, "b": 1.5}, ["one", "two"])


def test_mean_ranks_of_a_table_are_the_means_of_its_midranks():
    assert mean_ranks([[0.1, 0.2, 0.2], [0.3, 0.1, 0.2]], False) == [2.0, 1.75, 2.25]
    assert mean_ranks([[0.1, 0.2, 0.2], [0.3, 0.1, 0.2]], True) == [2.0, 2.25, 1.75]
    assert mean_ranks([], True) == []
