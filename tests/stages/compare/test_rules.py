"""Training for the cost or predicting for it: every answer can be had each way."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from stages.common.params import Model
from stages.compare.evidence import Roles
from stages.compare.experiments import claims, sections
from stages.compare.questions import questions
from tests.stages.compare.made import SIX, Experiment, evidence, paper, wobble

NET, LINEAR = {"estimator": "RethinkNet"}, {"estimator": "LogisticRelevance"}
FOREST = {
    "estimator": "DecisionRule",
    "params": {"estimator": "sklearn.ensemble.RandomForestClassifier"},
}
ENTRIES = {
    "Net": NET | {"role": "proposed"},
    "Net-plain": NET | {"variant_of": "Net", "variant": "plain"},
    "Net-plain+rule": NET | {"variant_of": "Net-plain", "variant": "rule"},
    "Net-once": NET | {"variant_of": "Net", "variant": "once"},
    "Net-weighted": NET | {"variant_of": "Net", "variant": "weighted"},
    "Net-theirs": NET | {"variant_of": "Net", "variant": "protocol"},
    "lines": LINEAR,
    "lines+rule": LINEAR | {"variant_of": "lines", "variant": "rule"},
    "trees": FOREST,
    "trees+rule": FOREST | {"variant_of": "trees", "variant": "rule"},
    "trees-calibrated+rule": FOREST | {"variant_of": "trees+rule", "variant": "calibration"},
    "none": {"estimator": "AllZeros", "role": "trivial"},
}
ROLES = Roles({name: Model(**entry) for name, entry in ENTRIES.items()})
F1 = {"Net": 0.66, "Net-plain": 0.60, "Net-plain+rule": 0.67, "Net-once": 0.66, "lines": 0.58,
      "lines+rule": 0.66, "trees": 0.59, "trees+rule": 0.68, "none": 0.0}  # fmt: skip
PLACES = {name: 0.001 * place for place, name in enumerate(SIX)}  # sets differ a little


def run(scores=F1, datasets=SIX, **more):
    """The experiment by F1: a value for each model, a little more on each further data set."""

    def score(cell):
        value = scores[cell["model"]]
        lift = PLACES[cell["dataset"]] if cell["model"].endswith("+rule") else 0.0
        return value if isinstance(value, str) else value + lift + wobble(cell["seed"])

    experiments = {name: Experiment(tuple(scores), ("f1",), datasets) for name in ("rules", "once")}
    return evidence(experiments, score, roles=ROLES, **more)


THEMES = ("Rules", "The two questions", "Weights at the first iteration")


def outcomes(result):
    rows = [*claims(result, sections(result)), *questions(result)[1]]
    return {row.id: row.outcome for row in rows if row.theme in THEMES}


def test_a_learner_has_its_gain_with_students_interval_over_data_sets():
    part = sections(run())["rules"]
    assert [row.learner for row in part.learners] == ["Net-plain", "lines", "trees"]
    row = next(row for row in part.learners if row.learner == "lines")
    shares = [(0.66 + PLACES[d] - 0.58) / (0.66 + PLACES[d]) for d in SIX]
    interval = ttest_1samp(shares, 0).confidence_interval(0.95)
    assert row.rule.effect == pytest.approx(np.mean(shares))
    assert (row.rule.low, row.rule.high) == pytest.approx((interval.low, interval.high))
    assert row.rule.datasets == 6
    assert row.training is None  # it has no version that is trained for the cost


def test_a_net_has_both_gains_and_each_of_its_parts():
    part = sections(run())["rules"]
    row = next(row for row in part.learners if row.learner == "Net-plain")
    assert row.training.effect == pytest.approx(0.06 / 0.66)
    added = {(row.model, row.without): row.gain.effect for row in part.additions}
    assert added["Net", "Net-plain"] == pytest.approx(0.06 / 0.66)
    assert added["Net", "Net-plain+rule"] < 0 < added["Net-plain+rule", "Net-plain"]


def test_one_iteration_stands_beside_all_of_them():
    part = sections(run(F1 | {"Net-once": 0.63}))["once"]
    assert [row.dataset for row in part.rows] == list(SIX)
    assert part.rows[0].gain == pytest.approx(0.03 / 0.66)
    assert part.rows[0].corrected.result == "win"
    (added,) = part.additions
    assert (added.model, added.without) == ("Net", "Net-once")
    assert added.gain.effect == pytest.approx(0.03 / 0.66) and added.gain.datasets == 6
    assert sections(run({"Net": 0.6}))["once"].rows == []


def test_weights_at_the_first_iteration_stand_beside_the_papers_and_beside_one_iteration():
    part = sections(run(F1 | {"Net-once": 0.63, "Net-weighted": 0.70}))["once"]
    gains = {row.adds: row.gain for row in part.rows if row.dataset == SIX[0]}
    assert gains == pytest.approx(
        {
            "rethinking": 0.03 / 0.66,
            "first weights": 0.04 / 0.70,
            "weighted rethinking": 0.07 / 0.70,
        }
    )
    assert [row.adds for row in part.additions] == list(gains)


def test_one_data_set_gives_no_interval_and_two_seeds_no_gain():
    alone = sections(run(datasets=("yeast",)))["rules"].learners[0].rule
    assert (alone.low, alone.high, alone.datasets) == (None, None, 1)
    assert sections(run(seeds=2))["rules"].learners[0].rule is None


@pytest.mark.parametrize(
    ("claim", "changes", "outcome"),
    [
        ("training-adds-f1", {}, "contradicted"),
        ("training-adds-f1", {"Net": 0.72}, "supported"),
        ("rethinking-adds-f1", {}, "inconclusive"),
        ("rethinking-adds-f1", {"Net-once": 0.63}, "supported"),
        ("first-weights-f1", {}, "not tested"),
        ("first-weights-f1", {"Net-weighted": 0.70}, "supported"),
        ("first-weights-f1", {"Net-weighted": 0.60}, "contradicted"),
        ("weighted-rethinking-f1", {"Net-weighted": 0.70}, "supported"),
        ("weighted-rethinking-f1", {"Net-weighted": 0.60}, "contradicted"),
        ("rules-learner-f1", {}, "supported"),
        ("rules-learner-f1", {"trees": 0.80, "trees+rule": 0.81}, "contradicted"),
        ("rules-forest-f1", {}, "supported"),
        ("rules-forest-f1", {"trees+rule": 0.60}, "contradicted"),
        ("rules-forest-f1", {"none": 0.99}, "supported"),  # a trivial model has no rank
        ("rules-calibration-f1", {}, "not tested"),
        ("rules-calibration-f1", {"trees-calibrated+rule": 0.70}, "supported"),
        ("rules-calibration-f1", {"trees-calibrated+rule": 0.66}, "contradicted"),
        ("rules-forest-f1", {"trees+rule": 0.60, "trees-calibrated+rule": 0.70}, "supported"),
    ],
)
def test_each_answer_can_go_either_way(claim, changes, outcome):
    assert outcomes(run(F1 | changes))[claim] == outcome


def test_what_was_not_run_is_no_answer_and_no_error():
    alone = {name: F1[name] for name in ("Net", "lines", "lines+rule")}
    assert set(outcomes(run(alone)).values()) == {"not tested"}
    assert set(outcomes(run(dict.fromkeys(F1, "it broke"))).values()) == {"not tested"}
    assert set(outcomes(run(datasets=SIX[:3])).values()) == {"not tested"}


def table(entries, expected, on):
    """Ten bins of which the first and the last have labels."""
    bins = np.zeros((10, 3))
    bins[0] = entries, 0.0, 0.0
    bins[9] = entries, expected * entries, on * entries
    return bins


def test_every_data_set_counts_the_same_for_reliability():
    cells = {
        ("yeast", "lines+rule", "f1"): {0: table(10, 0.9, 0.5), 1: table(30, 0.9, 0.5)},
        ("scene", "lines+rule", "f1"): {0: table(1000, 0.9, 0.9)},
        ("scene", "none", "f1"): {0: table(1000, 0.9, 0.9)},  # no learner of the experiment
    }
    (row,) = sections(run(reliabilities=cells))["rules"].reliability
    assert (row.model, row.datasets) == ("lines+rule", 2)
    first, last = row.bins
    assert (first.share, first.expected, first.on) == (0.5, 0.0, 0.0)
    assert (last.share, last.expected, last.on) == pytest.approx((0.5, 0.9, 0.7))
    assert row.error == pytest.approx((0.4 / 2 + 0.0) / 2)


def test_a_calibrated_learner_is_drawn_beside_the_one_that_is_not():
    models = ("trees+rule", "trees-calibrated+rule")
    cells = {("yeast", model, "f1"): {0: table(10, 0.9, 0.5)} for model in models}
    rows = sections(run(reliabilities=cells))["rules"].reliability
    assert [row.model for row in rows] == list(models)


def test_both_protocols_stand_side_by_side_with_their_seconds():
    values = {"Net": 0.66, "Net-theirs": 0.64}
    names = ("emotions", "chain")
    experiments = {"protocol": Experiment(tuple(values), ("f1",), names)}
    seconds = {("emotions", "Net", "f1"): {0: 1.0, 1: 3.0}}
    seconds |= {("emotions", "Net-theirs", "f1"): {0: 40.0, 1: 60.0}}
    result = evidence(
        experiments,
        lambda cell: values[cell["model"]] + wobble(cell["seed"]),
        roles=ROLES,
        paper=paper(),
        seconds=seconds,
    )
    emotions, chain = sections(result)["protocol"].rows
    assert (emotions.seconds, emotions.their_seconds) == (2.0, 50.0)
    assert emotions.gain == pytest.approx(0.02 / 0.66)
    assert emotions.corrected.result == "win"
    assert chain.seconds is None and chain.printed is None
