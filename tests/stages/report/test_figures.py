"""What holds for every figure: safe, complete, the same bytes, styled by classes alone."""

import re

import pytest

import stages.report.figures
from stages.report.figures import Point, Spot, critical_difference_diagram, curves, front, heat
from tests.stages.report.svg_reading import SVG, desc, read

BAD = '<script>alert("1")</script>&\x00]]>'
PAPER = {"light": "#fcfbf8", "dark": "#15181b"}  # the background of the page


def draw_curves(name="train", title="t"):
    series = {name: [Point(0.1, 0.01, 3), None, Point(0.2)], "test": [Point(0.3)] * 3}
    return curves([1, 2, 3], series, title, "F1")


def draw_heat(name="a", title="t"):
    return heat([[1.0, -0.5, None]] * 3, [name, "b", "c"], title, "to", "from")


def draw_large_heat(name="a", title="t"):
    labels = [name, *(f"label {i}" for i in range(60))]
    matrix = [[(i - j) / 61 for j in range(61)] for i in range(61)]
    return heat(matrix, labels, title, "to", "from")


def draw_ranks(name="a", title="t"):
    ranks = {name: 1.0, "b": 2.5, "c": 2.5, "d": None}
    return critical_difference_diagram(ranks, [[name, "b"]], title, cd=1.2, datasets=4)


def draw_front(name="a", title="t"):
    spots = [Spot(name, 0.1, 2.0, True), Spot("b", 90.0, 1.0, True), Spot("c", None, 3.0)]
    return front(spots, title, chosen=name)


FIGURES = [draw_curves, draw_heat, draw_large_heat, draw_ranks, draw_front]
every_figure = pytest.mark.parametrize("draw", FIGURES)


@every_figure
def test_a_figure_is_one_named_and_described_image(draw):
    root = read(draw(title="a title"))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text == "a title"
    assert desc(root).endswith(".")
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert float(root.get("width")) <= 900


@every_figure
def test_names_with_markup_are_shown_as_text(draw):
    figure = draw(name=BAD, title=BAD)
    shown = BAD.replace("\x00", "\ufffd")
    root = read(figure)
    assert root[0].text == shown
    assert not list(root.iter(f"{SVG}script"))
    assert any(shown in (element.text or "") for element in list(root.iter())[2:])


@every_figure
def test_nothing_needs_an_inline_style_a_script_or_the_network(draw):
    figure = str(draw())
    assert "style" not in figure
    assert " on" not in re.sub(">[^<]*<", "><", figure)
    assert figure.count("http") == 1
    assert "href" not in figure
    assert "nan" not in figure.lower()


@every_figure
def test_the_same_numbers_give_the_same_bytes(draw):
    assert draw() == draw()


@every_figure
def test_every_class_is_documented(draw):
    documented = set(re.findall(r"`([^`]+)`", stages.report.figures.__doc__))
    documented |= {f"s{i}" for i in range(8)} | {f"d{i}" for i in range(11)} | {"strong"}
    used = {name for element in read(draw()).iter() for name in element.get("class", "").split()}
    assert used - documented == set()


@every_figure
def test_all_that_is_drawn_lies_inside(draw):
    root = read(draw())
    width, height = float(root.get("width")), float(root.get("height"))
    for element in root.iter():
        for across in ("x", "x1", "x2", "cx"):
            assert -1 <= float(element.get(across, 0)) <= width + 1
        for down in ("y", "y1", "y2", "cy"):
            assert -1 <= float(element.get(down, 0)) <= height + 1


def colours():
    """The colours of the style sheet, once for each scheme."""
    light, dark = stages.report.figures.STYLE.read_text().split(
        "@media (prefers-color-scheme: dark)"
    )[:2]
    return {
        scheme: dict(re.findall(r"--([sd]\d+): (#[0-9a-f]{6})", css))
        for scheme, css in (("light", light), ("dark", dark))
    }


def luminance(colour):
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", PAPER)
def test_names_in_the_colour_of_a_series_can_be_read(scheme):
    palette = colours()[scheme]
    for i in range(8):
        assert contrast(palette[f"s{i}"], PAPER[scheme]) >= 4.5


@pytest.mark.parametrize("scheme", PAPER)
def test_the_steps_of_the_scale_move_steadily_away_from_the_paper(scheme):
    palette = colours()[scheme]
    for side in (range(5, -1, -1), range(5, 11)):
        away = [contrast(palette[f"d{step}"], PAPER[scheme]) for step in side]
        assert away == sorted(away)


def test_the_style_sheet_loads_nothing_and_defines_what_is_used():
    css = stages.report.figures.STYLE.read_text()
    assert "url(" not in css
    assert "@import" not in css
    for name in [*(f".s{i} " for i in range(8)), *(f".d{i} " for i in range(11)), ".fig "]:
        assert name in css
