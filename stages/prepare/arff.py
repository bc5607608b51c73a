"""ARFF files, dense and sparse, read as Weka reads them or refused with file and line.

Rows without quotes and comments are read as a whole, by NumPy and by Arrow's reader of CSV files.
Anything unusual or wrong is left to `rethink.arff`, which is slow, complete, and names the line.
"""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv
from scipy import sparse

from rethink.arff import PLAIN_WORD, Decoder, Malformed, Matrix, Unreadable, decoders
from rethink.arff import read_arff as read_exactly
from rethink.tables import Column, RawTable
from stages.common.errors import DataError

_PLAIN = re.compile(PLAIN_WORD)
_FILLED = re.compile(rb"[^\x00-\x20]")
_WORD = pa.dictionary(pa.int32(), pa.string())
_PAD = b"0" * 8  # every number needs eight bytes before its end
# For a number of n digits that ends a 64-bit word: its digits without the code of `0`.
_DIGITS = np.array([0x0F0F0F0F0F0F0F0F >> 8 * i << 8 * i for i in range(8, -1, -1)], np.uint64)
_SMALL = pa.array([str(number) for number in range(4096)])
_BLOCK = 1 << 19  # bytes; a longer dense row is left to the exact reader
_MOST_CODES = 1 << 24  # lists of nominal values x different words in a block


def read_arff(path: Path) -> RawTable:
    """Read a file of numeric and nominal attributes."""
    try:
        return read_exactly(path, plain_matrix)
    except Unreadable as error:
        raise DataError(str(error)) from None


def plain_matrix(raw: bytes, start: int, columns: tuple[Column, ...]) -> Matrix | None:
    """The rows from byte `start` on; None if they have quotes, comments, mistakes or the like."""
    row = _FILLED.search(raw, start)
    if not row or not (raw.isascii() or raw[start:].isascii()):
        return None
    is_sparse = row[0] == b"{"
    if any(raw.find(mark, start) >= 0 for mark in (b"'\"%" if is_sparse else b"'\"%{}")):
        return None
    try:
        return (_sparse if is_sparse else _dense)(raw, row.start(), columns)
    except (Malformed, pa.ArrowException):
        return None


def _need(condition: bool | np.bool) -> None:
    if not condition:
        raise Malformed


def _decoded(words: pa.Array, decoder: Decoder) -> np.ndarray:
    """Numbers, or the codes of nominal values."""
    if decoder.codes:
        texts = words.to_pylist()
        _need(all(map(_PLAIN.fullmatch, texts)))
        return np.array([decoder.value(text) for text in texts])
    numbers = words.cast(pa.float64()).to_numpy(zero_copy_only=False)
    _need(np.isfinite(numbers).all())  # `inf` is a number for Arrow only
    return numbers


def _dense(raw: bytes, start: int, columns: tuple[Column, ...]) -> np.ndarray:
    """Rows of values with commas between them."""
    types = {str(i): _WORD if columns[i].values else pa.float64() for i in range(len(columns))}
    table = csv.read_csv(
        pa.BufferReader(memoryview(raw)[start:]),
        csv.ReadOptions(column_names=list(types), use_threads=False, block_size=2 * _BLOCK),
        csv.ParseOptions(quote_char=False, double_quote=False),
        csv.ConvertOptions(column_types=types, null_values=["?"]),
    )
    matrix = np.empty(table.shape)
    for i, (column, decoder) in enumerate(zip(table.columns, decoders(columns), strict=True)):
        if decoder.codes:
            words = column.combine_chunks()
            matrix[:, i] = _decoded(words.dictionary, decoder)[words.indices]
        else:
            numbers = column.to_numpy()
            _need(np.count_nonzero(np.isfinite(numbers)) == len(numbers) - column.null_count)
            matrix[:, i] = numbers
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
    _need(matrix.has_canonical_format)  # the indices of a row ascend
    matrix.eliminate_zeros()
    return matrix


def _sparse_block(text: bytes, kinds: "_Kinds") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and column indices, and the number of pairs in each row."""
    if b", " in text[: text.find(b"\n")]:
        text = text.replace(b", ", b",")
    bare, rows = _PAD + text.translate(None, b"{}") + b"\n", text.count(b"\n") + 1
    framed = text.endswith(b"}") and text.count(b"}\n{") == rows - 1
    _need(framed and len(text) - len(bare) == 2 * rows - len(_PAD) - 1)
    characters = np.frombuffer(bare, np.uint8)
    ends = np.flatnonzero(characters <= ord(","))  # of numbers: only blank and line end are below
    lengths, marks = np.diff(ends, prepend=len(_PAD) - 1) - 1, characters[ends]
    ends_row = marks == ord("\n")
    widths = np.diff(np.flatnonzero(ends_row), prepend=-1)  # in numbers; 1 for an empty row
    if not lengths.all():
        empty = lengths == 0
        _need((ends_row & np.append(True, ends_row[:-1]))[empty].all())
        widths[empty[ends_row]] = 0
        ends, lengths, marks = ends[~empty], lengths[~empty], marks[~empty]
    after_value = marks[1::2]
    _need(((after_value == ord(",")) | (after_value == ord("\n"))).all())
    _need((marks[0::2] == ord(" ")).all() and not (widths % 2).any())
    indices, ids, words = _pairs(bare, ends, lengths)
    _need(indices.max(initial=0) < len(kinds.of_column))
    return kinds.decoded(indices, ids, words), indices, widths // 2


def _pairs(
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
    """Columns are alike if they are numeric, or have the same list of values."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        alike = {column.values: column for column in columns}
        numbers = {values: number for number, values in enumerate(alike)}
        self.of_column = np.array([numbers[column.values] for column in columns], np.int32)
        self.decoders = decoders(alike.values())

    def decoded(self, indices: np.ndarray, ids: np.ndarray, words: pa.Array) -> np.ndarray:
        """Words as numbers: each word is decoded once for columns that are alike."""
        shape = len(self.decoders), len(words)
        _need(shape[0] * shape[1] <= _MOST_CODES)
        places = self.of_column[indices] * len(words) + ids
        used = np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape)
        codes = np.empty(shape)
        for row, counts, decoder in zip(codes, used, self.decoders, strict=True):
            own = np.flatnonzero(counts)
            row[own] = _decoded(words.take(pa.array(own)), decoder)
        return codes.ravel()[places]
