"""What a cell is computed from: the prepared data and the split of its seed.

They are read from a folder or URL that is laid out like `data/`: that folder itself, or the copy
beside the cells of a store that several machines share.
"""

import hashlib
import json
from dataclasses import dataclass, field
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
    """One data set in memory, and what its estimator must be told of X.

    X is features; for `input: joint` probabilities over `support`; for `input: map` maps of images,
    `cells` one after the other.
    """

    X: Matrix
    Y: np.ndarray
    told: dict[str, Any] = field(default_factory=dict)


def load_inputs(dataset: str, kind: str, data: str = HERE) -> Inputs:
    """Read the prepared data set for a model whose input is `kind`."""
    return _load(dataset, kind, absolute(data))


@lru_cache(maxsize=2)  # a worker's jobs are ordered by data set
def _load(dataset: str, kind: str, data: str) -> Inputs:
    labels = _matrix(data, dataset, "labels")
    if kind == "features":
        return Inputs(_matrix(data, dataset, "features"), labels)
    if kind == "map":
        maps, cells = _map(data, dataset)
        return Inputs(maps, labels, {"cells": cells})
    joint = table_from_bytes(open_place(data).read(_prepared(dataset, "joint.parquet")))
    support = np.array([[int(bit) for bit in name] for name in joint.column_names], dtype=np.uint8)
    return Inputs(table_to_matrix(joint), labels, {"support": support})


def _map(data: str, dataset: str) -> tuple[np.ndarray, int]:
    """The maps of all images, a row each, and how many cells they have."""
    place = open_place(data)
    parts = [table_from_bytes(place.read(name)) for name in place.names(_parts(dataset))]
    maps = [table["map"].combine_chunks().flatten().to_numpy() for table in parts]
    rows = sum(table.num_rows for table in parts)
    matrix = np.concatenate(maps).reshape(rows, -1).astype(np.float32)
    return matrix, int(parts[0].schema.metadata[b"cells"])


def _matrix(data: str, dataset: str, name: str) -> Any:
    return table_to_matrix(
        table_from_bytes(open_place(data).read(_prepared(dataset, f"{name}.parquet")))
    )


def _prepared(dataset: str, name: str) -> str:
    return f"prepared/{dataset}/{name}"


def _parts(dataset: str) -> str:
    return f"features/{dataset}/parts"


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
    here, card = open_place(HERE), load_card(dataset)
    kept = [card.get(name, "") for name in ("content", "joint_content", "map_content")]
    kept.append(hashlib.sha256(here.read(_splits(dataset))).hexdigest())
    digest = hashlib.sha256(" ".join(kept).encode()).hexdigest()[:16]
    address = f"{store.rstrip('/')}/.data/{dataset}-{digest}"
    if not _is_there(address, dataset):
        names = [_splits(dataset), _prepared(dataset, "labels.parquet")]
        names.append(_prepared(dataset, "features.parquet"))
        names += [_prepared(dataset, "joint.parquet")] if "joint_content" in card else []
        names += here.names(_parts(dataset)) if "map_content" in card else []
        for name in [*names, _prepared(dataset, "card.json")]:  # with the card, all is there
            open_place(address).write(name, here.read(name))
    return address


def _is_there(address: str, dataset: str) -> bool:
    try:
        load_card(dataset, address)
    except DataError:
        return False
    return True
