"""Critical-difference diagram: average ranks on a line, bars over models not told apart."""

from collections.abc import Mapping, Sequence
from math import ceil, floor

from markupsafe import Markup

from stages.report.figures.scales import Scale
from stages.report.figures.svg import (
    figure,
    group,
    heading,
    line,
    path,
    shortened,
    tag,
    text,
    text_width,
)

FEWEST_MODELS = 3
AXIS_WIDTH = 190
LONGEST_NAME = 150
ROW, BAR_STEP = 21, 8
RANK_WIDTH = text_width("10.00")


def critical_difference_diagram(
    average_ranks: Mapping[str, float | None],
    groups: Sequence[Sequence[str]],
    title: str,
    cd: float | None = None,
    datasets: int | None = None,
) -> Markup:
    """Models at their average ranks, the best at the left; a bar joins those not told apart."""
    ranks = {model: rank for model, rank in average_ranks.items() if rank is not None}
    if len(ranks) < FEWEST_MODELS:
        raise ValueError(
            f"{title}: a critical-difference diagram needs at least {FEWEST_MODELS} ranked "
            f"models, got {len(ranks)}; two models are compared by one test"
        )
    order = sorted(ranks, key=lambda model: ranks[model])
    half = ceil(len(order) / 2)
    better, worse = order[:half], order[half:]
    left, right = (max(map(_label_width, side)) + 14 for side in (better, worse))
    width = left + AXIS_WIDTH + right
    low, high = floor(min(ranks.values())), ceil(max(ranks.values()))
    x = Scale(low, max(high, low + 1), left + 6, left + AXIS_WIDTH - 6)
    axis = 104 if cd is not None else 66
    bars, levels = _bars(groups, ranks, x, axis)
    first = axis + 12 + levels * BAR_STEP + ROW / 2
    over = f" over {datasets} data sets" if datasets is not None else ""
    body = [heading(title, width, f"average rank{over}, 1 is the best"), _axis(x, axis)]
    if cd is not None:
        body.append(_distance(x, cd, axis - 34))
    for names, end in ((better, left - 8), (worse[::-1], left + AXIS_WIDTH + 8)):
        body += [
            _leader(model, ranks[model], x, axis, first + row * ROW, end)
            for row, model in enumerate(names)
        ]
    body.append(bars)
    height = first + half * ROW - ROW / 2 + 4
    skipped = [model for model in average_ranks if model not in ranks]
    desc = _description(order, ranks, groups, skipped, cd, datasets)
    return figure("ranks", width, height, title, desc, *body)


def _label_width(model: str) -> float:
    return min(LONGEST_NAME, text_width(model)) + 10 + RANK_WIDTH


def _axis(x: Scale, y: float) -> Markup:
    parts: list[str] = [line(x.start, y, x.end, y, class_="fig-axis")]
    low, high = int(x.low), int(x.high)
    every = ceil((high - low) / 8)
    for tick in range(low, high + 1):
        named = (tick - low) % every == 0
        parts.append(line(x(tick), y, x(tick), y - (7 if named else 4), class_="fig-axis"))
        if named:
            parts.append(text(str(tick), x(tick), y - 15, class_="fig-tick", text_anchor="middle"))
    return group(*parts)


def _distance(x: Scale, cd: float, y: float) -> Markup:
    """The critical difference as a length of the axis, or only named if it is longer."""
    name = f"critical difference {cd:.2f}"
    end = x.start + cd * (x(x.low + 1) - x.start)
    label = text(name, x.start, y - 14, class_="fig-label")
    if end > x.end:
        return label
    parts = [line(x.start, y, end, y, class_="fig-axis", stroke_width=1.5)]
    parts += [line(at, y - 4, at, y + 4, class_="fig-axis") for at in (x.start, end)]
    return group(label, *parts, tooltip=name)


def _leader(model: str, rank: float, x: Scale, axis: float, y: float, end: float) -> Markup:
    """The line from a rank on the axis to the rank as a number and the name of the model."""
    anchor, away = ("end", -1) if end < x(rank) else ("start", 1)
    return group(
        path([(x(rank), axis), (x(rank), y), (end, y)], class_="fig-lead"),
        tag("circle", cx=x(rank), cy=axis, r=3),
        text(f"{rank:.2f}", end + away * 4, y, class_="fig-tick", text_anchor=anchor),
        text(
            shortened(model, LONGEST_NAME),
            end + away * (10 + RANK_WIDTH),
            y,
            class_="fig-name",
            text_anchor=anchor,
        ),
        tooltip=f"{model}: average rank {rank:.2f}",
    )


def _bars(
    groups: Sequence[Sequence[str]], ranks: Mapping[str, float], x: Scale, axis: float
) -> tuple[Markup, int]:
    """A thick bar for each group, on the first level where it meets no other; how many levels."""
    ends: list[float] = []  # of the last bar of each level
    parts = []
    spans = sorted(
        (min(x(ranks[m]) for m in g), max(x(ranks[m]) for m in g), i)
        for i, g in enumerate(groups)
        if len(g) > 1
    )
    for start, end, index in spans:
        level = next((i for i, taken in enumerate(ends) if taken + 8 < start), len(ends))
        ends[level : level + 1] = [end]
        y = axis + 9 + level * BAR_STEP
        members = ", ".join(groups[index])
        bar = line(start - 4, y, end + 4, y, stroke_width=4, stroke_linecap="round")
        parts.append(group(bar, tooltip=f"not told apart: {members}", class_="fig-bar"))
    return group(*parts), len(ends)


def _description(
    order: Sequence[str],
    ranks: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    skipped: Sequence[str],
    cd: float | None,
    datasets: int | None,
) -> str:
    over = f" over {datasets} data sets" if datasets is not None else ""
    named = ", ".join(f"{model} {ranks[model]:.2f}" for model in order)
    sentences = [f"Average ranks{over}, 1 is the best: {named}."]
    if cd is not None:
        sentences.append(f"The critical difference is {cd:.2f}.")
    joined = [", ".join(group) for group in groups if len(group) > 1]
    sentences.append(f"Not told apart: {'; '.join(joined)}." if joined else "All are told apart.")
    if skipped:
        sentences.append(f"Without a rank and left out: {', '.join(skipped)}.")
    return " ".join(sentences)
