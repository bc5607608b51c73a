"""ARFF files, dense and sparse, read as Weka reads them or refused with file and line."""

import re
from pathlib import Path

from stages.common.errors import DataError
from stages.prepare.arff_exact import exact_matrix
from stages.prepare.arff_fast import fast_matrix
from stages.prepare.arff_header import read_header
from stages.prepare.arff_tokens import shown
from stages.prepare.raw import RawTable

_BOM = b"\xef\xbb\xbf"
_DATA = re.compile(rb"\n[\x00-\x09\x0b-\x20]*@data(?![^\x00-\x20%])([^\n]*)\n?", re.IGNORECASE)
_REST = re.compile(rb"[\x00-\x20]*(?:%.*)?")


def read_arff(path: Path) -> RawTable:
    """Read a file of numeric and nominal attributes."""
    raw = _read_bytes(path)
    encoding = _encoding(raw)
    keyword = _DATA.search(raw)
    head = raw[: keyword.start() if keyword else len(raw)].decode(encoding)
    columns = read_header(path, head)
    line = head.count("\n") + 2
    if not keyword:
        raise DataError(f"{path}:{line - 1}: the file ends in its header, needs @data and rows")
    if not _REST.fullmatch(keyword[1]):
        found = shown(keyword[1].decode(encoding).strip())
        raise DataError(f"{path}:{line}: found {found} after @data, needs a new line")
    data = raw[keyword.end() :]
    matrix = fast_matrix(data, columns)
    if matrix is None:
        rows = data.decode(encoding).split("\n")
        matrix = exact_matrix(path, rows, line + 1, columns)
    return RawTable(columns, matrix)


def _read_bytes(path: Path) -> bytes:
    """The bytes of a file without byte order mark, every line ended as Unix does."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; fetch the data set") from None
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
