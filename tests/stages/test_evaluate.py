from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from rethink.costs import COSTS
from stages import evaluate
from stages.common.errors import DataError
from stages.common.files import sha256_of
from stages.evaluate import SCHEMA, label_matrix, read_cells, score, score_dataset

LABELS, ROWS = 4, 12
TYPES = pa.schema(
    [
        ("model", pa.string()),
        ("cost", pa.string()),
        ("seed", pa.int16()),
        ("iteration", pa.int16()),
        ("part", pa.string()),
        ("row", pa.int32()),
        ("labels", pa.list_(pa.int16())),
    ]
)


def random_truth():
    truth = np.random.default_rng(0).integers(0, 2, (ROWS, LABELS), dtype=np.uint8)
    truth[[1, 5, 9]] = 0
    return truth


def random_cell(model="M", cost="f1", seed=0, iterations=2):
    rng = np.random.default_rng([seed, iterations])
    order = rng.permutation(ROWS)
    rows = []
    for iteration, place in product(range(1, iterations + 1), range(ROWS)):
        labels = np.flatnonzero(rng.random(LABELS) < 0.4).tolist()
        part = "train" if place < 9 else "test"
        rows.append((model, cost, seed, iteration, part, int(order[place]), labels))
    return pa.Table.from_pylist([dict(zip(TYPES.names, row, strict=True)) for row in rows], TYPES)


def run_of(cell, status="ok", reason=None):
    key = {name: cell[name][0].as_py() for name in ("model", "cost", "seed")}
    return {"dataset": "toy", **key, "status": status, "reason": reason, "published": None}


def loop(cell, truth, part, iteration, criterion, empty):
    """One value by the definition, an instance at a time."""
    values = []
    for line in cell.to_pylist():
        if (line["part"], line["iteration"]) == (part, iteration):
            y, p = truth[line["row"]].tolist(), [0] * LABELS
            for label in line["labels"]:
                p[label] = 1
            values.append(by_hand(criterion, y, p, empty))
    return sum(values) / len(values), len(values)


def by_hand(criterion, y, p, empty):
    tp = sum(a and b for a, b in zip(y, p, strict=True))
    wrong = sum(a != b for a, b in zip(y, p, strict=True))
    pairs = [(i, j) for i, j in product(range(LABELS), repeat=2) if y[i] > y[j]]
    if criterion == "hamming":
        return wrong / LABELS
    if criterion == "rank":
        return sum((p[i] < p[j]) + 0.5 * (p[i] == p[j]) for i, j in pairs)
    if not any(y) and not any(p):
        return empty
    return 2 * tp / (2 * tp + wrong) if criterion == "f1" else tp / (tp + wrong)


def test_every_score_equals_a_plain_loop():
    truth, cell = random_truth(), random_cell()
    rows = score(cell, sparse.csr_array(truth), COSTS)
    keys = [(r["iteration"], r["part"], r["criterion"], r["empty"]) for r in rows]
    assert keys == list(product((1, 2), ("train", "test"), COSTS, (0.0, 1.0)))
    for row, (iteration, part, criterion, empty) in zip(rows, keys, strict=True):
        if criterion not in ("hamming", "rank", "f1", "accuracy"):
            continue
        value, count = loop(cell, truth, part, iteration, criterion, empty)
        assert row["value"] == pytest.approx(value, abs=1e-12)
        assert (row["rows"], row["last"]) == (count, iteration == 2)


def test_the_conventions_differ_where_nothing_was_rightly_predicted():
    truth = sparse.csr_array(np.zeros((ROWS, LABELS), np.uint8))
    cell = random_cell(iterations=1)
    nothing = pa.array([[]] * ROWS, pa.list_(pa.int16()))
    cell = cell.set_column(cell.schema.get_field_index("labels"), "labels", nothing)
    values = {(r["criterion"], r["empty"]): r["value"] for r in score(cell, truth, COSTS)}
    assert (values["f1", 0.0], values["f1", 1.0]) == (0.0, 1.0)
    assert values["hamming", 0.0] == values["hamming", 1.0] == 0.0


def test_a_failed_cell_has_rows_under_every_filter_and_no_value():
    cell = random_cell()
    failed = run_of(random_cell(seed=1), "timeout", "over 600 s")
    table = score_dataset([run_of(cell), failed], [cell], sparse.csr_array(random_truth()), COSTS)
    assert table.schema == SCHEMA
    frame = table.to_pandas()
    mine = frame[(frame["part"] == "test") & frame["last"] & (frame["criterion"] == frame["cost"])]
    assert list(mine["seed"]) == [0, 0, 1, 1]
    lost = mine[mine["seed"] == 1]
    assert lost["value"].isna().all()
    assert set(lost["status"]) == {"timeout"}
    assert set(lost["reason"]) == {"over 600 s"}
    assert set(lost["rows"]) == {0}


def test_a_finished_cell_without_predictions_is_an_error_that_names_it():
    with pytest.raises(DataError, match=r"1 finished cells.*M/f1/0.*dvc repro"):
        score_dataset([run_of(random_cell())], [], sparse.csr_array(random_truth()), COSTS)


def test_predictions_that_belong_to_no_planned_cell_are_left_out():
    cells = [random_cell(), random_cell(model="old")]
    truth = sparse.csr_array(random_truth())
    table = score_dataset([run_of(cells[0])], iter(cells), truth, COSTS)
    assert set(table["model"].to_pylist()) == {"M"}


def test_lists_become_a_matrix_also_when_sliced_and_in_chunks():
    lists = pa.chunked_array([[[3], [0, 2], []], [[1]]], pa.list_(pa.int16())).slice(1)
    assert label_matrix(lists, 4).toarray().tolist() == [[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]]


@pytest.mark.parametrize(
    ("lists", "message"),
    [([[0, 4]], "label 4, but there are 4"), ([[1, 1]], "twice"), ([[2, -1]], "label -1")],
)
def test_impossible_labels_are_refused(lists, message):
    with pytest.raises(DataError, match=message):
        label_matrix(pa.chunked_array([lists], pa.list_(pa.int16())), 4)


def test_a_row_predicted_twice_is_refused():
    cell = random_cell(iterations=1)
    with pytest.raises(DataError, match="row is predicted twice"):
        score(pa.concat_tables([cell, cell]), sparse.csr_array(random_truth()), COSTS)


def test_a_row_outside_the_data_set_is_refused():
    with pytest.raises(DataError, match=r"row 10 is predicted, but there are 5"):
        score(random_cell(), sparse.csr_array(random_truth()[:5]), COSTS)


def test_a_cell_spread_over_row_groups_is_read_as_one(tmp_path):
    cells = [random_cell(seed=seed) for seed in (0, 1)]
    with pq.ParquetWriter(tmp_path / "toy.parquet", TYPES, write_page_checksum=True) as writer:
        for cell in cells:
            writer.write_table(cell, row_group_size=10)
    tables = list(read_cells(tmp_path / "toy.parquet"))
    assert [table.num_rows for table in tables] == [24, 24]
    assert all(a.equals(b) for a, b in zip(tables, cells, strict=True))


class Run:
    datasets = ("toy",)

    def criteria(self):
        return COSTS


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["evaluate"])
    monkeypatch.setattr(evaluate, "load_params", lambda **_: Run())
    for folder in ("predictions", "runs", "prepared/toy"):
        (tmp_path / "data" / folder).mkdir(parents=True)
    cells = [random_cell(seed=seed) for seed in (0, 1)]
    failed = run_of(random_cell(seed=2), "failed", "it broke")
    pq.write_table(pa.concat_tables(cells), "data/predictions/toy.parquet", row_group_size=24)
    runs = pa.Table.from_pylist([*map(run_of, cells), failed])
    pq.write_table(runs, "data/runs/toy.parquet")
    names = [f"y{number}" for number in range(LABELS)]
    pq.write_table(pa.table(list(random_truth().T), names), "data/prepared/toy/labels.parquet")
    return tmp_path


def test_the_stage_writes_every_cell_and_the_same_bytes_again(project):
    path = project / "data" / "scores.parquet"
    assert evaluate.main() == 0
    first = sha256_of(path)
    assert evaluate.main() == 0
    assert sha256_of(path) == first
    frame = pq.read_table(path).to_pandas()
    assert len(frame) == 2 * 2 * 2 * len(COSTS) * 2 + 2 * len(COSTS) * 2
    assert frame.groupby("seed")["status"].first().tolist() == ["ok", "ok", "failed"]


def test_a_missing_input_is_named_and_leaves_no_scores(project):
    (project / "data" / "runs" / "toy.parquet").unlink()
    with pytest.raises(DataError, match=r"data/runs/toy\.parquet.*dvc repro"):
        evaluate.main()
    assert not (project / "data" / "scores.parquet").exists()
