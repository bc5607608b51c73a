"""The cell store: results named by all that determines them, complete only with a manifest.

The manifest is written last and carries the hash of the predictions, so a cell that was cut off,
shortened or damaged is treated as absent. Nothing here is a DVC output: DVC deletes those.
"""

import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from stages.cells.plan import Cell
from stages.io.files import json_text
from stages.io.places import Place, open_place
from stages.io.tables import table_from_bytes, table_to_bytes

Manifest = dict[str, Any]
Timings = dict[tuple[str, str], list[float]]  # by data set and model
READERS = 16  # a store across the network answers slowly, but many at a time


@dataclass(frozen=True)
class Store:
    """Cells at a path or URL: <data set>/<model>/<cost>/<seed>/<key>/."""

    address: str

    @property
    def place(self) -> Place:
        """The files of the store."""
        return open_place(self.address)

    def folder(self, cell: Cell, key: str) -> str:
        """Where the cell with this key lives."""
        return f"{cell.dataset}/{cell.model}/{cell.cost}/{cell.seed}/{key}"

    def find(self, cell: Cell, key: str) -> Manifest | None:
        """The manifest of a complete and undamaged cell, or None."""
        folder = self.folder(cell, key)
        try:
            content = self.place.read(f"{folder}/manifest.json")
        except FileNotFoundError:
            return None
        try:
            manifest: Manifest = json.loads(content)
            intact = manifest["status"] != "ok" or (
                _sha256(self.place.read(f"{folder}/predictions.parquet")) == manifest["predictions"]
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

    def present(self, keys: Mapping[Cell, str]) -> set[Cell]:
        """The cells that came to an end, by their names alone: quick, to see how far a run is."""
        names = set(self.place.names())
        ended = {c: f"{self.folder(c, key)}/manifest.json" in names for c, key in keys.items()}
        return {cell for cell, there in ended.items() if there}

    def put(self, cell: Cell, key: str, manifest: Manifest, predictions: pa.Table | None) -> None:
        """Store a cell; whoever comes second leaves the first one's result untouched."""
        if self.find(cell, key):
            return
        folder, digest = self.folder(cell, key), None
        if predictions is not None:
            content = table_to_bytes(predictions)
            self.place.write(f"{folder}/predictions.parquet", content)
            digest = _sha256(content)
        complete = json_text({**manifest, "key": key, "predictions": digest})
        self.place.write(f"{folder}/manifest.json", complete.encode())

    def predictions(self, cell: Cell, key: str) -> pa.Table:
        """The predictions of a complete cell."""
        return table_from_bytes(self.place.read(f"{self.folder(cell, key)}/predictions.parquet"))

    def discard(self, cell: Cell, key: str) -> None:
        """Forget a cell."""
        for name in ("manifest.json", "predictions.parquet"):  # without the first there is no cell
            self.place.remove(f"{self.folder(cell, key)}/{name}")

    def timings(self) -> Timings:
        """CPU seconds for a unit of work of finished cells, whatever their parameters were."""
        names = [name for name in self.place.names() if name.endswith("/manifest.json")]
        timings: Timings = defaultdict(list)
        with ThreadPoolExecutor(READERS) as readers:
            for content in readers.map(self.place.read, names):
                cell = json.loads(content)
                if _timed(cell):
                    timings[cell["dataset"], cell["model"]].append(cell["seconds"] / cell["work"])
        return dict(timings)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _timed(manifest: Manifest) -> bool:
    return manifest["status"] == "ok" and "work" in manifest  # older cells do not tell their work
