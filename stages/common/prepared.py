"""What the stages `prepare` and `split` have left of a data set."""

from typing import Any

import numpy as np

from stages.common import paths
from stages.common.errors import DataError
from stages.common.files import read_json
from stages.common.tables import read_table


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
