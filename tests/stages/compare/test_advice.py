import pytest

from stages.compare.advice import advice, pareto
from stages.compare.cost_tables import cost_table
from tests.stages.compare.made import SIX, Experiment, evidence, table_evidence, wobble


def advised(scores, seconds, datasets=SIX, cost="f1"):
    experiments = {"algorithms": Experiment(tuple(scores), (cost,), datasets)}
    run = evidence(
        experiments,
        lambda cell: scores[cell["model"]] + wobble(cell["seed"]),
        seconds={(d, m, cost): {0: s, 1: s} for d in datasets for m, s in seconds.items()},
    )
    return advice(run, {cost: cost_table(run, cost)})[cost]


def test_the_best_average_rank_is_recommended_with_its_price():
    result = advised({"A": 0.8, "B": 0.7, "C": 0.5}, {"A": 12.0, "B": 1.0, "C": 0.1})
    assert result.recommended == "A"
    assert result.why == (
        "A has the best average rank, 1.00 over 6 data sets, at 12 s of CPU time a cell."
    )


def test_a_tie_at_a_fraction_of_the_time_is_recommended_instead():
    result = advised({"A": 0.800, "B": 0.796, "C": 0.5}, {"A": 20.0, "B": 1.0, "C": 0.1})
    assert result.recommended == "B"
    assert "ties with A (1.00) at 1/20 of the time" in result.why


def test_a_tie_that_saves_little_is_not():
    result = advised({"A": 0.800, "B": 0.796, "C": 0.5}, {"A": 20.0, "B": 15.0, "C": 0.1})
    assert result.recommended == "A"


def test_what_is_clearly_worse_is_not_recommended_however_cheap():
    assert advised({"A": 0.8, "B": 0.78}, {"A": 20.0, "B": 0.001}).recommended == "A"


def test_a_smaller_loss_is_better():
    result = advised({"A": 8.0, "B": 7.0}, {"A": 1.0, "B": 1.0}, cost="rank")
    assert result.recommended == "B"


@pytest.mark.parametrize("forbidden", ["bayes", "PCC-as-published", "all-zeros"])
def test_some_models_are_never_recommended_while_another_is_any_good(forbidden):
    scores = {"A": 0.8, "top-k": 0.3, forbidden: 0.79 if forbidden == "all-zeros" else 0.95}
    result = advised(scores, {"A": 9.0, forbidden: 0.001})
    assert result.recommended == "A"


def test_a_trivial_model_is_recommended_only_if_nothing_beats_it():
    result = advised({"A": 0.4, "top-k": 0.5}, {"A": 9.0, "top-k": 0.001})
    assert result.recommended == "top-k"
    assert "Nothing that looks at the features beats it." in result.why


def test_few_data_sets_give_a_hint_and_say_so():
    result = advised({"A": 0.8, "B": 0.7}, {"A": 1.0, "B": 1.0}, datasets=SIX[:2])
    assert result.why.endswith("On 2 data sets only: a hint, not a verdict.")


def test_without_average_ranks_there_is_no_advice_but_a_reason():
    result = advised({"A": 0.8, "B": 0.7}, {}, datasets=SIX[:1])
    assert (result.recommended, result.points[0].seconds) == ("A", None)
    run = table_evidence("f1", {"one": {"A": ["no"], "B": ["no"]}})
    nothing = advice(run, {"f1": cost_table(run, "f1")})["f1"]
    assert nothing.recommended is None
    assert "no average ranks" in nothing.why


def test_the_pareto_front_holds_what_no_other_beats_in_rank_and_time():
    points = {
        "fast": (3.0, 1.0),
        "good": (1.0, 9.0),
        "beaten": (3.5, 2.0),
        "level": (1.0, 9.0),
        "untimed": (2.0, None),
    }
    assert [p.model for p in pareto(points) if p.pareto] == ["fast", "good", "level"]
