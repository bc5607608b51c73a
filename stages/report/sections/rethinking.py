"""Rethinking: the curves of each data set, their numbers, and what they say."""

from collections.abc import Sequence
from math import hypot

from stages.common.outcomes import Mean
from stages.common.slices import Curve, Curves
from stages.common.words import counted
from stages.report.figures import Point, curves
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View
from stages.report.table import (
    LOST,
    Column,
    Entry,
    Figure,
    Table,
    estimate,
    means,
    name,
    simple,
    texts,
)

TITLE = "Rethinking"
THIRD = 2  # the paper stops after the third iteration


def show(part: Curves, inputs: Inputs) -> list[Section]:
    """The curves of each data set."""
    by_dataset: dict[str, list[Curve]] = {}
    for curve in part.curves:
        by_dataset.setdefault(curve.dataset, []).append(curve)
    view = View(
        intro=[
            "The net repeats its prediction, each time with the last one before its eyes. "
            "If rethinking helps, the curves improve with the iteration and then level out. By "
            "every cost but Hamming loss the first iteration is trained without weights, so a step "
            "from the first to the second is that of the weights, too.",
            curve_sentence(part.curves),
        ],
        figures=[_figure(*item) for item in by_dataset.items()],
        reading="a line is the mean over seeds, its band one standard error to either side; "
        "where the two lines part, the net learns what the test rows do not share.",
    )
    return [Section("rethinking", TITLE, view)]


def curve_sentence(curves: Sequence[Curve]) -> str:
    """How many curves rise until the third iteration, and how many move after it."""
    known = [
        (curve.test, values, 1 if curve.greater_is_better else -1)
        for curve in curves
        for values in [[point.mean for point in curve.test if point.mean is not None]]
        if THIRD < len(curve.test) == len(values)
    ]
    if not known:
        return "No curve reaches the third iteration."
    better = sum(way * (values[THIRD] - values[0]) > 0 for _, values, way in known)
    settled = sum(
        abs(values[THIRD] - values[-1]) <= _error(test[THIRD], test[-1])
        for test, values, _ in known
    )
    return (
        f"The third iteration is better than the first on {better} of "
        f"{counted(len(known), 'test curve')}. After it the change is less than one pooled "
        f"standard error on {settled} of them."
    )


def _error(one: Mean, other: Mean) -> float:
    return hypot(one.ste or 0.0, other.ste or 0.0)


def _figure(dataset: str, parts: Sequence[Curve]) -> Figure:
    """All costs of a data set side by side."""
    drawings = [
        _drawing(curve)
        for curve in parts
        if any(point.mean is not None for point in curve.train + curve.test)
    ]
    caption = f"{dataset}: performance by iteration"
    return Figure(caption, drawings, "", _table(dataset, parts))


def _drawing(curve: Curve) -> str:
    series = {
        part: [Point(point.mean, point.ste, point.n) for point in points]
        for part, points in (("train", curve.train), ("test", curve.test))
    }
    label = f"{curve.title}, {'higher' if curve.greater_is_better else 'lower'} is better"
    return curves(curve.iterations, series, curve.title, label, decimals=curve.decimals)


def _table(dataset: str, parts: Sequence[Curve]) -> Table:
    """The numbers behind the curves of a data set."""
    columns = [*texts("Cost"), Column("Iteration"), *means("Train", "Test")]
    rows = [
        [
            name(curve.title),
            Entry(str(step), step),
            estimate(train, curve.decimals, LOST),
            estimate(test, curve.decimals, LOST),
        ]
        for curve in parts
        for step, train, test in zip(curve.iterations, curve.train, curve.test, strict=True)
    ]
    return simple(f"rethinking-{dataset}", f"{dataset}: mean by iteration", columns, rows)
