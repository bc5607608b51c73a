import tracemalloc

import arff as liac
import numpy as np
import pytest
from scipy import sparse

from rethink.arff import read_arff as read_exactly
from rethink.tables import Column
from stages.prepare.arff import plain_matrix, read_arff
from tests.conftest import MIRROR, needs_mirror

MULAN = MIRROR / "mulan" / "data" / "multi-label"


@pytest.fixture
def read(tmp_path):
    def read(text, encoding="utf-8"):
        path = tmp_path / "set.arff"
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return read_arff(path)

    return read


def rows_of(table):
    matrix = table.matrix
    return (matrix.toarray() if sparse.issparse(matrix) else matrix).tolist()


def test_a_dense_file_is_read_as_numbers_and_codes_of_values(read):
    table = read("@relation r\n@attribute x real\n@attribute c {b,a}\n@data\n1.5,a\n-2e3,b\n")
    assert table.columns == (Column("x"), Column("c", ("b", "a")))
    assert rows_of(table) == [[1.5, 1], [-2000, 0]]
    assert table.matrix.dtype == np.float64


def test_a_sparse_file_is_read_without_being_filled(read):
    table = read(
        "@relation r\n@attribute x real\n@attribute c {0,1}\n@data\n{1 1}\n{}\n{0 3.5,1 1}"
    )
    assert sparse.issparse(table.matrix)
    assert rows_of(table) == [[0, 1], [0, 0], [3.5, 1]]


def test_a_cell_that_is_absent_in_a_sparse_row_is_the_first_value(read):
    table = read(
        "@relation r\n@attribute a {1,0}\n@attribute b {no,yes}\n@data\n{0 0}\n{1 yes}\n{}"
    )
    assert rows_of(table) == [[1, 0], [0, 1], [0, 0]]


def test_zeros_written_in_a_sparse_row_are_not_stored(read):
    head = "@relation r\n@attribute x real\n@attribute c {0,1}\n@data\n"
    for rows in ("{0 0,1 1}", "{0 0,1 1} % read one by one"):
        assert read(head + rows).matrix.nnz == 1


def test_a_question_mark_is_a_missing_value_unless_quoted(read):
    table = read("@relation r\n@attribute x real\n@attribute c {a,'?'}\n@data\n?,a\n1,?\n2,'?'\n")
    np.testing.assert_array_equal(table.matrix, [[np.nan, 0], [1, np.nan], [2, 1]])
    table = read("@relation r\n@attribute x real\n@attribute c {a,b}\n@data\n{0 ?,1 ?}\n{1 b}\n")
    np.testing.assert_array_equal(table.matrix.toarray(), [[np.nan, np.nan], [0, 1]])


def test_quotes_hold_commas_blanks_and_escapes(read):
    table = read(
        r"""@relation 'a, b'
        @attribute 'Swainson\'s Thrush' {'a, b',"say \"x\"", 'tab\there', '\101\\', '100%'}
        @attribute "x {y} % z" NUMERIC
        @data
        'a, b',1
        "say \"x\"",2
        'tab\there',3
        '\101\\',4
        '100%',5
        """
    )
    values = ("a, b", 'say "x"', "tab\there", "A\\", "100%")
    assert table.columns == (Column("Swainson's Thrush", values), Column("x {y} % z"))
    assert rows_of(table) == [[i, i + 1] for i in range(5)]


def test_keywords_and_types_may_be_written_in_any_case(read):
    table = read("@RELATION r\n@Attribute X NUMERIC\n@ATTRIBUTE Y Integer\n@DATA\n1,2\n")
    assert [column.name for column in table.columns] == ["X", "Y"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("rows", ["1,0\n0,1", "{0 1}\n{1 1}", "1 0\n0\t1"])
def test_any_line_end_and_a_byte_order_mark_are_read(read, newline, rows):
    text = f"\ufeff@relation r\n@attribute x real\n@attribute y {{0,1}}\n@data\n{rows}\n"
    assert rows_of(read(text.replace("\n", newline))) == [[1, 0], [0, 1]]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_names_and_values_are_read_in_utf_8_or_else_latin_1(read, encoding):
    text = "@relation r\n@attribute café {né,mort}\n@attribute x real\n@data\nmort,1\nné,2\n"
    table = read(text, encoding)
    assert table.columns[0] == Column("café", ("né", "mort"))
    assert rows_of(table) == [[1, 1], [0, 2]]


def test_comments_and_blank_lines_are_left_out(read):
    table = read(
        "% title\n\n@relation r % why\n  % more\n@attribute x real % unit\n@data % rows\n"
        "\n1 % one\n% two\n \t \n2\n"
    )
    assert rows_of(table) == [[1], [2]]


def test_blanks_may_stand_around_and_between_values(read):
    head = "@relation r\n @attribute\tx\treal \n@attribute y{0,1}\n@data\n"
    assert rows_of(read(head + " 1 , 0\n2\t1\n")) == [[1, 0], [2, 1]]
    assert rows_of(read(head + " { 0 1 , 1 1 } \n{0 2, 1 1}\n")) == [[1, 1], [2, 1]]


@pytest.mark.parametrize("end", ["@data", "@data\n", "@data\n\n% nothing\n"])
def test_an_empty_data_section_has_no_rows(read, end):
    assert read(f"@relation r\n@attribute x real\n@attribute y real\n{end}").matrix.shape == (0, 2)


def test_not_a_number_and_infinity_are_read_as_java_writes_them(read):
    table = read("@relation r\n@attribute x real\n@data\nNaN\nInfinity\n-Infinity\n")
    np.testing.assert_array_equal(table.matrix.ravel(), [np.nan, np.inf, -np.inf])


def test_numbers_have_the_nearest_double(read):
    written = ["0.1", "1e-3", "123456789012345678", "4.35", "2.2250738585072014e-308", "1e308"]
    head = "@relation r\n" + "".join(f"@attribute x{i} real\n" for i in range(6)) + "@data\n"
    assert rows_of(read(head + ",".join(written))) == [[float(text) for text in written]]
    pairs = ",".join(f"{i} {text}" for i, text in enumerate(written))
    assert rows_of(read(head + "{" + pairs + "}")) == [[float(text) for text in written]]


def test_rows_of_many_blocks_are_joined_in_order(read):
    rows = [[i, i % 97 * 1001] for i in range(1, 120_000)]
    text = "@relation r\n@attribute x real\n@attribute y real\n@data\n"
    table = read(text + "\n".join(f"{{0 {x},1 {y}}}" for x, y in rows))
    assert rows_of(table) == rows


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("{0 0.25,1 blue}", [0.25, 1]),
        ("{0 5000,1 red}", [5000, 0]),
        ("{0 1e-3}", [0.001, 0]),
        ("{0 7, 1 blue}", [7, 1]),
        ("{0 3}", [3, 0]),
        ("{1 ?}", [0, np.nan]),
    ],
)
def test_decimals_words_and_large_numbers_need_no_exact_reader(row, cells):
    columns = (Column("x"), Column("c", ("red", "blue", "dark red")))
    matrix = plain_matrix(f"{row}\n{{}}\n{row}\n".encode(), 0, columns)
    np.testing.assert_array_equal(matrix.toarray(), [cells, [0, 0], cells])


def test_a_plain_dense_row_may_have_words_and_missing_values():
    columns = (Column("x"), Column("c", ("red", "blue", "dark red")))
    plain = plain_matrix(b"1,blue\n?,red\n2,?\n", 0, columns)
    np.testing.assert_array_equal(plain, [[1, 1], [np.nan, 0], [2, np.nan]])


PLAIN = ("emotions/emotions", "medical/medical", "birds/birds-train", "corel5k/Corel5k-sparse")


@needs_mirror
@pytest.mark.parametrize("name", PLAIN)
def test_real_files_are_read_fast_and_as_the_exact_reader_does(name):
    path = MULAN / f"{name}.arff"
    exact = read_exactly(path)
    matrices = []

    def read_fast(raw, start, columns):
        matrices.append(plain_matrix(raw, start, columns))
        return matrices[0]

    fast = read_exactly(path, read_fast)
    assert fast.matrix is matrices[0]
    assert fast.columns == exact.columns
    if sparse.issparse(exact.matrix):
        assert (fast.matrix != exact.matrix).nnz == 0
        np.testing.assert_array_equal(fast.matrix.indices, exact.matrix.indices)
    else:
        np.testing.assert_array_equal(fast.matrix, exact.matrix)


@needs_mirror
@pytest.mark.parametrize("name", ["emotions/emotions", "birds/birds-test"])
def test_dense_files_equal_what_liac_arff_reads(name):
    path = MULAN / f"{name}.arff"
    oracle = liac.loads(path.read_text())
    table = read_arff(path)
    names = [name.replace("\\'", "'") for name, _ in oracle["attributes"]]  # it keeps the escapes
    assert [column.name for column in table.columns] == names
    for i, column in enumerate(table.columns):
        cells = [row[i] for row in oracle["data"]]
        if column.values:
            cells = [column.values.index(cell) for cell in cells]
        assert table.matrix[:, i].tolist() == cells


@needs_mirror
def test_a_sparse_file_equals_what_liac_arff_reads():
    path = MULAN / "medical" / "medical.arff"
    oracle = liac.loads(path.read_text(), return_type=liac.LOD)
    table = read_arff(path)
    assert [column.name for column in table.columns] == [name for name, _ in oracle["attributes"]]
    for row, cells in enumerate(oracle["data"]):
        start, end = table.matrix.indptr[row : row + 2]
        ours = zip(table.matrix.indices[start:end], table.matrix.data[start:end], strict=True)
        assert {i: table.columns[i].values[int(value)] for i, value in ours} == cells


@needs_mirror
def test_a_wide_file_takes_little_memory():
    tracemalloc.start()
    try:
        read_arff(MIRROR / "Boomer-Datasets" / "yahoo-arts.arff")
        assert tracemalloc.get_traced_memory()[1] < 150e6
    finally:
        tracemalloc.stop()
