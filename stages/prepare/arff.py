"""ARFF files, dense and sparse, read as Weka reads them or refused with file and line.

Real data sets have plain headers and rows: C parsers read these as a whole. Anything unusual or
wrong is left to `rethink.arff`, which is slow, complete, and names the line that is wrong.
"""

import re
from itertools import starmap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from scipy import sparse

from rethink.arff import (
    NUMERIC,
    PLAIN_WORD,
    Unreadable,
    check_data_line,
    exact_columns,
    exact_matrix,
    split_file,
)
from rethink.tables import Column, RawTable
from stages.common.errors import DataError

_ATTRIBUTE = re.compile(
    rf"\n@attribute[ \t]+({PLAIN_WORD})[ \t]+"
    rf"({'|'.join(NUMERIC)}|\{{[^\x00- {{}}'\"%]+\}})[ \t]*(?=\n)",
    re.IGNORECASE,
)
_PAD = b"0" * 8  # every number needs eight bytes before its end
# For a number of n digits that ends a 64-bit word: its digits without the code of `0`.
_DIGITS = np.array([0x0F0F0F0F0F0F0F0F >> 8 * i << 8 * i for i in range(8, -1, -1)], np.uint64)
_SMALL = pa.array([str(number) for number in range(4096)])
_FILLED = re.compile(rb"[^\x00-\x20]")
_BLOCK = 1 << 19
_LARGEST_TABLE = 1 << 24  # lists of nominal values x different words in a block
_LARGEST_BLOCK = 2**31 - 1


class _Unusual(Exception):
    """These rows need the exact reader."""


def read_arff(path: Path) -> RawTable:
    """Read a file of numeric and nominal attributes."""
    try:
        return _read(path)
    except Unreadable as error:
        raise DataError(str(error)) from None


def _read(path: Path) -> RawTable:
    parts = split_file(path)
    columns = _plain_columns(parts.head) or exact_columns(path, parts.head)
    check_data_line(path, parts)
    matrix = plain_matrix(parts.raw, parts.start, columns)
    if matrix is None:
        rows = parts.raw[parts.start :].decode(parts.encoding)
        matrix = exact_matrix(path, rows, parts.line, columns)
    return RawTable(columns, matrix)


def plain_matrix(
    raw: bytes, start: int, columns: tuple[Column, ...]
) -> np.ndarray | sparse.csr_array | None:
    """The rows from byte `start` on; None if they have quotes, comments, mistakes or the like."""
    row = _FILLED.search(raw, start)
    if not row or not (raw.isascii() or raw[start:].isascii()):
        return None
    is_sparse = row[0] == b"{"
    # An unquoted `?` is missing, even if it is the name of a value, too.
    if any(raw.find(mark, start) >= 0 for mark in (b"'\"%?" if is_sparse else b"'\"%{}")):
        return None
    try:
        return (_sparse if is_sparse else _dense)(raw, row.start(), columns)
    except (_Unusual, pa.ArrowException):
        return None


def _plain_columns(text: str) -> tuple[Column, ...] | None:
    """The columns of a header without quotes and comments after its first attribute."""
    before, *parts = _ATTRIBUTE.split(text + "\n")
    names, kinds, between = parts[0::3], parts[1::3], parts[2::3]
    if not names or "".join(between).strip("\n\t ") or len(set(names)) < len(names):
        return None
    different = list(set(kinds))
    one_each = [f"@attribute {number} {kind}" for number, kind in enumerate(different)]
    try:
        columns = exact_columns(Path(), "\n".join([before, *one_each]))
    except Unreadable:
        return None
    if len(columns) != len(different):  # an attribute of another form stands before these
        return None
    values = {kind: column.values for kind, column in zip(different, columns, strict=True)}
    return tuple(starmap(Column, zip(names, map(values.get, kinds), strict=True)))


def _dense(raw: bytes, start: int, columns: tuple[Column, ...]) -> np.ndarray:
    """Rows of unquoted values with commas between them."""
    names = [str(i) for i in range(len(columns))]
    types = [pa.string() if column.values else pa.float64() for column in columns]
    block = min(len(raw), _LARGEST_BLOCK)  # a row longer than a block would be refused
    table = csv.read_csv(
        pa.BufferReader(memoryview(raw)[start:]),
        csv.ReadOptions(column_names=names, use_threads=False, block_size=block),
        csv.ParseOptions(quote_char=False, double_quote=False),
        csv.ConvertOptions(
            column_types=dict(zip(names, types, strict=True)),
            null_values=["?"],
            strings_can_be_null=True,
        ),
    )
    matrix = np.empty(table.shape)
    alike: dict[tuple[str, ...], list[int]] = {}  # to look up many columns at once
    for i, column in enumerate(columns):
        if column.values:
            alike.setdefault(column.values, []).append(i)
        else:
            matrix[:, i] = table.column(i).to_numpy()
    for values, group in alike.items():
        cells = pa.chunked_array([chunk for i in group for chunk in table.column(i).chunks])
        codes = pc.index_in(cells, value_set=_unquoted(values)).to_numpy()
        matrix[:, group] = codes.reshape(len(group), len(matrix)).T
    # An unknown nominal value is not finite either, nor is a number such as `inf`.
    _need(np.count_nonzero(~np.isfinite(matrix)) == sum(c.null_count for c in table.columns))
    return matrix


def _sparse(raw: bytes, start: int, columns: tuple[Column, ...]) -> sparse.csr_array:
    """Rows `{index value,index value}`, a block of them at a time: it stays in the cache."""
    kinds = _Kinds(columns)
    blocks = []
    while start < len(raw):
        end = raw.find(b"\n", start + _BLOCK) + 1 or len(raw)
        if text := raw[start:end].strip():
            blocks.append(_sparse_block(text, kinds))
        start = end
    values, indices, widths = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    pointers = np.cumsum(np.append(0, widths), dtype=np.int32)
    matrix = sparse.csr_array((values, indices, pointers), shape=(len(widths), len(columns)))
    matrix.eliminate_zeros()
    return matrix


def _sparse_block(text: bytes, kinds: "_Kinds") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and column indices, and the number of cells in each row."""
    bare = _without_braces(text)
    characters = np.frombuffer(bare, np.uint8)
    ends = np.flatnonzero(characters <= ord(","))  # of numbers: only blank and line end are below
    lengths, marks = np.diff(ends, prepend=len(_PAD) - 1) - 1, characters[ends]
    ends_row = marks == ord("\n")
    widths = np.diff(np.flatnonzero(ends_row), prepend=-1)  # in numbers; 1 for a row without cells
    if not lengths.all():
        empty = lengths == 0
        _need((ends_row & np.append(True, ends_row[:-1]))[empty].all())
        widths[empty[ends_row]] = 0
        ends, lengths, marks = ends[~empty], lengths[~empty], marks[~empty]
    after_value = marks[1::2]
    _need(((after_value == ord(",")) | (after_value == ord("\n"))).all())
    _need((marks[0::2] == ord(" ")).all() and not (widths % 2).any())
    widths //= 2
    indices, ids, words = _cells(bare, ends, lengths)
    grows = np.append(True, indices[1:] > indices[:-1])[: len(indices)]
    grows[(np.cumsum(widths) - widths)[widths > 0]] = True
    _need(grows.all() and indices.max(initial=0) < len(kinds.of_column))
    return kinds.decoded(indices, ids, words), indices, widths


def _without_braces(text: bytes) -> bytes:
    """Rows `{...}` as lines, after the bytes that the first number needs before its end."""
    if b", " in text[: text.find(b"\n")]:
        text = text.replace(b", ", b",")
    bare, rows = text.translate(None, b"{}"), text.count(b"\n") + 1
    framed = text[:1] + text[-1:] == b"{}" and text.count(b"}\n{") == rows - 1
    _need(framed and len(text) - len(bare) == 2 * rows)
    return _PAD + bare + b"\n"


def _cells(
    text: bytes, ends: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, pa.Array]:
    """Indices, and values as positions in a list of words."""
    if text.translate(None, b" ,\n").isdigit() and lengths.max(initial=0) <= len(_PAD):
        indices = _whole_numbers(text, ends[0::2], lengths[0::2])
        characters, ends, lengths = np.frombuffer(text, np.uint8), ends[1::2], lengths[1::2]
        values = characters[ends - 1].astype(np.int32) - ord("0")
        long = np.flatnonzero(lengths > 1)
        values[long] = _whole_numbers(text, ends[long], lengths[long])
        largest = values.max(initial=0)
        if (characters[ends[long] - lengths[long]] != ord("0")).all() and largest < len(_SMALL):
            return indices, values, _SMALL[: largest + 1]
    words = text[len(_PAD) :].decode().replace(",", " ").split()
    _need("".join(words[0::2]).isdigit())
    encoded = pa.array(words[1::2], pa.string()).dictionary_encode()
    indices = pa.array(words[0::2], pa.string()).cast(pa.int32()).to_numpy()
    return indices, encoded.indices.to_numpy(), encoded.dictionary


def _whole_numbers(text: bytes, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Numbers of one to eight digits, all parsed at once in the bytes of 64-bit words."""
    words = np.ndarray(len(text) - 7, "<u8", text, strides=(1,))[ends - 8]
    words &= _DIGITS[lengths]
    for digits, mask in ((1, 0x00FF00FF00FF00FF), (2, 0x0000FFFF0000FFFF), (4, 0xFFFFFFFF)):
        words *= np.uint64(10**digits << 8 * digits | 1)  # joins each two neighbours to one
        words >>= np.uint64(8 * digits)
        words &= np.uint64(mask)
    return words.astype(np.int32)


class _Kinds:
    """The different lists of nominal values; number 0 stands for numeric."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        lists: dict[tuple[str, ...] | None, int] = {None: 0}
        kinds = [lists.setdefault(column.values, len(lists)) for column in columns]
        self.of_column = np.array(kinds, np.int32)
        self.values = [_unquoted(values) for values in lists if values]

    def decoded(self, indices: np.ndarray, ids: np.ndarray, words: pa.Array) -> np.ndarray:
        """The words of cells as numbers, or as codes where their column is nominal."""
        _need(len(self.values) * len(words) <= _LARGEST_TABLE)
        kinds = self.of_column[indices]
        numeric = np.zeros(len(words), bool)
        numeric[ids[kinds == 0]] = True
        codes = np.full((1 + len(self.values), len(words)), np.nan)
        codes[0, numeric] = words.filter(pa.array(numeric)).cast(pa.float64())
        for row, values in zip(codes[1:], self.values, strict=True):
            row[:] = pc.index_in(words, value_set=values).to_numpy(zero_copy_only=False)
        cells = codes.ravel().take(kinds * len(words) + ids)
        _need(np.isfinite(cells).all())
        return cells


def _need(condition: bool | np.bool) -> None:
    if not condition:
        raise _Unusual


def _unquoted(values: tuple[str, ...]) -> pa.Array:
    """Nominal values to look up; one that needs quotes is no cell of a plain row."""
    return pa.array([value if re.fullmatch(PLAIN_WORD, value) else "\n" for value in values])
