"""Two tables of a data set: how each cell went, and what it predicted.

Of predictions, a row for each iteration and instance has the labels that are on.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from scipy import sparse

from stages.common.errors import DataError

CELL = {"model": pa.string(), "cost": pa.string(), "seed": pa.int16()}  # whose predictions
SCHEMA = pa.schema(
    {
        "iteration": pa.int16(),
        "part": pa.string(),
        "row": pa.int32(),
        "labels": pa.list_(pa.int16()),
    }
)
PREDICTIONS = pa.schema([*pa.schema(CELL), *SCHEMA])
RUNS = pa.schema(
    {
        "dataset": pa.string(),
        **CELL,
        "key": pa.string(),
        "status": pa.string(),
        "reason": pa.string(),
        "seconds": pa.float64(),
        "device": pa.string(),
        "host": pa.string(),  # of a timeout or death: which machine,
        "limit": pa.float64(),  # and how many seconds or bytes it had
        "chosen": pa.string(),
        "search": pa.string(),
        "versions": pa.string(),
        "work": pa.int64(),  # fits of the search, and the last
        "asked": pa.string(),
        "published": pa.string(),  # the run in `results` that has it; null if computed here
        "commit": pa.string(),  # of the code that computed a published one
        "memory": pa.list_(pa.list_(pa.float64())),
        "reliability": pa.list_(pa.list_(pa.float64())),  # a row a bin of probability
    }
)


def to_table(predictions: np.ndarray, train: np.ndarray) -> pa.Table:
    """Predictions of shape (iterations, rows, labels) and the mask of training rows, as a table."""
    iterations, rows, _ = predictions.shape
    _, _, labels = np.nonzero(predictions)
    offsets = np.concatenate([[0], predictions.sum(axis=2, dtype=np.int64).ravel().cumsum()])
    columns = [
        pa.array(np.repeat(np.arange(1, iterations + 1), rows), pa.int16()),
        pa.array(np.tile(np.where(train, "train", "test"), iterations)),
        pa.array(np.tile(np.arange(rows), iterations), pa.int32()),
        pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(labels, pa.int16())),
    ]
    return pa.table(columns, schema=SCHEMA)


def label_matrix(lists: pa.ChunkedArray, labels: int) -> sparse.csr_array:
    """Lists of label indices as a 0/1 matrix with a column for each label."""
    column = lists.combine_chunks()
    indices = column.flatten().to_numpy()
    starts = np.concatenate([[0], np.cumsum(pc.list_value_length(column).to_numpy())])
    wrong = indices[(indices < 0) | (indices >= labels)]
    if wrong.size:
        raise DataError(f"a prediction names label {wrong[0]}, but there are {labels}")
    ones = np.ones(indices.size, dtype=np.uint8)
    matrix = sparse.csr_array((ones, indices, starts), shape=(len(column), labels))
    matrix.sum_duplicates()
    if matrix.nnz < indices.size:
        raise DataError("a prediction names a label twice")
    return matrix


def read_cells(path: Path) -> Iterator[pa.Table]:
    """The predictions cell by cell: one is in memory at a time."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        every = range(file.num_row_groups)
        groups = (file.read_row_group(index, use_threads=False) for index in every)  # small ones
        for _, tables in groupby((group for group in groups if group.num_rows), key=cell_of):
            yield pa.concat_tables(tables)  # a very large cell has several row groups


def cell_of(table: pa.Table) -> tuple[str, str, int]:
    """Whose predictions a table has: model, cost and seed of its first row."""
    return tuple(table[name][0].as_py() for name in CELL)
