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
from typing import Annotated, Any, Literal, NotRequired

import pyarrow as pa
from filelock import FileLock, Timeout
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from stages.common.errors import UserError
from stages.common.files import json_text
from stages.common.plan import Cell
from stages.common.tables import table_from_bytes

Manifest = dict[str, Any]
READERS = 8  # threads: reading and hashing let others run
Number = Annotated[float, Field(gt=-(2**63), lt=2**63)]  # Arrow converts no larger whole number
Table = list[list[Number]] | None


def _encodable(text: str) -> str:
    """JSON can name halves of characters, which no table holds."""
    text.encode()
    return text


Text = Annotated[str, AfterValidator(_encodable)]


@with_config(ConfigDict(strict=True, allow_inf_nan=False))
class _Known(TypedDict):
    """What every manifest says; `host` and `limit` are known of a timeout or death."""

    dataset: str
    model: str
    cost: str
    seed: int
    key: str
    status: Literal["ok", "failed", "timeout", "died"]
    reason: Text
    seconds: Annotated[Number, Field(ge=0)]
    work: Annotated[int, Field(ge=1, lt=2**63)]
    device: Text
    host: Text | None
    limit: Number | None
    chosen: dict[str, Any]
    search: list[Any]
    versions: dict[str, Any]
    memory: Table
    reliability: Table
    predictions: str | None
    asked: NotRequired[Text | None]  # these belong to published cells
    published: NotRequired[Text | None]
    commit: NotRequired[Text | None]


_MANIFEST = TypeAdapter(_Known)


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
        manifest = _parsed(content)
        if manifest and _belongs(manifest, cell, key) and self._intact(folder, manifest):
            return manifest
        print(f"warning: cell {cell} is damaged in the store, recomputing it", file=sys.stderr)
        self.discard(cell, key)
        return None

    def _intact(self, folder: Path, manifest: Manifest) -> bool:
        """Whether the predictions are those that the manifest was written for."""
        if manifest["status"] != "ok":
            return True
        try:
            content = (folder / "predictions.parquet").read_bytes()
        except FileNotFoundError:
            return False
        return _sha256(content) == manifest["predictions"]

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
        for name in (
            "manifest.json",
            "predictions.parquet",
        ):  # without its manifest a cell does not exist
            (self.folder(cell, key) / name).unlink(missing_ok=True)

    def manifests(self) -> Iterator[Manifest]:
        """What is known of all cells, whatever their parameters were; damaged ones are left out."""
        for path in sorted(self.root.glob("*/*/*/*/*/manifest.json")):
            if manifest := _parsed(path.read_bytes()):
                yield manifest

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


def _parsed(content: bytes) -> Manifest | None:
    """A manifest that says all it must, or None: a store may be copied, shared and damaged."""
    try:
        manifest = json.loads(content)
        _MANIFEST.validate_python(manifest)
    except (ValueError, RecursionError):
        return None
    of_a_machine = manifest["status"] in ("timeout", "died")
    known = manifest["host"] is not None and manifest["limit"] is not None
    return manifest if known or not of_a_machine else None


def _belongs(manifest: Manifest, cell: Cell, key: str) -> bool:
    """Whether a manifest is of this cell, and was not moved here from another."""
    owner = {name: manifest[name] for name in (*vars(cell), "key")}
    return owner == {**vars(cell), "key": key}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
