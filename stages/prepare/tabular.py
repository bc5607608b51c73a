"""CSV and parquet files with a column for each feature and label."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, types

from stages.common.errors import DataError
from stages.common.tables import read_table
from stages.prepare.raw import Column, RawTable

_MISSING = ["", "?"]
_LARGEST_BLOCK = 2**31 - 1


def read_csv(path: Path) -> RawTable:
    """Read a CSV file (or csv.gz) with a header row; columns that hold text become nominal."""
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            data = stream.read()
        table = _parse(data, {})
        _check_names(path, table.column_names)
        text = {field.name: pa.string() for field in table.schema if not _numeric(field.type)}
        if text:
            table = _parse(data, dict.fromkeys(table.column_names, pa.float64()) | text)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: {reason:.300}; needs a CSV file in UTF-8, a row a line") from None
    return _raw_table(path, table)


def read_parquet(path: Path) -> RawTable:
    """Read a parquet file; text becomes nominal."""
    try:
        table = read_table(path)
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: {reason:.300}; needs a sound parquet file") from None
    _check_names(path, table.column_names)
    return _raw_table(path, table)


def _parse(data: bytes, column_types: dict[str, pa.DataType]) -> pa.Table:
    """Parse CSV in one block: a row longer than a block would be refused."""
    return csv.read_csv(
        pa.BufferReader(data),
        csv.ReadOptions(use_threads=False, block_size=min(len(data) + 1, _LARGEST_BLOCK)),
        csv.ParseOptions(newlines_in_values=True),
        csv.ConvertOptions(
            column_types=column_types, null_values=_MISSING, strings_can_be_null=True
        ),
    )


def _check_names(path: Path, names: list[str]) -> None:
    if not all(names):
        number = names.index("") + 1
        raise DataError(f"{path}: column {number} has no name, needs one (or drop the column)")
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise DataError(f"{path}: found {times} columns called {name!r:.200}, needs one")


def _raw_table(path: Path, table: pa.Table) -> RawTable:
    matrix = np.empty((table.num_rows, table.num_columns))
    columns = []
    for i, (name, cells) in enumerate(zip(table.column_names, table.columns, strict=True)):
        values = None
        if types.is_boolean(cells.type):
            cells = cells.cast(pa.uint8())
        elif not _numeric(cells.type):
            cells = _as_text(path, name, cells)
            values = tuple(sorted(pc.unique(cells.drop_null()).to_pylist()))
            cells = pc.index_in(cells, pa.array(values, cells.type))
        matrix[:, i] = cells.cast(pa.float64(), safe=False).to_numpy()
        columns.append(Column(name, values))
    return RawTable(tuple(columns), matrix)


def _numeric(kind: pa.DataType) -> bool:
    return types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind)


def _as_text(path: Path, name: str, cells: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = cells.type.value_type if types.is_dictionary(cells.type) else cells.type
    if not (types.is_string(kind) or types.is_large_string(kind)):
        raise DataError(f"{path}: column {name!r:.200} holds {kind}, needs numbers or text")
    return cells.cast(pa.large_string())
