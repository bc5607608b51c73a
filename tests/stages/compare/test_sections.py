import numpy as np
import pytest

from stages.common.errors import UserError
from stages.common.outcomes import Number, TTest
from stages.compare.comparison import compare
from stages.compare.experiments import sections
from stages.compare.experiments.datasets import wrong_counts
from stages.compare.experiments.memory import label_correlation, permutation_test, unit_diagonal
from tests.stages.compare.made import KINDS, NETS, Experiment, evidence, labels, paper, wobble


def section(run, name):
    """The part of one experiment."""
    return sections(run)[name]


def test_an_experiment_without_a_module_is_named_with_the_remedy():
    run = evidence({"depth": Experiment(("SRN-5",), ("f1",), ("yeast",))}, lambda cell: 0.5)
    with pytest.raises(UserError, match=r"there is no stages/compare/experiments/depth\.py"):
        sections(run)


def test_only_the_experiments_of_the_run_have_a_section():
    experiments = {"rethinking": Experiment(("SRN-5",), ("f1",), ("yeast",))}
    assert set(compare(evidence(experiments, lambda cell: 0.5)).experiments) == {"rethinking"}


def test_a_curve_has_a_point_for_each_iteration_and_part():
    experiments = {"rethinking": Experiment(("SRN-5",), ("f1",), ("yeast",))}

    def score(cell):
        return 0.1 * cell["iteration"] + (cell["part"] == "train") + wobble(cell["seed"])

    curve = section(evidence(experiments, score), "rethinking").curves[0]
    assert curve.iterations == [1, 2, 3, 4, 5]
    assert [point.mean for point in curve.test] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert curve.train[4].mean == pytest.approx(1.5)
    assert (curve.test[0].n, curve.title) == (3, "F1 score")


def test_a_curve_of_failed_cells_is_left_out():
    experiments = {"rethinking": Experiment(("SRN-5",), ("f1",), ("yeast", "scene"))}

    def score(cell):
        return "no" if cell["dataset"] == "yeast" else 0.5

    curves = section(evidence(experiments, score), "rethinking").curves
    assert [curve.dataset for curve in curves] == ["scene"]


def test_reweighting_is_tested_both_ways_beside_the_printed_numbers():
    experiments = {"reweighting": Experiment(NETS, ("rank",), ("emotions", "chain"))}

    def score(cell):
        return 1.5 + (cell["model"].endswith("-plain")) + wobble(cell["seed"], 0.1)

    rows = section(evidence(experiments, score, paper=paper()), "reweighting").rows
    assert [(row.dataset, row.rnn) for row in rows] == [
        ("emotions", "LSTM"),
        ("emotions", "SRN"),
        ("chain", "LSTM"),
        ("chain", "SRN"),
    ]
    first = rows[0]
    assert first.test == TTest("win", 0.0, 3)
    assert first.corrected.result == "win"
    assert first.gain_in_ste > 0
    assert first.printed.plain == Number(3.48, 0.13)
    assert (first.decimals, rows[2].printed) == (2, None)


def test_where_empty_sets_matter_the_nets_are_counted_as_printed():
    experiments = {
        "reweighting": Experiment(NETS, ("f1",), ("birds",)),
        "rnn_variants": Experiment(KINDS, ("f1",), ("birds",)),
    }

    def score(cell):
        return (0.6 if cell["empty"] else 0.2) + wobble(cell["seed"])

    run = evidence(experiments, score, paper=paper())
    for name in ("reweighting", "rnn_variants"):
        rows = section(run, name).rows
        assert {row.empty for row in rows} == {0.0}
    assert rows[0].test.mean == pytest.approx(0.2)


def test_a_pair_with_a_net_that_was_not_run_is_no_row():
    experiments = {"reweighting": Experiment(NETS[:2], ("rank",), ("emotions",))}
    rows = section(evidence(experiments, lambda cell: 1.0), "reweighting").rows
    assert [row.rnn for row in rows] == ["LSTM"]
    assert rows[0].gain_in_ste is None


def rnn_run(**changes):
    values = {"SRN-200k": 0.7, "GRU-200k": 0.6, "LSTM-200k": 0.7, "IRNN-200k": 0.5} | changes

    def score(cell):
        value = values[cell["model"]]
        return value if isinstance(value, str) else value + wobble(cell["seed"])

    experiment = Experiment(KINDS, ("f1",), ("yeast", "scene"))
    return section(evidence({"rnn_variants": experiment}, score, paper=paper()), "rnn_variants")


def test_the_best_kinds_of_net_are_marked_and_ranked():
    result = rnn_run()
    best = {row.rnn for row in result.rows if row.best}
    assert best == {"SRN", "LSTM"}
    assert result.average_ranks["f1"] == {"SRN": 1.5, "GRU": 3.0, "LSTM": 1.5, "IRNN": 4.0}
    assert result.rows[0].printed["test"] == Number(0.641, 0.005)


def test_a_kind_of_net_that_failed_has_no_rank_and_does_not_spoil_the_others():
    result = rnn_run(**{"IRNN-200k": "diverged"})
    failed = next(row for row in result.rows if row.rnn == "IRNN")
    assert (failed.test.mean, failed.best) == (None, False)
    assert result.average_ranks["f1"] == {"SRN": 1.5, "GRU": 3.0, "LSTM": 1.5}


def test_selection_by_the_largest_loss_stands_between_right_selection_and_trivial():
    values = {"BR": 1.7, "BR-by-max": 3.65, "all-zeros": 3.63}
    experiments = {
        "algorithms": Experiment(("BR", "all-zeros"), ("rank",), ("emotions",)),
        "selected_by_max": Experiment(("BR-by-max",), ("rank",), ("emotions",)),
    }
    run = evidence(
        experiments,
        lambda cell: values[cell["model"]] + wobble(cell["seed"], 0.01),
        paper=paper(),
    )
    (row,) = section(run, "selected_by_max").rows
    assert row.model == "BR"
    assert [mean.mean for mean in (row.best, row.max, row.all_zeros)] == pytest.approx(
        [1.7, 3.65, 3.63]
    )
    assert row.printed == Number(3.64, 0.02)
    assert abs(row.max_z) < 1 < 10 < abs(row.best_z)


def test_an_overfitted_model_stands_beside_the_tuned_one_on_the_splits_of_both():
    values = {"PCC": {"test": 8.7, "train": 7.8}, "PCC-overfitted": {"test": 9.75, "train": 8.5}}

    def score(cell):
        lone = cell["seed"] > 2  # splits of the tuned one alone, which would change its mean
        if lone and cell["model"] == "PCC-overfitted":
            return None
        return 99.0 if lone else values[cell["model"]][cell["part"]] + wobble(cell["seed"], 0.01)

    experiments = {
        "algorithms": Experiment(("PCC",), ("rank",), ("yeast",)),
        "overfitting": Experiment(("PCC-overfitted",), ("rank",), ("yeast",)),
    }
    run = evidence(experiments, score, paper=paper(), seeds=5)
    (row,) = section(run, "overfitting").rows
    assert (row.model, row.dataset, row.greater_is_better) == ("PCC", "yeast", False)
    means = (row.tuned, row.overfitted, row.tuned_train, row.overfitted_train)
    assert [mean.mean for mean in means] == pytest.approx([8.7, 9.75, 7.8, 8.5])
    assert {mean.n for mean in means} == {3}
    assert row.printed.mean == 9.76
    assert abs(row.overfitted_z) < 1 < 5 < abs(row.tuned_z)


def test_counts_must_agree_and_ratios_may_be_rounded_either_way():
    ours = {"features": 72, "labels": 6, "instances": 593, "cardinality": 1.8685, "density": 0.311}
    assert wrong_counts(ours, ours | {"cardinality": 1.869}) == []
    assert wrong_counts(ours, ours | {"features": 593, "cardinality": 1.9}) == [
        "features",
        "cardinality",
    ]


def test_rows_of_the_memory_are_scaled_to_a_diagonal_of_one():
    scaled, left = unit_diagonal(np.array([[2.0, 1.0], [3.0, 4.0]]))
    assert scaled.tolist() == [[1.0, 0.5], [0.75, 1.0]]
    assert left.tolist() == [False, False]


@pytest.mark.parametrize("diagonal", [0.0, 0.01, -2.0])
def test_a_row_without_a_positive_diagonal_is_left_as_it_is_and_told(diagonal):
    scaled, left = unit_diagonal(np.array([[diagonal, 1.0], [3.0, 4.0]]))
    assert scaled[0].tolist() == [diagonal, 1.0]
    assert left.tolist() == [True, False]


def test_label_correlation_is_pearsons_and_a_constant_label_has_none():
    matrix = labels(count=4)
    assert label_correlation(matrix) == pytest.approx(np.corrcoef(matrix.T))
    matrix[:, 2] = 1
    result = label_correlation(matrix)
    assert result[2].tolist() == [0.0, 0.0, 1.0, 0.0]


def test_the_permutation_test_finds_what_is_there_and_nothing_in_noise():
    correlation = label_correlation(labels(count=8))
    noise = np.random.default_rng(1).normal(size=(8, 8))
    r, p = permutation_test(correlation + 0.1 * noise, correlation)
    assert r > 0.9
    assert p < 0.01
    r, p = permutation_test(noise, correlation)
    assert abs(r) < 0.5
    assert p > 0.05
    assert permutation_test(np.eye(8), correlation) == (None, None)
    assert permutation_test(np.ones((1, 1)), np.ones((1, 1))) == (None, None)


def test_r_is_pearsons_correlation_of_the_entries_off_the_diagonal():
    correlation = label_correlation(labels(count=5))
    memory = np.random.default_rng(2).normal(size=(5, 5))
    off = ~np.eye(5, dtype=bool)
    expected = np.corrcoef(memory[off], correlation[off])[0, 1]
    assert permutation_test(memory, correlation, 9)[0] == pytest.approx(expected)


def memory_matrix(memories, matrix, names):
    """The part of a run that has learned these memories on `yeast`."""
    run = evidence(
        {"memory": Experiment(("SRN-memory",), ("hamming",), ("yeast",))},
        lambda cell: 0.5,
        memories={("yeast", "SRN-memory", "hamming"): memories},
        labels={"yeast": matrix},
        cards={"yeast": {"label_names": names}},
    )
    (result,) = section(run, "memory").matrices
    return result


def test_the_memory_shown_is_the_mean_over_the_seeds():
    matrices = {0: np.array([[1.0, 0.2], [0.4, 1.0]]), 1: np.array([[3.0, 0.8], [0.4, -0.9]])}
    result = memory_matrix(matrices, labels(count=2), ["<b>", "two"])
    assert result.memory == [[1.0, 0.25], [0.4, pytest.approx(0.05)]]
    assert (result.seeds, result.unscaled) == (2, ["two"])
    assert result.labels == ["<b>", "two"]


def test_a_row_with_a_small_diagonal_does_not_decide_whether_memory_captures_correlation():
    matrix = labels(count=8)
    memory = label_correlation(matrix)
    memory[0] = -0.3 * memory[0]
    memory[0, 0] = 0.1  # just enough to scale by: the row is then ten times as large
    result = memory_matrix({0: memory}, matrix, list("abcdefgh"))
    assert result.p < 0.05
    assert result.scaled_r < result.r
