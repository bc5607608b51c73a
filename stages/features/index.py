"""The rows of an image set: a file, its part and its labels, in an order that never changes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stages.common.catalog import Source
from stages.common.errors import DataError
from stages.common.raw_files import PICTURE_LABELS, PICTURES
from stages.common.sources import Part
from stages.features.image_labels import Reader, read_coco, read_labelled_csv

READERS: dict[str, Reader] = {
    "coco": read_coco,
    "image-csv": read_labelled_csv,
    "shapes": read_labelled_csv,
}
NAMED = 5  # so many missing files an error names


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
