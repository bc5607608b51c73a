"""Files and the places that have them."""

from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from stages.config.closed import Closed

_PIECE = r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}"
FilePath = Annotated[str, StringConstraints(pattern=rf"^{_PIECE}(/{_PIECE}){{0,5}}$")]  # no ..
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Package = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Address = Annotated[str, StringConstraints(pattern=r"^https?://")]
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
