"""Images and the names of what is on them, as a file of labels tells; each format has a reader."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath

from stages.errors import DataError


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
