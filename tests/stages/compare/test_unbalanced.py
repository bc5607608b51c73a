"""Runs in which models and data sets have different numbers of splits, or some are missing."""

from dataclasses import replace

import pytest

from stages.common.schema import INCONCLUSIVE, NOT_TESTED, SUPPORTED
from stages.common.words import splits_text
from stages.compare.claims import VARIED
from stages.compare.comparison import compare
from stages.compare.experiments.rnn_variants import section as kinds_of_nets
from stages.compare.printed import paper_section
from tests.stages.compare.made import (
    KINDS,
    SEVEN,
    SIX,
    Experiment,
    evidence,
    paper,
    table_evidence,
    wobble,
)

pytestmark = pytest.mark.usefixtures("few_draws")

COST = "f1"
SHIFTS = (0.0, 0.0, 0.0, -0.5, -0.5)  # of splits: the last two are hard for every model
LEADS = {"RethinkNet": 0.62, "PCC": 0.60, "CFT": 0.58, "BR": 0.5}
THIN = "with data sets of fewer than 3 common splits"


def lead(dataset, model):
    """Data sets differ a little, so that an interval has a width."""
    return LEADS.get(model, 0.55) + 0.01 * (SIX.index(dataset) % 3) * (model == "RethinkNet")


def run(splits=lambda dataset, model: 3, models=("RethinkNet", "PCC", "CFT", "BR"), **more):
    """Scores by split; a model without splits on a data set is not there."""
    experiments = {"algorithms": Experiment(tuple(models), (COST,), SIX)}

    def formula(cell):
        if cell["seed"] >= splits(cell["dataset"], cell["model"]):
            return None
        score = lead(cell["dataset"], cell["model"]) + SHIFTS[cell["seed"]]
        return score + wobble(cell["seed"] + len(cell["model"]), 0.004)

    return evidence(experiments, formula, seeds=5, **more)


def pairs(comparison):
    overview = comparison.costs[COST].over_datasets
    return {frozenset((pair.a, pair.b)): pair for pair in overview.pairs}


def claim(comparison, name):
    return next(row for row in comparison.claims if row.id == name)


def test_a_model_that_is_missing_on_a_data_set_changes_no_other_pair():
    whole = pairs(compare(run()))
    gone = compare(run(lambda dataset, model: 0 if (dataset, model) == ("scene", "BR") else 3))
    assert gone.costs[COST].over_datasets.left_out == ["scene"]
    others = {pair: row for pair, row in pairs(gone).items() if "BR" not in pair}
    assert others == {pair: row for pair, row in whole.items() if "BR" not in pair}
    beside = pairs(gone)[frozenset(("RethinkNet", "BR"))]
    assert beside.win + beside.tie + beside.loss == 5


def test_the_better_models_that_join_change_no_other_pair():
    """A loss is no share of the best loss, which depends on who is there."""

    def losses(models):
        table = {
            name: {m: [10.0**k * (1.0 + x * (k + 1))] * 3 for m, x in models.items()}
            for k, name in enumerate(SIX)
        }
        result = compare(table_evidence("rank", table)).costs["rank"].over_datasets
        return {frozenset((pair.a, pair.b)): pair for pair in result.pairs}

    some = {"RethinkNet": 0.3, "BR": 0.4, "CFT": 0.35}
    assert losses(some).items() <= losses(some | {"PCC": -0.1}).items()


def test_ranks_gains_and_pairs_are_over_common_splits():
    """The splits that only some models have are hard: a mean over them would turn the order."""
    few = {"BR": 3}
    comparison = compare(run(lambda dataset, model: few.get(model, 5)))
    table = comparison.costs[COST].datasets["yeast"]
    assert table.models["RethinkNet"].mean < table.models["BR"].mean  # of other splits
    assert table.models["RethinkNet"].rank == 1 and table.models["BR"].rank == 4
    assert table.splits == 3
    assert table.gains["BR"] == pytest.approx((0.5 - 0.64) / 0.64, abs=0.01)
    pair = pairs(comparison)[frozenset(("RethinkNet", "BR"))]
    assert (pair.a, pair.win, pair.loss) == ("RethinkNet", 6, 0)
    assert comparison.advice[COST].recommended == "RethinkNet"


def test_a_gain_uses_every_split_that_the_two_models_have():
    """A third model with one split does not reduce what is said of the two."""
    few = {"BR": 1}
    table = compare(run(lambda dataset, model: few.get(model, 5))).costs[COST].datasets["yeast"]
    whole = compare(run(lambda dataset, model: 5)).costs[COST].datasets["yeast"]
    assert table.gains["PCC"] == whole.gains["PCC"]


def test_the_printed_order_is_looked_for_on_common_splits():
    few = {"BR": 3}
    result = paper_section(run(lambda dataset, model: few.get(model, 5), paper=paper()))
    row = next(r for r in result.rows if (r.dataset, r.cost, r.model) == ("yeast", COST, "BR"))
    assert row.comparisons.disagree == []  # printed: BR is the worst of the four


def test_a_data_set_of_one_split_decides_no_claim_and_is_named():
    one = ("medical", "cal500")
    comparison = compare(run(lambda dataset, model: 1 if dataset in one else 3, models=SEVEN))
    row = claim(comparison, "against-br-f1")
    assert row.outcome == SUPPORTED and not set(one) & row.splits.keys()
    assert "medical (1 common split); cal500 (1 common split)" in row.why
    other = {s.way: s for s in row.sensitivity}
    assert other[THIN].outcome == SUPPORTED  # and whether they would change it is said
    assert comparison.splits == {name: 1 if name in one else 3 for name in SIX}


def test_a_run_of_single_splits_has_no_verdict_no_test_and_no_standard_error():
    comparison = compare(run(lambda dataset, model: 1, models=SEVEN))
    assert {row.outcome for row in comparison.claims} == {NOT_TESTED}
    table = comparison.costs[COST]
    assert {
        test.result for pair in table.tests["BR"].values() for test in pair.datasets.values()
    } == {"too few"}
    assert all(m.ste is None for d in table.datasets.values() for m in d.models.values())
    assert table.over_datasets.friedman is not None  # over data sets there is one


def test_single_splits_are_no_ties_of_t_tests():
    """Too few splits for a test are no comparison: they would pull the share towards nothing."""
    one = ("medical", "cal500")
    comparison = compare(run(lambda dataset, model: 1 if dataset in one else 3, models=SEVEN))
    row = claim(comparison, "t-tests-f1")
    assert row.splits == {name: 3 for name in SIX if name not in one}
    assert THIN not in [s.way for s in row.sensitivity]


def test_no_interval_ends_beyond_what_is_possible():
    rows = compare(run(models=SEVEN)).claims
    ends = {row.id: (row.estimate.low, row.estimate.high) for row in rows if row.estimate}
    for name, (low, high) in ends.items():
        most = 6 if name.startswith("best-rank") else 3.5 if name.startswith("cost-s") else 1
        assert -most <= low <= high <= most, name


def test_leaving_one_out_is_done_only_where_enough_are_left():
    four = SIX[:4]
    comparison = compare(run(lambda dataset, model: 3 if dataset in four else 0, models=SEVEN))
    row = claim(comparison, "against-br-f1")
    assert row.outcome in (SUPPORTED, INCONCLUSIVE) and len(row.splits) == 4
    assert not [s.way for s in row.sensitivity if s.way.startswith("without")]
    five = compare(run(lambda dataset, model: 3 if dataset in SIX[:5] else 0, models=SEVEN))
    ways = [s.way for s in claim(five, "against-br-f1").sensitivity]
    assert [way for way in ways if way.startswith("without")] == [f"without {d}" for d in SIX[:5]]


def test_times_count_every_data_set_the_same():
    """Three splits of a slow data set must not make a model look slower than one of the other."""
    result = run(lambda dataset, model: 3)
    seconds = {
        (dataset, model, COST): dict.fromkeys(
            range(1 if (model, dataset) == ("PCC", "scene") else 3),
            100.0 if dataset == "scene" else 1.0,
        )
        for dataset in SIX
        for model in ("RethinkNet", "PCC", "CFT", "BR")
    }
    points = compare(replace(result, seconds=seconds)).advice[COST].points
    assert len({point.seconds for point in points}) == 1


def test_kinds_of_nets_are_ranked_on_common_splits():
    experiments = {"rnn_variants": Experiment(KINDS, (COST,), ("yeast", "scene"))}
    worth = dict(zip(KINDS, (0.6, 0.5, 0.55, 0.4), strict=True))

    def formula(cell):
        few = 3 if cell["model"] == "GRU-200k" else 5
        if cell["seed"] >= few or (cell["dataset"], cell["model"]) == ("scene", "IRNN-200k"):
            return None
        return worth[cell["model"]] + SHIFTS[cell["seed"]]

    part = kinds_of_nets(evidence(experiments, formula, seeds=5))
    assert part.average_ranks[COST] == {"SRN": 1.0, "LSTM": 2.0, "GRU": 3.0, "IRNN": 4.0}
    best = {row.dataset: row.rnn for row in part.rows if row.best}
    assert best == {"yeast": "SRN", "scene": "SRN"}
    assert {row.test.n for row in part.rows if row.dataset == "yeast"} == {3}


def test_the_splits_of_data_sets_in_words():
    assert splits_text({"a": 3, "b": 3}) == "3 splits each"
    assert splits_text({"a": 3, "b": 10, "c": 1, "d": 10}) == "10 splits of b and d; 3 of a; 1 of c"
    assert THIN in VARIED
