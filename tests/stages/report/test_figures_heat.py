import pytest

from stages.report.figures import heat
from tests.stages.report.svg_reading import SVG, desc, named, read, texts, tooltip, with_class


def draw(matrix, labels=None, **options):
    labels = labels or [f"label {i}" for i in range(len(matrix))]
    return read(heat(matrix, labels, "memory", "target", "source", **options))


def square(count, value=lambda i, j: (i - j) / 10):
    return [[float(value(i, j)) for j in range(count)] for i in range(count)]


def test_each_cell_says_its_row_its_column_and_its_value():
    root = draw([[1.0, -0.25], [0.5, 1.0]], ["a", "b"])
    cells = list(named(root))[:4]
    assert cells == ["a, a: 1.00", "a, b: −0.25", "b, a: 0.50", "b, b: 1.00"]


def test_rows_go_down_and_columns_go_right():
    root = draw(square(3), ["a", "b", "c"])
    first, below, beside = (tooltip(root, name) for name in ("a, a:", "b, a:", "a, b:"))
    assert float(below.get("y")) - float(first.get("y")) == float(first.get("height"))
    assert below.get("x") == first.get("x")
    assert float(beside.get("x")) - float(first.get("x")) == float(first.get("width"))
    assert beside.get("y") == first.get("y")


def test_the_step_grows_with_the_value_and_ends_at_the_limit():
    root = draw([[1.0, -1.0, 0.0], [0.5, 9.0, -0.5], [1.0, 0.02, -9.0]], limit=1.0)
    steps = [element.get("class") for name, element in named(root).items() if "label" in name]
    assert steps == ["d10", "d0", "d5", "d8", "d10", "d2", "d10", "d5", "d0"]
    assert "≥ +1.00" in texts(root)
    assert "some values lie beyond" in desc(root)


def test_the_limit_is_the_largest_value_off_the_diagonal():
    root = draw([[1.0, -0.2], [0.1, 1.0]])
    assert tooltip(root, "label 0, label 1:").get("class") == "d0"
    assert "The colours end at ±0.20" in desc(root)


def test_negative_cells_carry_a_dash_and_missing_ones_a_cross():
    root = draw([[1.0, -0.2], [None, 1.0]])
    (dash,) = with_class(root, "fig-sign")
    assert dash.get("d").count("M") == 1
    cell = tooltip(root, "label 0, label 1:")
    start = float(dash.get("d")[1:].split()[0])
    assert float(cell.get("x")) < start < float(cell.get("x")) + float(cell.get("width"))
    (cross,) = with_class(root, "fig-void")
    assert cross.get("d").count("M") == 2
    assert tooltip(root, "label 1, label 0: no value").get("class") == "d-none"
    assert "1 of the values are missing" in desc(root)


@pytest.mark.parametrize(
    "matrix", [[[1.0]], [[0.0]], square(4, lambda i, j: 0), [[None]], [[float("nan"), 1], [1, 1]]]
)
def test_one_label_equal_values_and_no_value_are_drawn(matrix):
    root = draw(matrix)
    assert len(with_class(root, "fig-squares")[0]) == len(matrix) ** 2
    assert "nan" not in desc(root)


@pytest.mark.parametrize("count", [6, 14, 27, 45])
def test_labels_are_named_beside_their_cells(count):
    root = draw(square(count))
    assert float(root.get("width")) <= 900
    for i in range(count):
        assert texts(root).count(f"label {i}") == 2


def test_a_large_matrix_is_light_and_has_a_tooltip_for_each_row():
    count = 174
    figure = heat(
        square(count, lambda i, j: ((i * 7 + j * 13) % 21 - 10) / 10),
        [f"label {i}" for i in range(count)],
        "memory",
        "target",
        "source",
    )
    root = read(figure)
    assert len(figure) < 600_000
    assert float(root.get("width")) <= 900
    rows = [name for name in named(root) if name.startswith("label ")]
    assert len(rows) == count
    assert rows[3].startswith("label 3: from −1.00 (label ")


def test_a_large_matrix_covers_every_cell_once():
    count = 61
    root = draw(square(count))
    covered = 0
    for path in with_class(root, "fig-squares")[0].iter(f"{SVG}path"):
        covered += sum(int(run.split("h")[1].split("v")[0]) for run in path.get("d").split("M")[1:])
    assert covered == count**2


def test_a_long_name_is_cut_beside_the_matrix_and_whole_in_the_tooltip():
    name = "a label with a name that is much too long to be shown"
    root = draw([[1.0, 0.1], [0.1, 1.0]], [name, "b"])
    assert name not in texts(root)
    assert tooltip(root, f"{name}, b:") is not None


@pytest.mark.parametrize(
    ("matrix", "labels"), [([[1.0, 2.0]], ["a"]), ([], []), ([[1.0]], ["a", "b"])]
)
def test_a_matrix_that_does_not_fit_its_labels_is_refused(matrix, labels):
    with pytest.raises(ValueError, match="memory: a matrix of"):
        heat(matrix, labels, "memory", "target", "source")
