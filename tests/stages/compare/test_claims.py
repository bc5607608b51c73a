"""Every claim comes out each way on made-up scores."""

import numpy as np
import pytest

from stages.common.params import Model
from stages.compare.claims import better_over_datasets, one_sided_p
from stages.compare.evidence import Roles
from stages.compare.experiments import claims, sections
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


def verdicts(experiments, formula, **more):
    run = evidence(experiments, formula, **more)
    return {row.id: row for row in claims(run, sections(run))}


def verdict_of(found, name):
    return found[name].verdict


def algorithms(cost, *, models=SEVEN, datasets=SIX):
    return {"algorithms": Experiment(models, (cost,), datasets)}


def ladder(*models):
    """Losses that grow from model to model."""
    return lambda cell: 1.0 + models.index(cell["model"]) + wobble(cell["seed"])


SENSITIVE_FIRST = ladder("RethinkNet", "PCC", "CFT", "BR", "CC-DP", "CC", "CC-RNN")
BLIND_FIRST = ladder("BR", "CC-DP", "CC", "CC-RNN", "CFT", "PCC", "RethinkNet")


@pytest.mark.parametrize(
    ("scores", "verdict"), [(SENSITIVE_FIRST, "holds"), (BLIND_FIRST, "does not hold")]
)
@pytest.mark.parametrize("claim", ["best-rank-rank", "cost-sensitive-rank"])
def test_the_order_of_the_models_decides_who_leads(claim, scores, verdict):
    assert verdict_of(verdicts(algorithms("rank"), scores), claim) == verdict


def test_a_leader_shared_with_another_is_no_leader():
    scores = ladder("RethinkNet", "PCC", "CFT", "BR", "CC-DP", "CC", "CC-RNN")

    def level(cell):
        return scores(cell | {"model": "RethinkNet"}) if cell["model"] == "PCC" else scores(cell)

    found = verdicts(algorithms("rank"), level)["best-rank-rank"]
    assert found.verdict == "does not hold"
    assert "level with it: PCC" in found.why


def test_our_own_rows_have_a_claim_of_their_own():
    models = (*SEVEN, *EXTRA)
    order = ("BR-LR+rule", "RethinkNet", *(m for m in models if m not in ("BR-LR+rule", SEVEN[0])))
    found = verdicts(algorithms("rank", models=models), ladder(*order))
    assert verdict_of(found, "best-rank-rank") == "holds"
    assert verdict_of(found, "best-rank-all-rank") == "does not hold"
    assert "BR-LR+rule 1.00" in found["best-rank-all-rank"].why


@pytest.mark.parametrize("claim", ["best-rank-rank", "cost-sensitive-rank"])
@pytest.mark.parametrize("change", ["seeds", "datasets", "models"])
def test_too_few_seeds_data_sets_or_models_are_not_enough(claim, change):
    experiments = {
        "seeds": algorithms("rank"),
        "datasets": algorithms("rank", datasets=SIX[:4]),
        "models": algorithms("rank", models=SEVEN[:-1]),
    }[change]
    found = verdicts(experiments, SENSITIVE_FIRST, seeds=2 if change == "seeds" else 3)
    assert verdict_of(found, claim) == "not enough runs"
    assert {"seeds": "3 seeds", "datasets": "needs 5", "models": "BR is not in the run"}[
        change
    ] in found[claim].why


def test_a_failed_seed_takes_the_data_set_out_and_is_said():
    def failing(cell):
        hit = (cell["dataset"], cell["model"], cell["seed"]) == ("birds", "CFT", 1)
        return "out of time" if hit else SENSITIVE_FIRST(cell)

    found = verdicts(algorithms("rank"), failing)["best-rank-rank"]
    assert found.verdict == "holds"
    assert "Over 5 data sets" in found.why
    assert "birds (no value of CFT)" in found.why


def test_data_sets_that_the_paper_does_not_have_are_named():
    found = verdicts(algorithms("rank", datasets=(*SIX, "chain")), SENSITIVE_FIRST)
    assert "chain is not in the paper" in found["best-rank-rank"].why


def test_a_verdict_that_hangs_on_empty_sets_says_so():
    def score(cell):
        places = {name: 0.7 - i / 20 for i, name in enumerate(SEVEN)}
        if cell["empty"] == 0.0 and cell["model"] == "RethinkNet":
            return 0.1 + wobble(cell["seed"])
        return places[cell["model"]] + wobble(cell["seed"])

    found = verdicts(algorithms("f1"), score)["best-rank-f1"]
    assert found.verdict == "holds"
    assert found.why.endswith("the verdict is: does not hold.")


def curve(gains):
    """F1 that grows by the given steps from iteration to iteration."""
    return lambda cell: 0.5 + sum(gains[: cell["iteration"] - 1]) + wobble(cell["seed"], 0.002)


def rethinking(cost="f1", datasets=FIGURE):
    return {"rethinking": Experiment(("SRN-5",), (cost,), datasets)}


@pytest.mark.parametrize(
    ("gains", "helps", "converges"),
    [
        ((0.04, 0.01, 0.0, 0.0), "holds", "holds"),
        ((0.02, 0.02, 0.02, 0.02), "holds", "does not hold"),
        ((-0.04, -0.01, 0.0, 0.0), "does not hold", "holds"),
        ((0.0, 0.0, 0.0, 0.0), "does not hold", "holds"),
    ],
)
def test_the_curve_decides_whether_rethinking_helps_and_settles(gains, helps, converges):
    found = verdicts(rethinking(), curve(gains))
    assert verdict_of(found, "rethinking-f1") == helps
    assert verdict_of(found, "rethinking-converges") == converges


@pytest.mark.parametrize(
    ("step", "seeds", "verdict"),
    [(0.0001, 3, "holds"), (-0.02, 3, "does not hold"), (0.0001, 2, "not enough runs")],
)
def test_hamming_loss_is_flat_or_not(step, seeds, verdict):
    def loss(cell):
        return 0.2 + step * cell["iteration"] + wobble(cell["seed"])

    found = verdicts(rethinking("hamming"), loss, seeds=seeds)
    assert verdict_of(found, "rethinking-hamming") == verdict


def test_a_falling_loss_is_a_gain():
    def falling(cell):
        return 9.0 - 0.3 * cell["iteration"] + wobble(cell["seed"])

    assert verdict_of(verdicts(rethinking("rank"), falling), "rethinking-rank") == "holds"


def test_a_gain_within_the_noise_of_the_splits_does_not_hold():
    def noisy(cell):
        sign = (-1) ** (cell["seed"] + len(cell["dataset"]))
        return 0.5 + (0.001 + 0.05 * sign) * (cell["iteration"] == 5)

    assert verdict_of(verdicts(rethinking(), noisy, seeds=4), "rethinking-f1") == "does not hold"


def test_rethinking_needs_three_data_sets_with_three_seeds():
    good = curve((0.04, 0.01, 0.0, 0.0))
    few_sets = verdicts(rethinking(datasets=FIGURE[:2]), good)
    few_seeds = verdicts(rethinking(), good, seeds=2)
    for found in (few_sets, few_seeds):
        assert verdict_of(found, "rethinking-f1") == "not enough runs"
        assert verdict_of(found, "rethinking-converges") == "not enough runs"


def test_the_share_of_weighting_in_the_gain_is_told():
    experiments = rethinking() | {"reweighting": Experiment(NETS, ("f1",), ("yeast",))}
    why = verdicts(experiments, curve((0.05, 0.0, 0.0, 0.0)), steps=3)["rethinking-f1"].why
    assert "from the second iteration to the last it is 0 %" in why
    assert "without any weights the last iteration gains" in why


@pytest.mark.parametrize(("gain", "verdict"), [(0.05, "holds"), (-0.05, "does not hold")])
@pytest.mark.parametrize("cost", ["rank", "f1", "accuracy"])
def test_reweighting_helps_if_the_weighted_nets_are_better(cost, gain, verdict):
    def score(cell):
        weighted = not cell["model"].endswith("-plain")
        signed = -gain if cost == "rank" else gain
        return 0.5 + signed * weighted + wobble(cell["seed"])

    found = verdicts({"reweighting": Experiment(NETS, (cost,), SIX)}, score)
    assert verdict_of(found, f"reweighting-{cost}") == verdict


def test_reweighting_on_one_data_set_is_not_enough_but_what_was_found_is_told():
    def score(cell):
        return 0.5 + 0.05 * (not cell["model"].endswith("-plain")) + wobble(cell["seed"])

    found = verdicts({"reweighting": Experiment(NETS, ("f1",), ("yeast",))}, score)
    assert verdict_of(found, "reweighting-f1") == "not enough runs"
    assert "Reweighted nets are better on 1 of 1 data set" in found["reweighting-f1"].why


def rnn_verdicts(test, train_gap, **more):
    def score(cell):
        kind = cell["model"].removesuffix("-200k")
        gap = train_gap[kind] if cell["part"] == "train" else 0.0
        return test[kind] + gap + wobble(cell["seed"])

    experiment = Experiment(KINDS, ("f1",), SIX)
    return verdicts({"rnn_variants": experiment}, score, **more)


PREFERRED_HIGH = {"SRN": 0.7, "LSTM": 0.7, "GRU": 0.6, "IRNN": 0.6}
OTHERS_HIGH = {"SRN": 0.1, "LSTM": 0.1, "GRU": 0.3, "IRNN": 0.3}


def test_srn_and_lstm_lead_or_not_by_their_test_scores():
    assert verdict_of(rnn_verdicts(PREFERRED_HIGH, OTHERS_HIGH), "rnn-f1") == "holds"
    assert verdict_of(rnn_verdicts(OTHERS_HIGH, OTHERS_HIGH), "rnn-f1") == "does not hold"
    assert (
        verdict_of(rnn_verdicts(PREFERRED_HIGH, OTHERS_HIGH, seeds=2), "rnn-f1")
        == "not enough runs"
    )


def test_over_fitting_is_the_gap_between_training_and_test_part():
    level = dict.fromkeys(PREFERRED_HIGH, 0.5)
    assert verdict_of(rnn_verdicts(level, OTHERS_HIGH), "rnn-overfit") == "holds"
    assert verdict_of(rnn_verdicts(level, PREFERRED_HIGH), "rnn-overfit") == "does not hold"
    assert verdict_of(rnn_verdicts(level, OTHERS_HIGH, seeds=2), "rnn-overfit") == "not enough runs"


def memory_verdict(matrix, seeds=3):
    experiments = {"memory": Experiment(("SRN-memory",), ("hamming",), ("yeast",))}
    more = {
        "memories": {("yeast", "SRN-memory", "hamming"): dict.fromkeys(range(seeds), matrix)},
        "labels": {"yeast": labels(count=8)},
        "cards": {"yeast": {"label_names": list("abcdefgh")}},
    }
    return verdict_of(verdicts(experiments, lambda cell: 0.5, **more), "memory")


def test_memory_captures_correlation_or_opposes_it_or_has_nothing_to_do_with_it():
    correlation = np.corrcoef(labels(count=8).T)
    noise = np.random.default_rng(3).normal(size=(8, 8))
    assert memory_verdict(correlation) == "holds"
    assert memory_verdict(2 * np.eye(8) - correlation) == "does not hold"
    assert memory_verdict(np.eye(8) + 0.3 * noise) == "does not hold"
    assert memory_verdict(correlation, seeds=2) == "not enough runs"
    assert memory_verdict(np.eye(8)) == "not enough runs"


def test_the_one_sided_p_is_exact():
    assert one_sided_p([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(1 / 32)
    assert one_sided_p([-1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 32)
    assert one_sided_p([-1.0, -2.0, 0.5]) is None
    assert one_sided_p([0.0, 0.0]) is None


def test_five_data_sets_that_agree_are_just_enough():
    assert better_over_datasets("It is better", dict.fromkeys("abcde", 0.1)).holds is True
    mixed = better_over_datasets("It is better", dict(zip("abcde", (1, 1, 1, 1, -1), strict=True)))
    assert mixed.holds is False
    assert "4 of 5 data sets" in mixed.why
    assert better_over_datasets("It is better", dict.fromkeys("abcd", 0.1)).holds is None


def test_claims_of_experiments_that_are_not_run_are_absent():
    assert set(verdicts(rethinking(), curve((0.1, 0, 0, 0)))) == {
        "rethinking-f1",
        "rethinking-converges",
    }


def renamed(old, new):
    """The roles of params.yaml with another name for one model."""
    return Roles({new if name == old else name: model for name, model in ROLES.models.items()})


def test_a_model_may_have_any_name_as_long_as_its_role_is_told():
    def score(cell):
        return SENSITIVE_FIRST(
            cell | {"model": "RethinkNet" if cell["model"] == "Mine" else cell["model"]}
        )

    models = ("Mine", *SEVEN[1:])
    found = verdicts(algorithms("rank", models=models), score, roles=renamed("RethinkNet", "Mine"))
    assert verdict_of(found, "best-rank-rank") == "holds"
    assert found["best-rank-rank"].claim.startswith("By Rank loss, Mine has the best average rank")


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
    found = verdicts(experiments, lambda cell: 0.5 + wobble(cell["seed"]))
    assert (verdict_of(found, name), found[name].why) == ("not enough runs", why)


def test_without_a_proposed_model_the_claims_say_which_role_is_missing():
    roles = Roles({"PCC": Model(estimator="ProbabilisticChain", role="paper")})
    found = verdicts(algorithms("rank"), SENSITIVE_FIRST, roles=roles)
    assert found["best-rank-rank"].why == "the model of the role proposed is not in the run."
