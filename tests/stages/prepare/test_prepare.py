import numpy as np
import pytest
from scipy import sparse

from rethink.tables import Column, RawTable, encode
from stages.common.catalog import Entry
from stages.prepare.dataset import content_hash, prepare
from stages.prepare.readers import RawDataset

SOURCE = {"format": "csv", "files": [{"name": "a.csv"}], "labels": ["y"]}


def entry(**more):
    return Entry.model_validate({"sources": [SOURCE], **more})


def dataset(matrix, labels, columns=None):
    columns = columns or tuple(Column(f"x{i}") for i in range(matrix.shape[1]))
    names = tuple(f"y{i}" for i in range(labels.shape[1]))
    return RawDataset(RawTable(columns, matrix), labels, names)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(40, 3)) * [1, 100, 0.001] + [5, -3, 0]
    return dataset(matrix, (rng.random((40, 2)) < 0.5).astype(np.uint8))


def test_features_are_scaled_to_the_unit_interval_over_all_rows(data):
    features = prepare(data, entry()).features
    assert features.min(axis=0).tolist() == [0, 0, 0]
    assert features.max(axis=0).tolist() == [1, 1, 1]


def test_sparse_features_stay_sparse(data):
    counts = sparse.csr_array(np.random.default_rng(1).poisson(0.2, size=(40, 6)).astype(float))
    result = prepare(dataset(counts, data.labels), entry())
    assert sparse.issparse(result.features) and result.card["storage"] == "sparse"
    assert result.features.nnz == counts.nnz


def test_the_card_counts_what_is_there(data):
    card = prepare(data, entry(title="A set")).card
    assert (card["instances"], card["features"], card["labels"]) == (40, 3, 2)
    assert card["cardinality"] == pytest.approx(data.labels.sum() / 40, abs=1e-6)
    assert card["empty"] == int((data.labels.sum(axis=1) == 0).sum())
    assert card["title"] == "A set" and len(card["content"]) == 64


def test_nominal_columns_become_an_index_or_a_column_each():
    columns = (Column("size"), Column("site", ("a", "b", "c")), Column("wet", ("no", "yes")))
    matrix = np.array([[0.5, 2, 1], [0.1, 0, 0], [0.2, 1, 1]])
    kept, names = encode(RawTable(columns, matrix), "index")
    assert names == ("size", "site", "wet") and (kept == matrix).all()
    spread, names = encode(RawTable(columns, matrix), "onehot")
    assert names == ("size", "site=a", "site=b", "site=c", "wet")
    assert spread.tolist() == [[0.5, 0, 0, 1, 1], [0.1, 1, 0, 0, 0], [0.2, 0, 1, 0, 1]]


def test_one_hot_of_a_sparse_table_equals_that_of_a_dense_one():
    columns = (Column("n"), Column("site", ("a", "b", "c")))
    matrix = np.array([[0, 2], [3, 0], [0, 1.0]])
    dense, _ = encode(RawTable(columns, matrix), "onehot")
    thin, _ = encode(RawTable(columns, sparse.csr_array(matrix)), "onehot")
    assert sparse.issparse(thin) and (thin.toarray() == dense).all()


def test_the_content_hash_tells_values_apart_and_nothing_else(data):
    same = dataset(data.features.matrix.copy(), data.labels.copy(), tuple(map(Column, "abc")))
    assert prepare(same, entry()).card["content"] == prepare(data, entry()).card["content"]
    labels = data.labels.copy()
    labels[0, 0] ^= 1
    assert content_hash(data.features.matrix, labels) != content_hash(
        data.features.matrix, data.labels
    )
