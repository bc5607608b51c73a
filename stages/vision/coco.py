"""COCO's JSON of instances: an image has a label if one instance of the category is on it."""

import json
from pathlib import Path
from typing import Any

from stages.errors import DataError
from stages.vision.tagged import Tagged, plain, tagged


def read_coco(path: Path) -> Tagged:
    """Images, those without an instance included, and categories in the order of their ids."""
    told = _load(path)
    categories = _by_id(path, told["categories"], "categories")
    images = _by_id(path, told["images"], "images")
    place = {number: index for index, number in enumerate(sorted(categories))}
    tags: dict[Any, set[int]] = {number: set() for number in images}
    for instance in told["annotations"]:
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
        told = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"{path} is missing; put the labels of the images there") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error!s:.200}") from None
    for key in ("images", "annotations", "categories"):
        if not isinstance(told, dict) or not isinstance(told.get(key), list):
            raise DataError(f"{path}: has no list of {key}, needs COCO's format of instances")
    return told


def _by_id(path: Path, entries: list[Any], what: str) -> dict[int, Any]:
    found = {_field(path, entry, "id"): entry for entry in entries}
    if len(found) < len(entries):
        raise DataError(f"{path}: an id comes twice among the {what}")
    if not all(isinstance(number, int) for number in found):
        raise DataError(f"{path}: an id among the {what} is not a whole number")
    return found


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
