"""Numbers and lists as the page writes them."""

from stages.common.words import (
    change,
    counted,
    duration,
    fixed,
    gains,
    isolated,
    listed,
    p_text,
    percent,
    rank_text,
    raw,
    share_text,
    short,
    signed,
    within,
)
from stages.report.table import Entry, piece


def test_numbers_have_fixed_decimals_a_true_minus_and_no_negative_zero():
    numbers = (None, 1234.567, -0.001, -2.5)
    assert " ".join(fixed(value, 2) for value in numbers) == "– 1,234.57 0.00 −2.50"
    assert [signed(value, 1) for value in (0.04, 2.0, -2.0)] == ["0.0", "+2.0", "−2.0"]
    assert [short(value) for value in (1234, 0.12345, 12.345, 123.456)] == [
        *("1,234", "0.123", "12.35", "123.5")
    ]


def test_raw_values_are_plain_for_sorting_and_downloads():
    assert [raw(value) for value in (None, "win", 0.1 + 0.2, 1234567.0)] == [
        *("", "win", "0.3", "1.23457e+06")
    ]


def test_ranks_counts_and_lists_read_well():
    assert [rank_text(rank) for rank in (None, 2.0, 2.5, 10 / 3)] == ["–", "2", "2.5", "3.33"]
    assert [counted(n, "seed") for n in (1, 2, 1000)] == ["1 seed", "2 seeds", "1,000 seeds"]
    assert [listed(names) for names in ([], ["a"], ["a", "b", "c"])] == ["none", "a", "a, b and c"]


def test_a_title_inside_a_sentence_keeps_its_names():
    titles = ("Rank loss", "Accuracy score", "Hamming loss", "F1 score", "asymmetric-5-1", "")
    written = ["rank loss", "accuracy score", "Hamming loss", "F1 score", "asymmetric-5-1", ""]
    assert [within(title) for title in titles] == written


def test_a_name_cannot_turn_the_sentence_around_it():
    assert isolated("PCC-1 <b>") == "PCC-1 <b>"
    assert isolated("a\u202eb") == "\u2068a\u202eb\u2069"
    assert listed(["a", "עברית"]) == "a and \u2068עברית\u2069"


def test_p_values_are_never_zero():
    assert [p_text(p) for p in (0.0, 0.0009, 0.0254, 0.04, 0.4)] == [
        *("p < 0.001", "p < 0.001", "p = 0.025", "p = 0.04", "p = 0.40")
    ]


def test_a_gain_that_is_none_is_a_loss():
    assert [gains(share) for share in (0.123, 0.03, 0.0, -0.001)] == [
        *("gains 12 %", "gains 3.0 %", "gains 0 %", "loses 0.1 %")
    ]
    assert [change(share) for share in (0.123, 0.005, 0.0, -0.001)] == [
        *("+12 %", "+0.5 %", "0 %", "−0.1 %")
    ]
    assert percent(-0.25) == "−25 %"


def test_times_take_the_unit_a_reader_thinks_in():
    seconds = (None, 0.0042, 0.66, 42.0, 600.0, 7200.0, 864_000.0)
    assert [duration(value) for value in seconds] == [
        *("–", "0.0042 s", "0.66 s", "42 s", "10 min", "2.0 h", "10.0 days")
    ]


def test_markup_in_names_is_escaped_everywhere():
    hostile = "<b>&"
    pieces = [
        piece("name", hostile, hostile, hostile),
        piece("sign", hostile, hostile, hostile),
        piece("starred", hostile, True),
        piece("switched", "rank", {"mid": Entry(hostile, hostile)}),
        piece("link", hostile, hostile),
        piece("failed", hostile),
        piece("joined", hostile, hostile),
    ]
    assert all("<b>&" not in piece.replace("<b><span", "") for piece in pieces)


def test_a_probability_shows_on_which_side_of_a_limit_it_lies():
    assert [share_text(p) for p in (0.999, 0.003, 0.947)] == ["> 0.99", "< 0.01", "0.95"]
    limits = (0.05, 0.95)
    texts = [share_text(p, limits) for p in (0.7, 0.947, 0.9498, 0.953, 0.0498)]
    assert texts == ["0.70", "0.947", "0.9498", "0.95", "0.0498"]
