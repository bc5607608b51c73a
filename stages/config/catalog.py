"""The catalogue of data sets: where their files come from and what is known of them."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from stages.config.closed import Closed, load_closed
from stages.config.names import Slug, nearest
from stages.errors import UserError

CATALOG = Path("data/catalog.yaml")

FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Package = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Address = Annotated[str, StringConstraints(pattern=r"^https?://")]
Folder = Annotated[str, StringConstraints(pattern=r"^[^./\\][^/\\]*(/[^./\\][^/\\]*)*$")]  # no ..


class File(Closed):
    """One raw file; without `sha256` (a user's own file) its bytes are taken as they are."""

    name: FileName
    sha256: Sha256 | None = None
    bytes: int | None = Field(default=None, gt=0)
    address: Address | None = None  # folder that has it, if not its source's


class Recipe(Closed):
    """A synthetic set: a generator of `rethink.synthetic` and its arguments."""

    generator: Slug
    instances: int = Field(gt=0, le=10_000_000)
    features: int = Field(gt=0, le=100_000)
    labels: int = Field(gt=0, le=12)  # the Bayes-optimal prediction enumerates 2^labels


class Source(Closed):
    """One place that has the whole data set, in one format."""

    format: Literal["arff", "csv", "parquet", "synthetic"]
    files: tuple[File, ...] = ()
    address: Address | None = None  # folder of the files
    mirror: Folder | None = None  # folder below RETHINK_MIRROR, if not the data set's name
    package: Package | None = None  # installed package that carries the files ...
    path: Folder | None = None  # ... in this folder inside it
    labels: tuple[str, ...] = ()  # label columns; an ARFF source may name them in a Mulan XML
    recipe: Recipe | None = None

    @field_validator("files", "labels", mode="before")
    @classmethod
    def _as_tuple(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _complete(self) -> "Source":
        names = [file.name for file in self.files]
        if self.format == "synthetic":
            if self.recipe is None:
                raise ValueError("format synthetic needs a recipe")
        elif not names:
            raise ValueError(f"format {self.format} needs files")
        elif len(set(names)) < len(names):
            raise ValueError("a file is named twice")
        elif not self.labels and not any(name.endswith(".xml") for name in names):
            raise ValueError("labels: name the label columns (or add the Mulan .xml to files)")
        return self


class Counts(Closed):
    """What the files were counted to hold."""

    instances: int
    features: int
    labels: int
    cardinality: float
    empty: int = 0


class Entry(Closed):
    """One data set."""

    title: str = ""
    paper_name: str | None = None  # its name in the paper's tables
    nominal: Literal["onehot", "index"] = "onehot"  # columns with two values are always 0/1
    counts: Counts | None = None
    sources: tuple[Source, ...] = Field(min_length=1)  # tried in order

    @field_validator("sources", mode="before")
    @classmethod
    def _as_tuple(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @property
    def size(self) -> int | None:
        """Instances times labels, if known before the files are there."""
        known = self.counts or next((s.recipe for s in self.sources if s.recipe), None)
        return known.instances * known.labels if known else None

    @property
    def synthetic(self) -> bool:
        """Whether the joint distribution, and so the Bayes-optimal prediction, is known."""
        return any(source.recipe for source in self.sources)


class Catalog(Closed):
    """All data sets by name."""

    datasets: dict[Slug, Entry]

    def entry(self, name: str) -> Entry:
        """The entry called `name`, or an error with the nearest valid name."""
        if name not in self.datasets:
            raise UserError(f"unknown data set {name!r}; {nearest(name, self.datasets)}")
        return self.datasets[name]


def load_catalog(path: Path = CATALOG) -> Catalog:
    """Read and check the catalogue."""
    return load_closed(path, Catalog)
