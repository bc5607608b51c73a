import json
import math
from types import SimpleNamespace

import pandas as pd
import pytest

from rethink.costs import COSTS
from stages import compare as stage
from stages.compare import compare, decimals_of, metrics

NO_PAPER = pd.DataFrame(columns=["dataset", "cost", "model", "mean", "ste", "rank"])
YEAST = pd.DataFrame(
    [
        ("yeast", "hamming", "RethinkNet", 0.205, 0.001, 1.0),
        ("yeast", "hamming", "BR", 0.21, 0.002, 2.0),
        ("yeast", "hamming", "CC-DP", math.nan, math.nan, math.nan),
        ("yeast", "rank", "BR", 13.23, 0.04, 5.0),
        ("yeast", "rank", "RethinkNet", 8.89, 0.11, 2.0),
    ],
    columns=NO_PAPER.columns,
)


def scores(cost, table, empty_0=None):
    """A frame of scores: data set -> model -> values by seed; text is the reason of a failure."""
    rows = []
    for dataset, models in table.items():
        for model, values in models.items():
            for seed, value in enumerate(values):
                failed = isinstance(value, str)
                cell = {
                    "dataset": dataset,
                    "model": model,
                    "cost": cost,
                    "seed": seed,
                    "status": "failed" if failed else "ok",
                    "reason": value if failed else None,
                    "part": "test",
                    "last": True,
                    "criterion": cost,
                }
                other = (empty_0 or table)[dataset][model][seed]
                rows += [
                    cell | {"empty": empty, "value": math.nan if failed else number}
                    for empty, number in ((0.0, other), (1.0, value))
                ]
    return pd.DataFrame(rows)


def compared(frame, paper=NO_PAPER, names=None):
    found = compare(frame, COSTS, paper, names or {})
    json.dumps(found, allow_nan=False)
    return found


GRID = {
    "one": {"A": [0.1, 0.2, 0.3], "B": [0.2, 0.3, 0.4], "all-zeros": [0.2, 0.3, 0.4]},
    "two": {"A": [0.5, 0.6, 0.7], "B": [0.1, 0.3, 0.1], "all-zeros": [0.9, 0.9, 0.9]},
}


def test_means_errors_and_ranks_are_those_computed_by_hand():
    found = compared(scores("hamming", GRID))
    one = found["costs"]["hamming"]["datasets"]["one"]["models"]
    assert one["A"]["mean"] == pytest.approx(0.2)
    assert one["A"]["ste"] == pytest.approx(0.1 / math.sqrt(3))
    assert [one[model]["rank"] for model in ("A", "B", "all-zeros")] == [1, 2.5, 2.5]
    assert [one[model]["paper_rule_rank"] for model in ("A", "B", "all-zeros")] == [1, 2, 2]
    assert [one[model]["best"] for model in ("A", "B", "all-zeros")] == [True, False, False]
    assert one["A"]["seeds"] == {"0": 0.1, "1": 0.2, "2": 0.3}
    average = found["costs"]["hamming"]["average_ranks"]
    assert average["models"] == {"A": 1.5, "B": 1.75, "all-zeros": 2.75}
    assert (average["datasets"], average["left_out"]) == (["one", "two"], [])


def test_wins_ties_and_losses_are_counted_over_the_data_sets():
    pairs = compared(scores("hamming", GRID))["costs"]["hamming"]["tests"]
    assert pairs["A"]["B"]["datasets"]["one"] == {"result": "win", "p": 0.0, "n": 3}
    counts = {b: [pairs["B"][b][word] for word in ("win", "tie", "loss")] for b in pairs["B"]}
    assert counts == {"A": [1, 0, 1], "all-zeros": [1, 1, 0]}
    assert "B" not in pairs["B"]


def test_a_greater_f1_is_better():
    table = {"one": {"A": [0.5, 0.6], "B": [0.1, 0.3]}}
    models = compared(scores("f1", table))["costs"]["f1"]["datasets"]["one"]["models"]
    assert (models["A"]["rank"], models["B"]["rank"]) == (1, 2)


def test_a_model_no_better_than_a_trivial_one_is_marked():
    one = compared(scores("hamming", GRID))["costs"]["hamming"]["datasets"]["one"]["models"]
    assert (one["A"]["beats_trivial"], one["B"]["beats_trivial"]) == (True, False)
    assert one["all-zeros"]["beats_trivial"] is None


def test_a_failed_cell_is_counted_with_its_reason_and_costs_the_rank():
    table = {"one": GRID["one"], "two": {**GRID["two"], "A": [0.5, "out of memory", 0.7]}}
    found = compared(scores("hamming", table))
    assert found["cells"] == {"planned": 18, "ok": 17, "failed": 1}
    assert found["failures"] == [
        {
            "dataset": "two",
            "model": "A",
            "cost": "hamming",
            "seed": 1,
            "status": "failed",
            "reason": "out of memory",
        }
    ]
    cell = found["costs"]["hamming"]["datasets"]["two"]["models"]["A"]
    assert (cell["mean"], cell["n"], cell["planned"]) == (pytest.approx(0.6), 2, 3)
    assert (cell["rank"], cell["paper_rule_rank"], cell["best"]) == (None, None, False)
    assert cell["statuses"] == {"failed": 1, "ok": 2}
    assert cell["reasons"] == ["out of memory"]
    assert cell["seeds"] == {"0": 0.5, "1": None, "2": 0.7}
    average = found["costs"]["hamming"]["average_ranks"]
    assert (average["datasets"], average["left_out"]) == (["one"], ["two"])
    assert average["models"] == {"A": 1, "B": 2.5, "all-zeros": 2.5}
    assert found["costs"]["hamming"]["tests"]["A"]["B"]["datasets"]["two"]["n"] == 2


def test_no_model_is_called_best_while_one_that_lacks_a_seed_is_ahead():
    table = {"one": {"A": [0.1, "out of memory"], "B": [0.2, 0.2], "C": [0.3, 0.3]}}
    models = compared(scores("hamming", table))["costs"]["hamming"]["datasets"]["one"]["models"]
    assert [models[model]["best"] for model in "ABC"] == [False, False, False]
    assert models["B"]["rank"] == 1


def test_a_model_that_fails_everywhere_has_no_mean_and_does_not_spoil_the_ranks():
    table = {"one": {"A": ["no", "no"], "B": [0.1, 0.2], "C": [0.3, 0.4]}}
    cost = compared(scores("hamming", table))["costs"]["hamming"]
    models = cost["datasets"]["one"]["models"]
    assert (models["A"]["mean"], models["A"]["ste"], models["A"]["n"]) == (None, None, 0)
    assert cost["average_ranks"]["models"] == {"B": 1, "C": 2}
    assert cost["tests"]["A"]["B"]["too few"] == 1


def test_when_nothing_finished_there_is_still_a_comparison():
    found = compared(scores("hamming", {"one": {"A": ["no"], "B": ["no"]}}))
    assert found["costs"]["hamming"]["average_ranks"]["models"] == {}
    assert metrics(found) == {"hamming": {}, "cells": {"planned": 2, "failed": 2}}


def test_without_a_common_data_set_there_is_no_average_rank():
    table = {"one": {"A": [0.1], "B": ["no"]}, "two": {"A": ["no"], "B": [0.1]}}
    average = compared(scores("hamming", table))["costs"]["hamming"]["average_ranks"]
    assert average["models"] == {"A": None, "B": None}
    assert average["left_out"] == ["one", "two"]


def test_one_seed_gives_no_error_and_too_few_for_a_test():
    table = {"one": {"A": [0.1], "B": [0.2]}}
    cost = compared(scores("hamming", table))["costs"]["hamming"]
    assert cost["datasets"]["one"]["models"]["A"]["ste"] is None
    assert cost["tests"]["A"]["B"]["datasets"]["one"] == {"result": "too few", "p": None, "n": 1}


def test_all_equal_models_share_the_middle_rank_and_tie():
    table = {"one": {model: [0.1, 0.2] for model in "ABC"}}
    cost = compared(scores("hamming", table))["costs"]["hamming"]
    assert cost["average_ranks"]["models"] == {"A": 2, "B": 2, "C": 2}
    assert all(model["best"] for model in cost["datasets"]["one"]["models"].values())
    assert all(pair["tie"] == 1 for row in cost["tests"].values() for pair in row.values())


def test_bayes_is_shown_but_neither_ranked_nor_tested():
    table = {"one": {**GRID["one"], "bayes": [0.0, 0.0, 0.0]}, "two": GRID["two"]}
    found = compared(scores("hamming", table))
    cost = found["costs"]["hamming"]
    assert found["reference"] == ["bayes"]
    assert cost["datasets"]["one"]["models"]["bayes"]["mean"] == 0.0
    assert cost["datasets"]["one"]["models"]["bayes"]["rank"] is None
    assert cost["average_ranks"]["models"] == {"A": 1.5, "B": 1.75, "all-zeros": 2.75}
    assert "bayes" not in cost["tests"]


def test_the_other_convention_is_given_where_it_changes_a_score():
    table = {"one": {"A": [0.9, 0.8], "B": [0.5, 0.5]}, "two": {"A": [0.1, 0.1], "B": [0.2, 0.3]}}
    empty_0 = {**table, "one": {"A": [0.2, 0.1], "B": [0.5, 0.5]}}
    found = compared(scores("f1", table, empty_0))
    cost = found["costs"]["f1"]
    assert found["empty"] == {"default": 1.0, "other": 0.0, "matters": {"one": ["f1"]}}
    assert cost["datasets"]["one"]["models"]["A"]["rank"] == 1
    assert cost["datasets"]["one"]["models"]["A"]["other_empty"]["rank"] == 2
    assert cost["datasets"]["one"]["models"]["A"]["other_empty"]["mean"] == pytest.approx(0.15)
    assert cost["datasets"]["two"]["models"]["A"]["other_empty"] is None
    assert cost["average_ranks"]["models"] == {"A": 1.5, "B": 1.5}
    assert cost["other_empty"]["average_ranks"]["models"] == {"A": 2, "B": 1}


def test_where_no_score_changes_the_convention_is_silent():
    found = compared(scores("f1", GRID))
    assert found["empty"]["matters"] == {}
    assert found["costs"]["f1"]["other_empty"] is None


def test_the_paper_stands_beside_the_model_of_the_same_name_only():
    table = {"mine": {"RethinkNet": [0.2, 0.22], "BR-LR": [0.21, 0.21]}}
    found = compared(scores("hamming", table), YEAST, {"mine": "yeast"})
    cell = found["costs"]["hamming"]["datasets"]["mine"]
    assert [row["model"] for row in cell["paper"]] == ["RethinkNet", "BR", "CC-DP"]
    assert cell["paper"][2]["mean"] is None
    assert cell["models"]["BR-LR"]["printed"] is None
    printed = cell["models"]["RethinkNet"]["printed"]
    assert (printed["mean"], printed["ste"], printed["rank"]) == (0.205, 0.001, 1)
    assert printed["difference"] == pytest.approx(0.005)
    assert printed["standard_errors"] == pytest.approx(0.005 / math.hypot(0.01, 0.001))


def test_printed_losses_of_a_constant_prediction_are_not_comparable():
    table = {"mine": {"BR": [9.0, 9.5], "RethinkNet": [8.9, 8.8]}}
    cell = compared(scores("rank", table), YEAST, {"mine": "yeast"})["costs"]["rank"]["datasets"]
    assert cell["mine"]["models"]["BR"]["printed"]["comparable"] is False
    assert cell["mine"]["models"]["BR"]["printed"]["standard_errors"] is None
    assert cell["mine"]["models"]["RethinkNet"]["printed"]["comparable"] is True


@pytest.mark.parametrize(
    ("numbers", "decimals"), [([0.19, 0.005], 3), ([8.89, 0.1], 2), ([527.0, 2.0], 0)]
)
def test_numbers_are_rounded_as_the_paper_prints_them(numbers, decimals):
    assert decimals_of([{"mean": numbers[0], "ste": numbers[1]}], {}) == decimals


@pytest.mark.parametrize(("value", "decimals"), [(0.9, 3), (2.61, 2), (82.6, 1), (652.0, 0)])
def test_without_the_paper_the_size_decides_the_decimals(value, decimals):
    assert decimals_of([], {"A": {0: value}}) == decimals


def test_only_the_last_iteration_on_the_test_part_by_the_own_cost_counts():
    frame = scores("hamming", {"one": {"A": [0.1], "B": [0.2]}})
    noise = [
        frame.assign(part="train", value=9.0),
        frame.assign(last=False, value=9.0),
        frame.assign(criterion="f1", value=9.0),
    ]
    assert compared(pd.concat([*noise, frame])) == compared(frame)


def test_the_stage_writes_both_files_and_the_same_bytes_again(tmp_path, monkeypatch):
    catalog = SimpleNamespace(datasets={"one": SimpleNamespace(paper_name="yeast")})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stage, "load_catalog", lambda: catalog)
    (tmp_path / "data" / "paper").mkdir(parents=True)
    scores("hamming", {"one": GRID["one"]}).to_parquet("data/scores.parquet")
    YEAST.to_csv("data/paper/algorithms.csv", index=False)
    files = [tmp_path / "reports" / name for name in ("comparison.json", "metrics.json")]
    stage.main()
    first = [file.read_bytes() for file in files]
    stage.main()
    assert [file.read_bytes() for file in files] == first
    assert json.loads(first[1])["hamming"]["A"] == {"avg_rank": 1}
