"""What a cell is computed from: the prepared data and the split of its seed.

They are read from a folder or URL that is laid out like `data/`: that folder itself, or the copy
beside the cells of a store that several machines share.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from stages import paths
from stages.errors import DataError
from stages.io.places import absolute, open_place
from stages.io.tables import table_from_bytes, table_to_matrix
from stages.validation.facts import Matrix

HERE = str(paths.DATA)


@dataclass(frozen=True)
class Inputs:
    """One data set in memory: X is features, or probabilities over `support` for `input: joint`."""

    X: Matrix
    Y: np.ndarray
    support: np.ndarray | None = None


def load_inputs(dataset: str, kind: str, data: str = HERE) -> Inputs:
    """Read the prepared data set for a model whose input is `kind`."""
    return _load(dataset, kind, absolute(data))


@lru_cache(maxsize=2)  # a worker's jobs are ordered by data set
def _load(dataset: str, kind: str, data: str) -> Inputs:
    labels = _matrix(data, dataset, "labels")
    if kind == "features":
        return Inputs(_matrix(data, dataset, "features"), labels)
    joint = table_from_bytes(open_place(data).read(_prepared(dataset, "joint.parquet")))
    support = np.array([[int(bit) for bit in name] for name in joint.column_names], dtype=np.uint8)
    return Inputs(table_to_matrix(joint), labels, support)


def _matrix(data: str, dataset: str, name: str) -> Any:
    return table_to_matrix(
        table_from_bytes(open_place(data).read(_prepared(dataset, f"{name}.parquet")))
    )


def _prepared(dataset: str, name: str) -> str:
    return f"prepared/{dataset}/{name}"


def load_card(dataset: str, data: str = HERE) -> dict[str, Any]:
    """The card of a prepared data set."""
    try:
        return json.loads(open_place(data).read(_prepared(dataset, "card.json")))
    except FileNotFoundError:
        raise DataError(
            f"data set {dataset} is not prepared; run: dvc repro split@{dataset}"
        ) from None


def load_splits(dataset: str, data: str = HERE) -> np.ndarray:
    """Training masks, a row a seed."""
    table = table_from_bytes(open_place(data).read(_splits(dataset)))
    seeds = len(table["seed"].unique())
    return (np.asarray(table["part"]) == "train").reshape(seeds, -1)


def _splits(dataset: str) -> str:
    return f"splits/{dataset}.parquet"


def share_inputs(dataset: str, store: str) -> str:
    """Copy what the cells of a data set need into a shared store; returns where it is there."""
    here = open_place(HERE)
    card, splits = load_card(dataset), here.read(_splits(dataset))
    content = [card["content"], card.get("joint_content", ""), hashlib.sha256(splits).hexdigest()]
    digest = hashlib.sha256(" ".join(content).encode()).hexdigest()[:16]
    address = f"{store.rstrip('/')}/.data/{dataset}-{digest}"
    there = open_place(address)
    if not _is_there(address, dataset):
        there.write(_splits(dataset), splits)
        names = ["labels.parquet", "features.parquet"]
        for name in [*names, *(["joint.parquet"] if "joint_content" in card else [])]:
            there.write(_prepared(dataset, name), here.read(_prepared(dataset, name)))
        # the card comes last: with it, all is there
        there.write(_prepared(dataset, "card.json"), here.read(_prepared(dataset, "card.json")))
    return address


def _is_there(address: str, dataset: str) -> bool:
    try:
        load_card(dataset, address)
    except DataError:
        return False
    return True
