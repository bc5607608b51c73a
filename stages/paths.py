"""Where the artifacts of the pipeline live, below the current folder."""

import os
from pathlib import Path

DATA = Path("data")
PAPER = DATA / "paper"
SCORES = DATA / "scores.parquet"
CELLS = DATA / "cells"
REPORTS = Path("reports")


def store() -> str:
    """Where the cells are: RETHINK_STORE, a folder or URL, or else a folder of this project."""
    return os.environ.get("RETHINK_STORE") or str(CELLS)


def store_is_shared() -> bool:
    """Whether the store is one that other folders and machines may use too."""
    return store() != str(CELLS)


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
