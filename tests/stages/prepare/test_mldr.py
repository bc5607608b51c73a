import lzma
import struct
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
import rdata
from scipy import sparse

from rethink.tables import Column
from stages.common.catalog import Source, load_catalog
from stages.common.errors import DataError
from stages.prepare.mldr import read_mldr
from stages.prepare.readers import read_dataset
from tests.readme import ROOT
from torture.examples import r_frame

FRAME = r_frame() | {".SCUMBLE": np.array([0.0, 0.1, 0.2])}


def mldr(frame=FRAME, index=(7, 2), **more):
    return {"name": "set", "dataset": frame, "labels": {"index": np.array(index, np.int32)}, **more}


@pytest.fixture
def write(tmp_path):
    def write(content, name="set.rda", **options):
        objects = content if "dataset" not in content else {"set": content}
        rdata.write_rda(tmp_path / name, objects, **options)
        return tmp_path / name

    return write


@pytest.mark.parametrize("compression", ["xz", "gzip", "bzip2", None])
@pytest.mark.parametrize("version", [2, 3])
def test_every_kind_of_column_is_read(write, compression, version):
    path = write(mldr(), compression=compression, format_version=version)
    table = read_mldr(path)
    assert table.columns == (
        Column("x"),
        Column("text", ("0", "1")),
        Column("words", ("", "dark blue", "red")),
        Column("whole"),
        Column("truth"),
        Column("factor", ("yes", "no")),
        Column("y"),
    )
    expected = [[0.5, 1, 2, 1, 1, 0, 0], [0, 0, 0, 2, 0, 1, 1], [np.nan, 1, 1, -3, 1, 0, 1]]
    np.testing.assert_array_equal(table.matrix, expected)
    assert table.labels == ("y", "text")


def test_columns_that_mldr_adds_are_no_features_and_labels_are_split_off(write):
    path = write(mldr())
    source = Source.model_validate({"format": "rda", "files": [{"name": path.name}]})
    frame = {name: cells for name, cells in FRAME.items() if name != "x"}
    write(mldr(frame, (6, 1)))
    dataset = read_dataset(source, path.parent)
    assert [column.name for column in dataset.features.columns] == [
        "words",
        "whole",
        "truth",
        "factor",
    ]
    assert dataset.label_names == ("text", "y")
    assert dataset.labels.tolist() == [[1, 0], [0, 1], [1, 1]]


def test_missing_whole_numbers_and_texts_are_missing(write):
    frame = {"i": np.ma.masked_array(np.array([1, 2], np.int32), [False, True]), "y": np.ones(2)}
    assert np.isnan(read_mldr(write(mldr(frame, (2,)))).matrix[1, 0])
    path = write(mldr({"t": np.array(["a", "NA"]), "y": np.ones(2)}, (2,)), compression=None)
    raw = path.read_bytes()
    missing = struct.pack(">ii", 9, -1)
    known = raw[raw.index(b"NA") - 8 : raw.index(b"NA") + 2]
    path.write_bytes(raw.replace(known, missing))
    np.testing.assert_array_equal(read_mldr(path).matrix, [[0, 1], [np.nan, 1]])


def test_names_that_are_no_utf_8_are_latin_1(write):
    path = write(mldr({"caffe": np.zeros(2), "y": np.ones(2)}, (2,)), compression=None)
    path.write_bytes(path.read_bytes().replace(b"caffe", b"caff\xe3"))
    assert read_mldr(path).columns[0].name == "caffã"
    path = write(mldr({"é": np.zeros(2), "y": np.ones(2)}, (2,)))
    assert read_mldr(path).columns[0].name == "é"


def test_a_table_of_many_zeros_is_sparse(write):
    cells = np.zeros((40, 30))
    cells[np.arange(30), np.arange(30)] = 3.5
    frame = {f"x{i}": column for i, column in enumerate(cells.T)}
    matrix = read_mldr(write(mldr(frame, (1,)))).matrix
    assert sparse.issparse(matrix) and matrix.indices.dtype == np.int32
    np.testing.assert_array_equal(matrix.toarray(), cells)


def test_a_table_with_numbers_below_zero_is_dense(write):
    frame = {"x": np.append(np.zeros(99), -1), "y": np.append(1, np.zeros(99))}
    assert not sparse.issparse(read_mldr(write(mldr(frame, (2,)))).matrix)


def test_a_label_that_never_occurs_is_kept(write):
    table = read_mldr(write(mldr({"x": np.ones(3), "y": np.zeros(3)}, (2,))))
    assert table.labels == ("y",)


REFUSED = {
    "two objects": ({"a": mldr(), "b": mldr()}, "found 2 objects, needs one"),
    "a vector": ({"a": np.zeros(3)}, "not a list with names"),
    "no data frame": ({"a": {"x": np.zeros(3)}}, "found no `dataset` and `labels`"),
    "no index": (mldr(labels={"count": np.zeros(2)}), "no column `index`"),
    "index too large": (mldr(index=(10,)), "leads out of the 9 columns"),
    "index of zero": (mldr(index=(0,)), "leads out of the 9 columns"),
    "ragged": (mldr({"x": np.zeros(3), "y": np.zeros(2)}, (2,)), "have 2 to 3 rows"),
    "list in a column": (mldr({"x": [1.0, "a"], "y": np.zeros(2)}, (2,)), "'x' is a list"),
    "complex": (mldr({"x": np.ones(2, complex), "y": np.zeros(2)}, (2,)), "found complex numbers"),
}


@pytest.mark.parametrize(("content", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_object_of_mldr_is_refused(write, content, reason):
    path = write(content)
    with pytest.raises(DataError) as refusal:
        read_mldr(path)
    assert str(path) in str(refusal.value) and reason in str(refusal.value)


# --- T26: files that lie ---

HEAD = b"RDX2\nX\n" + struct.pack(">iii", 2, 0x30400, 0x20300)
NAMED = struct.pack(">i", 0x402) + struct.pack(">iii", 1, 0x40009, 1) + b"a"
NIL = struct.pack(">i", 254)
DEEP = struct.pack(">ii", 19, 1)


def vector(kind, length):
    return HEAD + NAMED + struct.pack(">ii", kind, length)


def altrep(name, length):
    symbol = struct.pack(">iii", 1, 0x40009, len(name)) + name
    how = struct.pack(">i", 2) + symbol + NIL
    return (
        HEAD
        + NAMED
        + struct.pack(">i", 238)
        + how
        + struct.pack(">iiddd", 14, 3, length, 1, 1)
        + NIL
        + NIL
    )


LIES = {
    "empty": (b"", "promises"),
    "wrong magic": (b"<html>not found</html>", "starts with b'<html>n', needs RDX2"),
    "a list of R in text form": (b"RDA2\nA\n2\n", "starts with b'RDA2"),
    "only the head": (HEAD, "promises"),
    "2^31 doubles": (vector(14, 2**31 - 1), "promises 2,147,483,647 values"),
    "2^31 texts": (vector(16, 2**31 - 1), "promises 2,147,483,647 values"),
    "2^31 objects": (vector(19, 2**31 - 1), "promises 2,147,483,647 values"),
    "long vector": (vector(14, -1), "promises -1 values"),
    "objects without end": (HEAD + NAMED + DEEP * 100_000, "deeper than 50 levels"),
    "very many objects": (vector(19, 3_000_000) + NIL * 3_000_000 + NIL, "more than 2,000,000"),
    "no such symbol": (HEAD + NAMED + struct.pack(">i", 7 << 8 | 255), "to symbol 7 of 1"),
    "environment": (HEAD + NAMED + struct.pack(">i", 4), "found an environment"),
    "number among texts": (vector(16, 1) + struct.pack(">ii", 14, 0), "of type 14 among texts"),
    "bytes after the end": (HEAD + NIL + b"more", "4 bytes after the end"),
    "no name": (HEAD + NIL, "an object without name"),
    "chain without end": (vector(14, 0) + struct.pack(">i", 14), "chain of objects without end"),
    "endless sequence": (altrep(b"compact_intseq", 2.0**31), "sequence of 2.14748e+09 numbers"),
    "unknown form": (altrep(b"deferred_string", 3), "save the object with `version = 2`"),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "reason"), LIES.values(), ids=LIES.keys())
def test_a_file_that_lies_is_refused_in_no_time(tmp_path, raw, reason):
    path = tmp_path / "set.rda"
    path.write_bytes(raw)
    start = time.process_time()
    with pytest.raises(DataError) as refusal:
        read_mldr(path)
    assert time.process_time() - start < 5
    assert str(refusal.value).startswith(f"{path}: ") and reason in str(refusal.value)


def test_sequences_and_wrapped_vectors_of_version_3_are_read(tmp_path, write):
    frame = pd.DataFrame({"x": [0.5, 1], "y": [0.0, 1]})  # its row names are a sequence
    assert read_mldr(write(mldr(frame, (2,)), format_version=3)).matrix.tolist() == [
        [0.5, 0],
        [1, 1],
    ]


@pytest.mark.parametrize("compression", ["xz", "gzip", "bzip2", None])
def test_a_file_cut_anywhere_is_refused(write, compression):
    path = write(mldr(), compression=compression)
    raw = path.read_bytes()
    for end in range(0, len(raw), max(1, len(raw) // 60)):
        path.write_bytes(raw[:end])
        with pytest.raises(DataError):
            read_mldr(path)


def test_a_flipped_byte_gives_a_table_or_an_error_of_ours(write):
    path = write(mldr(), compression=None)
    raw = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(500):
        broken = bytearray(raw)
        for place in rng.integers(len(raw), size=rng.integers(1, 4)):
            broken[place] = rng.choice([0, 1, 2, 9, 13, 14, 16, 19, 127, 255, rng.integers(256)])
        path.write_bytes(broken)
        try:
            table = read_mldr(path)
        except DataError:
            continue
        assert table.matrix.shape[1] == len(table.columns)


BOMB = """
import resource, sys
from pathlib import Path
from stages.common.errors import DataError
from stages.prepare.mldr import read_mldr
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try:
    read_mldr(Path(sys.argv[1]))
except DataError as error:
    print(error)
"""


def test_a_bomb_is_refused_in_bounded_memory(tmp_path):
    path = tmp_path / "bomb.rda"
    packer = lzma.LZMACompressor(preset=0)
    with path.open("wb") as file:
        for _ in range(45):
            file.write(packer.compress(bytes(10_000_000)))
        file.write(packer.flush())
    assert path.stat().st_size < 200_000
    done = subprocess.run(
        [sys.executable, "-c", BOMB, path], cwd=ROOT, capture_output=True, text=True
    )
    assert "grows to more than 400,000,000 bytes" in done.stdout, done.stderr


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "large.rda"
    with path.open("wb") as file:
        file.truncate(400_000_001)  # takes no room on the disk
    with pytest.raises(DataError, match="more than 400,000,000 bytes"):
        read_mldr(path)


def test_an_absent_file_is_refused_with_its_name(tmp_path):
    with pytest.raises(DataError, match=r"none\.rda cannot be read"):
        read_mldr(tmp_path / "none.rda")


# --- the real files ---

CATALOG = load_catalog(ROOT / "data/catalog.yaml")
REAL = [name for name, entry in CATALOG.datasets.items() if entry.sources[0].format == "rda"]


@pytest.mark.parametrize("name", REAL)
def test_the_real_files_hold_what_the_catalogue_counts(mirror, name):
    entry = CATALOG.entry(name)
    start = time.process_time()
    dataset = read_dataset(entry.sources[0], mirror / entry.sources[0].mirror)
    assert time.process_time() - start < 20
    counts = entry.counts
    assert dataset.features.matrix.shape == (counts.instances, counts.features)
    assert dataset.labels.shape == (counts.instances, counts.labels)
    assert dataset.labels.sum() / counts.instances == pytest.approx(counts.cardinality, abs=0.0006)
    assert int((dataset.labels.sum(axis=1) == 0).sum()) == counts.empty


def test_labels_that_never_occur_are_those_of_two_sets(mirror):
    for name in ("slashdot", "reutersk500"):
        source = CATALOG.entry(name).sources[0]
        assert (read_dataset(source, mirror / source.mirror).labels.sum(axis=0) == 0).any()


@pytest.mark.filterwarnings("ignore:Missing constructor for R class")
def test_a_real_file_is_read_as_the_package_rdata_reads_it(mirror):
    path = mirror / "mldr.datasets/data/stackex_chess.rda"
    frame = rdata.read_rda(path)["stackex_chess"]["dataset"]
    table = read_mldr(path)
    assert [column.name for column in table.columns] == list(frame.columns[:-2])
    np.testing.assert_array_equal(table.matrix.toarray(), frame.iloc[:, :-2].to_numpy(float))
