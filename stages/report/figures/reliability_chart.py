"""How often a label is on against its probability; on the diagonal they are the same."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from markupsafe import Markup

from stages.report.figures.scales import Scale
from stages.report.figures.svg import figure, group, heading, hit_area, line, path, tag, text

WIDTH, HEIGHT = 210, 250
LEFT, TOP, BOTTOM = 34, 46, 208
SMALLEST, LARGEST = 2.0, 7.0  # radius of a marker, which grows with the share of labels


class Bin(NamedTuple):
    """Labels of about the same probability: its mean, how often they are on, their share."""

    expected: float
    on: float
    share: float


def reliability(bins: Sequence[Bin], title: str, subtitle: str) -> Markup:
    """A marker for each bin, larger where it has more labels, and a line through them."""
    if not bins:
        raise ValueError(f"{title}: no bin has a label, there is nothing to draw")
    x, y = Scale(0, 1, LEFT, WIDTH - 8), Scale(0, 1, BOTTOM, TOP)
    points = [(x(each.expected), y(each.on)) for each in bins]
    body = [
        heading(title, WIDTH, subtitle),
        _axes(x, y),
        path([(x(0), y(0)), (x(1), y(1))], class_="fig-axis", stroke_dasharray="2 3"),
        group(
            path(points, stroke_width=1.5),
            *(_mark(each, *point) for each, point in zip(bins, points, strict=True)),
            class_="s0",
        ),
    ]
    values = ", ".join(f"{each.on:.2f} at {each.expected:.2f}" for each in bins)
    desc = f"{subtitle}. How often a label is on, by its probability: {values}."
    return figure("reliability", WIDTH, HEIGHT, title, desc, *body)


def _axes(x: Scale, y: Scale) -> Markup:
    parts: list[str] = []
    for tick in (0.0, 0.5, 1.0):
        parts.append(line(x(0), y(tick), x(1), y(tick), class_="fig-grid"))
        parts.append(text(f"{tick:g}", LEFT - 5, y(tick), class_="fig-tick", text_anchor="end"))
        parts.append(line(x(tick), y(0), x(tick), y(1), class_="fig-grid"))
        parts.append(
            text(f"{tick:g}", x(tick), BOTTOM + 12, class_="fig-tick", text_anchor="middle")
        )
    middle = (x.start + x.end) / 2
    parts.append(text("probability", middle, BOTTOM + 30, class_="fig-label", text_anchor="middle"))
    return group(*parts)


def _mark(each: Bin, x: float, y: float) -> Markup:
    radius = SMALLEST + (LARGEST - SMALLEST) * sqrt(each.share)
    tooltip = (
        f"probability {each.expected:.2f}: {each.on:.2f} are on, {each.share:.1%} of all labels"
    )
    circle = tag("circle", cx=x, cy=y, r=radius, fill="currentColor")
    return group(hit_area(x, y), circle, tooltip=tooltip)
