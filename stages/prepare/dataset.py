"""A data set in the form that all models see: checked labels, features scaled to [0,1]."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

from rethink.scaling import UnitScaler
from rethink.tables import Column, RawTable, encode
from stages.common import paths
from stages.common.catalog import Entry, Source
from stages.common.errors import DataError
from stages.common.files import read_json, write_json
from stages.common.image_features import (
    IMAGES,
    KEY,
    ROWS,
    SHOWN,
    SUMMARY,
    THUMBNAILS,
    Rows,
    hash_of_parts,
    read_matrix,
    read_rows,
)
from stages.common.sources import FORMATS, Pictures
from stages.common.tables import matrix_to_table, read_table, table_to_matrix, write_table
from stages.prepare.columns import Cleaned, clean
from stages.prepare.expectations import validate
from stages.prepare.facts import (
    Matrix,
    describe_columns,
    describe_images,
    describe_labels,
    totals,
)
from stages.prepare.readers import RawDataset, read_dataset

TABLES = ("csv", "parquet")  # formats in which values are text, dates and the like


@dataclass(frozen=True)
class Prepared:
    """What the stage writes."""

    features: Matrix
    names: tuple[str, ...]
    labels: np.ndarray
    label_names: tuple[str, ...]
    columns: pd.DataFrame
    card: dict[str, Any]
    validation: dict[str, Any]
    cleaned: Cleaned


def prepare(raw: RawDataset, entry: Entry, images: Rows | None = None) -> Prepared:
    """Validate the data set and scale its features; bad data is an error that lists everything."""
    cleaned = clean(raw.features, entry)
    table = cleaned.features
    columns = describe_columns(table.matrix, _names(table))
    official = images.parts if images and "all" not in images.parts else None
    facts = totals(table.matrix, raw.labels, columns, official)
    not_binary = int((raw.labels > 1).sum())
    tables = {
        "columns": columns,
        "labels": describe_labels(raw.labels, raw.label_names),
        "totals": pd.DataFrame([{**facts, "not_binary": not_binary}]),
    }
    if images:
        tables["images"] = describe_images(images.files, images.problems)
    expected = entry.counts.model_dump(exclude_none=True) if entry.counts else None
    validation = validate(tables, expected)
    _refuse_bad(validation)
    features, names = encode(table, entry.nominal)
    features = UnitScaler().fit_transform(features)
    card = {
        **facts,
        "title": entry.title,
        "columns": features.shape[1],
        "storage": "sparse" if sparse.issparse(features) else "dense",
        "content": content_hash(features, raw.labels),
        "expected": expected,
        "label_names": list(raw.label_names),
    }
    return Prepared(
        features, names, raw.labels, raw.label_names, columns, card, validation, cleaned
    )


def _names(table: RawTable) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns)


def _refuse_bad(validation: dict[str, Any]) -> None:
    broken = [check for check in validation["checks"] if check["status"] == "fail"]
    if broken:
        lines = "\n  ".join(f"{check['text']}: found {check['observed']}" for check in broken)
        raise DataError(
            f"the data is not fit for training:\n  {lines}\n"
            f"Mend the file, or {'; '.join(_ways(broken))}."
        )


def _ways(broken: list[dict[str, Any]]) -> Iterator[str]:
    """What else helps, in the entry of the data set."""
    names = {check["check"] for check in broken}
    if "no-nulls" in names:
        yield "let missing values be filled in: missing: impute"
    if "no-nulls" in names or "finite" in names:
        yield "leave the columns out: ignore: [...]"
    yield "mend the counts of its entry in data/catalog.yaml"


def content_hash(features: Matrix, labels: np.ndarray) -> str:
    """A name for the values alone: equal for equal data, whatever file it came from."""
    digest = hashlib.sha256(f"{features.shape} {labels.shape}".encode())
    parts = (
        (features.indptr.astype(np.int64), features.indices.astype(np.int64), features.data)
        if sparse.issparse(features)
        else (features,)
    )
    for part in (*parts, labels):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def read(dataset: str, source: Source) -> tuple[RawDataset, Rows | None]:
    """The raw data set; a synthetic one was written as a table with label columns y1, y2, …"""
    if source.format in FORMATS:
        return read_images(paths.features(dataset))
    if source.recipe:
        labels = tuple(f"y{number}" for number in range(1, source.recipe.labels + 1))
        files = ({"name": "table.parquet"},)
        source = Source.model_validate({"format": "parquet", "files": files, "labels": labels})
    return read_dataset(source, paths.raw(dataset)), None


def _origin(source: Source) -> str:
    if source.recipe:
        return f"generated: {source.recipe.generator}"
    if source.drawing:
        return "drawn: shapes"
    if source.package:
        return f"package {source.package}"
    return source.address or source.mirror or "the user's own files"


def write(dataset: str, result: Prepared, source: Source, pictures: Pictures | None = None) -> None:
    """Write every file of the stage; the card, written last, says that all are there."""
    folder = paths.prepared(dataset)
    write_json(folder / "validation.json", result.validation)
    write_table(folder / "features.parquet", matrix_to_table(result.features, result.names))
    write_table(folder / "labels.parquet", matrix_to_table(result.labels, result.label_names))
    write_table(
        folder / "columns.parquet", pa.Table.from_pandas(result.columns, preserve_index=False)
    )
    if source.format in TABLES and not source.made:
        write_json(folder / "columns.json", [list(row) for row in result.cleaned.recipes])
    card = {"name": dataset, "source": _origin(source), **result.card}
    if source.recipe:
        joint = read_table(paths.raw(dataset) / "joint.parquet")
        write_table(folder / "joint.parquet", joint)
        card["joint_content"] = content_hash(table_to_matrix(joint), result.labels)
    if pictures:
        seen = paths.features(dataset)
        copy_images(seen, folder)
        card |= image_card(seen, read_rows(seen), pictures)
    write_json(folder / "card.json", card)


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
    facts: dict[str, Any] = {"split": split, "parts": parts}
    facts |= {"paper": pictures.paper, "examples": list(pictures.examples)}
    made_of, shown = (
        hashlib.sha256(hash_of_parts(folder, name).encode() + rows.labels.tobytes()).hexdigest()
        for name in (KEY, SHOWN)
    )
    return {"map_content": made_of, "pictures": shown, "images": {**summary, **facts}}


def copy_images(folder: Path, target: Path) -> None:
    """What later stages show of single images."""
    write_table(target / IMAGES, read_table(folder / ROWS))
    write_table(target / THUMBNAILS, read_table(folder / THUMBNAILS))
