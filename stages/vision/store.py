"""Features on disk: parts of a few hundred rows, each whole or absent, so a run can go on."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from stages.errors import DataError
from stages.io.tables import read_table, write_table
from stages.vision.decode import Decoded

KEY = b"key"


def part_path(folder: Path, number: int) -> Path:
    """Where a part is."""
    return folder / "parts" / f"{number:06d}.parquet"


def write_part(
    path: Path, key: str, pooled: np.ndarray, maps: np.ndarray, decoded: list[Decoded]
) -> None:
    """One row an image: the vector, the map patch by patch, and what was odd about the file."""
    for name, values in (("vector", pooled), ("map", maps)):
        if not np.isfinite(values).all():
            raise DataError(f"{path}: a {name} is not finite; try `map: float32`, or other weights")
    table = pa.table(
        {
            "pooled": _lists(pooled),
            "map": _lists(maps.reshape(len(maps), -1)),
            "problem": [found.problem for found in decoded],
            "detail": [found.detail for found in decoded],
        }
    )
    write_table(path, table.replace_schema_metadata({KEY: key, b"patches": str(maps.shape[1])}))


def _lists(matrix: np.ndarray) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])


def has_part(path: Path, key: str) -> bool:
    """Whether a part is there, whole, and made of just this."""
    try:
        return (pq.read_schema(path).metadata or {}).get(KEY) == key.encode()
    except (FileNotFoundError, pa.ArrowException, OSError):
        return False


def part_keys(folder: Path) -> list[str]:
    """What each part was made of, as a hash."""
    return [pq.read_schema(path).metadata[KEY].decode() for path in parts(folder)]


def parts(folder: Path) -> list[Path]:
    """All parts, in the order of their rows."""
    return sorted((folder / "parts").glob("*.parquet"))


def patches_of(folder: Path) -> int:
    """How many patches a map has."""
    return int(pq.read_schema(parts(folder)[0]).metadata[b"patches"])


def read_matrix(folder: Path, column: str) -> np.ndarray:
    """The vectors or the maps of all rows, part after part into one array."""
    files = parts(folder)
    rows = sum(pq.read_metadata(path).num_rows for path in files)
    matrix, start = None, 0
    for block in matrix_blocks(folder, column):
        if matrix is None:
            matrix = np.empty((rows, block.shape[1]), block.dtype)
        matrix[start : start + len(block)] = block
        start += len(block)
    if matrix is None:
        raise DataError(f"{folder} has no features; run the features stage")
    return matrix


def matrix_blocks(folder: Path, column: str) -> Iterator[np.ndarray]:
    """The same, one part in memory at a time."""
    for path in parts(folder):
        table = read_table(path, [column])
        values = table[column].combine_chunks()
        flat = values.flatten().to_numpy()
        yield flat.reshape(table.num_rows, -1)
