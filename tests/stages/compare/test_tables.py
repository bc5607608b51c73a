import json
import math

import pandas as pd
import pytest

from stages.common.outcomes import BothTests, Number, TTest
from stages.common.schema import Empty, Failure, to_json
from stages.compare.__main__ import metrics
from stages.compare.comparison import compare
from stages.compare.cost_tables import telling
from stages.compare.evidence import Paper
from stages.compare.numbers import decimals_of
from tests.stages.compare.made import table_evidence

YEAST = pd.DataFrame(
    [
        ("yeast", "hamming", "RethinkNet", 0.205, 0.001, 1.0),
        ("yeast", "hamming", "BR", 0.21, 0.002, 2.0),
        ("yeast", "hamming", "CC-DP", math.nan, math.nan, math.nan),
        ("yeast", "rank", "BR", 13.23, 0.04, 5.0),
        ("yeast", "rank", "RethinkNet", 8.89, 0.11, 2.0),
    ],
    columns=["dataset", "cost", "model", "mean", "ste", "rank"],
)
PRINTED = {"paper": Paper({"algorithms": YEAST}), "paper_names": {"mine": "yeast"}}
GRID = {
    "one": {"A": [0.1, 0.2, 0.3], "B": [0.2, 0.3, 0.4], "all-zeros": [0.2, 0.3, 0.4]},
    "two": {"A": [0.5, 0.6, 0.7], "B": [0.1, 0.3, 0.1], "all-zeros": [0.9, 0.9, 0.9]},
}


def compared(cost, table, empty_0=None, **more):
    result = compare(table_evidence(cost, table, empty_0, **more))
    json.dumps(to_json(result), allow_nan=False)
    return result


def test_means_errors_and_ranks_are_those_computed_by_hand():
    result = compared("hamming", GRID)
    one = result.costs["hamming"].datasets["one"].models
    assert one["A"].mean == pytest.approx(0.2)
    assert one["A"].ste == pytest.approx(0.1 / math.sqrt(3))
    assert [one[model].rank for model in ("A", "B", "all-zeros")] == [1, 2.5, 2.5]
    assert [one[model].paper_rule_rank for model in ("A", "B", "all-zeros")] == [1, 2, 2]
    assert [one[model].best for model in ("A", "B", "all-zeros")] == [True, False, False]
    assert one["A"].seeds == {"0": 0.1, "1": 0.2, "2": 0.3}
    average = result.costs["hamming"].average_ranks
    assert average.models == {"A": 1.5, "B": 1.75, "all-zeros": 2.75}
    assert (average.datasets, average.left_out) == (["one", "two"], [])


def test_wins_ties_and_losses_are_counted_over_the_data_sets():
    pairs = compared("hamming", GRID).costs["hamming"].tests
    assert pairs["A"]["B"].datasets["one"] == BothTests("win", 0.0, 3, TTest("win", 0.0, 3))
    counts = {b: [pairs["B"][b].win, pairs["B"][b].tie, pairs["B"][b].loss] for b in pairs["B"]}
    assert counts == {"A": [1, 0, 1], "all-zeros": [1, 1, 0]}
    assert "B" not in pairs["B"]


def test_the_test_for_overlapping_splits_is_the_more_careful_one():
    table = {"one": {"A": [0.10, 0.12, 0.11], "B": [0.18, 0.26, 0.27]}}
    pair = compared("hamming", table).costs["hamming"].tests["A"]["B"]
    one = pair.datasets["one"]
    assert one.p < 0.05 < one.corrected.p
    assert (pair.win, pair.corrected.win, pair.corrected.tie) == (1, 0, 1)


def test_a_greater_f1_is_better():
    table = {"one": {"A": [0.5, 0.6], "B": [0.1, 0.3]}}
    models = compared("f1", table).costs["f1"].datasets["one"].models
    assert (models["A"].rank, models["B"].rank) == (1, 2)


def test_a_model_no_better_than_a_trivial_one_is_marked():
    one = compared("hamming", GRID).costs["hamming"].datasets["one"].models
    assert (one["A"].beats_trivial, one["B"].beats_trivial) == (True, False)
    assert one["all-zeros"].beats_trivial is None


def test_a_failed_cell_is_counted_with_its_reason_and_costs_the_rank():
    table = {"one": GRID["one"], "two": {**GRID["two"], "A": [0.5, "out of memory", 0.7]}}
    result = compared("hamming", table)
    assert result.cells == {"planned": 18, "ok": 17, "failed": 1}
    assert result.failures == [Failure("two", "A", "hamming", 1, "failed", "out of memory")]
    cell = result.costs["hamming"].datasets["two"].models["A"]
    assert (cell.mean, cell.n, cell.planned) == (pytest.approx(0.6), 2, 3)
    assert (cell.rank, cell.paper_rule_rank, cell.best) == (None, None, False)
    assert cell.statuses == {"failed": 1, "ok": 2}
    assert cell.reasons == ["out of memory"]
    assert cell.seeds == {"0": 0.5, "1": None, "2": 0.7}
    average = result.costs["hamming"].average_ranks
    assert (average.datasets, average.left_out) == (["one"], ["two"])
    assert average.models == {"A": 1, "B": 2.5, "all-zeros": 2.5}
    assert result.costs["hamming"].tests["A"]["B"].datasets["two"].n == 2


def test_no_model_is_called_best_while_one_that_lacks_a_seed_is_ahead():
    table = {"one": {"A": [0.1, "out of memory"], "B": [0.2, 0.2], "C": [0.3, 0.3]}}
    models = compared("hamming", table).costs["hamming"].datasets["one"].models
    assert [models[model].best for model in "ABC"] == [False, False, False]
    assert models["B"].rank == 1


def test_a_model_that_fails_everywhere_has_no_mean_and_does_not_spoil_the_ranks():
    table = {"one": {"A": ["no", "no"], "B": [0.1, 0.2], "C": [0.3, 0.4]}}
    cost = compared("hamming", table).costs["hamming"]
    models = cost.datasets["one"].models
    assert (models["A"].mean, models["A"].ste, models["A"].n) == (None, None, 0)
    assert cost.average_ranks.models == {"B": 1, "C": 2}
    assert cost.tests["A"]["B"].too_few == 1


def test_when_nothing_finished_there_is_still_a_comparison():
    result = compared("hamming", {"one": {"A": ["no"], "B": ["no"]}})
    assert result.costs["hamming"].average_ranks.models == {}
    assert metrics(result)["cells"] == {"planned": 2, "failed": 2}


def test_without_a_common_data_set_there_is_no_average_rank():
    table = {"one": {"A": [0.1], "B": ["no"]}, "two": {"A": ["no"], "B": [0.1]}}
    average = compared("hamming", table).costs["hamming"].average_ranks
    assert average.models == {"A": None, "B": None}
    assert average.left_out == ["one", "two"]


def test_one_seed_gives_no_error_and_too_few_for_a_test():
    cost = compared("hamming", {"one": {"A": [0.1], "B": [0.2]}}).costs["hamming"]
    assert cost.datasets["one"].models["A"].ste is None
    outcome = cost.tests["A"]["B"].datasets["one"]
    assert (outcome.result, outcome.p, outcome.n) == ("too few", None, 1)
    assert outcome.corrected.result == "too few"


def test_all_equal_models_share_the_middle_rank_and_tie():
    cost = compared("hamming", {"one": {m: [0.1, 0.2] for m in "ABC"}}).costs["hamming"]
    assert cost.average_ranks.models == {"A": 2, "B": 2, "C": 2}
    assert all(model.best for model in cost.datasets["one"].models.values())
    assert all(pair.tie == 1 for row in cost.tests.values() for pair in row.values())


def test_bayes_is_shown_but_neither_ranked_nor_tested():
    table = {"one": {**GRID["one"], "bayes": [0.0, 0.0, 0.0]}, "two": GRID["two"]}
    result = compared("hamming", table)
    cost = result.costs["hamming"]
    assert result.reference == ["bayes"]
    assert cost.datasets["one"].models["bayes"].mean == 0.0
    assert cost.datasets["one"].models["bayes"].rank is None
    assert "bayes" not in cost.datasets["two"].models
    assert cost.average_ranks.models == {"A": 1.5, "B": 1.75, "all-zeros": 2.75}
    assert "bayes" not in cost.tests
    assert "bayes" not in cost.over_datasets.models
    assert "bayes" not in [point.model for point in result.advice["hamming"].points]


def test_the_other_convention_is_given_where_it_changes_a_score():
    table = {"one": {"A": [0.9, 0.8], "B": [0.5, 0.5]}, "two": {"A": [0.1, 0.1], "B": [0.2, 0.3]}}
    empty_0 = {**table, "one": {"A": [0.2, 0.2], "B": [0.5, 0.5]}}
    result = compared("f1", table, empty_0)
    cost = result.costs["f1"]
    assert result.empty == Empty(default=1.0, other=0.0, matters={"one": ["f1"]})
    assert cost.datasets["one"].models["A"].rank == 1
    assert cost.datasets["one"].models["A"].other_empty.rank == 2
    assert cost.datasets["one"].models["A"].other_empty.mean == pytest.approx(0.2)
    assert cost.datasets["two"].models["A"].other_empty is None
    assert cost.average_ranks.models == {"A": 1.5, "B": 1.5}
    assert cost.other_empty.average_ranks.models == {"A": 2, "B": 1}
    assert cost.other_empty.tests["A"]["B"].loss == 1


def test_where_no_score_changes_the_convention_is_silent():
    result = compared("f1", GRID)
    assert result.empty.matters == {}
    assert result.costs["f1"].other_empty is None


def test_the_paper_stands_beside_the_model_of_the_same_name_only():
    table = {"mine": {"RethinkNet": [0.2, 0.22], "BR-LR": [0.21, 0.21]}}
    cell = compared("hamming", table, **PRINTED).costs["hamming"].datasets["mine"]
    assert [row.model for row in cell.paper] == ["RethinkNet", "BR", "CC-DP"]
    assert cell.paper[2].mean is None
    assert cell.models["BR-LR"].printed is None
    printed = cell.models["RethinkNet"].printed
    assert (printed.mean, printed.ste, printed.rank) == (0.205, 0.001, 1)
    assert printed.difference == pytest.approx(0.005)
    spread = (2 * 1 * 0.01**2 + 10 * 9 * 0.001**2) / (1 + 9)
    larger = max(math.sqrt(spread * (1 / 2 + 1 / 10)), math.hypot(0.01, 0.001))
    assert printed.standard_errors == pytest.approx(0.005 / larger)


def test_printed_losses_of_a_constant_prediction_are_not_comparable():
    table = {"mine": {"BR": [9.0, 9.5], "RethinkNet": [8.9, 8.8]}}
    models = compared("rank", table, **PRINTED).costs["rank"].datasets["mine"].models
    assert models["BR"].printed.comparable is False
    assert models["BR"].printed.standard_errors is None
    assert models["RethinkNet"].printed.comparable is True


@pytest.mark.parametrize(
    ("numbers", "decimals"), [([0.19, 0.005], 3), ([8.89, 0.1], 2), ([527.0, 2.0], 0)]
)
def test_numbers_are_rounded_as_the_paper_prints_them(numbers, decimals):
    assert decimals_of([Number(*numbers)], []) == decimals


@pytest.mark.parametrize(("value", "decimals"), [(0.9, 3), (2.61, 2), (82.6, 1), (652.0, 0)])
def test_without_the_paper_the_size_decides_the_decimals(value, decimals):
    assert decimals_of([], [value]) == decimals


@pytest.mark.parametrize(
    ("means", "decimals"),
    [
        ([0.18, 0.19], 3),
        ([0.1861, 0.1864, 0.2], 4),
        ([0.18611, 0.18614], 5),
        ([0.186111, 0.186112], 5),  # more would be noise
        ([0.2, 0.2], 3),
    ],
)
def test_as_many_decimals_are_shown_as_tell_ranks_apart(means, decimals):
    assert telling(3, means) == decimals
