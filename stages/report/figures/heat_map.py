"""A matrix over labels, or over rows and columns of two kinds, as a heat map."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from markupsafe import Markup

from stages.common.words import fixed, signed
from stages.report.figures.svg import (
    SMALL,
    figure,
    group,
    heading,
    line,
    number,
    shortened,
    tag,
    text,
    text_width,
)

STEPS = 11  # classes d0 (most negative) ... d10 (most positive)
MIDDLE = STEPS // 2
MOST_SQUARES_WITH_TOOLTIP = 60 * 60  # more would make the page heavy: one tooltip for each row
SMALLEST_NAMED = 10  # squares; smaller ones leave no room for names
LONGEST_NAME = 150
HEAD, SWATCH = 56, 14

Matrix = Sequence[Sequence[float | None]]


class _Grid(NamedTuple):
    """Where the squares are, and how a value becomes a step and a text."""

    labels: Sequence[str]
    columns: Sequence[str]
    bound: float
    decimals: int
    square: float
    left: float
    top: float

    def shade(self, value: float | None) -> str:
        return f"d{step_of(value, self.bound)}" if value is not None else "d-none"

    def label(self, value: float | None) -> str:
        return fixed(value, self.decimals) if value is not None else "no value"


def heat(
    matrix: Matrix,
    labels: Sequence[str],
    title: str,
    row_label: str,
    column_label: str,
    limit: float | None = None,
    decimals: int = 2,
    columns: Sequence[str] | None = None,
) -> Markup:
    """Squares coloured from -limit to limit; by default the largest value off the diagonal.

    A dash marks negative squares, a cross missing ones. Values beyond the limit have the colour
    of the end. Without `columns` these are the labels of the rows, and the diagonal is not judged.
    """
    across = labels if columns is None else columns
    count, many = len(labels), len(across)
    if not count or not many or len(matrix) != count or any(len(row) != many for row in matrix):
        raise ValueError(f"{title}: a matrix of {count} x {many} values is needed")
    known = [[value if _known(value) else None for value in row] for row in matrix]
    off = [abs(value) for i, j, value in _values(known) if i != j or columns is not None]
    bound = limit or max(off, default=0.0) or 1.0
    square = _square_size(max(count, many))
    named = square >= SMALLEST_NAMED
    left, above = (_margin(names) if named else 0.0 for names in (labels, across))
    grid = _Grid(labels, across, bound, decimals, square, left, HEAD + above)
    width = max(left + many * square, left + STEPS * SWATCH + 24, 300.0)
    bottom = grid.top + count * square
    body = [heading(title, width, f"rows: {row_label}", f"columns: {column_label}")]
    body += [_names(grid)] if named else []
    body.append((_squares if count * many <= MOST_SQUARES_WITH_TOOLTIP else _rows)(grid, known))
    body += [_signs(grid, known)] if named else []
    beyond = any(abs(value) > bound for *_, value in _values(known))
    body.append(_legend(grid, bottom + 14, beyond))
    desc = _description(grid, known, row_label, column_label, beyond)
    return figure("heat", width, bottom + 48, title, desc, *body)


def step_of(value: float, bound: float) -> int:
    """Which of the steps 0 ... 10 a value belongs to; 5 is around zero.

    Examples
    --------
    >>> [step_of(value, 1.0) for value in (-2, -1, -0.05, 0, 0.05, 0.5, 1)]
    [0, 0, 5, 5, 5, 8, 10]
    """
    share = max(-1.0, min(1.0, value / bound))
    return min(STEPS - 1, int((share + 1.0) / 2.0 * STEPS))


def _known(value: float | None) -> bool:
    return value is not None and isfinite(value)


def _values(matrix: Matrix) -> Iterator[tuple[int, int, float]]:
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            if value is not None:
                yield i, j, value


def _square_size(count: int) -> float:
    if count <= 60:
        return float(min(26, max(SMALLEST_NAMED, 300 // count)))
    return max(2.0, 600.0 // count)


def _margin(labels: Sequence[str]) -> float:
    return min(LONGEST_NAME, max(map(text_width, labels))) + 6


def _names(grid: _Grid) -> Markup:
    size = min(SMALL, grid.square)
    parts = []
    for i, label in enumerate(grid.labels):
        short = shortened(label, LONGEST_NAME, size)
        y = grid.top + (i + 0.5) * grid.square
        parts.append(text(short, grid.left - 4, y, text_anchor="end", font_size=size))
    for j, label in enumerate(grid.columns):
        short = shortened(label, LONGEST_NAME, size)
        x, y = grid.left + (j + 0.5) * grid.square, grid.top - 4
        turned = f"rotate(-90 {number(x)} {number(y)})"
        parts.append(text(short, x, y, transform=turned, font_size=size))
    return group(*parts, class_="fig-tick")


def _squares(grid: _Grid, matrix: Matrix) -> Markup:
    """Each square with its own tooltip."""
    parts = [
        tag(
            "rect",
            tag("title", f"{grid.labels[i]}, {grid.columns[j]}: {grid.label(value)}"),
            class_=grid.shade(value),
            x=grid.left + j * grid.square,
            y=grid.top + i * grid.square,
            width=grid.square,
            height=grid.square,
        )
        for i, row in enumerate(matrix)
        for j, value in enumerate(row)
    ]
    return group(*parts, class_="fig-squares")


def _rows(grid: _Grid, matrix: Matrix) -> Markup:
    """Neighbours of one colour are drawn as one; a tooltip for each row names its extremes."""
    parts = []
    for i, row in enumerate(matrix):
        shades = [grid.shade(value) for value in row]
        starts = [j for j, shade in enumerate(shades) if j == 0 or shade != shades[j - 1]]
        drawn: dict[str, str] = {}
        for start, end in pairwise([*starts, len(row)]):
            run = f"M{start} {i}h{end - start}v1h-{end - start}z"
            drawn[shades[start]] = drawn.get(shades[start], "") + run
        runs = [tag("path", class_=shade, d=drawn[shade]) for shade in sorted(drawn)]
        square = grid.labels is grid.columns
        others = [
            (v, grid.columns[j])
            for j, v in enumerate(row)
            if v is not None and not (square and j == i)
        ]
        parts.append(group(*runs, tooltip=f"{grid.labels[i]}: {_extremes(grid, others)}"))
    place = f"translate({number(grid.left)} {number(grid.top)}) scale({number(grid.square)})"
    return group(*parts, class_="fig-squares", transform=place)


def _extremes(grid: _Grid, named: Sequence[tuple[float, str]]) -> str:
    if not named:
        return "no value"
    (low, lowest), (high, highest) = min(named), max(named)
    return f"from {grid.label(low)} ({lowest}) to {grid.label(high)} ({highest})"


def _signs(grid: _Grid, matrix: Matrix) -> Markup:
    """A longer dash for a more negative square: no sign hangs on colour. A cross marks none."""
    strokes: dict[str, str] = {"fig-sign": "", "fig-sign strong": "", "fig-void": ""}
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            x, y = grid.left + (j + 0.5) * grid.square, grid.top + (i + 0.5) * grid.square
            step = MIDDLE if value is None else step_of(value, grid.bound)
            if step < MIDDLE:
                half = grid.square * (0.12 + 0.04 * (MIDDLE - step))
                kind = "fig-sign strong" if step < 2 else "fig-sign"
                strokes[kind] += f"M{number(x - half)} {number(y)}h{number(2 * half)}"
            elif value is None:
                half, both = grid.square * 0.25, number(grid.square * 0.5)
                strokes["fig-void"] += f"M{number(x - half)} {number(y - half)}l{both} {both}"
                strokes["fig-void"] += f"M{number(x - half)} {number(y + half)}l{both} -{both}"
    paint = {"stroke": "currentColor", "fill": "none"}
    drawn = [tag("path", class_=kind, d=d, **paint) for kind, d in strokes.items() if d]
    return group(*drawn, pointer_events="none")


def _legend(grid: _Grid, top: float, beyond: bool) -> Markup:
    parts = []
    for step in range(STEPS):
        low, high = (grid.bound * (2 * edge / STEPS - 1) for edge in (step, step + 1))
        name = tag("title", f"from {grid.label(low)} to {grid.label(high)}")
        x = grid.left + step * SWATCH
        parts.append(tag("rect", name, class_=f"d{step}", x=x, y=top, width=SWATCH, height=10))
    end = signed(grid.bound, grid.decimals)
    ends = [
        (0.0, "start", f"≤ {grid.label(-grid.bound)}" if beyond else grid.label(-grid.bound)),
        (STEPS / 2, "middle", "0"),
        (float(STEPS), "end", f"≥ {end}" if beyond else end),
    ]
    for at, anchor, label in ends:
        x = grid.left + at * SWATCH
        parts.append(line(x, top + 10, x, top + 13, class_="fig-axis"))
        parts.append(text(label, x, top + 22, class_="fig-tick", text_anchor=anchor))
    return group(*parts, class_="fig-squares")


def _description(
    grid: _Grid, matrix: Matrix, row_label: str, column_label: str, beyond: bool
) -> str:
    rows, columns = grid.labels, grid.columns
    square, count = rows is columns, len(rows) * len(columns)
    values = [
        (v, f"{rows[i]}, {columns[j]}") for i, j, v in _values(matrix) if not (square and i == j)
    ]
    size = f"{len(rows)} by {len(columns)} values"
    sentences = [f"{size}; rows: {row_label}, columns: {column_label}."]
    if values:
        start = "Off the diagonal they" if square else "They"
        sentences.append(f"{start} go {_extremes(grid, values)}.")
    ends = f"The colours end at ±{grid.label(grid.bound)}"
    sentences.append(f"{ends}; some values lie beyond." if beyond else f"{ends}.")
    missing = count - sum(1 for _ in _values(matrix))
    if missing:
        sentences.append(f"{missing} of the values are missing and crossed out.")
    return " ".join(sentences)
