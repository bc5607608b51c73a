"""An image set as an ordinary data set: the vectors of the network are its features."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from rethink.tables import Column, RawTable
from stages.common.errors import DataError
from stages.common.files import read_json
from stages.common.images import (
    IMAGES,
    ROWS,
    SUMMARY,
    THUMBNAILS,
    Rows,
    part_keys,
    read_matrix,
    read_rows,
)
from stages.common.sources import Pictures
from stages.common.tables import read_table, write_table
from stages.prepare.raw import RawDataset


def read_images(folder: Path) -> tuple[RawDataset, Rows]:
    """Features and labels of every image, and what is known of its file."""
    if not (folder / SUMMARY).exists():
        raise DataError(f"{folder} is not complete; run: dvc repro features@{folder.name}")
    rows = read_rows(folder)
    matrix = read_matrix(folder, "pooled").astype(np.float64)
    columns = tuple(Column(f"f{number}") for number in range(1, matrix.shape[1] + 1))
    return RawDataset(RawTable(columns, matrix), rows.labels, rows.label_names), rows


def image_card(folder: Path, rows: Rows, pictures: Pictures) -> dict[str, Any]:
    """What the card of an image set says besides."""
    summary = read_json(folder / SUMMARY)
    split = "random" if "all" in rows.parts else "official"
    parts = {part: rows.parts.count(part) for part in sorted(set(rows.parts))}
    keys = hashlib.sha256("".join(part_keys(folder)).encode())
    facts: dict[str, Any] = {"split": split, "parts": parts}
    facts |= {"paper": pictures.paper, "examples": list(pictures.examples)}
    return {"map_content": keys.hexdigest(), "images": {**summary, **facts}}


def copy_images(folder: Path, target: Path) -> None:
    """What later stages show of single images."""
    write_table(target / IMAGES, read_table(folder / ROWS))
    write_table(target / THUMBNAILS, read_table(folder / THUMBNAILS))
