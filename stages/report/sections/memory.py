"""The memory matrices beside the correlation of the labels."""

from stages.common.slices import Matrices, Matrix
from stages.common.words import counted, listed, p_text
from stages.report.figures import heat
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View
from stages.report.table import Column, Figure, Table, name, number, simple, texts

TITLE = "Memory of label correlation"
MOST_ENTRIES = 500  # of a matrix, in the table behind its figure


def show(part: Matrices, inputs: Inputs) -> list[Section]:
    """The two matrices of each data set side by side."""
    view = View(
        intro=[
            "With the labels as its units, the recurrent layer shows in its matrix how one label "
            "of the last prediction moves another. If it has learned how labels depend on each "
            "other, the matrix resembles their correlation.",
        ],
        figures=[_figure(matrix, inputs.comparison.level) for matrix in part.matrices],
    )
    return [Section("memory", TITLE, view)]


def _figure(matrix: Matrix, level: float) -> Figure:
    drawings = [
        heat(matrix.memory, matrix.labels, "Memory", "target label", "source label"),
        heat(matrix.correlation, matrix.labels, "Correlation", "label", "label"),
    ]
    caption = f"{matrix.dataset}: learned memory and correlation of the labels"
    return Figure(caption, drawings, matrix_sentence(matrix, level), matrix_table(matrix))


def matrix_sentence(matrix: Matrix, level: float) -> str:
    """Whether the memory resembles the correlation of the labels."""
    start = "the row is the label that is moved, the column the one that moves it"
    if matrix.unscaled:
        rows = listed(matrix.unscaled)
        start += f"; each row has 1 on its diagonal, except where that is small ({rows})"
    if matrix.r is None or matrix.p is None:
        return f"{start}. The two cannot be correlated, because all entries of one are equal."
    alike = "more" if matrix.p < level and matrix.r > 0 else "not more"
    permuted = f"{p_text(matrix.p)} by {counted(matrix.permutations, 'permutation')}"
    return (
        f"{start}. Off the diagonal the memory, as it was learned, and the correlation are {alike} "
        f"alike than chance explains: r = {matrix.r:.2f}, {permuted} of the labels."
    )


def matrix_table(matrix: Matrix) -> Table:
    """Entries of both matrices off the diagonal, the largest of the memory first."""
    entries = [
        (target, source, matrix.memory[i][j], matrix.correlation[i][j])
        for i, target in enumerate(matrix.labels)
        for j, source in enumerate(matrix.labels)
        if i != j
    ]
    entries.sort(key=lambda entry: -abs(entry[2]))
    rows = [
        [name(target), name(source), number(memory, 3), number(correlation, 3)]
        for target, source, memory, correlation in entries[:MOST_ENTRIES]
    ]
    columns = [*texts("Target label", "Source label"), Column("Memory"), Column("Correlation")]
    shown = f"the {MOST_ENTRIES} largest" if len(entries) > MOST_ENTRIES else "all"
    caption = f"{matrix.dataset}: entries off the diagonal, {shown}, by size in the memory"
    return simple(f"memory-{matrix.dataset}", caption, columns, rows, filtered=False)
