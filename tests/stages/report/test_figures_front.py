from itertools import pairwise

import pytest

from stages.report.figures import Spot, front
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

SPOTS = [
    Spot("top-k", 0.1, 4.0, True),
    Spot("BR", 1.0, 2.5, True),
    Spot("CC", 10.0, 3.0),
    Spot("RethinkNet", 100.0, 1.0, True),
]


def draw(spots=SPOTS, **options):
    return read(front(spots, "F1", **options))


def at(root, name):
    return place(tooltip(root, f"{name}: "))


def test_time_goes_right_by_decades_and_better_is_up():
    root = draw()
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = (at(root, spot.name) for spot in SPOTS)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02) == pytest.approx(x4 - x3, abs=0.02)
    assert x1 < x2
    assert y4 < y2 < y3 < y1
    assert (y1 - y3) / (y3 - y4) == pytest.approx(0.5, abs=0.01)


def test_a_score_that_should_be_great_is_also_better_up():
    spots = [Spot("low", 1.0, 0.1), Spot("high", 1.0, 0.9)]
    root = draw(spots, greater_is_better=True)
    assert at(root, "high")[1] < at(root, "low")[1]


def test_points_agree_with_the_ticks():
    root = draw()
    across = {
        t.text: float(t.get("x"))
        for t in with_class(root, "fig-tick")
        if t.get("text-anchor") == "middle"
    }
    assert at(root, "BR")[0] == pytest.approx(across["1"], abs=0.02)
    assert at(root, "CC")[0] == pytest.approx(across["10"], abs=0.02)


def test_the_front_is_steps_through_its_models():
    root = draw()
    (steps,) = with_class(root, "fig-step")
    path_corners = corners(steps)
    assert [at(root, name) for name in ("top-k", "BR", "RethinkNet")] == path_corners[:-1:2]
    for (x1, y1), (x2, y2) in pairwise(path_corners):
        assert (x1 == x2) != (y1 == y2)
        assert x2 >= x1
        assert y2 <= y1


def test_models_on_the_front_are_filled_and_the_others_hollow():
    root = draw()
    shapes = {
        spot.name: list(tooltip(root, f"{spot.name}: ").iter(f"{SVG}circle"))[-1] for spot in SPOTS
    }
    assert shapes["CC"].get("class") == "fig-hollow"
    assert shapes["BR"].get("class") is None
    assert "BR: average rank 2.50, 1.00 CPU seconds, on the front" in named(root)
    assert "CC: average rank 3.00, 10.00 CPU seconds" in named(root)


def test_the_recommended_model_has_a_ring_and_a_bold_name():
    root = draw(chosen="BR")
    mark = tooltip(root, "BR: average rank 2.50, 1.00 CPU seconds, on the front, recommended")
    assert len(list(mark.iter(f"{SVG}circle"))) == 3
    (bold,) = [t.text for t in with_class(root, "fig-name") if t.get("font-weight")]
    assert bold == "BR"
    assert "Recommended: BR." in desc(root)


def test_every_model_is_named_without_overlap():
    spots = [Spot(f"model-{i}", 1.0 + i / 10, 3.0 + i / 5, i % 2 == 0) for i in range(8)]
    names = with_class(draw(spots), "fig-name")
    assert sorted(t.text for t in names) == sorted(spot.name for spot in spots)
    places = [(float(t.get("x")), float(t.get("y"))) for t in names]
    for i, (x1, y1) in enumerate(places):
        assert all(abs(x1 - x2) > 40 or abs(y1 - y2) > 10 for x2, y2 in places[i + 1 :])


@pytest.mark.parametrize(
    "spots", [[Spot("a", 1.0, 1.0, True)], [Spot("a", 1.0, 1.0), Spot("b", 1.0, 1.0)]]
)
def test_one_point_and_equal_points_are_drawn(spots):
    assert len(named(draw(spots))) == len(spots)


def test_a_time_of_zero_is_drawn_at_the_least_and_said():
    root = draw([Spot("zeros", 0.0, 3.0, True), Spot("top-k", 0.004, 2.0, True), *SPOTS[1:]])
    assert at(root, "zeros")[0] == at(root, "top-k")[0] < at(root, "BR")[0]
    assert "Times below 0.01 s are drawn there." in desc(root)
    (steps,) = with_class(root, "fig-step")
    assert corners(steps)[0] == at(root, "top-k")


def test_a_model_without_time_or_value_is_left_out_and_said():
    root = draw([*SPOTS, Spot("CFT", None, 2.0), Spot("PCC", 3.0, float("nan"))])
    assert "CFT" not in texts(root)
    assert "left out: CFT, PCC." in desc(root)
    with pytest.raises(ValueError, match="nothing to draw"):
        draw([Spot("CFT", None, 2.0)])
