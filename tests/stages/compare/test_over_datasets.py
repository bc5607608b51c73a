import warnings

import pytest

from stages.compare import significance


def over_datasets(means, greater):
    scores = {
        dataset: {model: {0: x, 1: x} for model, x in row.items() if x is not None}
        for dataset, row in means.items()
    }
    return significance.over_datasets(means, scores, greater, "RethinkNet")


CLEAR = {f"d{i:02}": {"RethinkNet": 0.9, "B": 0.5 + i / 100, "C": 0.1} for i in range(12)}


def test_clear_differences_are_told_apart_by_every_test():
    result = over_datasets(CLEAR, greater=True)
    assert result.why is None
    assert result.friedman.p < 0.001
    assert (result.friedman.n, result.friedman.k) == (12, 3)
    assert result.nemenyi.cd == pytest.approx(0.957, abs=0.01)
    assert result.nemenyi.groups == []
    assert [(pair.b, pair.better) for pair in result.control] == [
        ("B", "RethinkNet"),
        ("C", "RethinkNet"),
    ]
    assert [pair.better for pair in result.wilcoxon_holm] == ["RethinkNet", "RethinkNet", "B"]
    assert result.groups == []
    assert [row.b for row in result.signed_rank] == ["B", "C"]
    assert all(row.p_a > 0.99 for row in result.signed_rank)


def test_a_smaller_loss_is_better():
    result = over_datasets(CLEAR, greater=False)
    assert [pair.better for pair in result.wilcoxon_holm] == ["B", "C", "C"]
    assert [pair.better for pair in result.control] == ["B", "C"]
    assert all(row.p_b > 0.99 for row in result.signed_rank)


def test_losses_are_compared_as_shares_of_the_larger_of_the_two():
    means = {f"d{i}": {"A": 10.0**i, "B": 10.0**i * 1.005, "C": 10.0**i * 2} for i in range(6)}
    result = over_datasets({d: row | {"RethinkNet": row["A"]} for d, row in means.items()}, False)
    assert result.scale == "relative"
    beside_b = next(row for row in result.signed_rank if row.b == "B")
    assert beside_b.p_rope > 0.9  # half a percent is no practical difference at any size
    beside_c = next(pair for pair in result.pairs if (pair.a, pair.b) == ("C", "RethinkNet"))
    assert beside_c.gain == pytest.approx(-0.5)
    assert over_datasets(CLEAR, True).scale == "absolute"


def test_losses_of_zero_are_no_difference():
    means = {f"d{i}": {"RethinkNet": 0.0, "B": 0.0, "C": 4.0} for i in range(6)}
    result = over_datasets(means, greater=False)
    assert {(pair.a, pair.b): pair.gain for pair in result.pairs} == {
        ("RethinkNet", "B"): 0.0,
        ("RethinkNet", "C"): 1.0,
        ("B", "C"): 1.0,
    }


@pytest.mark.parametrize(
    ("means", "why"),
    [
        ({}, "3 models"),
        ({"d1": {"A": 0.1, "B": 0.2}, "d2": {"A": 0.1, "B": 0.2}}, "3 models"),
        ({"d1": {"A": 0.1, "B": 0.2, "C": 0.3}}, "2 data sets"),
        ({"d1": {"A": 0.1, "B": None, "C": 0.3}, "d2": {"A": None, "B": 1.0, "C": 1.0}}, "2 data"),
    ],
)
def test_with_too_little_nothing_is_said_and_it_says_why(means, why):
    result = over_datasets(means, greater=False)
    assert why in result.why
    assert (result.friedman, result.nemenyi, result.wilcoxon_holm) == (None, None, [])


def test_a_data_set_that_lacks_a_model_is_left_out_and_named():
    gap = {"RethinkNet": 0.9, "B": 0.5, "C": None}
    result = over_datasets(CLEAR | {"gap": gap, "hole": gap}, True)
    assert not {"gap", "hole"} & set(result.datasets)
    assert result.left_out == ["gap", "hole"]
    assert result.left_out_why == ["gap and hole (no value of C)"]


def test_equal_models_give_no_number_that_is_none_and_no_warning():
    means = {f"d{i}": {"A": 0.5, "B": 0.5, "RethinkNet": 0.5} for i in range(4)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = over_datasets(means, greater=True)
    assert result.friedman is None
    assert "equal" in result.note
    assert result.control == []  # on four data sets it could not speak
    assert all(
        (pair.gain, pair.win, pair.tie, pair.loss) == (0.0, 0, 4, 0) for pair in result.pairs
    )


def test_all_pairs_are_tested_only_on_twelve_data_sets_or_more():
    fewer = {name: CLEAR[name] for name in list(CLEAR)[:11]}
    result = over_datasets(fewer, True)
    assert (result.wilcoxon_holm, result.groups) == ([], [])
    assert [pair.better for pair in result.control] == ["RethinkNet", "RethinkNet"]
    assert len(result.pairs) == 3


def test_a_pair_has_its_mean_gain_its_wins_and_its_p():
    result = over_datasets(CLEAR, True)
    pair = next(pair for pair in result.pairs if (pair.a, pair.b) == ("RethinkNet", "B"))
    gains = [(row["RethinkNet"] - row["B"]) / row["RethinkNet"] for row in CLEAR.values()]
    assert pair.gain == pytest.approx(sum(gains) / 12)
    assert (pair.win, pair.tie, pair.loss) == (12, 0, 0)
    assert pair.p == pytest.approx(2 / 2**12)


def test_a_standing_has_the_rank_its_interval_what_is_left_and_what_is_won():
    result = over_datasets(CLEAR, True).standings
    first = result["RethinkNet"]
    assert (first.rank, first.low, first.high) == (1.0, 1.0, 1.0)
    assert (first.improvability, first.win_rate) == (0.0, 1.0)
    assert result["C"].improvability == pytest.approx(1 - 0.1 / 0.9)
    assert (result["B"].win_rate, result["C"].win_rate) == (0.5, 0.0)


def test_it_is_said_when_no_result_could_tell_two_models_apart():
    few = {name: CLEAR[name] for name in list(CLEAR)[:4]}
    assert "too few for it to tell" in over_datasets(few, True).note
    assert over_datasets(CLEAR, True).note is None
