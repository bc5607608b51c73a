import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rethink.arff import Unreadable
from rethink.arff import read_arff as read_exactly
from rethink.tables import Column
from stages.common.errors import DataError
from stages.prepare.arff import plain_matrix, read_arff

HEAD = (
    "@relation r\n@attribute x numeric\n@attribute c {red,green,'dark, blue'}\n@attribute y {0,1}\n"
)


def write(folder, text, encoding="utf-8"):
    path = folder / "set.arff"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return path


REFUSED = {
    "sparse index out of range": ("{0 1,3 1}", 6, "'3', needs one from 0 to 2"),
    "negative sparse index": ("{-1 1}", 6, "'-1', needs one from 0 to 2"),
    "sparse index that is no number": ("{x 1}", 6, "'x', needs one from 0 to 2"),
    "huge sparse index": ("{" + "9" * 5000 + " 1}", 6, "needs one from 0 to 2"),
    "unsorted sparse indices": ("{2 1,0 1}", 6, "index 0 after 2, needs ascending"),
    "doubled sparse index": ("{0 1,0 1}", 6, "index 0 after 0, needs ascending"),
    "sparse index without value": ("{0 1,2}", 6, "'2' as pair 2, needs `index value`"),
    "trailing comma in a sparse row": ("{0 1,}", 6, "'' as pair 2, needs `index value`"),
    "truncated sparse row": ("{0 1}\n{0 1,2 ", 7, "without end, needs a }"),
    "weight after a sparse row": ("{0 1}, {5}", 6, "weights are not read"),
    "too few values": ("1,red,0\n1,red\n", 7, "2 values, needs 3"),
    "too many values": ("1,red,0,1\n", 6, "4 values, needs 3"),
    "truncated last line": ("1,red,0\n1,re", 7, "2 values, needs 3"),
    "weight after a dense row": ("1,red,0,{5}", 6, "'{' among the values"),
    "empty value": ("1,,0", 6, "nothing as value 2, needs ?"),
    "trailing comma": ("1,red,0,", 6, "nothing as value 4, needs ?"),
    "leading comma": (",1,red,0", 6, "nothing as value 1, needs ?"),
    "unknown nominal value": (
        "1,pink,0",
        6,
        "'pink' in attribute 'c', needs one of 'red', 'green'",
    ),
    "nominal number in other spelling": ("1,red,1.0", 6, "'1.0' in attribute 'y', needs one of"),
    "text in a numeric column": ("one,red,0", 6, "'one' in attribute 'x', needs a number"),
    "infinity of another language": ("inf,red,0", 6, "'inf' in attribute 'x', needs a number"),
    "number with underscore": ("1_0,red,0", 6, "'1_0' in attribute 'x', needs a number"),
    "digits of another script": ("\u0663,red,0", 6, "in attribute 'x', needs a number"),
    "open quote": ("1,'red,0", 6, "open quote"),
    "quote inside a word": ("1,re'd',0", 6, "needs a comma or a blank beside it"),
    "dense row after sparse ones": ("{0 1}\n1,red,0", 7, "a dense row, needs all sparse"),
    "sparse row after dense ones": ("1,red,0\n{0 1}", 7, "a sparse row, needs all dense"),
    "mistake after comments": ("% one\n\n  % two\n1,red", 9, "2 values, needs 3"),
}


@pytest.mark.parametrize(("rows", "line", "reason"), REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_a_bad_row_is_refused_with_its_line(tmp_path, rows, line, reason, newline):
    path = write(tmp_path, (HEAD + "@data\n" + rows).replace("\n", newline))
    with pytest.raises(DataError) as refusal:
        read_arff(path)
    assert str(refusal.value).startswith(f"{path}:{line}: ")
    assert reason in str(refusal.value)


@pytest.mark.parametrize("row", range(2000, 12000, 3333))
def test_one_bad_row_among_many_good_ones_is_named(tmp_path, row):
    rows = ["{0 1,2 1}"] * 12000
    rows[row] = "{0 1,2 2}"
    path = write(tmp_path, HEAD + "@data\n" + "\n".join(rows))
    with pytest.raises(DataError, match=re.escape(f"{path}:{row + 6}: found '2' in attribute 'y'")):
        read_arff(path)


HEADERS = {
    "no relation": ("@attribute x numeric\n@data\n", 1, "needs @relation"),
    "relation in a comment": ("%@relation r\n@attribute x real\n@data\n", 2, "needs @relation"),
    "second relation": ("@relation r\n@relation s\n@data\n", 2, "needs @attribute or @data"),
    "unknown keyword": ("@relation r\n@attr x numeric\n@data\n", 2, "needs @attribute or @data"),
    "string": ("@relation r\n@attribute x string\n@data\n", 2, "type 'string', needs one of"),
    "date": ("@relation r\n@attribute x date 'yyyy'\n@data\n", 2, "type 'date', needs one of"),
    "relational": ("@relation r\n@attribute x relational\n@data\n", 2, "type 'relational'"),
    "weight": ("@relation r\n@attribute x numeric {2}\n@data\n", 2, "weights are not read"),
    "weight after values": ("@relation r\n@attribute x {a} {2}\n@data\n", 2, "weights are not"),
    "no type": ("@relation r\n@attribute x\n@data\n", 2, "without name or type"),
    "no name": ("@relation r\n@attribute {0,1}\n@data\n", 2, "without name or type"),
    "open values": ("@relation r\n@attribute x {0,1\n@data\n", 2, "have no end, needs a }"),
    "no values": ("@relation r\n@attribute x {}\n@data\n", 2, "no values, needs at least one"),
    "empty value": ("@relation r\n@attribute x {a,,b}\n@data\n", 2, "nothing as value 2"),
    "doubled value": ("@relation r\n@attribute x {a,b,a}\n@data\n", 2, "lists 'a' twice"),
    "doubled name": (
        "@relation r\n\n@attribute x numeric\n@attribute y numeric\n@attribute x {0}\n@data\n",
        5,
        "'x' found twice",
    ),
    "doubled quoted name": (
        "@relation r\n@attribute x numeric\n@attribute 'x' numeric\n@data\n",
        3,
        "'x' found twice",
    ),
    "comment in a name": ("@relation r\n@attribute a%b numeric\n@data\n", 2, "name or type"),
    "no attribute": ("@relation r\n\n@data\n1\n", 3, "needs an @attribute"),
    "no data": ("@relation r\n@attribute x numeric\n", 3, "ends in its header, needs @data"),
    "rows on the line of @data": (
        "@relation r\n@attribute x real\n@data 1\n",
        3,
        "'1' after @data",
    ),
    "empty file": ("", 2, "needs an @attribute"),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00", 1, "needs @relation"),
    "UTF-16": ("@relation r\n".encode("utf-16"), 1, "needs @relation"),
}


@pytest.mark.parametrize(("text", "line", "reason"), HEADERS.values(), ids=HEADERS.keys())
def test_a_bad_header_is_refused_with_its_line(tmp_path, text, line, reason):
    path = write(tmp_path, text)
    with pytest.raises(DataError) as refusal:
        read_arff(path)
    assert str(refusal.value).startswith(f"{path}:{line}: ")
    assert reason in str(refusal.value)


def test_an_absent_file_is_refused_with_its_name(tmp_path):
    with pytest.raises(DataError, match=r"none\.arff cannot be read"):
        read_arff(tmp_path / "none.arff")


def test_a_message_stays_short(tmp_path):
    path = write(tmp_path, HEAD + "@data\n" + "z" * 100_000 + ",red,0")
    with pytest.raises(DataError) as refusal:
        read_arff(path)
    assert len(str(refusal.value)) < 200 + len(str(path))


def test_many_blank_lines_take_no_time(tmp_path):
    path = write(tmp_path, "@relation r\n" + " \n" * 300_000 + "@attribute x real\n@data\n1")
    assert read_arff(path).matrix.tolist() == [[1.0]]


# --- fuzzing: whatever the bytes, a table of the right shape or an error that names the line ---

REAL = [
    b"@relation 'MEDC: -C 45'\n\n@attribute 1-1/2-year {0,1}\n@attribute 0; {0,1}\n"
    b"@attribute 'Swainson\\'s Thrush' {0,1}\n\n@data\n{0 1,2 1}\n{}\n{1 1}\n",
    b"@relation musicout\n\n@attribute Mean_Acc numeric\n@attribute hasRain {0,1}\n"
    b"@attribute location {1,2,10}\n@data\n0.034741,0,10\n-72.7,1,1\n1e-3,?,2\n",
    b"\xef\xbb\xbf@RELATION Yahoo\r\n@ATTRIBUTE Att1 REAL\r\n% counts\r\n"
    b"@attribute Arts {1,0}\r\n@DATA\r\n{0 12}\r\n{1 0}",
    b'@relation x\n@attribute "caf\xe9, bar" {\'a b\',"c\\"d",e}\n@attribute n integer\n'
    b'@data\n\'a b\',1 % why\n"c\\"d", 2\ne 3\n',
]
NASTY = [
    *[b"'", b'"', b"\\", b"%", b"{", b"}", b",", b"?", b"\n", b"\r", b"\t", b" ", b"\x00", b"\xff"],
    *[b"@data", b"@attribute", b"{0,1}", b"numeric", b"string", b"nan", b"inf", b"1e999", b"1e2"],
    *[
        b"-0",
        b"00",
        b"+1",
        b"1.",
        b".5",
        b".",
        b"-",
        b"e",
        b"?1",
        b"0x1",
        b"\xc2\xa0",
        b"99999999999",
    ],
]


@st.composite
def mutated(draw, texts, most):
    text = draw(texts)
    for _ in range(draw(st.integers(0, most))):
        start, length = draw(st.integers(0, len(text))), draw(st.integers(0, 12))
        new = draw(st.one_of(st.sampled_from(NASTY), st.just(text[start : start + length])))
        keep = draw(st.sampled_from([0, length]))
        text = text[:start] + new + text[start + keep :]
    return text


CELLS = [
    st.sampled_from([b"0", b"7", b"12", b"2.5", b"-3", b"1e2", b"12345678", b"123456789", b"?"]),
    st.sampled_from([b"0", b"1"]),
    st.sampled_from([b"1", b"0", b"12"]),
]


@st.composite
def sparse_row(draw):
    cells = [(i, draw(cell)) for i, cell in enumerate(CELLS) if draw(st.booleans())]
    return b"{" + b",".join(b"%d %s" % cell for cell in cells) + b"}"


DENSE_ROW = st.tuples(*CELLS).map(b",".join)


@st.composite
def numbers(draw):
    """A file that the fast reader takes, or would take but for a small mistake in its rows."""
    rows = b"\n".join(draw(st.lists(draw(st.sampled_from([sparse_row(), DENSE_ROW])), max_size=4)))
    values = draw(st.sampled_from([b"1,0,12", b"0,1,12", b"1,0,12,100,'1 1',''"]))
    head = b"@relation r\n@attribute x real\n@attribute y {0,1}\n@attribute z {%s}\n@data\n"
    return head % values + draw(mutated(st.just(rows), most=2))


def outcome(read, path):
    try:
        return read(path)
    except (DataError, Unreadable) as error:
        assert re.match(re.escape(str(path)) + r":[1-9]\d*: \S", str(error))
        return str(error)


def check_both_ways(folder, raw):
    path = write(folder, raw)
    fast, exact = outcome(read_arff, path), outcome(read_exactly, path)
    if isinstance(fast, str) or isinstance(exact, str):
        assert fast == exact
        return
    assert fast.columns == exact.columns
    assert type(fast.matrix) is type(exact.matrix)
    cells, same = (
        table.matrix.toarray() if sparse.issparse(table.matrix) else table.matrix
        for table in (fast, exact)
    )
    np.testing.assert_array_equal(cells, same)
    assert cells.dtype == np.float64
    assert cells.shape[1] == len(fast.columns) > 0
    assert cells.shape[0] <= len(re.split(rb"\r\n|\r|\n", raw))
    for column, values in zip(fast.columns, cells.T, strict=True):
        if column.values is not None:
            known = values[~np.isnan(values)]
            assert np.isin(known, range(len(column.values))).all()


@settings(max_examples=300, deadline=None, derandomize=True)
@given(raw=mutated(st.sampled_from(REAL), most=4))
def test_a_mutated_file_is_read_in_shape_or_refused(tmp_path_factory, raw):
    check_both_ways(tmp_path_factory.getbasetemp(), raw)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(raw=numbers())
def test_the_fast_and_the_exact_reader_agree(tmp_path_factory, raw):
    check_both_ways(tmp_path_factory.getbasetemp(), raw)


BORDER = [
    *["{1 1.}", "{1 01}", "{1 1e0}", "{1 +1}", "{1 -0}", "{2 1e2}", "{2 12.}", "{0 .}", "{0 -}"],
    *[
        "{0x1 1}",
        "{0 0x1}",
        "{1 0x1}",
        "{? 1}",
        "{0 \x01}",
        "{2 \x01}",
        "{0 1, 1 1}",
        "{4294967296 1}",
    ],
    *["{0 1e}", "{0 1e999}", "{0 nan}", "{0 1_0}", "{0 ?}", "{0 :}", "{-0 1}", "{+1 1}", "{1. 1}"],
    *["{00000000001 1}", "{0 00000000001}", "{0 1 1 1}", "{0,1}", "{0 1,1}", "{0}", "{ }", "{}"],
    *[
        "{0  1}",
        "{0 1,,1 1}",
        "{,}",
        "{0 1}{1 1}",
        "{{0 1}",
        "{0 1",
        "0 1}",
        "{0,1 1 1}",
        "{0 1}\n}1 1{",
    ],
    *["1 1,0,1", "1,1 1,1", "1,0,1 1", "1,0, 1", "1,0,", "inf,0,1", "nan,0,1", "1e999,0,1"],
    *[",0,1", "0x1,0,1", "1,00,1", "1,0.,1", "1,0,1\x00", "1\x0b,0,1", "?,?,?", " ?,0,1", "1;0;1"],
    *[
        "1,0,1\n\n \n2,0,1",
        "{0 1}\n\n{1 1}",
        "{0 1}\n \n{1 1}",
        "\n\n{0 1}\n\n",
        "{0 1}\n{}\n{1 1}",
    ],
]


@pytest.mark.parametrize("rows", BORDER)
@pytest.mark.parametrize("values", ["1,0,12,100", "'1 1','',1"], ids=["plain", "quoted"])
def test_both_readers_agree_where_the_fast_one_ends(tmp_path, rows, values):
    head = "@relation r\n@attribute x real\n@attribute y {0,1}\n@attribute z {%s}\n@data\n"
    check_both_ways(tmp_path, (head % values + rows).encode())


def test_rows_without_any_cell_do_not_need_the_exact_reader():
    matrix = plain_matrix(b"{}\n{0 1}\n{}\n{}\n{0 12}\n", 0, (Column("x"),))
    assert matrix.toarray().ravel().tolist() == [0, 1, 0, 0, 12]
