"""The rethinking curves and the memory matrices: their numbers, and what they say."""

from math import hypot

from stages.common.words import counted, listed
from stages.report.figure import Figure
from stages.report.figures import Point, heat
from stages.report.figures import curves as draw_curves
from stages.report.tables import (
    MEAN,
    Cell,
    Column,
    Json,
    Table,
    estimate,
    name,
    number,
    simple,
    words,
)
from stages.report.text import chance

THIRD = 2  # the paper stops after the third iteration
MOST_ENTRIES = 500  # of a matrix, in the table behind its figure


def curve_table(curves: list[Json]) -> Table:
    """The numbers behind the curves of a data set."""
    columns = [words("Cost"), Column("Iteration")]
    columns += [Column(title, fields=MEAN) for title in ("Train", "Test")]
    rows = [
        [
            name(curve["title"]),
            Cell(str(step), step),
            estimate(train, curve["decimals"], "did not finish"),
            estimate(test, curve["decimals"], "did not finish"),
        ]
        for curve in curves
        for step, train, test in zip(
            curve["iterations"], curve["train"], curve["test"], strict=True
        )
    ]
    dataset = curves[0]["dataset"]
    return simple(f"rethinking-{dataset}", f"{dataset}: mean by iteration", columns, rows)


def matrix_table(matrix: Json) -> Table:
    """Entries of both matrices off the diagonal, the largest of the memory first."""
    labels = matrix["labels"]
    entries = [
        (target, source, matrix["memory"][i][j], matrix["correlation"][i][j])
        for i, target in enumerate(labels)
        for j, source in enumerate(labels)
        if i != j
    ]
    entries.sort(key=lambda entry: -abs(entry[2] or 0.0))
    rows = [
        [name(target), name(source), number(memory, 3), number(correlation, 3)]
        for target, source, memory, correlation in entries[:MOST_ENTRIES]
    ]
    columns = [
        words("Target label"),
        words("Source label"),
        Column("Memory"),
        Column("Correlation"),
    ]
    shown = f"the {MOST_ENTRIES} largest" if len(entries) > MOST_ENTRIES else "all"
    caption = f"{matrix['dataset']}: entries off the diagonal, {shown}, by size in the memory"
    return simple(f"memory-{matrix['dataset']}", caption, columns, rows, filtered=False)


def curve_sentence(curves: list[Json]) -> str:
    """How many curves rise until the third iteration, and how many move after it."""
    known = [
        (curve["test"], 1 if curve["greater_is_better"] else -1)
        for curve in curves
        if len(curve["test"]) > THIRD and all(point["mean"] is not None for point in curve["test"])
    ]
    if not known:
        return "No curve reaches the third iteration."
    better = sum(way * (test[THIRD]["mean"] - test[0]["mean"]) > 0 for test, way in known)
    settled = sum(_within_one(test[THIRD], test[-1]) for test, _ in known)
    return (
        f"The third iteration is better than the first on {better} of "
        f"{counted(len(known), 'test curve')}; after it {settled} move by less than one pooled "
        "standard error."
    )


def _within_one(one: Json, other: Json) -> bool:
    return abs(one["mean"] - other["mean"]) <= hypot(one["ste"] or 0.0, other["ste"] or 0.0)


def matrix_sentence(matrix: Json, level: float) -> str:
    """Whether the memory resembles the correlation of the labels."""
    start = "the row is the label that is moved, the column the one that moves it"
    if matrix["unscaled"]:
        rows = listed(matrix["unscaled"])
        start += f"; each row has 1 on its diagonal, except where that is small ({rows})"
    if matrix["r"] is None or matrix["p"] is None:
        return f"{start}. The two cannot be correlated, because all entries of one are equal."
    alike = "more" if matrix["p"] < level and matrix["r"] > 0 else "not more"
    permuted = f"{chance(matrix['p'])} by {counted(matrix['permutations'], 'permutation')}"
    return (
        f"{start}. Off the diagonal the memory, as it was learned, and the correlation are {alike} "
        f"alike than chance explains: r = {matrix['r']:.2f}, {permuted} of the labels."
    )


def rethinking(comparison: Json) -> Json:
    """The curves of each data set."""
    found = comparison["experiments"]["rethinking"]["curves"]
    by_dataset: dict[str, list[Json]] = {}
    for curve in found:
        by_dataset.setdefault(curve["dataset"], []).append(curve)
    return {
        "intro": [
            "The net repeats its prediction, each time with the last one before its eyes. "
            "If rethinking helps, the curves improve with the iteration and then level out.",
            curve_sentence(found),
        ],
        "figures": [curve_figure(dataset, curves) for dataset, curves in by_dataset.items()],
        "tables": [],
        "reading": "a line is the mean over seeds, its band one standard error to either side; "
        "where the two lines part, the net learns what the test rows do not share.",
    }


def curve_figure(dataset: str, curves: list[Json]) -> Figure:
    """All costs of a data set side by side."""
    caption = f"{dataset}: performance by iteration"
    drawings = [_drawing(curve) for curve in curves if _has_values(curve)]
    return Figure(caption, drawings, "", curve_table(curves))


def _has_values(curve: Json) -> bool:
    return any(point["mean"] is not None for point in curve["train"] + curve["test"])


def _drawing(curve: Json) -> str:
    series = {
        part: [Point(point["mean"], point["ste"], point["n"]) for point in curve[part]]
        for part in ("train", "test")
    }
    way = "higher" if curve["greater_is_better"] else "lower"
    return draw_curves(
        curve["iterations"],
        series,
        curve["title"],
        f"{curve['title']}, {way} is better",
        decimals=curve["decimals"],
    )


def memory(comparison: Json) -> Json:
    """The memory matrices beside the correlation of the labels."""
    found = comparison["experiments"]["memory"]["matrices"]
    return {
        "intro": [
            "With the labels as its units, the recurrent layer shows in its matrix how one label "
            "of the last prediction moves another. If it has learned how labels depend on each "
            "other, the matrix resembles their correlation.",
        ],
        "figures": [matrix_figure(matrix, comparison["level"]) for matrix in found],
        "tables": [],
        "reading": "",
    }


def matrix_figure(matrix: Json, level: float) -> Figure:
    """The two matrices side by side."""
    drawings = [
        heat(matrix["memory"], matrix["labels"], "Memory", "target label", "source label"),
        heat(matrix["correlation"], matrix["labels"], "Correlation", "label", "label"),
    ]
    caption = f"{matrix['dataset']}: learned memory and correlation of the labels"
    return Figure(caption, drawings, matrix_sentence(matrix, level), matrix_table(matrix))
