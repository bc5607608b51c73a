"""Files and the places that have them."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from stages.common.closed import Closed, Slug
from stages.common.words import LOGIN

_PIECE = r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}"
FilePath = Annotated[str, StringConstraints(pattern=rf"^{_PIECE}(/{_PIECE}){{0,5}}$")]  # no ..
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Package = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]


def _without_login(address: str) -> str:
    if LOGIN.search(address):
        raise ValueError("has a name or password, which reports would show; let RETHINK_MIRROR "
                         "have the address")  # fmt: skip
    return address


Address = Annotated[str, StringConstraints(pattern=r"^https?://"), AfterValidator(_without_login)]
Folder = Annotated[str, StringConstraints(pattern=r"^[^./\\][^/\\]*(/[^./\\][^/\\]*)*$")]  # no ..


def as_tuple(value: object) -> object:
    """A YAML list as a tuple; anything else is left to the type check."""
    return tuple(value) if isinstance(value, list) else value


class File(Closed):
    """One raw file; without `sha256` (a user's own file) its bytes are taken as they are."""

    name: FilePath
    sha256: Sha256 | None = None
    bytes: int | None = Field(default=None, gt=0)
    address: Address | None = None  # folder that has it, if not its origin's
    unpack: bool = False  # a zip that becomes a folder of its name, without .zip


class Origin(Closed):
    """Files and where to look for them."""

    files: Annotated[tuple[File, ...], BeforeValidator(as_tuple)] = ()
    listing: FilePath | None = None  # more files: a table of hash, size and name in data/listings
    address: Address | None = None  # folder of the files
    mirror: Folder | None = None  # folder below RETHINK_MIRROR, if not the data set's name
    package: Package | None = None  # installed package that carries the files ...
    path: Folder | None = None  # ... in this folder inside it


FORMATS = ("coco", "image-csv", "shapes")


class Part(Closed):
    """Pictures in a folder and the file that tells their labels."""

    part: Literal["train", "test", "all"] = "all"  # train and test are an official split
    images: FilePath
    labels: FilePath


def _one_split(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    kinds = sorted(part.part for part in parts)
    if kinds not in ([], ["all"], ["test", "train"]):
        raise ValueError(f"needs one part called all, or train and test, not {', '.join(kinds)}")
    return parts


Parts = Annotated[tuple[Part, ...], BeforeValidator(as_tuple), AfterValidator(_one_split)]


class Drawing(Closed):
    """Pictures drawn by `rethink.shapes`."""

    instances: int = Field(gt=0, le=100_000)
    size: int = Field(ge=16, le=512)  # pixels, of each side


class Pictures(Closed):
    """How images become features."""

    weights: Slug  # a name under `weights` of the catalogue
    map: Literal["float16", "float32"] = "float16"  # how the feature map is stored
    batch: int = Field(default=16, ge=1, le=1024)
    # what our numbers are beside the paper's; None if the paper has none of these images
    paper: Literal["reproduction", "demonstration"] | None = None
    examples: Annotated[tuple[FilePath, ...], BeforeValidator(as_tuple)] = ()  # for the report


UNKNOWN = "unknown"


class Weights(Origin):
    """A network and the files of its weights; seeded ones need no file."""

    title: str
    licence: str = UNKNOWN
    cite: str = UNKNOWN
    network: Literal["resnet50", "small-cnn"]
    layout: Literal["keras", "torchvision", "seeded"]

    @model_validator(mode="after")
    def _has_files(self) -> "Weights":
        if (self.layout == "seeded") == bool(self.files):
            raise ValueError(f"layout {self.layout} and {len(self.files)} files do not fit")
        if (self.layout == "seeded") != (self.network == "small-cnn"):
            raise ValueError(f"{self.network} is not there in the layout {self.layout}")
        return self
