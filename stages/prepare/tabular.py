"""CSV and parquet files with a column for each feature and label.

A column is of numbers, of truth values, of dates, or else nominal.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, types

from rethink.tables import MISSING, Column, Kind, RawTable
from stages.common.errors import DataError
from stages.common.tables import read_table

_LARGEST_BLOCK = 2**31 - 1
_DAY = 86_400 * 1e6  # microseconds


def read_csv(path: Path) -> RawTable:
    """Read a CSV file (or csv.gz) with a header row; columns that hold text become nominal."""
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            data = stream.read()
        table = _parse(data, {})
        _check_names(path, table.column_names)
        text = {field.name: pa.string() for field in table.schema if not _kind(field.type)}
        if text:  # as it is written: 007 is no 7 where another entry says x7
            others = {field.name: field.type for field in table.schema if _kind(field.type)}
            table = _parse(data, others | text)
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
            column_types=column_types, null_values=list(MISSING), strings_can_be_null=True
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
    for i, (name, entries) in enumerate(zip(table.column_names, table.columns, strict=True)):
        kind, values = _kind(entries.type), None
        if kind is None:
            entries = _as_text(path, name, entries)
            values = tuple(sorted(pc.unique(entries.drop_null()).to_pylist()))
            entries = pc.index_in(entries, pa.array(values, entries.type))
        elif kind == "date":
            entries = _days(entries)
        elif kind == "truth":
            entries = entries.cast(pa.uint8())
        matrix[:, i] = entries.cast(pa.float64(), safe=False).to_numpy()
        columns.append(Column(name, values, kind or "number"))
    return RawTable(tuple(columns), matrix)


def _kind(of: pa.DataType) -> Kind | None:
    """The kind of a column that is not nominal."""
    if types.is_integer(of) or types.is_floating(of) or types.is_null(of) or types.is_decimal(of):
        return "number"
    if types.is_boolean(of):
        return "truth"
    return "date" if types.is_date(of) or types.is_timestamp(of) or types.is_time(of) else None


def _days(entries: pa.ChunkedArray) -> pa.ChunkedArray:
    """Days since 1970, and times of day as a part of a day."""
    unit = pa.time64("us") if types.is_time(entries.type) else pa.timestamp("us")
    if types.is_timestamp(entries.type) and entries.type.tz:
        unit = pa.timestamp("us", entries.type.tz)
    whole = entries.cast(unit, safe=False).cast(pa.int64())
    return pc.divide(whole.cast(pa.float64(), safe=False), _DAY)


def _as_text(path: Path, name: str, entries: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = entries.type.value_type if types.is_dictionary(entries.type) else entries.type
    if not (types.is_string(kind) or types.is_large_string(kind)):
        needed = "needs numbers, dates, truth values or text"
        raise DataError(f"{path}: column {name!r:.200} holds {kind}, {needed}")
    return entries.cast(pa.large_string())
