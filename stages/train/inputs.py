"""What a cell is computed from beside its split: the prepared data.

The files of a data set are sent to the workers, which need no disk in common with the lead. Files
too large for that are read from their path, checked by their hash, where workers reach it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stages.common import paths
from stages.common.errors import DataError
from stages.common.files import sha256_of
from stages.common.tables import table_from_bytes, table_to_matrix
from stages.train.compute import Inputs

SENT_AT_MOST = 256 * 2**20  # bytes; maps of many images are larger, tables hardly ever

Source = tuple[str, str]  # a data set, and the kind of input that a model takes


@dataclass(frozen=True)
class File:
    """A file of a data set: its content, or for a large one its path and hash."""

    path: str
    content: bytes | None = None
    sha256: str = ""

    def read(self) -> bytes:
        """The content, wherever this runs."""
        if self.content is not None:
            return self.content
        try:
            content = Path(self.path).read_bytes()
        except OSError as error:
            raise DataError(
                f"{self.path} is too large to be sent, and this worker cannot read it ({error}); "
                "let the folder of the project be on a disk that all workers mount at this path"
            ) from None
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise DataError(f"{self.path} is not the lead's file; let all workers mount the same")
        return content


def input_files(dataset: str, kind: str, sent_at_most: int = SENT_AT_MOST) -> list[File]:
    """The files that a model whose input is `kind` needs: the labels, then the rest."""
    prepared = paths.prepared(dataset)
    names = {"features": [prepared / "features.parquet"], "joint": [prepared / "joint.parquet"]}
    rest = names.get(kind) or sorted((paths.features(dataset) / "parts").glob("*.parquet"))
    files = [prepared / "labels.parquet", *rest]
    if sum(path.stat().st_size for path in files) <= sent_at_most:
        return [File(path.name, path.read_bytes()) for path in files]
    return [File(str(path.absolute()), sha256=sha256_of(path)) for path in files]


def make_inputs(files: Sequence[File], kind: str) -> Inputs:
    """The data set in memory, from its files; runs on the workers."""
    tables = (table_from_bytes(file.read()) for file in files)
    labels = table_to_matrix(next(tables))
    if kind == "map":
        parts = list(tables)
        maps = [table["map"].combine_chunks().flatten().to_numpy() for table in parts]
        rows = sum(table.num_rows for table in parts)
        matrix = np.concatenate(maps).reshape(rows, -1).astype(np.float32)
        return Inputs(matrix, labels, {"patches": int(parts[0].schema.metadata[b"patches"])})
    table, known = next(tables), {}
    if kind == "joint":
        known["support"] = np.array([list(name) for name in table.column_names], dtype=np.uint8)
    return Inputs(table_to_matrix(table), labels, known)
