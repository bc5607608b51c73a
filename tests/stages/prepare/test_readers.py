from importlib.resources import as_file, files

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from rethink.tables import Column
from stages.common.catalog import File, Source
from stages.common.errors import DataError
from stages.prepare.readers import read_dataset
from tests.conftest import MIRROR, needs_mirror

MULAN = "mulan/data/multi-label"

# folder, files, instances, features, labels, cardinality, empty label sets, sparse
COUNTED = {
    "emotions": ("emotions", ["emotions.arff", "emotions.xml"], 593, 72, 6, 1.868, 0, False),
    "scene": ("scene", ["scene.arff", "scene.xml"], 2407, 294, 6, 1.074, 0, False),
    "yeast": ("yeast", ["yeast.arff", "yeast.xml"], 2417, 103, 14, 4.237, 0, False),
    "birds": (
        *("birds", ["birds-train.arff", "birds-test.arff", "birds.xml"]),
        *(645, 260, 19, 1.014, 294, False),
    ),
    "tmc2007-500": (
        *("tmc2007", ["tmc2007-500.arff", "tmc2007-500.xml"]),
        *(28596, 500, 22, 2.158, 0, True),
    ),
    "arts1": (
        *("../../../Boomer-Datasets", ["yahoo-arts.arff", "yahoo-arts.xml"]),
        *(7484, 23146, 26, 1.654, 0, True),
    ),
    "medical": ("medical", ["medical.arff", "medical.xml"], 978, 1449, 45, 1.245, 0, True),
    "enron": ("enron", ["enron.arff", "enron.xml"], 1702, 1001, 53, 3.378, 0, True),
    "bibtex": ("bibtex", ["bibtex.arff", "bibtex.xml"], 7395, 1836, 159, 2.402, 0, True),
    "cal500": ("cal500", ["cal500.arff", "cal500.xml"], 502, 68, 174, 26.044, 0, False),
    "corel5k": ("corel5k", ["Corel5k-sparse.arff", "Corel5k.xml"], 5000, 499, 374, 3.522, 0, True),
}


def source(kind, *names, labels=()):
    return Source(format=kind, files=tuple(File(name=name) for name in names), labels=labels)


def dense(table):
    return table.matrix.toarray() if sparse.issparse(table.matrix) else table.matrix


@needs_mirror
@pytest.mark.parametrize("name", COUNTED)
def test_the_counts_of_the_real_data_sets(name):
    folder, names, instances, features, labels, cardinality, empty, is_sparse = COUNTED[name]
    data = read_dataset(source("arff", *names), MIRROR / MULAN / folder)
    assert (
        data.features.matrix.shape
        == (instances, features)
        == (instances, len(data.features.columns))
    )
    assert data.labels.shape == (instances, labels) == (instances, len(data.label_names))
    assert data.labels.dtype == np.uint8
    assert data.labels.sum(axis=1).mean() == pytest.approx(cardinality, abs=5e-4)
    assert (data.labels.sum(axis=1) == 0).sum() == empty
    assert sparse.issparse(data.features.matrix) == is_sparse


@needs_mirror
def test_yeast_of_the_river_package_equals_mulans():
    mulan = read_dataset(source("arff", "yeast.arff", "yeast.xml"), MIRROR / MULAN / "yeast")
    names = tuple(f"Class{i}" for i in range(1, 15))
    with as_file(files("river") / "datasets" / "yeast.csv.gz") as path:
        river = read_dataset(source("csv", path.name, labels=names), path.parent)
    np.testing.assert_array_equal(river.features.matrix, mulan.features.matrix)
    np.testing.assert_array_equal(river.labels, mulan.labels)
    assert river.label_names == mulan.label_names == names
    assert river.features.columns == mulan.features.columns


@pytest.fixture
def read(tmp_path):
    """Read ARFF text; several texts are several files."""

    def read(*texts, labels=("a", "b")):
        names = [f"set{i}.arff" for i in range(len(texts))]
        for name, text in zip(names, texts, strict=True):
            (tmp_path / name).write_text("@relation r\n" + text)
        return read_dataset(source("arff", *names, labels=labels), tmp_path)

    return read


def test_labels_may_stand_anywhere_and_keep_the_order_of_the_file(read):
    data = read(
        "@attribute b {0,1}\n@attribute x real\n@attribute a {0,1}\n@attribute c {u,v}\n@data\n"
        "1,5,0,v\n0,6,1,u\n"
    )
    assert data.label_names == ("b", "a")
    assert data.labels.tolist() == [[1, 0], [0, 1]]
    assert data.features.columns == (Column("x"), Column("c", ("u", "v")))
    assert data.features.matrix.tolist() == [[5, 1], [6, 0]]


def test_the_order_of_the_xml_does_not_matter(tmp_path):
    (tmp_path / "s.xml").write_text('<labels><label name="a"/><label name="b"/></labels>')
    (tmp_path / "s.arff").write_text(
        "@relation r\n@attribute x real\n@attribute b {0,1}\n@attribute a {0,1}\n@data\n{1 1}\n"
    )
    data = read_dataset(source("arff", "s.xml", "s.arff"), tmp_path)
    assert data.label_names == ("b", "a")
    assert data.labels.tolist() == [[1, 0]]


@pytest.mark.parametrize("values", ["numeric", "{0,1}", "{1,0}"])
def test_labels_of_zero_and_one_are_read_in_any_order_of_their_values(read, values):
    data = read(f"@attribute x real\n@attribute a {values}\n@data\n7,1\n8,0\n", labels=("a",))
    assert data.labels.tolist() == [[1], [0]]


@pytest.mark.parametrize(
    "values", ["{no,yes}", "{yes,no}", "{No,Yes}", "{false,true}", "{TRUE,FALSE}"]
)
def test_words_for_yes_and_no_are_labels(read, values):
    yes, no = sorted(values.strip("{}").split(","), key=lambda value: value.lower()[0] in "nf")
    data = read(
        f"@attribute x real\n@attribute a {values}\n@data\n7,{yes}\n8,{no}\n", labels=("a",)
    )
    assert data.labels.tolist() == [[1], [0]]


def test_an_absent_sparse_label_is_its_first_value(read):
    data = read(
        "@attribute x real\n@attribute a {1,0}\n@attribute b {0,1}\n@data\n{0 3}\n{1 0,2 1}\n"
    )
    assert data.labels.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("values", "cell", "reason"),
    [
        ("numeric", "2", "label 'a' has the value 2, needs only 0 and 1"),
        ("numeric", "?", "label 'a' is missing in row 1"),
        ("{0,1}", "?", "label 'a' is missing in row 1"),
        ("{0,1,2}", "1", "label 'a' has the values 0, 1, 2, needs 0/1"),
        ("{-1,1}", "1", "label 'a' has the values -1, 1, needs 0/1"),
        ("{0,yes}", "yes", "label 'a' has the values 0, yes, needs 0/1"),
    ],
)
def test_other_values_of_a_label_are_refused_with_its_name(read, values, cell, reason):
    with pytest.raises(DataError, match=reason):
        read(f"@attribute x real\n@attribute a {values}\n@data\n7,{cell}\n", labels=("a",))


def test_a_label_named_twice_is_refused(read):
    with pytest.raises(DataError, match="label 'a' is named 2 times"):
        read("@attribute x real\n@attribute a {0,1}\n@data\n", labels=("a", "a"))


def test_a_set_without_features_is_refused(read):
    with pytest.raises(DataError, match="all 2 columns are labels, needs a feature"):
        read("@attribute a {0,1}\n@attribute b {0,1}\n@data\n")


HEAD = "@attribute x real\n@attribute c {u,v}\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"


def test_several_files_are_joined_in_their_order(read):
    data = read(HEAD + "1,u,0,1\n", HEAD, HEAD + "2,v,1,0\n3,u,1,1\n")
    assert data.features.matrix.tolist() == [[1, 0], [2, 1], [3, 0]]
    assert data.labels.tolist() == [[0, 1], [1, 0], [1, 1]]


def test_sparse_and_dense_files_are_joined(read):
    data = read(HEAD + "1,u,0,1\n", HEAD + "{1 v,2 1}\n")
    assert sparse.issparse(data.features.matrix)
    assert dense(data.features).tolist() == [[1, 0], [0, 1]]
    assert data.labels.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (HEAD.replace("{u,v}", "{v,u}"), "found 'c' {v, u} as column 2, needs 'c' {u, v} as in"),
        (HEAD.replace("{u,v}", "real"), "found 'c' numeric as column 2, needs 'c' {u, v} as in"),
        (HEAD.replace(" x ", " z "), "found 'z' numeric as column 1, needs 'x' numeric as in"),
        ("@attribute y real\n" + HEAD, "found 5 columns, needs 4 as in"),
    ],
)
def test_files_with_other_headers_are_refused(read, other, reason):
    with pytest.raises(DataError) as refusal:
        read(HEAD, other)
    assert reason in str(refusal.value)


def test_a_parquet_file_of_features_and_labels_is_read(tmp_path):
    pq.write_table(pa.table({"x": [0.5, 1], "a": [True, False]}), tmp_path / "s.parquet")
    data = read_dataset(source("parquet", "s.parquet", labels=("a",)), tmp_path)
    assert data.features.matrix.tolist() == [[0.5], [1]]
    assert data.labels.tolist() == [[1], [0]]


def test_a_source_without_a_table_is_refused(tmp_path):
    (tmp_path / "s.xml").write_text('<labels><label name="a"/></labels>')
    with pytest.raises(DataError, match="found no table"):
        read_dataset(source("arff", "s.xml"), tmp_path)
