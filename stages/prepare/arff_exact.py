"""ARFF rows one by one: slow, complete, and able to name the line that is wrong."""

import re
from array import array
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy import sparse

from stages.common.errors import DataError
from stages.prepare.arff_tokens import Malformed, Token, listed, shown, tokenize
from stages.prepare.raw import Column

_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|Infinity)")
_INDEX = re.compile(r"0*([0-9]{1,9})")


def exact_matrix(
    path: Path, lines: Iterable[str], first_line: int, columns: tuple[Column, ...]
) -> np.ndarray | sparse.csr_array:
    """Read the lines after `@data`, the first of which is line `first_line` of the file."""
    rows = _Rows(columns)
    for number, line in enumerate(lines, start=first_line):
        try:
            tokens = tokenize(line)
            if tokens:
                rows.add(tokens)
        except Malformed as error:
            raise DataError(f"{path}:{number}: {error}") from None
    return rows.matrix()


class _Rows:
    """The rows read so far; the first one tells whether all are sparse."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self.columns = columns
        known = {column.values for column in columns if column.values}
        shared = {values: {value: i for i, value in enumerate(values)} for values in known}
        self.codes = [shared[column.values] if column.values else None for column in columns]
        self.sparse: bool | None = None
        self.values, self.indices, self.ends = array("d"), array("i"), array("q", [0])

    def add(self, tokens: list[Token]) -> None:
        is_sparse = tokens[0].is_mark("{")
        if self.sparse is None:
            self.sparse = is_sparse
        if is_sparse != self.sparse:
            kinds = ("dense", "sparse")
            raise Malformed(f"found a {kinds[is_sparse]} row, needs all {kinds[self.sparse]}")
        self._add_sparse(tokens) if is_sparse else self._add_dense(tokens)
        self.ends.append(len(self.values))

    def _add_dense(self, tokens: list[Token]) -> None:
        cells = listed(tokens)
        if len(cells) != len(self.columns):
            raise Malformed(f"found {len(cells)} values, needs {len(self.columns)}")
        self.values.extend([self._value(i, cell) for i, cell in enumerate(cells)])

    def _add_sparse(self, tokens: list[Token]) -> None:
        last = -1
        for index, cell in _pairs(tokens):
            position = self._position(index)
            if position <= last:
                raise Malformed(f"found the index {position} after {last}, needs ascending ones")
            last = position
            value = self._value(position, cell)
            if value != 0:
                self.indices.append(position)
                self.values.append(value)

    def _position(self, index: Token) -> int:
        match = _INDEX.fullmatch(index.text)
        if match and int(match[1]) < len(self.columns):
            return int(match[1])
        valid = f"0 to {len(self.columns) - 1}"
        raise Malformed(f"found the index {shown(index.text)}, needs one from {valid}")

    def _value(self, position: int, cell: Token) -> float:
        if cell == ("?", "word"):
            return float("nan")
        codes, name = self.codes[position], shown(self.columns[position].name)
        if codes is None:
            if not _NUMBER.fullmatch(cell.text):
                raise Malformed(f"found {shown(cell.text)} in attribute {name}, needs a number")
            return float(cell.text)
        if cell.text not in codes:
            some = ", ".join(shown(value) for value in list(codes)[:10])
            more = ", ..." if len(codes) > 10 else ""
            raise Malformed(
                f"found {shown(cell.text)} in attribute {name}, needs one of {some}{more}"
            )
        return codes[cell.text]

    def matrix(self) -> np.ndarray | sparse.csr_array:
        shape = (len(self.ends) - 1, len(self.columns))
        values = np.array(self.values, dtype=np.float64)
        if not self.sparse:
            return values.reshape(shape)
        indices = np.array(self.indices, dtype=np.int32)
        return sparse.csr_array((values, indices, np.array(self.ends, np.int32)), shape=shape)


def _pairs(tokens: list[Token]) -> list[list[Token]]:
    """Index and value of each cell in `{index value, index value, ...}`."""
    inner = tokens[1:-1]
    if not tokens[-1].is_mark("}") and not any(token.is_mark("}") for token in inner):
        raise Malformed("found a sparse row without end, needs a }")
    if any(token.is_mark("}") for token in inner):
        raise Malformed("found more after the end of a sparse row (weights are not read)")
    cells: list[list[Token]] = [[]] if inner else []
    for token in inner:
        if token.is_mark(","):
            cells.append([])
        else:
            cells[-1].append(token)
    for number, cell in enumerate(cells, start=1):
        if len(cell) != 2 or "mark" in (cell[0].kind, cell[1].kind):
            found = shown(" ".join(token.text for token in cell))
            raise Malformed(f"found {found} as cell {number}, needs `index value`")
    return cells
