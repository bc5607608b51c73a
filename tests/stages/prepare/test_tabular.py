import gzip
from datetime import date, datetime, time
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rethink.tables import Column
from stages.common.errors import DataError
from stages.prepare.tabular import read_csv, read_parquet


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "set.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_csv(path)

    return read


def test_numbers_stay_numbers_and_text_becomes_nominal_in_sorted_order(read):
    table = read("x,colour,y\n1.5,red,0\n-2e3,blue,1\n3,red,1\n")
    assert table.columns == (Column("x"), Column("colour", ("blue", "red")), Column("y"))
    assert table.matrix.tolist() == [[1.5, 1, 0], [-2000, 0, 1], [3, 1, 1]]
    assert table.matrix.dtype == np.float64


def test_a_compressed_file_is_read(tmp_path):
    path = tmp_path / "set.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert read_csv(path).matrix.tolist() == [[1, 2]]


def test_empty_cells_and_question_marks_are_missing(read):
    table = read("x,c,empty\n1,?,\n?,a,\n,,?\n")
    assert table.columns == (Column("x"), Column("c", ("a",)), Column("empty"))
    nan = np.nan
    np.testing.assert_array_equal(table.matrix, [[1, nan, nan], [nan, 0, nan], [nan, nan, nan]])


def test_dates_are_days_and_truth_values_are_0_and_1(read):
    table = read("d,t,m\n1970-01-11,true,1970-01-02 06:00:00\n1969-12-31,False,NA\n")
    assert table.columns == (
        Column("d", kind="date"),
        Column("t", kind="truth"),
        Column("m", kind="date"),
    )
    np.testing.assert_array_equal(table.matrix, [[10, 1, 1.25], [-1, 0, np.nan]])


def test_every_word_for_missing_leaves_a_number_a_number(read):
    table = read('x\n1\nNA\nNaN\nnull\n""\n?\n2\n')
    assert table.columns == (Column("x"),)
    np.testing.assert_array_equal(table.matrix[:, 0], [1, *[np.nan] * 5, 2])


def test_numbers_in_a_column_of_text_stay_as_they_are_written(read):
    assert read("c,x\n007,1\nx7,2\n").columns == (Column("c", ("007", "x7")), Column("x"))


def test_the_kind_of_a_column_depends_on_all_its_rows(read):
    rows = "1,2\n" * 400_000
    table = read("x,y\n" + rows + "0.5,a\n")
    assert table.columns == (Column("x"), Column("y", ("2", "a")))
    assert table.matrix[-1].tolist() == [0.5, 1]


def test_a_very_long_row_is_read(read):
    text = "z" * 3_000_000
    assert read(f"x,y\n1,{text}\n").columns == (Column("x"), Column("y", (text,)))


def test_quotes_byte_order_mark_and_crlf_are_read(read):
    table = read('\ufeff"a, b",c\r\n1,"x\n""y"""\r\n2,z\r\n')
    assert table.columns == (Column("a, b"), Column("c", ('x\n"y"', "z")))
    assert table.matrix.tolist() == [[1, 0], [2, 1]]


def test_a_header_alone_is_a_table_without_rows(read):
    assert read("a,b\n").matrix.shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Empty CSV"),
        ("a,b\n1,2\n1\n", r"Row #3: Expected 2 columns, got 1"),
        ("a,b,a\n1,2,3\n", "found 2 columns called 'a', needs one"),
        (",b\n0,2\n", "column 1 has no name"),
        (b"a,caf\xe9\n1,\xe9\n", "needs a CSV file in UTF-8"),
    ],
)
def test_a_bad_csv_file_is_refused_with_its_name(read, text, reason):
    with pytest.raises(DataError, match=rf"set\.csv: .*{reason}"):
        read(text)


def test_broken_compression_is_refused(tmp_path):
    path = tmp_path / "set.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" * 1000)[:-20])
    with pytest.raises(DataError, match=r"set\.csv\.gz: "):
        read_csv(path)


def test_an_absent_file_is_refused(tmp_path):
    for read in (read_csv, read_parquet):
        with pytest.raises(DataError, match="none: "):
            read(tmp_path / "none")


def write(folder, table):
    pq.write_table(pa.table(table), folder / "set.parquet")
    return folder / "set.parquet"


def test_parquet_numbers_truth_values_and_text_are_read(tmp_path):
    text = pa.array(["b", "a", None]).dictionary_encode()
    columns = {"x": [1, None, 3], "f": [0.5, 1, 2], "t": [True, False, True], "c": text}
    table = read_parquet(write(tmp_path, columns))
    truth = Column("t", kind="truth")
    assert table.columns == (Column("x"), Column("f"), truth, Column("c", ("a", "b")))
    np.testing.assert_array_equal(
        table.matrix, [[1, 0.5, 1, 1], [np.nan, 1, 0, 0], [3, 2, 1, np.nan]]
    )


def test_parquet_dates_and_decimals_are_read(tmp_path):
    moments = [datetime(1970, 1, 3, 12), None]
    columns = {
        "day": [date(1970, 1, 2), date(1969, 12, 31)],
        "moment": moments,
        "there": pa.array([datetime(1970, 1, 2), None], pa.timestamp("ms", "Asia/Tokyo")),
        "clock": [time(6), time(18)],
        "price": [Decimal("1.50"), None],
    }
    table = read_parquet(write(tmp_path, columns))
    assert [column.kind for column in table.columns] == ["date"] * 4 + ["number"]
    nan = np.nan
    np.testing.assert_array_equal(table.matrix, [[1, 2.5, 1, 0.25, 1.5], [-1, nan, nan, 0.75, nan]])


def test_parquet_lists_are_refused_with_the_column(tmp_path):
    with pytest.raises(DataError, match=r"column 'x' holds list.*needs numbers, dates"):
        read_parquet(write(tmp_path, {"x": [[1], [2]]}))


def test_a_cut_parquet_file_is_refused(tmp_path):
    path = write(tmp_path, {"x": list(range(1000))})
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(DataError, match="needs a sound parquet file"):
        read_parquet(path)
