"""Means with their intervals, a row for each model."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from stages.report.figures.scales import Scale, decimals_of, padded, ticks
from stages.report.figures.svg import figure, group, heading, line, shortened, tag, text, text_width

WIDTH, TOP, ROW, LONGEST = 560, 52, 22, 150


class Span(NamedTuple):
    """A mean, and the ends of its interval if it has one."""

    name: str
    mean: float
    low: float | None
    high: float | None


def mean_chart(spans: Sequence[Span], title: str, label: str, chosen: str | None = None) -> Markup:
    """Rows from the top in the given order; the chosen one has a ring and a line to all others."""
    ends = [end for span in spans for end in (span.low, span.high, span.mean) if end is not None]
    left = min(1.1 * max(text_width(span.name) for span in spans), LONGEST) + 14  # one is bold
    x = Scale(*padded(ends), left, WIDTH - 12)
    bottom = TOP + ROW * len(spans)
    body: list[str] = [heading(title, WIDTH, label), _grid(x, bottom)]
    for row, span in enumerate(spans):
        y = TOP + ROW * (row + 0.5)
        if span.name == chosen:
            body.append(line(x(span.mean), TOP, x(span.mean), bottom, class_="fig-lead",
                             stroke_dasharray="3 3"))  # fmt: skip
        body.append(_row(span, x, y, left, span.name == chosen))
    values = "; ".join(f"{span.name} {span.mean:.4g}" for span in spans)
    return figure("means", WIDTH, bottom + 26, title, f"{label}: {values}", *body)


def _row(span: Span, x: Scale, y: float, left: float, chosen: bool) -> Markup:
    parts: list[str] = [
        text(shortened(span.name, left - 12), left - 10, y, class_="fig-name", text_anchor="end",
             font_weight=600 if chosen else None),
    ]  # fmt: skip
    interval = ""
    if span.low is not None and span.high is not None:
        parts += [
            line(x(span.low), y, x(span.high), y, stroke_width=1.5),
            *(
                line(x(end), y - 4, x(end), y + 4, stroke_width=1.5)
                for end in (span.low, span.high)
            ),
        ]
        interval = f", {span.low:.4g} to {span.high:.4g}"
    parts.append(tag("circle", cx=x(span.mean), cy=y, r=4))
    if chosen:
        parts.append(tag("circle", cx=x(span.mean), cy=y, r=8, fill="none", stroke="currentColor"))
    return group(*parts, tooltip=f"{span.name}: {span.mean:.4g}{interval}",
                 class_="s0" if chosen else "s6")  # fmt: skip


def _grid(x: Scale, bottom: float) -> Markup:
    marks = ticks(x.low, x.high, about=5)
    digits = decimals_of(marks)
    return group(
        *(line(x(mark), TOP - 4, x(mark), bottom + 4, class_="fig-grid") for mark in marks),
        *(
            text(
                f"{mark:.{digits}f}", x(mark), bottom + 14, class_="fig-tick", text_anchor="middle"
            )
            for mark in marks
        ),
    )
