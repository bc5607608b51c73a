import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

from stages.common.outcomes import Mean, Number
from stages.common.schema import Sides
from stages.compare.comparison import compare
from stages.compare.evidence import Paper
from stages.compare.numbers import errors_apart, seed_gains, share_gained
from stages.compare.printed import paper_section, same_sides
from tests.stages.compare.made import SEVEN, Experiment, evidence, paper, wobble

PRINTED = {"A": Number(0.3, None), "B": Number(0.2, None), "C": Number(0.3, None)}


def run(cost, dataset, values, empty_0=None, **more):
    experiments = {"algorithms": Experiment(tuple(values), (cost,), (dataset,))}

    def score(cell):
        source = empty_0 if empty_0 and cell["empty"] == 0.0 else values
        value = source[cell["model"]]
        return value if isinstance(value, str) else value + wobble(cell["seed"])

    return evidence(experiments, score, paper=paper(), **more)


def ran(result, table="algorithms"):
    """The numbers of the data sets and costs in the run."""
    names = {result.paper_name(d) for e in result.experiments.values() for d in e.datasets}
    costs = {cost for e in result.experiments.values() for cost in e.costs}
    return [
        row
        for row in paper_section(result).rows
        if row.table == table and row.dataset in names and row.cost in costs
    ]


def rows(result):
    return {row.model: row for row in ran(result)}


def test_every_printed_number_of_the_run_is_listed_also_where_ours_is_missing():
    values = dict.fromkeys(SEVEN[:5], 0.2) | {"CC-RNN": "out of time"}
    result = rows(run("hamming", "yeast", values))
    assert list(result) == list(SEVEN)
    assert result["CC-RNN"].ours is None
    assert result["BR"].ours is None
    assert {result[m].status for m in ("CC-RNN", "BR")} == {"not run"}


def test_all_tables_are_there_whatever_was_run():
    result = paper_section(run("hamming", "yeast", {"RethinkNet": 0.2}))
    sizes = Counter(row.table for row in result.rows)
    assert sizes == {
        "algorithms": 296, "reweighting": 66, "rnn_variants": 176, "mscoco": 16, "ttest": 30,
        "datasets": 55,
    }  # fmt: skip
    assert sum(row.numbers for row in result.summary) == sizes.total()
    assert {row.status for row in result.rows if row.dataset != "yeast"} == {"not run"}


def test_what_the_paper_leaves_blank_is_not_a_number():
    assert "CC-DP" not in rows(run("rank", "cal500", {"CC-DP": 1600.0, "BR": 1500.0}))


def test_the_difference_is_in_pooled_standard_errors():
    row = rows(run("rank", "yeast", {"RethinkNet": 8.5, "PCC": 9.0}))["RethinkNet"]
    spread = (3 * 2 * row.ours.ste**2 + 10 * 9 * 0.11**2) / (2 + 9)
    assert row.z == pytest.approx((8.5 - 8.89) / math.sqrt(spread * (1 / 3 + 1 / 10)))


def test_pooled_errors_are_those_of_the_t_test_of_two_samples():
    rng = np.random.default_rng(0)
    one, ten = rng.normal(0.5, 0.1, 4), rng.normal(0.6, 0.1, 10)
    ours = Mean(one.mean(), one.std(ddof=1) / 2, 4)
    printed = Number(ten.mean(), ten.std(ddof=1) / math.sqrt(10))
    expected = ttest_ind(one, ten).statistic
    assert errors_apart(ours, printed, 3) == pytest.approx(expected)


def test_one_split_is_as_uncertain_as_a_split_of_the_paper():
    printed = Number(8.89, 0.11)
    apart = errors_apart(Mean(8.5, None, 1), printed, 2)
    assert apart == pytest.approx((8.5 - 8.89) / (0.11 * math.sqrt(10) * math.sqrt(1.1)))
    assert errors_apart(Mean(8.5, None, 0), printed, 2) == pytest.approx((8.5 - 8.89) / 0.11)


def test_a_wide_spread_of_ours_is_not_made_narrow_by_the_papers():
    wide = errors_apart(Mean(8.5, 1.0, 3), Number(8.89, 0.01), 2)
    assert wide == pytest.approx((8.5 - 8.89) / math.hypot(1.0, 0.01))


def test_a_printed_error_of_zero_counts_as_half_a_unit():
    assert errors_apart(Mean(0.012, 0.0, 0), Number(0.01, 0.0), 3) == pytest.approx(4.0)
    assert errors_apart(Mean(None, None, 0), Number(1.0, 0.1), 1) is None


def test_a_comparison_on_the_other_side_is_named():
    sides = same_sides("A", PRINTED, {"B": (0.1, 0.2), "C": (0.1, 0.4)})
    assert sides == Sides(agree=1, of=2, disagree=["B"])


def test_printed_ties_agree_with_anything_and_absent_models_are_not_counted():
    assert same_sides("A", PRINTED, {"B": (None, None), "C": (0.9, 0.1)}) == Sides(1, 1, [])
    assert same_sides("A", PRINTED, {}).of == 0


def test_a_tie_of_ours_does_not_agree_with_a_printed_difference():
    assert same_sides("A", PRINTED, {"B": (0.2, 0.2), "C": (0.2, 0.2)}).disagree == ["B"]


def test_on_birds_each_number_is_counted_as_it_was_printed():
    values, empty_0 = dict.fromkeys(SEVEN, 0.6), dict.fromkeys(SEVEN, 0.2)
    accuracy = rows(run("accuracy", "birds", values, empty_0))
    assert {m: accuracy[m].empty for m in SEVEN} == {
        "RethinkNet": 0.0,
        "PCC": 0.0,
        "CFT": 1.0,
        "CC-DP": 1.0,
        "CC": 1.0,
        "CC-RNN": 1.0,
        "BR": 1.0,
    }
    assert accuracy["BR"].ours.mean == pytest.approx(0.6)
    assert accuracy["RethinkNet"].ours.mean == pytest.approx(0.2)
    f1 = rows(run("f1", "birds", values, empty_0))
    assert {row.empty for row in f1.values()} == {0.0}


def test_where_the_convention_changes_nothing_ours_is_named():
    result = rows(run("f1", "yeast", dict.fromkeys(SEVEN, 0.6)))
    assert {row.empty for row in result.values()} == {1.0}


def test_a_number_that_differs_names_the_flaw_that_explains_it():
    values = dict.fromkeys(SEVEN, 1.6) | {"all-zeros": 3.63}
    result = rows(run("rank", "emotions", values))
    assert {result[m].flaw for m in ("BR", "CC", "CC-DP", "CC-RNN")} == {"rank-trivial"}
    assert result["RethinkNet"].flaw is None
    pcc = rows(run("f1", "yeast", {"PCC": 0.65, "PCC-as-published": 0.598, "CFT": 0.646}))
    assert pcc["PCC"].flaw == "pcc-f1-rule"


def test_a_number_that_agrees_needs_no_explanation():
    result = rows(run("rank", "emotions", {"BR": 3.64, "all-zeros": 3.63}))
    assert result["BR"].flaw is None


def test_no_known_flaw_explains_a_difference_it_does_not_fit():
    result = rows(run("rank", "emotions", {"BR": 1.6, "all-zeros": 9.9}))
    assert result["BR"].flaw is None
    fits = {"PCC": 0.65, "PCC-as-published": 0.7}
    assert rows(run("f1", "yeast", fits))["PCC"].flaw is None


def test_mixed_conventions_explain_nothing_once_ours_is_counted_the_same_way():
    result = rows(run("accuracy", "birds", dict.fromkeys(SEVEN, 0.8), dict.fromkeys(SEVEN, 0.4)))
    assert not any(row.flaw for row in result.values())
    assert abs(result["BR"].z) > 2


def test_the_summary_adds_up():
    values = {"RethinkNet": 8.89, "PCC": 9.76, "CFT": 20.0}
    result = paper_section(run("rank", "yeast", values)).summary
    (row,) = (row for row in result if (row.table, row.cost) == ("algorithms", "rank"))
    assert (row.agrees, row.explained, row.differs) == (2, 0, 1)
    assert row.numbers == row.agrees + row.differs + row.not_run
    # CFT is printed as the best of the three: of the three pairs both with it turn round
    assert (row.same_side, row.comparisons) == (1, 3)


@pytest.mark.parametrize(
    ("cost", "values", "better"),
    [("rank", {"RethinkNet": 5.0, "PCC": 20.0}, 1), ("f1", {"RethinkNet": 0.8, "PCC": 0.2}, 1),
     ("f1", {"RethinkNet": 0.651}, 0)],
)  # fmt: skip
def test_the_summary_says_where_ours_is_the_better_number(cost, values, better):
    summary = paper_section(run(cost, "yeast", values)).summary
    assert sum(row.better for row in summary if row.table == "algorithms") == better


def test_a_better_fit_of_the_training_part_is_not_a_better_number():
    experiments = {"rnn_variants": Experiment(("LSTM-200k",), ("rank",), ("emotions",))}
    made = evidence(
        experiments, lambda cell: (0.1 if cell["part"] == "train" else 1.5) + wobble(cell["seed"]),
        paper=paper(),
    )  # fmt: skip
    fits = {row.model: row.status for row in ran(made, "rnn_variants") if "LSTM" in row.model}
    assert fits == {"LSTM, train part": "differs", "LSTM, test part": "agrees"}
    assert sum(row.better for row in paper_section(made).summary) == 0


def test_a_data_set_the_paper_does_not_have_adds_nothing():
    result = paper_section(run("rank", "chain", dict.fromkeys(SEVEN, 1.0))).rows
    assert {row.status for row in result} == {"not run"}


def test_the_authors_own_code_stands_beside_its_numbers():
    result = rows(run("rank", "emotions", {"RethinkNet": 1.4, "BR": 1.6}))
    assert result["RethinkNet"].authors.mean == pytest.approx((1.21 + 1.53 + 1.41) / 3)
    assert result["RethinkNet"].authors.n == 3
    assert result["BR"].authors is None
    birds = run("f1", "birds", {"RethinkNet": 0.6}, {"RethinkNet": 0.2})
    assert rows(birds)["RethinkNet"].authors.mean == pytest.approx((0.205 + 0.245) / 2)


def test_kinds_of_nets_and_reweighting_stand_beside_their_printed_numbers():
    experiments = {
        "reweighting": Experiment(("SRN", "SRN-plain"), ("rank",), ("emotions",)),
        "rnn_variants": Experiment(("SRN-200k", "GRU-200k"), ("rank",), ("emotions",)),
    }
    values = {"SRN": 1.82, "SRN-plain": 1.6, "SRN-200k": 1.81, "GRU-200k": 9.0}
    result = evidence(
        experiments, lambda cell: values[cell["model"]] + wobble(cell["seed"]), paper=paper()
    )
    weights = {row.model: row for row in ran(result, "reweighting")}
    assert (weights["reweighted"].status, weights["plain"].status) == ("agrees", "differs")
    kinds = {row.model: row for row in ran(result, "rnn_variants")}
    assert kinds["SRN, test part"].status == "agrees"
    assert kinds["GRU, test part"].status == "differs"
    assert kinds["LSTM, test part"].status == "not run"


def test_t_test_counts_are_compared_only_where_every_printed_data_set_was_run():
    result = paper_section(run("rank", "yeast", dict.fromkeys(SEVEN, 1.0))).rows
    assert {row.status for row in result if row.table == "ttest"} == {"not run"}


def test_counts_of_data_sets_agree_or_are_explained():
    card = {"features": 72, "labels": 6, "instances": 594, "cardinality": 1.8685, "density": 0.311}
    result = evidence({}, lambda cell: 1.0, paper=paper(), cards={"emotions": card})
    counts = {row.model: row for row in paper_section(result).rows if row.dataset == "emotions"}
    assert counts["features"].status == counts["cardinality"].status == "agrees"
    assert (counts["instances"].status, counts["instances"].flaw) == ("explained", "feature-counts")
    assert counts["instances"].z is None


def test_names_of_data_sets_match_in_any_case():
    frame = pd.DataFrame({"dataset": ["arts1"], "features": [7]})
    assert Paper({"datasets": frame}).rows("datasets", "Arts1") == [
        {"dataset": "arts1", "features": 7}
    ]


def test_gains_are_shares_of_the_larger_mean():
    assert share_gained(0.6, 0.5, True) == pytest.approx(1 / 6)
    assert share_gained(1.0, 4.0, False) == pytest.approx(0.75)
    assert share_gained(0.0, 0.0, True) == 0.0
    assert seed_gains({0: 1.0, 1: 3.0, 2: 9.0}, {1: 4.0, 0: 4.0}, False) == [0.75, 0.25]
    assert seed_gains({0: 1.0}, {1: 1.0}, True) == []


def test_an_empty_run_has_an_empty_comparison():
    result = compare(evidence({"algorithms": Experiment()}, lambda cell: 1.0))
    assert (result.costs, result.paper.rows, result.advice) == ({}, [], {})
    assert {flaw.verdict for flaw in result.flaws} == {"not tested"}
