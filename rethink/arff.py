"""ARFF read line by line: complete, cut as Weka's tokenizer cuts it; an error names the line."""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from rethink.tables import Column, RawTable

Matrix: TypeAlias = np.ndarray | sparse.csr_array
# The bytes of a file, where its rows start, and their columns.
FastReader: TypeAlias = Callable[[bytes, int, tuple[Column, ...]], Matrix | None]
_BOM = b"\xef\xbb\xbf"
_DATA = re.compile(rb"\n[\x00-\x09\x0b-\x20]*@data(?![^\x00-\x20%])([^\n]*)\n?", re.IGNORECASE)
_NUMERIC = ("numeric", "real", "integer")
# Weka takes every control character as a blank, but not the blanks of Unicode.
PLAIN_WORD = r"[^\x00- ,{}'\"%]++"
_QUOTED = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_TOKEN = re.compile(
    rf"(?P<joined>(?:{PLAIN_WORD}(?=['\"])|{_QUOTED}(?=[^\x00- ,{{}}%])).*)"
    rf"|{PLAIN_WORD}|[,{{}}]|{_QUOTED}|(?P<open>['\"].*)|(?P<comment>%.*)",
    re.DOTALL,
)
_WRONG_TOKEN = {
    "joined": "found a quote in {}, needs a comma or a blank beside it, or quotes around the whole",
    "open": "found the open quote {}, needs its end",
}
_PLAIN_LINE = re.compile(rf"(?ai:@attribute)[ \t]+({PLAIN_WORD})[ \t]+([^\x00- '\"%]+)[ \t]*")
_MARKS = (",", "{", "}")  # a quoted mark keeps its quotes and so differs
_ESCAPE = re.compile(r"\\([0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|Infinity)")
_INDEX = re.compile(r"0*([0-9]{1,9})")


class Unreadable(ValueError):
    """A file cannot be read: which, where, and what is needed."""


class Malformed(Exception):
    """Why a line cannot be read; path and line number are added where they are known."""


class _Lines:
    """The lines of a text, and the number of the one that was read last."""

    def __init__(self, text: str, number: int) -> None:
        self.text, self.number = text, number

    def __iter__(self) -> Iterator[str]:
        for line in self.text.split("\n"):
            self.number += 1
            yield line


def read_arff(path: Path, fast: FastReader | None = None) -> RawTable:
    """Read a file of numeric and nominal attributes, in ASCII, UTF-8 or else Latin-1.

    Its rows may be left to `fast`, which returns None where they are not plain.
    """
    raw = _read_bytes(path)
    encoding = _encoding(raw)
    data = _DATA.search(raw)
    lines = _Lines(raw[: data.start() if data else None].decode(encoding), 0)
    try:
        columns = _columns(lines)
        if not data:
            raise Malformed("the file ends in its header, needs @data and rows")
        lines.number += 1
        if rest := _tokens(data[1].decode(encoding)):
            raise Malformed(f"found {shown(' '.join(rest))} after @data, needs a new line")
        matrix = fast(raw, data.end(), columns) if fast else None
        if matrix is None:
            lines = _Lines(raw[data.end() :].decode(encoding), lines.number)
            matrix = _matrix(lines, columns)
    except Malformed as error:
        raise Unreadable(f"{path}:{lines.number}: {error}") from None
    return RawTable(columns, matrix)


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
        raw.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def shown(text: str) -> str:
    """Text of the file for an error message: quoted, escaped and short."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _columns(lines: _Lines) -> tuple[Column, ...]:
    """The attributes of a header; a type that was read before is not read again."""
    columns: dict[str, Column] = {}
    types: dict[str, tuple[str, ...] | None] = {}
    keyword, needed = "@relation", "@relation"
    for line in lines:
        plain = _PLAIN_LINE.fullmatch(line)
        name, kind = plain.groups() if plain else ("", "")
        if kind in types:
            column = Column(name, types[kind])
        else:
            tokens = _tokens(line)
            if not tokens:
                continue
            if tokens[0].lower() != keyword:
                raise Malformed(f"found {shown(' '.join(tokens))}, needs {needed}")
            if keyword == "@relation":
                keyword, needed = "@attribute", "@attribute or @data"
                continue
            column = _attribute(tokens[1:])
            if kind:
                types[kind] = column.values
        if columns.setdefault(column.name, column) is not column:
            raise Malformed(f"attribute {shown(column.name)} found twice, needs it once")
    if not columns:
        lines.number += 1
        raise Malformed("found no attribute, needs an @attribute before the rows")
    return tuple(columns.values())


def _tokens(line: str) -> list[str]:
    """The words of a line with their quotes, and the marks between them."""
    tokens: list[str] = []
    for match in _TOKEN.finditer(line):
        if match.lastgroup == "comment":
            break
        if match.lastgroup:
            raise Malformed(_WRONG_TOKEN[match.lastgroup].format(shown(match[0])))
        tokens.append(match[0])
    return tokens


def _text(token: str) -> str:
    return _ESCAPE.sub(_unescaped, token[1:-1]) if token[0] in "'\"" else token


def _unescaped(match: re.Match[str]) -> str:
    text = match[1]
    return chr(int(text, 8)) if text in "01234567" or len(text) > 1 else _ESCAPED.get(text, text)


def _attribute(tokens: list[str]) -> Column:
    if len(tokens) < 2 or tokens[0] in _MARKS:
        raise Malformed("found an attribute without name or type, needs @attribute name type")
    name, (kind, *rest) = _text(tokens[0]), tokens[1:]
    values, label = None, f"attribute {shown(name)}"
    if kind == "{":
        if "}" not in rest:
            raise Malformed(f"the values of {label} have no end, needs a }} on the line")
        end = rest.index("}")
        values, rest = tuple(map(_text, _listed(rest[:end]))), rest[end + 1 :]
        if not values:
            raise Malformed(f"{label} has no values, needs at least one")
        twice, times = Counter(values).most_common(1)[0]
        if times > 1:
            raise Malformed(f"{label} lists {shown(twice)} twice, needs it once")
    elif kind.lower() not in _NUMERIC:
        needed = f"one of {', '.join(_NUMERIC)} or {{value, ...}}"
        raise Malformed(f"{label} has the type {shown(kind)}, needs {needed}")
    if rest:
        needed = "the end of the line (weights are not read)"
        raise Malformed(f"found {shown(rest[0])} after the type of {label}, needs {needed}")
    return Column(name, values)


def _listed(tokens: list[str]) -> list[str]:
    """The values of a list: a comma, blanks or both stand between two of them."""
    values: list[str] = []
    for before, token in pairwise([",", *tokens, ","] if tokens else []):
        if token in ("{", "}"):
            raise Malformed(f"found {token!r} among the values, needs quotes around it")
        if before == token == ",":
            number = len(values) + 1
            raise Malformed(f"found nothing as value {number}, needs ? where one is missing")
        if token != ",":
            values.append(token)
    return values


class Decoder(NamedTuple):
    """How the values of one column are read: as numbers, unless there are codes of its values."""

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
        known = [*map(shown, islice(self.codes, 10)), *["..."] * (len(self.codes) > 10)]
        needed = f"one of {', '.join(known)}" if known else "a number"
        place = f"found {shown(text)} in attribute {shown(self.name)}"
        raise Malformed(f"{place}, needs {needed}")


def decoders(columns: Iterable[Column]) -> list[Decoder]:
    """One for each column; those of equal values share their codes."""
    codes: dict[tuple[str, ...] | None, dict[str, int]] = {}
    for _, values, _ in columns:
        if values not in codes:
            codes[values] = {value: code for code, value in enumerate(values or ())}
    return [Decoder(column.name, codes[column.values]) for column in columns]


def _matrix(lines: _Lines, columns: tuple[Column, ...]) -> Matrix:
    """The rows: all are sparse, or none is."""
    readers = decoders(columns)
    indices, values, ends = array("i"), array("d"), array("i", [0])
    form = ""
    for tokens in filter(None, map(_tokens, lines)):
        own_form = "sparse" if tokens[0] == "{" else "dense"
        form = form or own_form
        if own_form != form:
            raise Malformed(f"found a {own_form} row, needs all {form}")
        row = (_sparse_row if form == "sparse" else _dense_row)(tokens, readers)
        indices.extend(row)
        values.extend(row.values())
        ends.append(len(values))
    shape = (len(ends) - 1, len(columns))
    if form != "sparse":
        return np.array(values).reshape(shape)
    return sparse.csr_array((np.array(values), np.array(indices), np.array(ends)), shape=shape)


def _dense_row(tokens: list[str], readers: list[Decoder]) -> dict[int, float]:
    values = _listed(tokens)
    if len(values) != len(readers):
        raise Malformed(f"found {len(values)} values, needs {len(readers)}")
    return {i: readers[i].value(token) for i, token in enumerate(values)}


def _sparse_row(tokens: list[str], readers: list[Decoder]) -> dict[int, float]:
    """The pairs of `{index value, index value, ...}` whose value is not 0."""
    if "}" not in tokens:
        raise Malformed("found a sparse row without end, needs a }")
    if tokens.index("}") < len(tokens) - 1:
        raise Malformed("found more after the end of a sparse row (weights are not read)")
    row, last = {}, -1
    inner = [*tokens[1:-1], ","] if len(tokens) > 2 else []
    for start in range(0, len(inner), 3):
        pair, comma = inner[start : start + 2], inner[start + 2 : start + 3]
        if comma != [","] or set(pair).intersection(_MARKS):
            text = shown(" ".join(token for token in pair if token != ","))
            raise Malformed(f"found {text} as pair {start // 3 + 1}, needs `index value`")
        index = _INDEX.fullmatch(_text(pair[0]))
        if not index or int(index[1]) >= len(readers):
            needed = f"one from 0 to {len(readers) - 1}"
            raise Malformed(f"found the index {shown(_text(pair[0]))}, needs {needed}")
        if int(index[1]) <= last:
            raise Malformed(f"found the index {int(index[1])} after {last}, needs ascending ones")
        last = int(index[1])
        row[last] = readers[last].value(pair[1])
    return {i: value for i, value in row.items() if value != 0}
