"""Sparse ARFF rows of plain numbers, parsed many at a time."""

import re
from collections.abc import Iterator

import numpy as np
from scipy import sparse

from stages.prepare.raw import Column

_BLOCK = 1 << 19  # bytes parsed at once: their arrays stay in the cache of the processor
_LAST_SEPARATOR = ord(",")  # in a row of numbers, only blank and line end are below
_LARGEST_CODE = 99  # with up to two characters, a number is written in one way only
# For a number of n digits that ends a 64-bit word: its digits without the code of `0`.
_DIGITS = np.array([0x0F0F0F0F0F0F0F0F >> 8 * i << 8 * i for i in range(8, -1, -1)], np.uint64)

_Cells = tuple[np.ndarray, np.ndarray]  # column indices, values


def sparse_matrix(data: bytes, columns: tuple[Column, ...]) -> sparse.csr_array | None:
    """Read rows of whole or decimal numbers; None for anything unusual or wrong."""
    known = _Nominal(columns)
    blocks = [_block(text, known) for text in _texts(data) if text]
    if any(block is None for block in blocks):
        return None
    indices, values, widths = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    pointers = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    shape = (len(widths), len(columns))
    matrix = sparse.csr_array((values, indices, pointers), shape=shape)
    matrix.eliminate_zeros()
    return matrix


def _texts(data: bytes) -> Iterator[bytes]:
    """Whole rows, some hundred thousand bytes at a time."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        yield data[start:end].strip()
        start = end


def _block(data: bytes, known: "_Nominal") -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Column indices, values, and the number of cells in each row."""
    text = _without_braces(data)
    if text is None:
        return None
    characters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(characters <= _LAST_SEPARATOR)
    lengths = np.diff(ends, prepend=7) - 1
    marks = characters[ends]
    row_ends = np.flatnonzero(marks == ord("\n"))
    widths = np.diff(row_ends, prepend=-1)  # in numbers: twice the cells, but 1 for no cell
    if not lengths.all():
        filled = lengths > 0
        empty = (widths == 1) & ~filled[row_ends]
        if np.count_nonzero(empty) + np.count_nonzero(filled) < len(lengths):
            return None
        widths[empty] = 0
        ends, lengths, marks = ends[filled], lengths[filled], marks[filled]
    ends_cell = (marks[1::2] == ord(",")) | (marks[1::2] == ord("\n"))
    if (widths % 2).any() or (marks[0::2] != ord(" ")).any() or not ends_cell.all():
        return None
    cells = _parsed(text, ends, lengths)
    if cells is None or not _ascending(cells[0], widths // 2, known.width):
        return None
    if not known.encode(*cells, lengths[1::2]):
        return None
    return *cells, widths // 2


def _without_braces(data: bytes) -> bytes | None:
    """Rows `{...}` as lines, after eight bytes that every number needs before its end."""
    if b", " in data[: data.find(b"\n")]:
        data = data.replace(b", ", b",")
    characters = np.frombuffer(data, np.uint8)
    breaks = np.flatnonzero(characters == ord("\n"))
    starts, ends = np.append(0, breaks + 1), np.append(breaks, len(data)) - 1
    framed = (characters[starts] == ord("{")).all() and (characters[ends] == ord("}")).all()
    text = data.translate(None, b"{}")
    if not framed or len(data) - len(text) != 2 * len(starts):
        return None
    return b"0" * 8 + text + b"\n"


def _parsed(text: bytes, ends: np.ndarray, lengths: np.ndarray) -> _Cells | None:
    """The numbers as indices and values in turn."""
    other = text.translate(None, b"0123456789 ,\n")
    if not other and lengths.max(initial=0) <= 8:
        values = np.frombuffer(text, np.uint8)[ends[1::2] - 1] - float(ord("0"))
        long = np.flatnonzero(lengths[1::2] > 1)
        values[long] = _whole_numbers(text, ends[1::2][long], lengths[1::2][long])
        return _whole_numbers(text, ends[0::2], lengths[0::2]), values
    numbers = text[8:].replace(b",", b" ").split()
    if other.strip(b".-eE") or not b"".join(numbers[0::2]).isdigit():
        return None
    try:
        indices = np.array([int(number) for number in numbers[0::2]], np.int32)
        return indices, np.array([float(number) for number in numbers[1::2]])
    except (ValueError, OverflowError):
        return None


def _whole_numbers(text: bytes, ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Numbers of one to eight digits, all parsed at once in the bytes of 64-bit words."""
    words = np.ndarray(len(text) - 7, "<u8", text, strides=(1,))[ends - 8]
    words &= _DIGITS[lengths]
    for digits, mask in ((1, 0x00FF00FF00FF00FF), (2, 0x0000FFFF0000FFFF), (4, 0xFFFFFFFF)):
        words *= np.uint64(10**digits << 8 * digits | 1)  # joins each two neighbours to one
        words >>= np.uint64(8 * digits)
        words &= np.uint64(mask)
    return words.astype(np.int32)


def _ascending(indices: np.ndarray, widths: np.ndarray, columns: int) -> bool:
    """Whether the indices exist and grow within each row."""
    grows = np.diff(indices, prepend=-1) > 0
    starts = np.cumsum(widths) - widths
    grows[starts[starts < len(indices)]] = True
    return bool(grows.all()) and indices.max(initial=0) < columns


class _Nominal:
    """The codes of the nominal values that are small whole numbers."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        lists: dict[tuple[str, ...] | None, int] = {None: 0}
        numbers = [lists.setdefault(column.values, len(lists)) for column in columns]
        self.list_of_column = np.array(numbers, np.int32)
        self.width = len(columns)
        self.codes = np.full((len(lists), _LARGEST_CODE + 1), -1)
        for values, i in lists.items():
            for code, value in enumerate(values or ()):
                if re.fullmatch("[0-9]|[1-9][0-9]", value):
                    self.codes[i, int(value)] = code

    def encode(self, indices: np.ndarray, values: np.ndarray, lengths: np.ndarray) -> bool:
        """Put codes in place of the nominal values, or tell that one is unknown."""
        lists = self.list_of_column[indices]
        cells = slice(None) if lists.all() else np.flatnonzero(lists)
        found = values[cells]
        if found.min(initial=0) < 0 or found.max(initial=0) > _LARGEST_CODE:
            return False
        whole = found.astype(np.int8)
        if (lengths[cells] != 1 + (found >= 10)).any():
            return False
        values[cells] = codes = self.codes.take(lists[cells] * (_LARGEST_CODE + 1) + whole)
        return bool((codes >= 0).all())
