"""Quality against CPU time, with the front of models that none beats in both."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from markupsafe import Markup

from stages.report.figures.scales import Scale, decimals_of, log_ticks, padded, plain, ticks
from stages.report.figures.svg import (
    SMALL,
    figure,
    group,
    heading,
    hit_area,
    line,
    path,
    tag,
    text,
    text_width,
)

WIDTH, HEIGHT = 380, 310
TOP, BOTTOM = 46, 266
LEAST_SECONDS = 0.01  # a logarithm has no zero
ROUNDS = 3  # a name placed early may move once the others have a place


class Spot(NamedTuple):
    """A model: CPU seconds, how good it is, whether no other is both better and faster."""

    name: str
    seconds: float | None
    value: float | None
    pareto: bool = False


class _Place(NamedTuple):
    spot: Spot
    x: float
    y: float


def front(
    spots: Sequence[Spot],
    title: str,
    y_label: str = "average rank",
    x_label: str = "CPU seconds",
    greater_is_better: bool = False,
    chosen: str | None = None,
    decimals: int = 2,
) -> Markup:
    """Models by time (logarithmic) and quality, the better the higher; the front as steps."""
    known = [spot for spot in spots if _known(spot.seconds) and _known(spot.value)]
    if not known:
        raise ValueError(f"{title}: no model has a time and a value, there is nothing to draw")
    low, high = padded([spot.value for spot in known if spot.value is not None], 0.1)
    y_ticks = ticks(low, high, about=5)
    labels = [f"{tick:.{decimals_of(y_ticks)}f}" for tick in y_ticks]
    left = max(map(text_width, labels)) + 10
    seconds = [_seconds(spot) for spot in known]
    x = Scale(min(seconds) / 1.6, max(seconds) * 1.6, left, WIDTH - 6, log=True)
    y = Scale(low, high, *((BOTTOM, TOP) if greater_is_better else (TOP, BOTTOM)))
    places = [_Place(spot, x(_seconds(spot)), y(spot.value or 0.0)) for spot in known]
    steps = _steps(places, WIDTH - 6)
    body = [
        heading(title, WIDTH, f"{y_label}, better is up"),
        _axes(x, y, y_ticks, labels, left, x_label),
        path(steps, class_="fig-step s0", stroke_width=2) if steps else "",
        *(_mark(place, chosen, x_label, y_label, decimals) for place in places),
        _names(places, steps, left, chosen),
    ]
    desc = _description(spots, known, chosen, y_label, decimals)
    return figure("front", WIDTH, HEIGHT, title, desc, *body)


def _known(value: float | None) -> bool:
    return value is not None and isfinite(value)


def _seconds(spot: Spot) -> float:
    return max(LEAST_SECONDS, spot.seconds or 0.0)


def _steps(places: Sequence[_Place], right: float) -> list[tuple[float, float]]:
    """The front from the fastest model to the best, then on to the right; it never falls."""
    corners: list[tuple[float, float]] = []
    for place in sorted((p for p in places if p.spot.pareto), key=lambda p: (p.x, p.y)):
        if not corners:
            corners.append((place.x, place.y))
        elif place.y < corners[-1][1]:
            corners += [(place.x, corners[-1][1]), (place.x, place.y)]
    return [*corners, (right, corners[-1][1])] if corners else []


def _axes(
    x: Scale,
    y: Scale,
    y_ticks: list[float],
    labels: list[str],
    left: float,
    x_label: str,
) -> Markup:
    parts: list[str] = []
    for tick, label in zip(y_ticks, labels, strict=True):
        parts.append(line(left, y(tick), x.end, y(tick), class_="fig-grid"))
        parts.append(text(label, left - 4, y(tick), class_="fig-tick", text_anchor="end"))
    for tick in log_ticks(x.low, x.high):
        parts.append(line(x(tick), BOTTOM, x(tick), BOTTOM + 4, class_="fig-axis"))
        middle = min(x(tick), WIDTH - text_width(plain(tick)) / 2)
        parts.append(
            text(plain(tick), middle, BOTTOM + 14, class_="fig-tick", text_anchor="middle")
        )
    parts.append(line(left, BOTTOM, x.end, BOTTOM, class_="fig-axis"))
    under = f"{x_label} (log scale)"
    middle = (x.start + x.end) / 2
    parts.append(text(under, middle, BOTTOM + 32, class_="fig-label", text_anchor="middle"))
    return group(*parts)


def _mark(place: _Place, chosen: str | None, x_label: str, y_label: str, decimals: int) -> Markup:
    spot = place.spot
    tooltip = (
        f"{spot.name}: {y_label} {spot.value:.{decimals}f}, {spot.seconds:,.2f} {x_label}"
        f"{', on the front' if spot.pareto else ''}{', recommended' if spot.name == chosen else ''}"
    )
    shapes = [hit_area(place.x, place.y)]
    if spot.name == chosen:
        shapes.append(
            _circle(
                place, _radius(spot, chosen), fill="none", stroke="currentColor", stroke_width=1.5
            )
        )
    if spot.pareto:
        shapes.append(_circle(place, 4.5))
    else:
        shapes.append(_circle(place, 4, class_="fig-hollow", stroke="currentColor", fill="none"))
    return group(*shapes, tooltip=tooltip, class_="s0" if spot.pareto else "fig-other")


def _radius(spot: Spot, chosen: str | None) -> float:
    return 8.0 if spot.name == chosen else 4.5


def _circle(place: _Place, radius: float, **attributes: object) -> Markup:
    return tag("circle", cx=place.x, cy=place.y, r=radius, **attributes)


def _names(
    places: Sequence[_Place], steps: list[tuple[float, float]], left: float, chosen: str | None
) -> Markup:
    first = sorted(places, key=lambda p: (p.spot.name != chosen, not p.spot.pareto, p.y, p.x))
    boxes = place_labels(
        [Dot(p.spot.name, p.x, p.y, _radius(p.spot, chosen)) for p in first],
        steps,
        Box(left, TOP - 8, WIDTH, BOTTOM),
    )
    return group(
        *(
            text(
                place.spot.name,
                box.left,
                (box.top + box.bottom) / 2,
                class_="fig-name" if place.spot.pareto else "fig-name fig-other",
                font_weight=600 if place.spot.name == chosen else None,
            )
            for place, box in zip(first, boxes, strict=True)
        ),
        pointer_events="none",
    )


def _description(
    spots: Sequence[Spot],
    known: Sequence[Spot],
    chosen: str | None,
    y_label: str,
    decimals: int,
) -> str:
    on_front = sorted((s for s in known if s.pareto), key=_seconds)
    named = "; ".join(f"{s.name} {s.value:.{decimals}f} in {s.seconds:,.2f} s" for s in on_front)
    sentences = [f"{y_label} and CPU seconds of {len(known)} models."]
    if named:
        sentences.append(f"No other is both better and faster than: {named}.")
    if chosen is not None:
        sentences.append(f"Recommended: {chosen}.")
    if any((spot.seconds or 0.0) < LEAST_SECONDS for spot in known):
        sentences.append(f"Times below {LEAST_SECONDS} s are drawn there.")
    skipped = [spot.name for spot in spots if spot not in known]
    if skipped:
        sentences.append(f"Without a time or a value and left out: {', '.join(skipped)}.")
    return " ".join(sentences)


class Box(NamedTuple):
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """The area in common."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)

    def outside(self, frame: "Box") -> float:
        """The area that lies outside of a frame."""
        return (self.right - self.left) * (self.bottom - self.top) - self.overlap(frame)


class Dot(NamedTuple):
    """A round mark with a name."""

    name: str
    x: float
    y: float
    radius: float


def place_labels(
    dots: Sequence[Dot], steps: Sequence[tuple[float, float]], frame: Box
) -> list[Box]:
    """A box for each name inside the frame, clear of dots, steps and other names if it can be."""
    marks = [Box(d.x - d.radius, d.y - d.radius, d.x + d.radius, d.y + d.radius) for d in dots]
    lines = [
        Box(min(a, c) - 1, min(b, d) - 1, max(a, c) + 1, max(b, d) + 1)
        for (a, b), (c, d) in pairwise(steps)
    ]
    placed: dict[int, Box] = {}

    def harm(box: Box, others: Sequence[Box]) -> float:
        covered = (10, others), (5, marks), (2, lines)
        hidden = sum(weight * box.overlap(one) for weight, boxes in covered for one in boxes)
        return 100 * box.outside(frame) + hidden

    for _ in range(ROUNDS):
        for index, dot in enumerate(dots):
            others = [box for other, box in placed.items() if other != index]
            placed[index] = min(_candidates(dot), key=partial(harm, others=others))
    return [placed[index] for index in range(len(dots))]


def _candidates(dot: Dot) -> list[Box]:
    """Places for a name: right, left, above and below; farther off it would name another dot."""
    width, half = text_width(dot.name, SMALL), SMALL * 0.55
    near, rise = dot.radius + 3, dot.radius + 1 + half
    places = [(near, 0.0), (-near - width, 0.0)]
    for up in (-rise, rise):
        places += [(shift, up) for shift in (-width / 2, -2.0, 2.0 - width)]
    return [
        Box(dot.x + dx, dot.y + dy - half, dot.x + dx + width, dot.y + dy + half)
        for dx, dy in places
    ]
