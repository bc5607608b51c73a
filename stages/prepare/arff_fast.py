"""ARFF rows as a whole, for the plain rows that real data sets have.

None is returned for anything unusual or wrong: the exact reader then reads or refuses it.
"""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv
from scipy import sparse

from stages.prepare.arff_sparse import sparse_matrix
from stages.prepare.arff_tokens import PLAIN_WORD
from stages.prepare.raw import Column

_SPECIAL = (b"'", b'"', b"%", b"{", b"}")


def fast_matrix(data: bytes, columns: tuple[Column, ...]) -> np.ndarray | sparse.csr_array | None:
    """Read plain ASCII rows."""
    start = data.lstrip()[:1]
    if not start or not data.isascii():
        return None
    return sparse_matrix(data, columns) if start == b"{" else dense_matrix(data, columns)


def dense_matrix(data: bytes, columns: tuple[Column, ...]) -> np.ndarray | None:
    """Read rows of unquoted values with commas between them."""
    if any(mark in data for mark in _SPECIAL) or not _plain_values(columns):
        return None
    names = [str(i) for i in range(len(columns))]
    types = [pa.string() if column.values else pa.float64() for column in columns]
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            csv.ReadOptions(column_names=names, use_threads=False),
            csv.ParseOptions(quote_char=False, double_quote=False),
            csv.ConvertOptions(
                column_types=dict(zip(names, types, strict=True)),
                null_values=["?"],
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowException:
        return None
    matrix = np.empty((table.num_rows, len(columns)))
    missing = sum(cells.null_count for cells in table.columns)
    lists = {column.values: pa.array(column.values) for column in columns if column.values}
    for i, (column, cells) in enumerate(zip(columns, table.columns, strict=True)):
        if column.values:
            cells = pc.index_in(cells, lists[column.values])
        matrix[:, i] = cells.to_numpy()
    # An unknown nominal value is not finite either, nor is a number such as `inf`.
    return matrix if np.count_nonzero(~np.isfinite(matrix)) == missing else None


def _plain_values(columns: tuple[Column, ...]) -> bool:
    """Whether no nominal value needs quotes in a row."""
    lists = {column.values for column in columns if column.values}
    return all(re.fullmatch(PLAIN_WORD, value) for values in lists for value in values)
