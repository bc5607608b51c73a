"""The cell store: results named by all that determines them, complete only with a manifest.

The manifest is written last and carries the hash of the predictions, so a cell that was cut off,
shortened or damaged is treated as absent. Nothing here is a DVC output: DVC deletes those. One
process writes, the lead of a run: a second run in the same store waits for the first to end.
"""

import hashlib
import json
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from stages.common.errors import UserError
from stages.common.files import json_text
from stages.common.plan import Cell
from stages.common.tables import table_from_bytes

Manifest = dict[str, Any]
READERS = 8  # threads: reading and hashing let others run


@dataclass(frozen=True)
class Store:
    """Cells in a folder: <data set>/<model>/<cost>/<seed>/<key>/."""

    root: Path

    def folder(self, cell: Cell, key: str) -> Path:
        """Where the cell with this key lives."""
        return self.root / cell.dataset / cell.model / cell.cost / str(cell.seed) / key

    def find(self, cell: Cell, key: str) -> Manifest | None:
        """The manifest of a complete and undamaged cell, or None."""
        folder = self.folder(cell, key)
        try:
            content = (folder / "manifest.json").read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            manifest: Manifest = json.loads(content)
            intact = manifest["status"] != "ok" or (
                _sha256((folder / "predictions.parquet").read_bytes()) == manifest["predictions"]
            )
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            intact = False
        if intact:
            return manifest
        print(f"warning: cell {cell} is damaged in the store, recomputing it", file=sys.stderr)
        self.discard(cell, key)
        return None

    def find_all(self, keys: Mapping[Cell, str]) -> dict[Cell, Manifest | None]:
        """`find` for many cells at a time."""
        with ThreadPoolExecutor(READERS) as readers:
            return dict(zip(keys, readers.map(self.find, keys, keys.values()), strict=True))

    def put(self, cell: Cell, key: str, manifest: Manifest, predictions: bytes | None) -> Manifest:
        """Store a cell in place of an earlier one; `predictions` are the bytes of their table."""
        self.discard(cell, key)
        folder, digest = self.folder(cell, key), None
        if predictions is not None:
            self._write(folder / "predictions.parquet", predictions)
            digest = _sha256(predictions)
        complete = {**manifest, "key": key, "predictions": digest}
        self._write(folder / "manifest.json", json_text(complete).encode())
        return complete

    def predictions(self, cell: Cell, key: str) -> pa.Table:
        """The predictions of a complete cell."""
        return table_from_bytes((self.folder(cell, key) / "predictions.parquet").read_bytes())

    def discard(self, cell: Cell, key: str) -> None:
        """Forget a cell."""
        for name in ("manifest.json", "predictions.parquet"):  # without the first there is no cell
            (self.folder(cell, key) / name).unlink(missing_ok=True)

    def manifests(self) -> Iterator[Manifest]:
        """What is known of all cells, whatever their parameters were."""
        for path in sorted(self.root.glob("*/*/*/*/*/manifest.json")):
            yield json.loads(path.read_bytes())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the only process that writes here; waits while there is another."""
        lock = FileLock(self.root / ".lock")
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(blocking=False)
            except Timeout:
                print("another run is computing in this folder: waiting for its end",
                      file=sys.stderr, flush=True)  # fmt: skip
                lock.acquire()
            for leftover in self.root.glob(".*.tmp"):
                leftover.unlink()
        except OSError as error:
            raise UserError(
                f"the store {str(self.root)!r} is not writable: {error}; check its permissions, "
                "or name another folder in RETHINK_STORE"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _write(self, path: Path, content: bytes) -> None:
        """Write a file under another name, then rename it. A power cut may cost the last cells,
        which their hashes tell: syncing each takes longer."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.root / f".{threading.get_ident()}.tmp"
        try:
            temporary.write_bytes(content)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
