"""Parquet with page checksums and fixed settings, so that equal tables give equal bytes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from stages.common.files import atomic_path

PARQUET = {"compression": "zstd", "version": "2.6", "write_page_checksum": True}


@contextmanager
def table_writer(path: Path, schema: pa.Schema) -> Iterator[pq.ParquetWriter]:
    """Write a parquet file piece by piece; it appears under its name only when complete."""
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema, **PARQUET) as writer:
        yield writer


def write_table(path: Path, table: pa.Table) -> None:
    """Write a whole table atomically."""
    with table_writer(path, table.schema) as writer:
        writer.write_table(table)


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read a table, checking every page."""
    return pq.read_table(path, columns=columns, page_checksum_verification=True)


def table_to_bytes(table: pa.Table) -> bytes:
    """The bytes that `write_table` writes, for a place that is no folder."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.schema, **PARQUET) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def table_from_bytes(content: bytes) -> pa.Table:
    """The inverse of `table_to_bytes`, checking every page.

    Without threads and the layers of `read_table`: most tables are small, and there are many.
    """
    with pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
        return file.read(use_threads=False)


def matrix_to_table(matrix: Any, names: Sequence[str]) -> pa.Table:
    """A matrix as a table: a column a feature when dense, index and value lists when sparse."""
    if not sparse.issparse(matrix):
        return pa.table([pa.array(column) for column in matrix.T], names=list(names))
    offsets = pa.array(matrix.indptr, pa.int32())
    table = pa.table(
        {
            "indices": pa.ListArray.from_arrays(offsets, pa.array(matrix.indices, pa.int32())),
            "values": pa.ListArray.from_arrays(offsets, pa.array(matrix.data)),
        }
    )
    return table.replace_schema_metadata({"columns": str(matrix.shape[1])})


def table_to_matrix(table: pa.Table) -> Any:
    """The inverse of `matrix_to_table`."""
    columns = (table.schema.metadata or {}).get(b"columns")
    if columns is None:
        return np.column_stack([column.to_numpy() for column in table.columns])
    table = table.combine_chunks()
    indices, values = (table[name].combine_chunks() for name in ("indices", "values"))
    if isinstance(indices, pa.ChunkedArray):
        indices, values = indices.chunk(0), values.chunk(0)
    return sparse.csr_array(
        (values.flatten().to_numpy(), indices.flatten().to_numpy(), indices.offsets.to_numpy()),
        shape=(table.num_rows, int(columns)),
    )
