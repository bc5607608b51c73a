"""ARFF read line by line: complete, cut as Weka's tokenizer cuts it; an error names the line."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from rethink.tables import Column, RawTable

_BOM = b"\xef\xbb\xbf"
_DATA = re.compile(rb"\n[\x00-\x09\x0b-\x20]*@data(?![^\x00-\x20%])([^\n]*)\n?", re.IGNORECASE)
_REST = re.compile(rb"[\x00-\x20]*(?:%.*)?")
NUMERIC = ("numeric", "real", "integer")
# Weka takes every control character as a blank, but not the blanks of Unicode.
PLAIN_WORD = r"[^\x00- ,{}'\"%]+"
_TOKEN = re.compile(
    rf"{PLAIN_WORD}|[,{{}}]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
    r"|(?P<open>['\"].*)|(?P<comment>%.*)",
    re.DOTALL,
)
_MARKS = (",", "{", "}")  # a quoted mark keeps its quotes and so differs
_ESCAPE = re.compile(r"\\([0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|Infinity)")
_INDEX = re.compile(r"0*([0-9]{1,9})")


class Unreadable(ValueError):
    """A file cannot be read: which, where, and what is needed."""


class _Malformed(Exception):
    """Why a line cannot be read; path and line number are added where they are known."""


class Parts(NamedTuple):
    """A file in bytes, its header as text, and where its rows start: the byte and the line."""

    raw: bytes
    encoding: str
    head: str
    start: int
    line: int


def read_arff(path: Path) -> RawTable:
    """Read a file of numeric and nominal attributes."""
    parts = split_file(path)
    columns = exact_columns(path, parts.head)
    check_data_line(path, parts)
    rows = parts.raw[parts.start :].decode(parts.encoding)
    return RawTable(columns, exact_matrix(path, rows, parts.line, columns))


def split_file(path: Path) -> Parts:
    """Header and rows; the file may be in ASCII, UTF-8 or else Latin-1."""
    raw = _read_bytes(path)
    encoding = _encoding(raw)
    keyword = _DATA.search(raw)
    end, start = keyword.span() if keyword else (len(raw), -1)
    head = raw[:end].decode(encoding)
    return Parts(raw, encoding, head, start, head.count("\n") + 3)


def check_data_line(path: Path, parts: Parts) -> None:
    """Refuse a file that ends before its rows, or that has more than @data on that line."""
    line = parts.line - 1
    if parts.start < 0:
        raise Unreadable(f"{path}:{line - 1}: the file ends in its header, needs @data and rows")
    keyword = _DATA.search(parts.raw)
    if keyword and not _REST.fullmatch(keyword[1]):
        rest = shown(keyword[1].decode(parts.encoding).strip())
        raise Unreadable(f"{path}:{line}: found {rest} after @data, needs a new line")


def _read_bytes(path: Path) -> bytes:
    """The bytes of a file without byte order mark, every line ended as Unix does."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}; fetch the data set") from None
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return raw.removeprefix(_BOM)


def _encoding(raw: bytes) -> str:
    if raw.isascii():
        return "ascii"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def shown(text: str) -> str:
    """Text of the file for an error message: quoted, escaped and short."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def exact_columns(path: Path, text: str) -> tuple[Column, ...]:
    """The attributes of a header."""
    columns: dict[str, Column] = {}
    keywords: list[str] = []

    def add(tokens: list[str]) -> None:
        keywords.append(tokens[0].lower())
        if len(keywords) == 1 and keywords[0] != "@relation":
            raise _Malformed(f"found {shown(' '.join(tokens))}, needs @relation")
        if len(keywords) > 1 and keywords[-1] != "@attribute":
            raise _Malformed(f"found {shown(' '.join(tokens))}, needs @attribute or @data")
        if len(keywords) > 1:
            column = _attribute(tokens[1:])
            if columns.setdefault(column.name, column) is not column:
                raise _Malformed(f"attribute {shown(column.name)} found twice, needs it once")

    _each_line(path, text, 1, add)
    if not columns:
        end = text.count("\n") + 2
        raise Unreadable(f"{path}:{end}: found no attribute, needs an @attribute before the rows")
    return tuple(columns.values())


def exact_matrix(
    path: Path, text: str, first_line: int, columns: tuple[Column, ...]
) -> np.ndarray | sparse.csr_array:
    """The rows; the first of them is line `first_line` of the file."""
    lists = {column.values or () for column in columns}
    codes = {values: {value: code for code, value in enumerate(values)} for values in lists}
    cells = [_ColumnReader(column.name, codes[column.values or ()]) for column in columns]
    kinds: list[str] = []
    indices: list[np.ndarray] = []
    values: list[np.ndarray] = [np.zeros(0)]

    def add(tokens: list[str]) -> None:
        kinds.append("sparse" if tokens[0] == "{" else "dense")
        if kinds[-1] != kinds[0]:
            raise _Malformed(f"found a {kinds[-1]} row, needs all {kinds[0]}")
        row = _sparse_row(tokens, cells) if tokens[0] == "{" else _dense_row(tokens, cells)
        indices.append(np.array(list(row), np.int32))
        values.append(np.array(list(row.values()), np.float64))

    _each_line(path, text, first_line, add)
    shape, joined = (len(kinds), len(columns)), np.concatenate(values)
    if kinds[:1] != ["sparse"]:
        return joined.reshape(shape)
    ends = np.cumsum([len(row) for row in values], dtype=np.int32)
    return sparse.csr_array((joined, np.concatenate(indices), ends), shape=shape)


def _each_line(path: Path, text: str, first: int, add: Callable[[list[str]], None]) -> None:
    for number, line in enumerate(text.split("\n"), start=first):
        try:
            if tokens := _tokens(line):
                add(tokens)
        except _Malformed as error:
            raise Unreadable(f"{path}:{number}: {error}") from None


def _tokens(line: str) -> list[str]:
    """The words of a line with their quotes, and the marks between them."""
    tokens: list[str] = []
    end = 0
    for match in _TOKEN.finditer(line):
        token = match[0]
        if match.lastgroup == "comment":
            break
        if match.lastgroup == "open":
            raise _Malformed(f"found the open quote {shown(token)}, needs its end")
        if tokens and match.start() == end and not {token, tokens[-1]}.intersection(_MARKS):
            raise _Malformed(
                f"found {shown(token)} right after {shown(tokens[-1])}, "
                "but a comma or a blank is needed between them (or quotes around the whole)"
            )
        tokens.append(token)
        end = match.end()
    return tokens


def _text(token: str) -> str:
    return _ESCAPE.sub(_unescaped, token[1:-1]) if token[0] in "'\"" else token


def _unescaped(match: re.Match[str]) -> str:
    text = match[1]
    return chr(int(text, 8)) if text in "01234567" or len(text) > 1 else _ESCAPED.get(text, text)


def _attribute(tokens: list[str]) -> Column:
    if len(tokens) < 2 or tokens[0] in _MARKS:
        raise _Malformed("found an attribute without name or type, needs @attribute name type")
    name, (kind, *rest) = _text(tokens[0]), tokens[1:]
    values, label = None, f"attribute {shown(name)}"
    if kind == "{":
        if "}" not in rest:
            raise _Malformed(f"the values of {label} have no end, needs a }} on the line")
        end = rest.index("}")
        values, rest = _values(label, rest[:end]), rest[end + 1 :]
    elif kind.lower() not in NUMERIC:
        needed = f"one of {', '.join(NUMERIC)} or {{value, ...}}"
        raise _Malformed(f"{label} has the type {shown(kind)}, needs {needed}")
    if rest:
        needed = "the end of the line (weights are not read)"
        raise _Malformed(f"found {shown(rest[0])} after the type of {label}, needs {needed}")
    return Column(name, values)


def _values(label: str, tokens: list[str]) -> tuple[str, ...]:
    values = tuple(map(_text, _listed(tokens)))
    if not values:
        raise _Malformed(f"{label} has no values, needs at least one")
    twice, times = Counter(values).most_common(1)[0]
    if times > 1:
        raise _Malformed(f"{label} lists {shown(twice)} twice, needs it once")
    return values


def _listed(tokens: list[str]) -> list[str]:
    """The values of a list: a comma, blanks or both stand between two of them."""
    values: list[str] = []
    for before, token in pairwise([",", *tokens, ","] if tokens else []):
        if token in ("{", "}"):
            raise _Malformed(f"found {token!r} among the values, needs quotes around it")
        if before == token == ",":
            number = len(values) + 1
            raise _Malformed(f"found nothing as value {number}, needs ? where one is missing")
        if token != ",":
            values.append(token)
    return values


class _ColumnReader(NamedTuple):
    """How one column is read: as numbers, unless there are codes of its values."""

    name: str
    codes: dict[str, int]

    def value(self, token: str) -> float:
        """The number, or the code of the nominal value."""
        text = _text(token)
        if token == "?":
            return float("nan")
        if text in self.codes:
            return self.codes[text]
        if not self.codes and _NUMBER.fullmatch(text):
            return float(text)
        known = [shown(value) for value in self.codes]
        needed = f"one of {', '.join(known[:10])}" if known else "a number"
        more = ", ..." if len(known) > 10 else ""
        place = f"found {shown(text)} in attribute {shown(self.name)}"
        raise _Malformed(f"{place}, needs {needed}{more}")


def _dense_row(tokens: list[str], cells: list[_ColumnReader]) -> dict[int, float]:
    values = _listed(tokens)
    if len(values) != len(cells):
        raise _Malformed(f"found {len(values)} values, needs {len(cells)}")
    return {i: cell.value(token) for i, (cell, token) in enumerate(zip(cells, values, strict=True))}


def _sparse_row(tokens: list[str], cells: list[_ColumnReader]) -> dict[int, float]:
    """The cells of `{index value, index value, ...}` that are not 0."""
    if "}" not in tokens:
        raise _Malformed("found a sparse row without end, needs a }")
    if tokens.index("}") < len(tokens) - 1:
        raise _Malformed("found more after the end of a sparse row (weights are not read)")
    row, last = {}, -1
    inner = [*tokens[1:-1], ","] if len(tokens) > 2 else []
    for start in range(0, len(inner), 3):
        pair, comma = inner[start : start + 2], inner[start + 2 : start + 3]
        if comma != [","] or set(pair).intersection(_MARKS):
            cell = shown(" ".join(token for token in pair if token != ","))
            raise _Malformed(f"found {cell} as cell {start // 3 + 1}, needs `index value`")
        index = _INDEX.fullmatch(_text(pair[0]))
        if not index or int(index[1]) >= len(cells):
            needed = f"one from 0 to {len(cells) - 1}"
            raise _Malformed(f"found the index {shown(_text(pair[0]))}, needs {needed}")
        if int(index[1]) <= last:
            raise _Malformed(f"found the index {int(index[1])} after {last}, needs ascending ones")
        last = int(index[1])
        row[last] = cells[last].value(pair[1])
    return {i: value for i, value in row.items() if value != 0}
