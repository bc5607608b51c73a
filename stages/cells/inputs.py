"""What a cell is computed from: the prepared data and the split of its seed."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from stages import paths
from stages.errors import DataError
from stages.io.files import read_json
from stages.io.tables import read_table, table_to_matrix
from stages.validation.facts import Matrix


@dataclass(frozen=True)
class Inputs:
    """One data set in memory: X is features, or probabilities over `support` for `input: joint`."""

    X: Matrix
    Y: np.ndarray
    support: np.ndarray | None = None


def load_inputs(dataset: str, kind: str) -> Inputs:
    """Read the prepared data set for a model whose input is `kind`."""
    return _load(paths.prepared(dataset).resolve(), kind)


@lru_cache(maxsize=2)  # a worker's jobs are ordered by data set
def _load(folder: Path, kind: str) -> Inputs:
    labels = table_to_matrix(read_table(folder / "labels.parquet"))
    if kind == "features":
        return Inputs(table_to_matrix(read_table(folder / "features.parquet")), labels)
    joint = read_table(folder / "joint.parquet")
    support = np.array([[int(bit) for bit in name] for name in joint.column_names], dtype=np.uint8)
    return Inputs(table_to_matrix(joint), labels, support)


def load_card(dataset: str) -> dict[str, Any]:
    """The card of a prepared data set."""
    try:
        return read_json(paths.prepared(dataset) / "card.json")
    except FileNotFoundError:
        raise DataError(
            f"data set {dataset} is not prepared; run: dvc repro split@{dataset}"
        ) from None


def load_splits(dataset: str) -> np.ndarray:
    """Training masks, a row a seed."""
    table = read_table(paths.splits(dataset))
    seeds = len(table["seed"].unique())
    return (np.asarray(table["part"]) == "train").reshape(seeds, -1)
