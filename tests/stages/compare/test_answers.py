"""The answer for one data set: what to use, how good it is, and what it is not told apart from."""

import numpy as np
import pytest
from scipy import stats

from rethink.statistics import corrected_interval
from stages.compare.answers import answers, most_common, usual_choices
from stages.compare.comparison import compare
from stages.compare.cost_tables import cost_table
from tests.stages.compare.made import table_evidence

SCORES = {
    "mine": {
        "top-k": [0.50, 0.51, 0.49, 0.50],
        "BR-LR": [0.60, 0.63, 0.58, 0.61],
        "PCC": [0.70, 0.735, 0.68, 0.712],
        "RethinkNet": [0.703, 0.733, 0.683, 0.713],
    }
}


def answer(scores=SCORES, cost="f1", **more):
    result = table_evidence(cost, scores, **more)
    (one,) = answers(result, {cost: cost_table(result, cost)})
    return one


def seconds(**models):
    return {("mine", model, "f1"): dict.fromkeys(range(4), each) for model, each in models.items()}


def test_the_best_mean_is_recommended_and_the_rows_are_in_its_order():
    result = answer()
    assert result.recommended == "RethinkNet"
    assert [row.model for row in result.standings] == ["RethinkNet", "PCC", "BR-LR", "top-k"]
    assert [row.trivial for row in result.standings] == [False, False, False, True]
    assert result.standing("RethinkNet").against is None


def test_a_loss_is_better_when_it_is_less():
    result = answer(cost="rank")
    assert result.recommended == result.standings[0].model == "top-k"
    assert result.why.endswith("Nothing that looks at the features beats it.")


def test_as_good_for_half_of_the_time_is_recommended_and_the_best_is_named():
    result = answer(seconds=seconds(RethinkNet=10.0, PCC=1.0, **{"BR-LR": 0.1}))
    assert result.recommended == "PCC"
    assert "RethinkNet has 0.7080, which is less than 1 % better and takes 10 s" in result.why


def test_the_interval_is_that_of_a_t_distribution_with_the_corrected_variance():
    values = SCORES["mine"]["PCC"]
    row = answer().standing("PCC")
    half = stats.t.ppf(0.975, 3) * np.std(values, ddof=1) * np.sqrt(1 / 4 + 1 / 3)
    assert row.low == pytest.approx(np.mean(values) - half)
    assert row.high == pytest.approx(np.mean(values) + half)
    assert corrected_interval([0.5]) == (None, None)


def test_each_other_model_is_tested_against_the_recommended_one_over_the_splits():
    noisy = {"A": [0.70, 0.80, 0.60, 0.70], "B": [0.75, 0.68, 0.66, 0.69]}
    result = answer({"mine": noisy})
    gains = np.subtract(noisy["A"], noisy["B"])
    t = gains.mean() / (gains.std(ddof=1) * np.sqrt(1 / 4 + 1 / 3))
    test = result.standing("B").against
    assert test.result == "tie" and test.p == pytest.approx(2 * stats.t.sf(abs(t), 3))
    assert "does not tell it apart from B" in result.why
    clear = {model: SCORES["mine"][model] for model in ("top-k", "BR-LR", "PCC")}
    assert "tells it apart from every other model" in answer({"mine": clear}).why


def test_one_split_tells_nothing_about_chance():
    result = answer({"mine": {"A": [0.7], "B": [0.6]}})
    assert "One split tells nothing about chance: raise train.seeds" in result.why
    assert result.standing("A").low is None and "between" not in result.why


def test_without_any_result_nothing_is_recommended():
    result = answer({"mine": {"A": ["it broke"], "B": ["it broke"]}})
    assert result.recommended is None and "there is no recommendation" in result.why


def test_the_parameters_are_those_that_most_searches_chose():
    assert most_common([{"C": 1.0}, {"C": 0.1}, {"C": 0.1}]) == {"C": 0.1}
    assert most_common([]) == {}
    choices = {("mine", "RethinkNet", "f1"): {0: {"l2": 1e-5}, 1: {"l2": 1e-7}, 2: {"l2": 1e-7}}}
    result = table_evidence("f1", SCORES, chosen=choices)
    whole = compare(result)
    assert whole.answers[0].chosen == {"l2": 1e-7}
    assert usual_choices(result, whole.advice) == {"f1": {"l2": 1e-7}} == whole.chosen


def test_a_run_on_the_users_own_data_examines_nothing_of_the_paper():
    assert compare(table_evidence("f1", SCORES)).claims
    own = compare(table_evidence("f1", SCORES, own=True))
    assert own.own and not own.claims and not own.flaws and not own.paper.rows
