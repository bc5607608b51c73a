"""Markup, scales and the places of names."""

import doctest
from itertools import pairwise

import pytest

from stages.report.figures import heat_map, scales, svg
from stages.report.figures.scales import Scale, log_ticks, padded, plain, ticks
from stages.report.figures.scatter import Box, Dot, place_labels
from stages.report.figures.svg import (
    DASHES,
    SERIES,
    SHAPES,
    dash,
    marker,
    shortened,
    tag,
    text_width,
)


def test_attributes_and_children_are_escaped():
    element = tag("text", "<b> & ", tag("tspan", "ok"), class_='a"b')
    assert element == '<text class="a&#34;b">&lt;b&gt; &amp; <tspan>ok</tspan></text>'


def test_a_long_text_is_shortened_to_fit():
    assert shortened("short", 100) == "short"
    cut = shortened("a rather long name of a label", 60)
    assert cut.endswith("…")
    assert text_width(cut) <= 60
    assert cut[:-1] in "a rather long name of a label"


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (0.613, 0.674), (-3.0, 8.0), (1375.0, 1490.0), (1e-5, 3e-5)]
)
def test_ticks_are_few_round_and_inside(low, high):
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 7
    assert all(low <= tick <= high for tick in marks)
    steps = {round((b - a) / (high - low), 6) for a, b in pairwise(marks)}
    assert len(steps) == 1
    assert all(float(f"{tick:.4g}") == pytest.approx(tick) for tick in marks)


@pytest.mark.parametrize(("low", "high"), [(0.006, 500), (1.9, 4.8), (0.5, 30)])
def test_log_ticks_are_some_and_inside(low, high):
    marks = log_ticks(low, high)
    assert 2 <= len(marks) <= 9
    assert all(low <= tick <= high for tick in marks)


def test_ticks_of_a_log_axis_are_plain_numbers():
    assert [plain(tick) for tick in (0.01, 0.5, 1.0, 1000.0)] == ["0.01", "0.5", "1", "1,000"]


def test_equal_values_still_have_a_range():
    for value in (0.0, 2.0, -1e-9):
        low, high = padded([value, value])
        assert low < value < high


def test_a_log_scale_gives_each_decade_the_same_room():
    scale = Scale(0.1, 1000, 0, 400, log=True)
    assert [scale(x) for x in (0.1, 1, 10, 1000)] == pytest.approx([0, 100, 200, 400])


def test_series_differ_without_their_colour():
    looks = {(dash(i), str(marker(i, 0, 0))) for i in range(SERIES)}
    assert len(looks) == SERIES == 2 * len(SHAPES) == 2 * len(DASHES)


def test_names_of_neighbours_do_not_overlap():
    dots = [Dot(f"model {i}", 100 + i, 100 + 12 * i, 4.5) for i in range(6)]
    boxes = place_labels(dots, [(90, 90), (300, 90)], Box(0, 0, 300, 300))
    for i, one in enumerate(boxes):
        assert one.outside(Box(0, 0, 300, 300)) == 0
        assert sum(one.overlap(other) for other in boxes[i + 1 :]) == 0


def test_a_name_at_the_edge_goes_to_the_other_side():
    (box,) = place_labels([Dot("model", 295, 50, 4)], [], Box(0, 0, 300, 100))
    assert box.right < 295


def test_the_examples_in_the_docstrings_run():
    modules = [scales, svg, heat_map]
    assert [doctest.testmod(module).failed for module in modules] == [0, 0, 0]
    assert all(doctest.testmod(module).attempted for module in modules)
