"""Entries of the catalogue that are images: where pictures and labels lie, which net sees them."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from stages.config.closed import Closed
from stages.config.names import Slug
from stages.config.origins import FilePath, Origin, as_tuple

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
    # what its numbers are beside the paper's; without, there are none of the paper to put beside
    paper: Literal["reproduction", "demonstration"] | None = None
    examples: Annotated[tuple[FilePath, ...], BeforeValidator(as_tuple)] = ()  # for the report


class Weights(Origin):
    """A network and the files of its weights; seeded ones need no file."""

    title: str
    network: Literal["resnet50", "small-cnn"]
    layout: Literal["keras", "torchvision", "seeded"]

    @model_validator(mode="after")
    def _has_files(self) -> "Weights":
        if (self.layout == "seeded") == bool(self.files):
            raise ValueError(f"layout {self.layout} and {len(self.files)} files do not fit")
        if (self.layout == "seeded") != (self.network == "small-cnn"):
            raise ValueError(f"{self.network} is not there in the layout {self.layout}")
        return self
