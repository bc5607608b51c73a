"""Series told apart by colour, dash and shape alike."""

from math import sqrt
from typing import Any

from markupsafe import Markup

from stages.report.figures.svg import path, tag

SERIES = 8  # classes s0 ... s7
DASHES = (None, "7 4", "2 3", "9 3 2 3")
SHAPES = ("circle", "square", "triangle", "diamond")


def series_class(index: int) -> str:
    """The class of the colour of a series."""
    return f"s{index % SERIES}"


def dash(index: int) -> str | None:
    """The dash pattern of the line of a series."""
    return DASHES[index % len(DASHES)]


def marker(index: int, x: float, y: float, size: float = 4) -> Markup:
    """The shape of a series at a place; from the fifth series on it is hollow."""
    hollow = index // len(SHAPES) % 2 == 1
    paint: dict[str, Any] = {
        "fill": "none" if hollow else "currentColor",
        "stroke": "currentColor",
        "stroke_width": 1.5 if hollow else None,
    }
    shape = SHAPES[index % len(SHAPES)]
    if shape == "circle":
        return tag("circle", cx=x, cy=y, r=size, **paint)
    return path([(x + dx, y + dy) for dx, dy in _corners(shape, size)], **paint)


def hit_area(x: float, y: float) -> Markup:
    """Something invisible to point at that is larger than a marker."""
    return tag("circle", cx=x, cy=y, r=9, fill="none", pointer_events="all")


def _corners(shape: str, size: float) -> list[tuple[float, float]]:
    if shape == "square":
        half = size * 0.9
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    elif shape == "triangle":
        half = size * 1.2
        corners = [(0, -half), (half, half * sqrt(3) / 2), (-half, half * sqrt(3) / 2)]
    else:
        corners = [(0, -size * 1.3), (size * 1.3, 0), (0, size * 1.3), (-size * 1.3, 0)]
    return [*corners, corners[0]]
