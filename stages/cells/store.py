"""The cell store: results named by all that determines them, complete only with a manifest.

The manifest is written last and carries the hash of the predictions, so a cell that was cut off,
shortened or damaged is treated as absent. Nothing here is a DVC output: DVC deletes those.
"""

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from stages.cells.plan import Cell
from stages.io.files import read_json, sha256_of, write_json
from stages.io.tables import read_table, write_table

Manifest = dict[str, Any]


@dataclass(frozen=True)
class Store:
    """A folder of cells: <data set>/<model>/<cost>/<seed>/<key>/."""

    root: Path

    def folder(self, cell: Cell, key: str) -> Path:
        """Where the cell with this key lives."""
        return self.root / cell.dataset / cell.model / cell.cost / str(cell.seed) / key

    def find(self, cell: Cell, key: str) -> Manifest | None:
        """The manifest of a complete and undamaged cell, or None."""
        folder = self.folder(cell, key)
        try:
            manifest = read_json(folder / "manifest.json")
            intact = manifest["status"] != "ok" or (
                sha256_of(folder / "predictions.parquet") == manifest["predictions"]
            )
        except FileNotFoundError:
            if not (folder / "manifest.json").exists():
                return None
            intact = False
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
            intact = False
        if intact:
            return manifest
        print(f"warning: cell {cell} is damaged in the store, recomputing it", file=sys.stderr)
        self.discard(cell, key)
        return None

    def put(self, cell: Cell, key: str, manifest: Manifest, predictions: pa.Table | None) -> None:
        """Store a cell; whoever comes second leaves the first one's result untouched."""
        if self.find(cell, key):
            return
        folder = self.folder(cell, key)
        digest = None
        if predictions is not None:
            write_table(folder / "predictions.parquet", predictions)
            digest = sha256_of(folder / "predictions.parquet")
        write_json(folder / "manifest.json", {**manifest, "key": key, "predictions": digest})

    def predictions(self, cell: Cell, key: str) -> pa.Table:
        """The predictions of a complete cell."""
        return read_table(self.folder(cell, key) / "predictions.parquet")

    def discard(self, cell: Cell, key: str) -> None:
        """Forget a cell."""
        folder = self.folder(cell, key)
        (folder / "manifest.json").unlink(missing_ok=True)  # first: without it there is no cell
        shutil.rmtree(folder, ignore_errors=True)

    def timings(self, dataset: str, model: str) -> list[float]:
        """CPU seconds for a unit of work of finished cells, whatever their parameters were."""
        found = (self.root / dataset / model).glob("*/*/*/manifest.json")
        manifests = (read_json(path) for path in sorted(found))
        return [each["seconds"] / each["work"] for each in manifests if _timed(each)]

    def datasets(self) -> list[str]:
        """The data sets that have cells."""
        return sorted(path.name for path in self.root.glob("*"))


def _timed(manifest: Manifest) -> bool:
    return manifest["status"] == "ok" and "work" in manifest  # older cells do not tell their work
