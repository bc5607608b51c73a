import pytest

from stages.report.figures import Point, curves
from tests.stages.report.svg_reading import (
    SVG,
    corners,
    desc,
    named,
    place,
    read,
    texts,
    tooltip,
    with_class,
)


def draw(train, test=(), iterations=None):
    series = {"train": train, "test": test} if test else {"train": train}
    return read(curves(iterations or range(1, len(train) + 1), series, "yeast", "F1, higher"))


def test_a_larger_value_is_higher_and_a_later_iteration_is_farther_right():
    root = draw([Point(0.1), Point(0.3), Point(0.2)])
    (x1, y1), (x2, y2), (x3, y3) = (
        place(tooltip(root, f"train, iteration {i}:")) for i in (1, 2, 3)
    )
    assert x1 < x2 < x3
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02)
    assert y2 < y3 < y1
    assert y3 == pytest.approx((y1 + y2) / 2, abs=0.02)


def test_points_lie_where_the_ticks_of_the_axis_say():
    root = draw([Point(0.2), Point(0.4)])
    ticks = {
        element.text: float(element.get("y"))
        for element in with_class(root, "fig-tick")
        if "." in element.text
    }
    assert place(tooltip(root, "train, iteration 1:"))[1] == pytest.approx(ticks["0.20"], abs=0.02)
    assert place(tooltip(root, "train, iteration 2:"))[1] == pytest.approx(ticks["0.40"], abs=0.02)


def test_the_band_reaches_one_standard_error_each_way():
    root = draw([Point(0.2, 0.1), Point(0.4, 0.0)])
    (band,) = with_class(root, "fig-band")[0]
    (_, upper), (_, second), (_, also_second), (_, lower) = corners(band)
    y1, y2 = (place(tooltip(root, f"train, iteration {i}:"))[1] for i in (1, 2))
    assert second == also_second == y2
    assert upper - y1 == pytest.approx(y1 - lower, abs=0.02) != 0
    assert (y1 - upper) / (y1 - y2) == pytest.approx(0.1 / 0.2, abs=0.01)


def test_without_standard_errors_there_is_no_band():
    assert len(with_class(draw([Point(0.2), Point(0.4)]), "fig-band")[0]) == 0


def test_tooltips_say_mean_error_and_seeds():
    root = draw([Point(0.2, 0.0123, 10), Point(0.4)])
    assert list(named(root)) == [
        "train, iteration 1: 0.200 ± 0.012 (10 seeds)",
        "train, iteration 2: 0.400",
    ]


def test_series_are_named_at_their_ends_and_differ_in_dash_and_shape():
    root = draw([Point(0.2), Point(0.4)], [Point(0.2), Point(0.4)])
    names = with_class(root, "fig-name")
    assert [name.text for name in names] == ["train", "test"]
    assert abs(float(names[0].get("y")) - float(names[1].get("y"))) >= 12
    dashes = [path.get("stroke-dasharray") for path in root.iter(f"{SVG}path")]
    assert None in dashes
    assert "7 4" in dashes


@pytest.mark.parametrize("missing", [None, Point(None), Point(float("nan"))])
def test_a_missing_value_breaks_the_line_and_is_said(missing):
    root = draw([Point(0.1, 0.01), Point(0.2, 0.01), missing, Point(0.3, 0.01), Point(0.4, 0.01)])
    lines = [path for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "2"]
    assert [len(corners(path)) for path in lines] == [2, 2]
    assert len(named(root)) == 4
    assert "1 of the values are missing" in desc(root)


@pytest.mark.parametrize(
    "points", [[Point(0.5)], [Point(0.5, 0.1)], [Point(0.5)] * 4, [Point(0.0)] * 2, [Point(-7.0)]]
)
def test_one_point_and_equal_values_are_drawn(points):
    root = draw(points)
    assert len(named(root)) == len(points)
    assert len({place(element)[1] for element in named(root).values()}) == 1


def test_a_series_without_any_value_is_said_and_none_at_all_is_refused():
    root = draw([Point(0.5)] * 2, [None, None])
    assert "test: no value." in desc(root)
    with pytest.raises(ValueError, match="nothing to draw"):
        draw([None, None])


def test_many_iterations_have_few_ticks():
    root = draw([Point(i / 40) for i in range(40)])
    assert 5 <= sum(text.isdigit() for text in texts(root)) <= 10
    assert len(named(root)) == 40


def test_the_description_gives_the_first_and_the_last_value():
    assert "train: 0.100 at 1, 0.300 at 3." in desc(draw([Point(0.1), Point(0.2), Point(0.3)]))
