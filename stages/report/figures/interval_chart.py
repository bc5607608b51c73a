"""Effects with their intervals, a row for each thing that has one, around zero."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from stages.common.words import change, signed
from stages.report.figures.scales import Scale, decimals_of, padded, ticks
from stages.report.figures.svg import (
    figure,
    group,
    heading,
    hit_area,
    line,
    marker,
    series_class,
    shortened,
    text,
    text_width,
)

WIDTH, TOP, BELOW = 340, 50, 40
RIGHT = 16  # room for half of the last tick's number
ROW, APART = 26, 9  # between two rows, and between two series in a row
LONGEST_NAME = 112


class Effect(NamedTuple):
    """A share and its interval; none where it is not known."""

    value: float
    low: float | None = None
    high: float | None = None


def intervals(
    rows: Sequence[str],
    series: Mapping[str, Sequence[Effect | None]],
    title: str,
    x_label: str,
) -> Markup:
    """Shares as percent: a marker and its interval for each row and series."""
    known = [effect for effects in series.values() for effect in effects if effect]
    if not known:
        raise ValueError(f"{title}: no row has an effect, there is nothing to draw")
    ends = [end for e in known for end in (e.value, e.low, e.high) if end is not None]
    low, high = padded([*ends, 0.0])
    left = min(LONGEST_NAME, max(map(text_width, rows))) + 10
    bottom = TOP + ROW * len(rows)
    x = Scale(low, high, left, WIDTH - RIGHT)
    body = [
        heading(title, WIDTH),
        _legend(list(series)),
        _axis(x, bottom, x_label),
        *(
            text(shortened(name, LONGEST_NAME), left - 8, _y(row), class_="fig-name",
                 text_anchor="end")
            for row, name in enumerate(rows)
        ),
        *(_series(index, name, rows, effects, x, len(series))
          for index, (name, effects) in enumerate(series.items())),
    ]  # fmt: skip
    desc = _description(rows, series, x_label)
    return figure("intervals", WIDTH, bottom + BELOW, title, desc, *body)


def _y(row: int) -> float:
    return TOP + ROW * (row + 0.5)


def _legend(names: Sequence[str]) -> Markup:
    parts, x = [], 6.0
    for index, name in enumerate(names):
        parts.append(
            group(marker(index, x, 34), text(name, x + 10, 34), class_=series_class(index))
        )
        x += text_width(name) + 34
    return group(*parts)


def _axis(x: Scale, bottom: float, x_label: str) -> Markup:
    parts: list[str] = []
    percents = ticks(100 * x.low, 100 * x.high)
    for percent in percents:
        at, zero = x(percent / 100), "fig-axis" if percent == 0 else "fig-grid"
        label = signed(percent, decimals_of(percents))
        parts.append(line(at, TOP, at, bottom, class_=zero))
        parts.append(text(label, at, bottom + 12, class_="fig-tick", text_anchor="middle"))
    middle, label = (x.start + x.end) / 2, f"{x_label}, %"
    parts.append(text(label, middle, bottom + 30, class_="fig-label", text_anchor="middle"))
    return group(*parts)


def _series(
    index: int, name: str, rows: Sequence[str], effects: Sequence[Effect | None], x: Scale, of: int
) -> Markup:
    shift = APART * (index - (of - 1) / 2)
    marks = [
        _mark(index, f"{row}, {name}: {effect_text(effect)}", effect, x, _y(place) + shift)
        for place, (row, effect) in enumerate(zip(rows, effects, strict=True))
        if effect
    ]
    return group(*marks, class_=series_class(index))


def _mark(index: int, tooltip: str, effect: Effect, x: Scale, y: float) -> Markup:
    at = x(effect.value)
    parts = [hit_area(at, y), marker(index, at, y)]
    if effect.low is not None and effect.high is not None:
        parts.append(line(x(effect.low), y, x(effect.high), y, stroke_width=1.5))
    return group(*parts, tooltip=tooltip)


def effect_text(effect: Effect) -> str:
    """A share with its interval in brackets."""
    if effect.low is None or effect.high is None:
        return change(effect.value)
    low, high = (change(end).removesuffix(" %") for end in (effect.low, effect.high))
    return f"{change(effect.value)} ({low} to {high})"


def _description(
    rows: Sequence[str], series: Mapping[str, Sequence[Effect | None]], x_label: str
) -> str:
    named = [
        f"{name}: "
        + ", ".join(
            f"{row} {effect_text(effect)}"
            for row, effect in zip(rows, effects, strict=True)
            if effect
        )
        for name, effects in series.items()
        if any(effects)
    ]
    return f"{x_label}, with 95 % intervals. {'. '.join(named)}."
