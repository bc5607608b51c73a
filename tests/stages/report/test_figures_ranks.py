import pytest

from stages.report.figures import critical_difference_diagram
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

RANKS = {"CC": 3.0, "RethinkNet": 1.25, "BR": 4.0, "PCC": 1.75}


def draw(ranks=RANKS, groups=(), **options):
    return read(critical_difference_diagram(ranks, groups, "F1", **options))


def across(root, model):
    return place(tooltip(root, f"{model}: average rank"))[0]


def test_models_stand_at_their_ranks_the_best_at_the_left():
    root = draw()
    x = {model: across(root, model) for model in RANKS}
    assert x["RethinkNet"] < x["PCC"] < x["CC"] < x["BR"]
    assert (x["PCC"] - x["RethinkNet"]) / (x["BR"] - x["CC"]) == pytest.approx(0.5, abs=0.01)


def test_ranks_agree_with_the_ticks_of_the_axis():
    root = draw()
    ticks = {t.text: float(t.get("x")) for t in with_class(root, "fig-tick") if t.text.isdigit()}
    assert across(root, "CC") == pytest.approx(ticks["3"], abs=0.02)
    assert across(root, "BR") == pytest.approx(ticks["4"], abs=0.02)


def test_each_name_hangs_on_its_own_leader_and_none_cross():
    root = draw()
    leaders = {}
    for model in RANKS:
        mark = tooltip(root, f"{model}: average rank")
        (leader,) = with_class(mark, "fig-lead")
        leaders[model] = corners(leader)
        (name,) = with_class(mark, "fig-name")
        assert name.text == model
        assert float(name.get("y")) == leaders[model][-1][1]
    for one, (top, bend, _) in leaders.items():
        for other, (_, second, end) in leaders.items():
            low, high = sorted((second[0], end[0]))
            assert one == other or not (low < bend[0] < high and top[1] < second[1] < bend[1])


def test_a_bar_spans_its_group_and_bars_that_meet_are_stacked():
    root = draw(groups=[["RethinkNet", "PCC"], ["PCC", "CC"], ["CC", "BR"]])
    bars = [bar.find(f"{SVG}line") for bar in with_class(root, "fig-bar")]
    spans = [(float(bar.get("x1")), float(bar.get("x2"))) for bar in bars]
    assert spans[0][0] < across(root, "RethinkNet") < across(root, "PCC") < spans[0][1]
    assert spans[0][1] < across(root, "CC")
    heights = [bar.get("y1") for bar in bars]
    assert heights[0] != heights[1] != heights[2]
    assert heights[0] == heights[2]
    assert "not told apart: PCC, CC" in named(root)


def test_the_critical_difference_is_drawn_to_scale():
    root = draw(cd=1.5)
    mark = tooltip(root, "critical difference 1.50")
    long = next(line for line in mark.iter(f"{SVG}line") if line.get("y1") == line.get("y2"))
    one = across(root, "BR") - across(root, "CC")
    assert float(long.get("x2")) - float(long.get("x1")) == pytest.approx(1.5 * one, abs=0.05)


def test_a_critical_difference_longer_than_the_axis_is_only_named():
    root = draw(cd=9.0)
    assert "critical difference 9.00" in texts(root)
    assert "critical difference 9.00" not in named(root)


def test_the_description_says_it_all():
    root = draw(groups=[["RethinkNet", "PCC"]], cd=1.5, datasets=6)
    assert desc(root) == (
        "Average ranks over 6 data sets, 1 is the best: RethinkNet 1.25, PCC 1.75, CC 3.00, "
        "BR 4.00. The critical difference is 1.50. Not told apart: RethinkNet, PCC."
    )
    assert desc(draw()).endswith("All are told apart.")


def test_a_model_without_a_rank_is_left_out_and_said():
    root = draw({**RANKS, "CFT": None})
    assert "CFT" not in texts(root)
    assert "Without a rank and left out: CFT." in desc(root)


@pytest.mark.parametrize("ranks", [{}, {"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0, "c": None}])
def test_fewer_than_three_models_are_refused_with_a_reason(ranks):
    with pytest.raises(ValueError, match="at least 3 ranked models"):
        draw(ranks)


def test_equal_ranks_are_drawn():
    root = draw(dict.fromkeys("abc", 2.0), groups=[list("abc")])
    assert len({across(root, model) for model in "abc"}) == 1
    assert len(with_class(root, "fig-bar")) == 1
