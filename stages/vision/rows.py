"""What is known of each row of an image set besides its features, and small pictures of some."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from stages.io.tables import matrix_to_table, read_table, table_to_matrix, write_table
from stages.vision.decode import thumbnail
from stages.vision.index import ImageIndex
from stages.vision.store import parts

SIDE = 240  # pixels of the longer side of a small picture
MOST_THUMBNAILS = 400  # the report chooses its examples among these
ROWS, LABELS, THUMBNAILS = "rows.parquet", "labels.parquet", "thumbnails.parquet"

SMALL = pa.schema(
    {"row": pa.int32(), "jpeg": pa.binary(), "width": pa.int16(), "height": pa.int16()}
)


@dataclass(frozen=True)
class Rows:
    """File, part and problem of each row, and its labels."""

    files: list[str]
    parts: list[str]
    problems: list[tuple[str, str]]
    labels: np.ndarray
    label_names: tuple[str, ...]


def write_rows(folder: Path, index: ImageIndex) -> None:
    """Beside the parts, whose order is that of the rows."""
    told = [read_table(path, ["problem", "detail"]) for path in parts(folder)]
    table = pa.concat_tables(told).replace_schema_metadata(None)
    columns = {"file": pa.array(index.files), "part": pa.array(index.parts)}
    columns |= {name: table[name] for name in ("problem", "detail")}
    write_table(folder / LABELS, matrix_to_table(index.labels, index.label_names))
    write_table(folder / ROWS, pa.table(columns))


def read_rows(folder: Path) -> Rows:
    """The inverse of `write_rows`."""
    table, labels = read_table(folder / ROWS), read_table(folder / LABELS)
    return Rows(
        table["file"].to_pylist(),
        table["part"].to_pylist(),
        list(zip(table["problem"].to_pylist(), table["detail"].to_pylist(), strict=True)),
        table_to_matrix(labels),
        tuple(labels.column_names),
    )


def write_thumbnails(folder: Path, index: ImageIndex, raw: Path, chosen: Iterable[str]) -> None:
    """Small pictures of the first rows that can be in a test part, and of the chosen ones."""
    wanted = set(chosen)
    testable = [row for row, part in enumerate(index.parts) if part != "train"][:MOST_THUMBNAILS]
    rows = sorted({*testable, *(n for n, file in enumerate(index.files) if file in wanted)})
    made = [(row, thumbnail(raw / index.files[row], SIDE)) for row in rows]
    kept = [(row, *found) for row, found in made if found]
    table = pa.Table.from_pylist(
        [dict(zip(SMALL.names, values, strict=True)) for values in kept], schema=SMALL
    )
    write_table(folder / THUMBNAILS, table)
