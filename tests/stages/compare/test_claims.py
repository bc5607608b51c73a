"""Every claim comes out each way on made-up scores, and says what it rests on."""

import math

import numpy as np
import pytest

from stages.common.outcomes import Estimate
from stages.common.params import Model
from stages.compare.claims import Case, by_chance, decided, judge, judge_splits
from stages.compare.evidence import Roles
from stages.compare.experiments import claims, sections
from stages.compare.questions import questions
from tests.stages.compare.made import (
    EXTRA,
    KINDS,
    NETS,
    ROLES,
    SEVEN,
    SIX,
    Experiment,
    evidence,
    labels,
    wobble,
)

FIGURE = ("scene", "yeast", "medical", "cal500")
YES, NO, OPEN, NOT_TESTED = "supported", "contradicted", "inconclusive", "not tested"


def judged(experiments, formula, **more):
    run = evidence(experiments, formula, **more)
    return {row.id: row for row in claims(run, sections(run))}


def algorithms(cost, *, models=SEVEN, datasets=SIX):
    return {"algorithms": Experiment(models, (cost,), datasets)}


def ladder(*models):
    """Losses that grow from model to model."""
    return lambda cell: 1.0 + models.index(cell["model"]) + wobble(cell["seed"])


def mixed(cell):
    """RethinkNet leads on every other data set, PCC on the rest."""
    order = ("RethinkNet", "PCC", "BR", "CFT", "CC-DP", "CC", "CC-RNN")
    if SIX.index(cell["dataset"]) % 2:
        order = ("PCC", "RethinkNet", *order[2:])
    return ladder(*order)(cell)


SENSITIVE_FIRST = ladder("RethinkNet", "PCC", "CFT", "BR", "CC-DP", "CC", "CC-RNN")
BLIND_FIRST = ladder("BR", "CC-DP", "CC", "CC-RNN", "CFT", "PCC", "RethinkNet")


@pytest.mark.parametrize(
    ("scores", "outcome"), [(SENSITIVE_FIRST, YES), (BLIND_FIRST, NO), (mixed, OPEN)]
)
def test_the_order_of_the_models_decides_who_leads(scores, outcome):
    assert judged(algorithms("rank"), scores)["best-rank-rank"].outcome == outcome


@pytest.mark.parametrize(("scores", "outcome"), [(SENSITIVE_FIRST, YES), (BLIND_FIRST, NO)])
@pytest.mark.parametrize(
    "name", ["cost-sensitive-rank", "t-tests-rank", "against-br-rank", "against-cc-rnn-rank"]
)
def test_the_order_of_the_models_decides_every_claim_on_algorithms(name, scores, outcome):
    assert judged(algorithms("rank"), scores)[name].outcome == outcome


def test_a_leader_shared_with_another_is_a_coin_flip():
    def level(cell):
        name = "RethinkNet" if cell["model"] == "PCC" else cell["model"]
        return SENSITIVE_FIRST(cell | {"model": name}) + (0.1 if name != "RethinkNet" else 0.0)

    row = judged(algorithms("rank"), level)["best-rank-rank"]
    # PCC is a copy of RethinkNet on every split, and a copy is no rival
    assert row.outcome == YES

    def nearly(cell):
        turn = 1e-6 * (-1) ** SIX.index(cell["dataset"]) * (cell["model"] == "PCC")
        return level(cell) + turn

    row = judged(algorithms("rank"), nearly)["best-rank-rank"]
    assert row.outcome == OPEN
    assert row.estimate.p == pytest.approx(0.5, abs=0.2)


def test_a_claim_carries_its_quote_place_rule_effect_interval_and_power():
    row = judged(algorithms("rank"), mixed)["best-rank-rank"]
    assert row.of_the_paper
    assert row.quote.startswith("In terms of average ranking and t-test results, RethinkNet")
    assert row.place == "Section 4.3, Table 6"
    assert "P(claim) ≥ 0.95" in row.rule
    assert (row.unit, row.effect) == ("ranks", "lead")
    assert row.estimate.low < row.estimate.effect < row.estimate.high
    assert row.detectable > 1
    assert row.splits == dict.fromkeys(SIX, 3)
    assert row.effects["emotions"] == 1.0 and row.effects["scene"] == -1.0
    assert "right sign" in row.differs


def test_the_sensitivity_leaves_out_each_data_set_and_ranks_as_the_paper_does():
    def rounded_away(cell):
        close = {"RethinkNet": 0.0, "PCC": 0.0001}
        return 0.5 + close.get(cell["model"], SEVEN.index(cell["model"]) / 10)

    row = judged(algorithms("hamming"), rounded_away)["best-rank-hamming"]
    ways = {entry.way: entry for entry in row.sensitivity}
    assert row.outcome == YES
    assert {f"without {name}" for name in SIX} <= ways.keys()
    assert ways["the paper's rank rule"].outcome == OPEN


def test_our_own_rows_are_claims_of_ours_and_a_sensitivity_of_the_papers():
    models = (*SEVEN, *EXTRA)
    order = ("BR-LR+rule", "RethinkNet", *(m for m in models if m not in ("BR-LR+rule", SEVEN[0])))
    rows = judged(algorithms("rank", models=models), ladder(*order))
    assert rows["best-rank-rank"].outcome == YES
    assert rows["best-rank-all-rank"].outcome == NO
    assert not rows["best-rank-all-rank"].of_the_paper
    ways = {entry.way: entry.outcome for entry in rows["best-rank-rank"].sensitivity}
    assert ways["with our rows"] == NO


@pytest.mark.parametrize("change", ["seeds", "datasets", "models"])
@pytest.mark.parametrize("name", ["best-rank-rank", "cost-sensitive-rank", "t-tests-rank"])
def test_too_few_splits_data_sets_or_models_leave_a_claim_untested(name, change):
    experiments = {
        "seeds": algorithms("rank"),
        "datasets": algorithms("rank", datasets=SIX[:3]),
        "models": algorithms("rank", models=SEVEN[:-1]),
    }[change]
    row = judged(experiments, SENSITIVE_FIRST, seeds=2 if change == "seeds" else 3)[name]
    assert row.outcome == NOT_TESTED
    assert row.estimate is None
    words = {"seeds": "2 common splits", "datasets": "needs 4", "models": "BR is not in the run"}
    assert words[change] in row.why


def test_models_with_unequal_seeds_are_compared_on_the_splits_they_share():
    def fewer(cell):
        return None if cell["model"] == "CFT" and cell["seed"] > 2 else SENSITIVE_FIRST(cell)

    rows = judged(algorithms("rank"), fewer, seeds=8)
    assert rows["best-rank-rank"].splits == dict.fromkeys(SIX, 3)
    assert rows["against-br-rank"].splits == dict.fromkeys(SIX, 8)


def test_a_data_set_with_too_few_common_splits_is_left_out_and_named():
    def failing(cell):
        hit = (cell["dataset"], cell["model"], cell["seed"]) == ("birds", "CFT", 1)
        return "out of time" if hit else SENSITIVE_FIRST(cell)

    row = judged(algorithms("rank"), failing)["best-rank-rank"]
    assert row.outcome == YES
    assert "birds" not in row.splits
    assert "Left out: birds (2 common splits)." in row.why


def test_data_and_costs_of_a_user_are_no_part_of_what_the_paper_claims():
    experiment = Experiment(SEVEN, ("rank", "zero-one"), (*SIX, "chain"))

    def worse_elsewhere(cell):
        return SENSITIVE_FIRST(cell) + 100.0 * (
            cell["dataset"] == "chain" and cell["model"] == "RethinkNet"
        )

    rows = judged({"algorithms": experiment}, worse_elsewhere)
    row = rows["best-rank-rank"]
    assert "chain" not in row.splits
    assert not any("zero-one" in name for name in rows)
    assert "with data sets the paper lacks" in {entry.way for entry in row.sensitivity}


def test_a_verdict_that_hangs_on_empty_sets_says_so():
    def score(cell):
        places = {name: 0.7 - i / 20 for i, name in enumerate(SEVEN)}
        if cell["empty"] == 0.0 and cell["model"] == "RethinkNet":
            return 0.1 + wobble(cell["seed"])
        return places[cell["model"]] + wobble(cell["seed"])

    row = judged(algorithms("f1"), score)["best-rank-f1"]
    assert row.outcome == YES
    assert {e.way: e.outcome for e in row.sensitivity}["0/0 counts 0"] == NO


ONCE = ("RethinkNet", "RethinkNet-once")


def with_once():
    models = ROLES.models | {
        "RethinkNet-once": Model(
            estimator="RethinkNet", role="variant", variant_of="RethinkNet", variant="once"
        ),
        "RethinkNet-plain+rule": Model(
            estimator="RethinkNet", role="variant", variant_of="RethinkNet-plain", variant="rule"
        ),
    }
    return Roles(models)


def curve(gains):
    """F1 that grows by the given steps from iteration to iteration."""
    return lambda cell: 0.5 + sum(gains[: cell["iteration"] - 1]) + wobble(cell["seed"], 0.002)


def rethinking(cost="f1", datasets=FIGURE):
    return {"rethinking": Experiment(("SRN-5",), (cost,), datasets)}


@pytest.mark.parametrize(("gain", "outcome"), [(0.05, YES), (-0.05, NO), (0.0, OPEN)])
def test_rethinking_is_judged_by_the_net_with_one_weighted_iteration(gain, outcome):
    def score(cell):
        if cell["model"] == "SRN-5":
            return curve((0.2, 0.0, 0.0, 0.0))(cell)
        return 0.5 + gain * (cell["model"] == "RethinkNet") + wobble(cell["seed"])

    experiments = rethinking() | {"reweighting": Experiment(ONCE, ("f1",), SIX)}
    row = judged(experiments, score, roles=with_once())["rethinking-f1"]
    assert row.outcome == outcome
    assert "the last of five iterations gains 29 % against the first" in row.why
    assert "Against the second, the first with weights, it gains 0 %." in row.why


def test_the_jump_from_the_unweighted_iteration_alone_supports_nothing():
    row = judged(rethinking(), curve((0.2, 0.0, 0.0, 0.0)))["rethinking-f1"]
    assert row.outcome == NOT_TESTED
    assert row.why.startswith("RethinkNet-once is not in the run.")


@pytest.mark.parametrize(
    ("step", "seeds", "outcome"),
    [(0.0001, 3, YES), (-0.02, 3, NO), (0.0001, 2, NOT_TESTED)],
)
def test_hamming_loss_is_flat_or_not(step, seeds, outcome):
    def loss(cell):
        return 0.2 + step * cell["iteration"] + wobble(cell["seed"])

    row = judged(rethinking("hamming"), loss, seeds=seeds)["rethinking-hamming"]
    assert row.outcome == outcome


@pytest.mark.parametrize(
    ("gains", "outcome"),
    [((0.04, 0.01, 0.0, 0.0), YES), ((0.02, 0.02, 0.02, 0.02), NO), ((0.0, 0.0, -0.02, -0.02), NO)],
)
def test_what_comes_after_the_third_iteration_decides_whether_it_has_settled(gains, outcome):
    def score(cell):
        rise = sum(gains[: cell["iteration"] - 1])
        return (9.0 - 9 * rise if cell["cost"] == "rank" else 0.5 + rise) + wobble(cell["seed"])

    experiment = Experiment(("SRN-5",), ("rank", "f1", "accuracy"), FIGURE)
    row = judged({"rethinking": experiment}, score)["rethinking-converges"]
    assert row.outcome == outcome


@pytest.mark.parametrize(("gain", "outcome"), [(0.05, YES), (-0.05, NO)])
@pytest.mark.parametrize("cost", ["rank", "f1", "accuracy"])
def test_reweighting_helps_if_the_weighted_nets_are_better(cost, gain, outcome):
    def score(cell):
        weighted = not cell["model"].endswith("-plain")
        signed = -gain if cost == "rank" else gain
        return 0.5 + signed * weighted + wobble(cell["seed"])

    row = judged({"reweighting": Experiment(NETS, (cost,), SIX)}, score)[f"reweighting-{cost}"]
    assert row.outcome == outcome


def test_a_gain_on_five_of_six_data_sets_may_be_chance():
    def score(cell):
        gain = -0.05 if cell["dataset"] == "birds" else 0.01
        return 0.5 + gain * (not cell["model"].endswith("-plain")) + wobble(cell["seed"])

    row = judged({"reweighting": Experiment(NETS, ("f1",), SIX)}, score)["reweighting-f1"]
    assert row.outcome == OPEN
    assert {e.way: e.outcome for e in row.sensitivity}["without birds"] == YES
    assert "on 5 of 6 data sets" in row.why


def rnn_claims(test, train_gap, **more):
    def score(cell):
        kind = cell["model"].removesuffix("-200k")
        gap = train_gap[kind] if cell["part"] == "train" else 0.0
        value = test[kind] + gap + wobble(cell["seed"])
        return 2.0 - value if cell["cost"] == "rank" else value

    experiment = Experiment(KINDS, ("rank", "f1"), SIX)
    return judged({"rnn_variants": experiment}, score, **more)


PREFERRED_HIGH = {"SRN": 0.7, "LSTM": 0.7, "GRU": 0.6, "IRNN": 0.6}
OTHERS_HIGH = {"SRN": 0.1, "LSTM": 0.1, "GRU": 0.3, "IRNN": 0.3}


def test_srn_and_lstm_lead_or_not_by_their_test_scores():
    assert rnn_claims(PREFERRED_HIGH, OTHERS_HIGH)["rnn-f1"].outcome == YES
    assert rnn_claims(OTHERS_HIGH, OTHERS_HIGH)["rnn-f1"].outcome == NO
    assert rnn_claims(PREFERRED_HIGH, OTHERS_HIGH, seeds=2)["rnn-f1"].outcome == NOT_TESTED


def test_over_fitting_is_the_gap_between_training_and_test_part():
    level = dict.fromkeys(PREFERRED_HIGH, 0.5)
    assert rnn_claims(level, OTHERS_HIGH)["rnn-overfit"].outcome == YES
    assert rnn_claims(level, PREFERRED_HIGH)["rnn-overfit"].outcome == NO
    larger = OTHERS_HIGH | {"SRN": 0.2}
    assert rnn_claims(level, larger)["rnn-discrepancy"].outcome == YES


def memory_outcome(matrix, seeds=3):
    experiments = {"memory": Experiment(("SRN-memory",), ("hamming",), ("yeast",))}
    more = {
        "memories": {("yeast", "SRN-memory", "hamming"): dict.fromkeys(range(seeds), matrix)},
        "labels": {"yeast": labels(count=8)},
        "cards": {"yeast": {"label_names": list("abcdefgh")}},
    }
    return judged(experiments, lambda cell: 0.5, **more)["memory"]


def test_memory_captures_correlation_or_opposes_it_or_has_nothing_to_do_with_it():
    correlation = np.corrcoef(labels(count=8).T)
    noise = np.random.default_rng(3).normal(size=(8, 8))
    row = memory_outcome(correlation)
    assert row.outcome == YES
    assert row.estimate.low <= row.estimate.effect <= row.estimate.high
    assert memory_outcome(2 * np.eye(8) - correlation).outcome == NO
    assert memory_outcome(np.eye(8) + 0.3 * noise).outcome == OPEN
    assert memory_outcome(correlation, seeds=2).outcome == NOT_TESTED
    assert memory_outcome(np.eye(8)).outcome == NOT_TESTED


def images(role, gain, seeds=4):
    experiments = {
        "images": Experiment(("CNN-RNN", "Att-RNN", "RethinkNet"), ("f1",), ("coco-2014",))
    }
    card = {"title": "COCO", "instances": 9, "features": 2, "labels": 3, "empty": 0}
    facts = {"paper": role, "network": "n", "split": "s", "parts": {}, "problems": {}}

    def score(cell):
        return (
            0.5
            + gain * (cell["model"] == "RethinkNet")
            + wobble(cell["seed"], 0.01) * (cell["model"] == "Att-RNN")
        )

    more = {"cards": {"coco-2014": card | {"images": facts}}, "seeds": seeds}
    return judged(experiments, score, **more)["images-f1"]


def test_the_table_of_images_is_judged_only_on_the_papers_own():
    assert images("reproduction", 0.1).outcome == YES
    assert images("reproduction", -0.1).outcome == NO
    assert images("reproduction", 0.0).outcome == OPEN
    assert images("reproduction", 0.1, seeds=2).outcome == NOT_TESTED
    assert images("demonstration", 0.1).outcome == NOT_TESTED


def test_every_claim_of_the_paper_is_there_whatever_was_run():
    rows = judged({"datasets": Experiment((), (), ("yeast",))}, lambda cell: 0.5,
                  cards={"yeast": dict.fromkeys(("features", "labels", "instances", "cardinality",
                                                 "density"), 1)})  # fmt: skip
    paper = [row for row in rows.values() if row.of_the_paper]
    assert {row.outcome for row in paper} == {NOT_TESTED}
    assert len(paper) == 35
    assert all(row.place and row.rule and row.theme for row in paper)
    assert len({row.id for row in rows.values()}) == len(rows)


def asked(formula, costs=("rank", "f1", "accuracy"), roles=None):
    models = ("RethinkNet", "RethinkNet-once", "RethinkNet-plain+rule")
    experiments = {"algorithms": Experiment(models, costs, (*SIX, "chain"))}
    run = evidence(experiments, formula, roles=roles or with_once())
    result, rows = questions(run)
    return {q.id: q for q in result}, {row.id: row for row in rows}


def test_both_questions_are_answered_on_all_data_sets_with_effect_and_interval():
    def score(cell):
        better = {"RethinkNet": 0.0, "RethinkNet-once": 0.0, "RethinkNet-plain+rule": 0.05}
        shift = better[cell["model"]] * (-1 if cell["cost"] == "rank" else 1)
        return 0.5 + shift + wobble(cell["seed"])

    result, rows = asked(score)
    assert rows["rethinking-adds"].outcome == OPEN
    assert result["rethinking-adds"].answer.startswith("Less than 1.0 % either way: 0 % on average")
    assert rows["training-adds"].outcome == NO
    assert result["training-adds"].answer.startswith("No, it takes something away: −9.4 % on")
    assert "over 7 data sets (95 % interval" in result["training-adds"].answer
    assert result["training-adds"].claims == [
        "training-adds", "training-adds-rank", "training-adds-f1", "training-adds-accuracy",
    ]  # fmt: skip
    assert not any(row.of_the_paper for row in rows.values())


def test_a_question_without_its_model_is_not_tested_and_says_what_is_missing():
    result, rows = asked(lambda cell: 0.5 + wobble(cell["seed"]), roles=ROLES)
    missing = [q for q in result.values() if rows[q.claims[0]].outcome == NOT_TESTED]
    assert all(q.answer.startswith("Not tested.") for q in missing)
    assert {"variant" in q.answer or "not in the run" in q.answer for q in missing} <= {True}


def renamed(old, new):
    """The roles of params.yaml with another name for one model."""
    return Roles({new if name == old else name: model for name, model in ROLES.models.items()})


def test_a_model_may_have_any_name_as_long_as_its_role_is_told():
    def score(cell):
        return SENSITIVE_FIRST(
            cell | {"model": "RethinkNet" if cell["model"] == "Mine" else cell["model"]}
        )

    models = ("Mine", *SEVEN[1:])
    rows = judged(algorithms("rank", models=models), score, roles=renamed("RethinkNet", "Mine"))
    assert rows["best-rank-rank"].outcome == YES
    assert rows["best-rank-rank"].claim.startswith("Mine has the best average rank of the paper")


@pytest.mark.parametrize(
    ("experiments", "name", "why"),
    [
        (algorithms("rank", models=SEVEN[1:]), "best-rank-rank", "RethinkNet is not in the run."),
        (
            {"rnn_variants": Experiment(KINDS[:2], ("f1",), SIX)},
            "rnn-f1",
            "LSTM and IRNN are not in the run.",
        ),
        (
            {"reweighting": Experiment(NETS[1:2], ("f1",), SIX)},
            "reweighting-f1",
            "No net is in the run both with and without reweighting.",
        ),
    ],
)
def test_a_claim_on_a_model_that_is_not_in_the_run_says_so(experiments, name, why):
    row = judged(experiments, lambda cell: 0.5 + wobble(cell["seed"]))[name]
    assert row.outcome == NOT_TESTED
    assert row.why.startswith(why)


def test_without_a_proposed_model_the_claims_say_which_role_is_missing():
    roles = Roles({"PCC": Model(estimator="ProbabilisticChain", role="paper")})
    rows = judged(algorithms("rank"), SENSITIVE_FIRST, roles=roles)
    assert rows["best-rank-rank"].why == "the model of the role proposed is not in the run."


@pytest.mark.parametrize(
    ("low", "high", "region", "outcome"),
    [
        (0.1, 0.3, (0.0, math.inf), YES),
        (-0.3, -0.1, (0.0, math.inf), NO),
        (-0.1, 0.3, (0.0, math.inf), OPEN),
        (0.0, 0.0, (0.0, math.inf), OPEN),
        (-0.005, 0.005, (-0.01, 0.01), YES),
        (0.02, 0.03, (-0.01, 0.01), NO),
        (-0.5, 0.005, (-math.inf, 0.01), YES),
    ],
)
def test_the_interval_decides(low, high, region, outcome):
    assert decided(Estimate((low + high) / 2, low, high, 0.5), region) == outcome


def test_the_chance_of_a_first_place_decides():
    assert [by_chance(p) for p in (0.96, 0.04, 0.5)] == [YES, NO, OPEN]


def test_over_the_splits_of_one_data_set_the_interval_is_students():
    gained = np.array([0.1, 0.2, 0.15, 0.05])
    row = judge_splits("coco", gained)
    half = 3.182446 * gained.std(ddof=1) / 2
    assert row.estimate.low == pytest.approx(gained.mean() - half, rel=1e-5)
    assert row.outcome == YES
    assert judge_splits("coco", np.zeros(3)).outcome == OPEN


def test_the_effect_of_one_data_set_is_that_of_its_means():
    sample = np.array([[3.0, 1.0], [5.0, 1.0]])
    case = Case(dict.fromkeys("abcd", sample), lambda m: (m[..., 0] - m[..., 1])[..., None])
    row = judge(case, "ranks")
    assert row.effects == dict.fromkeys("abcd", 3.0)
    assert row.estimate.effect == 3.0
