import math

import pandas as pd

from stages.compare.scores import index_scores

ROW = {
    "dataset": "d",
    "model": "m",
    "cost": "f1",
    "seed": 0,
    "status": "ok",
    "reason": None,
    "part": "test",
    "iteration": 1,
    "last": True,
    "criterion": "f1",
    "empty": 1.0,
    "value": 0.5,
}


def indexed(*changes):
    return index_scores(pd.DataFrame([ROW | change for change in changes]))


def test_only_the_own_cost_on_the_part_and_iteration_asked_for_is_given():
    scores = indexed(
        {},
        {"criterion": "rank", "value": 9.0},
        {"part": "train", "value": 0.9},
        {"empty": 0.0, "value": 0.1},
        {"iteration": 2, "value": 0.6, "last": False},
    )
    assert scores.seeds("d", "m", "f1") == {0: 0.5}
    assert scores.seeds("d", "m", "f1", part="train") == {0: 0.9}
    assert scores.seeds("d", "m", "f1", empty=0.0) == {0: 0.1}
    assert scores.seeds("d", "m", "f1", iteration=2) == {0: 0.6}
    assert scores.iterations("d", "m", "f1") == [1, 2]


def test_seeds_come_in_order_whatever_the_order_of_the_rows():
    scores = indexed({"seed": 2, "value": 0.2}, {"seed": 0, "value": 0.0}, {"seed": 1})
    assert list(scores.seeds("d", "m", "f1")) == [0, 1, 2]


def test_a_failed_cell_is_planned_but_has_no_score():
    failed = {"status": "timeout", "reason": "too slow", "value": math.nan, "iteration": math.nan}
    scores = indexed({}, {"seed": 1, **failed})
    assert scores.seeds("d", "m", "f1") == {0: 0.5}
    assert scores.planned("d", "m", "f1")[1] == ("timeout", "too slow")
    assert scores.planned("d", "m", "f1")[0] == ("ok", "")


def test_what_was_not_run_has_no_scores_and_is_no_error():
    scores = indexed({})
    assert scores.seeds("d", "other", "f1") == {}
    assert scores.planned("e", "m", "f1") == {}
    assert scores.iterations("d", "m", "rank") == []
