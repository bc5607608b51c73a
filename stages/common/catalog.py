"""The catalogue of data sets: where their files come from and what is known of them."""

import argparse
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from stages.common.closed import Closed, Slug, nearest, read_yaml, validated
from stages.common.errors import UserError, run_command
from stages.common.files import write_json
from stages.common.sources import (
    FORMATS,
    UNKNOWN,
    Drawing,
    File,
    FilePath,
    Origin,
    Parts,
    Pictures,
    Weights,
    as_tuple,
)

__all__ = ["Catalog", "Entry", "File", "Recipe", "Source", "load_catalog"]

CATALOG = Path("data/catalog.yaml")


class Recipe(Closed):
    """A synthetic set: a generator of `rethink.synthetic` and its arguments."""

    generator: Slug
    instances: int = Field(gt=0, le=10_000_000)
    features: int = Field(gt=0, le=100_000)
    labels: int = Field(gt=0, le=12)  # the Bayes-optimal prediction enumerates 2^labels


class Source(Origin):
    """One place that has the whole data set, in one format."""

    format: Literal["arff", "csv", "parquet", "rda", "synthetic", "coco", "image-csv", "shapes"]
    # label columns, by name or by a pattern such as tag_*; an ARFF source may name them in a Mulan
    # XML, an R file of mldr has their list
    labels: tuple[str, ...] = ()
    labels_file: FilePath | None = None  # or a file beside the table, a name or pattern a line
    recipe: Recipe | None = None
    drawing: Drawing | None = None
    parts: Parts = ()  # of images

    @field_validator("labels", mode="before")
    @classmethod
    def _as_tuple(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else as_tuple(value)

    @model_validator(mode="after")
    def _complete(self) -> "Source":
        names = [file.name for file in self.files]
        if len(set(names)) < len(names):
            raise ValueError("a file is named twice")
        if problem := self._lacks(names):
            raise ValueError(problem)
        return self

    def _lacks(self, names: list[str]) -> str | None:
        if self.format == "synthetic":
            return None if self.recipe else "format synthetic needs a recipe"
        if self.format == "shapes":
            return None if self.drawing else "format shapes needs a drawing"
        if self.format in FORMATS:
            return None if self.parts else f"format {self.format} needs parts"
        if not names:
            return f"format {self.format} needs files"
        listed = self.format == "rda" or any(name.endswith(".xml") for name in names)
        if self.labels and self.labels_file:
            return "labels and labels_file: give one of them"
        if not (self.labels or self.labels_file or listed):
            return "labels: name the label columns (or labels_file, or add the Mulan .xml to files)"
        return None

    @property
    def made(self) -> bool:
        """Whether the set is generated here, from a recipe or a drawing."""
        return bool(self.recipe or self.drawing)


class Counts(Closed):
    """What the files were counted to hold."""

    instances: int
    features: int
    labels: int
    cardinality: float | None = None
    empty: int | None = None


class Entry(Closed):
    """One data set."""

    title: str = ""
    licence: str = UNKNOWN  # of the data
    cite: str = UNKNOWN  # whom to name
    paper_name: str | None = None  # its name in the paper's tables
    other_file_of: str | None = None  # a data set of which this is another version
    nominal: Literal["onehot", "index"] = "onehot"  # columns with two values are always 0/1
    ignore: tuple[str, ...] = ()  # features to leave out, by name or by a pattern such as note_*
    missing: Literal["refuse", "impute"] = "refuse"  # the median, and a column that says where
    most_columns: int = Field(default=200, ge=1)  # that text may become; else it is refused
    counts: Counts | None = None
    images: Pictures | None = None  # how images become features; none for a table
    sources: tuple[Source, ...] = Field(min_length=1)  # tried in order

    @field_validator("sources", "ignore", mode="before")
    @classmethod
    def _as_tuple(cls, value: object) -> object:
        return as_tuple(value)

    @model_validator(mode="after")
    def _images_have_a_net(self) -> "Entry":
        for source in self.sources:
            if (source.format in FORMATS) != bool(self.images):
                raise ValueError(f"format {source.format} and `images` belong together")
        return self

    @property
    def size(self) -> tuple[int, int] | None:
        """Instances and labels, if known before the files are there."""
        known = self.counts or next((s.recipe for s in self.sources if s.recipe), None)
        return (known.instances, known.labels) if known else None

    @property
    def synthetic(self) -> bool:
        """Whether the joint distribution, and so the Bayes-optimal prediction, is known."""
        return any(source.recipe for source in self.sources)

    @property
    def own(self) -> bool:
        """Whether it is a user's: nobody knows the bytes of its files, or where to get them."""
        return not any(
            source.made or source.address or source.package or any(f.sha256 for f in source.files)
            for source in self.sources
        )

    def has(self, kind: str) -> bool:
        """Whether there is the input that a model asks for: features, joint or map."""
        return {"features": True, "joint": self.synthetic, "map": bool(self.images)}[kind]


class Catalog(Closed):
    """All data sets by name."""

    datasets: dict[Slug, Entry]
    weights: dict[Slug, Weights] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_are_there(self) -> "Catalog":
        for name, entry in self.datasets.items():
            if entry.other_file_of is not None and entry.other_file_of not in self.datasets:
                hint = nearest(entry.other_file_of, self.datasets)
                wrong = entry.other_file_of
                raise ValueError(f"datasets.{name}.other_file_of: unknown {wrong!r}; {hint}")
            if entry.images and entry.images.weights not in self.weights:
                hint = nearest(entry.images.weights, self.weights)
                wrong = entry.images.weights
                raise ValueError(f"datasets.{name}.images.weights: unknown {wrong!r}; {hint}")
        return self

    def entry(self, name: str) -> Entry:
        """The entry called `name`, or an error with the nearest valid name."""
        if name not in self.datasets:
            raise UserError(f"unknown data set {name!r}; {nearest(name, self.datasets)}")
        return self.datasets[name]

    def rights(self, name: str) -> dict[str, str]:
        """The licence of a data set and whom to cite, and the same of the net that sees it."""
        entry = self.entry(name)
        rights = {"Licence": entry.licence, "Cite": entry.cite}
        if entry.images:
            weights = self.weights[entry.images.weights]
            rights |= {"Network": weights.title, "Licence of the network": weights.licence}
            rights |= {"Cite for the network": weights.cite}
        return rights


def load_catalog(path: Path = CATALOG) -> Catalog:
    """Read and check the catalogue."""
    return validated(with_listings(read_yaml(path), path.parent / "listings"), Catalog, path)


def with_listings(raw: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The catalogue as read, each origin's `files` completed from its `listing`."""
    for group in ("datasets", "weights"):
        entries = raw.get(group)
        for entry in entries.values() if isinstance(entries, dict) else ():
            for origin in _origins(entry):
                if isinstance(origin.get("listing"), str):
                    listed = read_listing(folder / origin["listing"])
                    origin["files"] = [*(origin.get("files") or []), *listed]
    return raw


def _origins(entry: Any) -> list[dict[str, Any]]:
    """What of an entry names files; a mistake in its shape is left to the type check."""
    inner = entry.get("sources") if isinstance(entry, dict) else None
    origins = inner if isinstance(inner, list) else [entry]
    return [origin for origin in origins if isinstance(origin, dict)]


def read_listing(path: Path) -> list[dict[str, Any]]:
    """Lines of SHA-256, size in bytes and name."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise UserError(f"{path} is missing; the catalogue names it as a listing") from None
    files = []
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if len(words) != 3 or not words[1].isdigit():
            raise UserError(f"{path}:{number}: needs SHA-256, bytes and name, found {line!r:.100}")
        files.append({"sha256": words[0], "bytes": int(words[1]), "name": words[2]})
    return files


LIBRARY = Path("rethink/datasets/catalog.json")


def for_the_library(catalog: Catalog) -> dict[str, Any]:
    """What `rethink.datasets` can load by itself: ARFF files with pinned bytes, synthetic sets."""
    loadable: dict[str, Any] = {}
    for name, entry in catalog.datasets.items():
        for source in entry.sources:
            pinned = source.address and all(file.sha256 for file in source.files)
            known: dict[str, Any] = {
                "title": entry.title,
                "licence": entry.licence,
                "cite": entry.cite,
            }
            if source.recipe:
                loadable[name] = known | {"recipe": source.recipe.model_dump()}
            elif source.format == "arff" and pinned:
                loadable[name] = known | {
                    "nominal": entry.nominal,
                    "counts": entry.counts and entry.counts.model_dump(exclude_none=True),
                    "address": source.address,
                    "mirror": source.mirror or name,
                    "files": [{"name": f.name, "sha256": f.sha256} for f in source.files],
                }
    return loadable


def main() -> int:
    """Command line."""
    argparse.ArgumentParser(
        description=f"Write {LIBRARY} from {CATALOG}.",
        epilog="example: python -m stages.common.catalog",
    ).parse_args()
    write_json(LIBRARY, for_the_library(load_catalog()))
    return 0


if __name__ == "__main__":
    run_command(main)
