"""What the stage `features` leaves of an image set, and how others read it.

Features are in parts of a few hundred rows. Beside them are a table of the rows, one of their
labels, and small pictures of some.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from stages.common.errors import DataError
from stages.common.tables import read_table, table_to_matrix

ROWS, LABELS, THUMBNAILS = "rows.parquet", "labels.parquet", "thumbnails.parquet"
SUMMARY, SPEED = "summary.json", "speed.json"
IMAGES = "images.parquet"  # the table of rows, beside the prepared data
KEY, SHOWN, PATCHES = b"key", b"shown", b"patches"  # metadata of a part


@dataclass(frozen=True)
class Rows:
    """File, part and problem of each row, and its labels."""

    files: list[str]
    parts: list[str]
    problems: list[tuple[str, str]]
    labels: np.ndarray
    label_names: tuple[str, ...]


def read_rows(folder: Path) -> Rows:
    """What is known of each row."""
    table, labels = read_table(folder / ROWS), read_table(folder / LABELS)
    return Rows(
        table["file"].to_pylist(),
        table["part"].to_pylist(),
        list(zip(table["problem"].to_pylist(), table["detail"].to_pylist(), strict=True)),
        table_to_matrix(labels),
        tuple(labels.column_names),
    )


def hash_of_parts(folder: Path, name: bytes) -> str:
    """A hash of what each part was made of (KEY), or of what it shows alone (SHOWN)."""
    names = (pq.read_schema(path).metadata[name] for path in parts(folder))
    return hashlib.sha256(b"".join(names)).hexdigest()


def parts(folder: Path) -> list[Path]:
    """All parts, in the order of their rows."""
    return sorted((folder / "parts").glob("*.parquet"))


def patches_of(folder: Path) -> int:
    """How many patches a map has."""
    return int(pq.read_schema(parts(folder)[0]).metadata[PATCHES])


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
