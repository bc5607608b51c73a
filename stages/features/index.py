"""The rows of an image set: a file, its part and its labels, in an order that never changes."""

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from stages.common.catalog import Source
from stages.common.errors import DataError
from stages.common.raw_files import PICTURE_LABELS, PICTURES
from stages.common.sources import Part


@dataclass(frozen=True)
class Tagged:
    """Images of one file of labels, in a fixed order, each with the indices of its labels."""

    names: tuple[str, ...]  # of all labels the file knows, also of those on no image
    images: tuple[tuple[str, tuple[int, ...]], ...]


Reader = Callable[[Path], Tagged]


def plain(path: Path, file: object) -> str:
    """The name of an image as given, refused if it leads anywhere but below its folder."""
    text = file if isinstance(file, str) else ""
    parts = PurePosixPath(text).parts
    odd = not parts or ".." in parts or "\\" in text or not text.isprintable()
    if odd or text.startswith("/"):
        raise DataError(f"{path}: the image is called {file!r:.100}, needs a name below its folder")
    return text


def tagged(path: Path, names: Sequence[str], images: Iterable[tuple[str, set[int]]]) -> Tagged:
    """Sorted by file name; a name that comes twice is refused."""
    ordered = sorted(images, key=lambda image: image[0])
    for (one, _), (other, _) in pairwise(ordered):
        if one == other:
            raise DataError(f"{path}: the image {one!r:.200} is listed twice, needs to be once")
    if not ordered:
        raise DataError(f"{path}: lists no image")
    return Tagged(tuple(names), tuple((file, tuple(sorted(tags))) for file, tags in ordered))


COLUMNS = ["file", "labels"]


def read_labelled_csv(path: Path) -> Tagged:
    """Images in the order of their names, labels in that of theirs."""
    rows = [(plain(path, file), _names(labels)) for file, labels in _rows(path)]
    names = sorted({name for _, tags in rows for name in tags})
    place = {name: index for index, name in enumerate(names)}
    return tagged(path, names, ((file, {place[name] for name in tags}) for file, tags in rows))


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


def read_coco(path: Path) -> Tagged:
    """Images, those without an instance included, and categories in the order of their ids."""
    content = _load(path)
    categories = _by_id(path, content["categories"], "categories")
    images = _by_id(path, content["images"], "images")
    place = {number: index for index, number in enumerate(sorted(categories))}
    tags: dict[Any, set[int]] = {number: set() for number in images}
    for instance in content["annotations"]:
        image, category = _field(path, instance, "image_id"), _field(path, instance, "category_id")
        if image not in tags:
            raise DataError(
                f"{path}: {_called(instance)} is on image {image!r}, which is not listed"
            )
        if category not in place:
            raise DataError(f"{path}: {_called(instance)} has the unknown category {category!r}")
        tags[image].add(place[category])
    names = [str(_field(path, categories[number], "name")) for number in sorted(categories)]
    if len(set(names)) < len(names):
        raise DataError(f"{path}: two categories have the same name")
    files = ((_file(path, images[number]), tags[number]) for number in images)
    return tagged(path, names, files)


def _load(path: Path) -> dict[str, list[Any]]:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"{path} is missing; put the labels of the images there") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error!s:.200}") from None
    for key in ("images", "annotations", "categories"):
        if not isinstance(content, dict) or not isinstance(content.get(key), list):
            raise DataError(f"{path}: has no list of {key}, needs COCO's format of instances")
    return content


def _by_id(path: Path, entries: list[Any], what: str) -> dict[int, Any]:
    by_number = {_field(path, entry, "id"): entry for entry in entries}
    if len(by_number) < len(entries):
        raise DataError(f"{path}: an id comes twice among the {what}")
    if not all(isinstance(number, int) for number in by_number):
        raise DataError(f"{path}: an id among the {what} is not a whole number")
    return by_number


def _field(path: Path, entry: Any, key: str) -> Any:
    try:
        value = entry[key]
        hash(value)
    except (KeyError, TypeError):
        raise DataError(f"{path}: found {entry!r:.100} without a plain {key!r}") from None
    return value


def _file(path: Path, image: Any) -> str:
    return plain(path, _field(path, image, "file_name"))


def _called(instance: Any) -> str:
    return f"annotation {instance.get('id', '(without id)')!r}"


READERS: dict[str, Reader] = {
    "coco": read_coco,
    "image-csv": read_labelled_csv,
    "shapes": read_labelled_csv,
}
NAMED = 5  # missing files that an error names


@dataclass(frozen=True)
class ImageIndex:
    """One entry a row: the file below the raw folder, its part, and a row of 0/1 labels."""

    files: tuple[str, ...]
    parts: tuple[str, ...]  # train | test where the split is official, else all
    labels: np.ndarray
    label_names: tuple[str, ...]


def read_index(source: Source, folder: Path) -> ImageIndex:
    """Read the labels of every part and see that each image is there."""
    parts = source.parts or (Part(images=PICTURES, labels=PICTURE_LABELS),)
    tagged = [READERS[source.format](folder / part.labels) for part in parts]
    names = tagged[0].names if source.format == "coco" else _all_names([t.names for t in tagged])
    for part, images in zip(parts, tagged, strict=True):
        if source.format == "coco" and images.names != names:
            first = folder / parts[0].labels
            raise DataError(f"{folder / part.labels}: its categories are not those of {first}")
    rows = [
        (f"{part.images}/{file}", part.part, [names.index(images.names[tag]) for tag in tags])
        for part, images in zip(parts, tagged, strict=True)
        for file, tags in images.images
    ]
    labels = np.zeros((len(rows), len(names)), dtype=np.uint8)
    for row, (_, _, on) in zip(labels, rows, strict=True):
        row[on] = 1
    index = ImageIndex(tuple(r[0] for r in rows), tuple(r[1] for r in rows), labels, names)
    _check_present(index, folder)
    return index


def _all_names(lists: list[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({name for names in lists for name in names}))


def _check_present(index: ImageIndex, folder: Path) -> None:
    missing = [file for file in index.files if not (folder / file).is_file()]
    if missing:
        shown = ", ".join(str(folder / file) for file in missing[:NAMED])
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        raise DataError(
            f"{len(missing)} of {len(index.files)} images are missing: {shown}{more}; "
            "put them there, or take them out of the labels"
        )
