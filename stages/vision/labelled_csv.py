"""A CSV of images: the columns `file` and `labels`, names between semicolons."""

import csv
from pathlib import Path

from stages.errors import DataError
from stages.vision.tagged import Tagged, plain, tagged

COLUMNS = ["file", "labels"]


def read_labelled_csv(path: Path) -> Tagged:
    """Images in the order of their names, labels in that of theirs."""
    rows = [(plain(path, file), _names(labels)) for file, labels in _rows(path)]
    names = sorted({name for _, found in rows for name in found})
    place = {name: index for index, name in enumerate(names)}
    return tagged(path, names, ((file, {place[name] for name in found}) for file, found in rows))


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header, *rows = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise DataError(f"{path} is missing; put the labels of the images there") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}; needs a CSV file in UTF-8") from None
    if header != COLUMNS:
        raise DataError(f"{path}: found the columns {header!r:.200}, needs {COLUMNS}")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(COLUMNS):
            raise DataError(f"{path}:{number}: found {len(row)} fields, needs file and labels")
    return rows


def _names(labels: str) -> set[str]:
    return {name.strip() for name in labels.split(";") if name.strip()}
