"""Lines with a band of one standard error against the iteration."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from markupsafe import Markup

from stages.common.words import counted
from stages.report.figures.scales import Scale, decimals_of, padded, ticks
from stages.report.figures.svg import (
    dash,
    figure,
    group,
    heading,
    hit_area,
    line,
    marker,
    path,
    series_class,
    text,
    text_width,
)

WIDTH, HEIGHT = 340, 250
TOP, BOTTOM = 46, 208
NAME_GAP = 15  # between the names at the ends of two lines


class Point(NamedTuple):
    """A mean over seeds with its standard error; no mean where nothing was measured."""

    mean: float | None
    ste: float | None = None
    n: int | None = None


class _Known(NamedTuple):
    """A point that was measured: which one, its values and its text in a tooltip."""

    order: int
    at: int
    mean: float
    ste: float
    label: str


class _Place(NamedTuple):
    """Where a point and the ends of its band are."""

    known: _Known
    x: float
    y: float
    upper: float
    lower: float


def curves(
    iterations: Sequence[int],
    series: Mapping[str, Sequence[Point | None]],
    title: str,
    y_label: str,
    x_label: str = "iteration",
    decimals: int = 3,
) -> Markup:
    """One line for each series, named at its end, with a band of ± one standard error.

    A line is broken where a value is missing.
    """
    known = {name: _known(iterations, points, decimals) for name, points in series.items()}
    ends = [
        end for points in known.values() for p in points for end in (p.mean - p.ste, p.mean + p.ste)
    ]
    if not ends:
        raise ValueError(f"{title}: no series has a value, there is nothing to draw")
    low, high = padded(ends)
    y_ticks = ticks(low, high)
    labels = [f"{tick:.{decimals_of(y_ticks)}f}" for tick in y_ticks]
    left = max(map(text_width, labels)) + 10
    right = WIDTH - max(map(text_width, series)) - 14
    first, last = min(iterations), max(iterations)
    x = Scale(*((first, last) if first < last else (first - 1, last + 1)), left + 8, right)
    y = Scale(low, high, BOTTOM, TOP)
    places = {name: [_place(p, x, y) for p in points] for name, points in known.items()}
    body = [heading(title, WIDTH, y_label)]
    body += [_y_axis(y, y_ticks, labels, left, right + 4), _x_axis(x, iterations, left, x_label)]
    body += [_bands(index, points) for index, points in enumerate(places.values())]
    body += [_lines(index, *item, x_label) for index, item in enumerate(places.items())]
    body.append(_names(places, right + 10))
    missing = sum(map(len, series.values())) - sum(map(len, known.values()))
    desc = _description(known, missing, y_label, x_label, decimals)
    return figure("curves", WIDTH, HEIGHT, title, desc, *body)


def _known(
    iterations: Sequence[int], points: Sequence[Point | None], decimals: int
) -> list[_Known]:
    known = []
    for order, (at, point) in enumerate(zip(iterations, points, strict=True)):
        if point is not None and point.mean is not None and isfinite(point.mean):
            label = f"{point.mean:.{decimals}f}"
            label += f" ± {point.ste:.{decimals}f}" if point.ste is not None else ""
            label += f" ({counted(point.n, 'seed')})" if point.n is not None else ""
            known.append(_Known(order, at, point.mean, point.ste or 0.0, label))
    return known


def _place(p: _Known, x: Scale, y: Scale) -> _Place:
    return _Place(p, x(p.at), y(p.mean), y(p.mean + p.ste), y(p.mean - p.ste))


def _y_axis(
    y: Scale, y_ticks: Sequence[float], labels: Sequence[str], left: float, right: float
) -> Markup:
    parts: list[str] = []
    for tick, label in zip(y_ticks, labels, strict=True):
        parts.append(line(left, y(tick), right, y(tick), class_="fig-grid"))
        parts.append(text(label, left - 4, y(tick), class_="fig-tick", text_anchor="end"))
    return group(*parts)


def _x_axis(x: Scale, iterations: Sequence[int], left: float, x_label: str) -> Markup:
    parts: list[str] = [line(left, BOTTOM, x.end + 4, BOTTOM, class_="fig-axis")]
    every = -(-len(iterations) // 10)
    for at in iterations[::every]:
        parts.append(line(x(at), BOTTOM, x(at), BOTTOM + 4, class_="fig-axis"))
        parts.append(text(str(at), x(at), BOTTOM + 14, class_="fig-tick", text_anchor="middle"))
    middle = (x.start + x.end) / 2
    parts.append(text(x_label, middle, BOTTOM + 32, class_="fig-label", text_anchor="middle"))
    return group(*parts)


def _runs(places: Sequence[_Place]) -> list[list[_Place]]:
    """The parts of a line without a missing value inside."""
    runs = [[place] for place in places[:1]]
    for before, place in pairwise(places):
        if place.known.order == before.known.order + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _bands(index: int, places: Sequence[_Place]) -> Markup:
    areas = [
        path(
            [(p.x, p.upper) for p in run] + [(p.x, p.lower) for p in reversed(run)],
            fill="currentColor",
            fill_opacity=0.18,
            stroke="none",
        )
        for run in _runs(places)
        if any(p.upper != p.lower for p in run)
    ]
    return group(*areas, class_=f"fig-band {series_class(index)}")


def _lines(index: int, name: str, places: Sequence[_Place], x_label: str) -> Markup:
    paint = {"stroke_width": 2, "stroke_dasharray": dash(index)}
    parts = [path([(p.x, p.y) for p in run], **paint) for run in _runs(places) if len(run) > 1]
    parts += [
        group(
            hit_area(p.x, p.y),
            marker(index, p.x, p.y),
            tooltip=f"{name}, {x_label} {p.known.at}: {p.known.label}",
        )
        for p in places
    ]
    return group(*parts, class_=series_class(index))


def _names(places: Mapping[str, Sequence[_Place]], x: float) -> Markup:
    """Names at the ends of the lines, moved apart where they would overlap."""
    heights = sorted(
        (points[-1].y, index, name) for index, (name, points) in enumerate(places.items()) if points
    )
    parts = []
    y = float(TOP - NAME_GAP)
    for after, (place, index, name) in zip(reversed(range(len(heights))), heights, strict=True):
        y = min(max(place, y + NAME_GAP), BOTTOM - after * NAME_GAP)
        parts.append(text(name, x, y, class_=f"fig-name {series_class(index)}"))
    return group(*parts)


def _description(
    known: Mapping[str, Sequence[_Known]], missing: int, y_label: str, x_label: str, decimals: int
) -> str:
    sentences = [f"{y_label}, against {x_label}, with a band of one standard error each way."]
    for name, points in known.items():
        ends = dict.fromkeys([*points[:1], *points[-1:]])
        values = ", ".join(f"{p.mean:.{decimals}f} at {p.at}" for p in ends) or "no value"
        sentences.append(f"{name}: {values}.")
    if missing:
        sentences.append(f"{missing} of the values are missing and left out.")
    return " ".join(sentences)
