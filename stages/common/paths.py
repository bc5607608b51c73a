"""Where the artifacts of the pipeline live, below the current folder."""

import os
from pathlib import Path

from stages.common.errors import UserError

DATA = Path("data")
PAPER = DATA / "paper"
SCORES = DATA / "scores.parquet"
CELLS = DATA / "cells"
REPORTS = Path("reports")
RESULTS = Path("results")  # published with the code
LOG = DATA / "dask.log"  # what the engine says, of the last run


def store() -> Path:
    """Where the cells are: the folder that RETHINK_STORE names, or else one of this project."""
    name = os.environ.get("RETHINK_STORE") or str(CELLS)
    if "://" in name:
        raise UserError(f"RETHINK_STORE is {name!r}, but must be a folder; workers need no store")
    return Path(name)


def raw(dataset: str) -> Path:
    """Folder of the fetched bytes."""
    return DATA / "raw" / dataset


def weights(network: str) -> Path:
    """Folder of a network's weights; no output of a stage, as several data sets share it."""
    return DATA / "weights" / network


def features(dataset: str) -> Path:
    """Folder of what a network sees in the images of a data set."""
    return DATA / "features" / dataset


def prepared(dataset: str) -> Path:
    """Folder of scaled features, labels, card and validation results."""
    return DATA / "prepared" / dataset


def splits(dataset: str) -> Path:
    """Table of seed, row and part."""
    return DATA / "splits" / f"{dataset}.parquet"


def predictions(dataset: str) -> Path:
    """Table of every prediction of every finished cell."""
    return DATA / "predictions" / f"{dataset}.parquet"


def runs(dataset: str) -> Path:
    """Table of one row for every planned cell."""
    return DATA / "runs" / f"{dataset}.parquet"
