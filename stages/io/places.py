"""A place for files: a folder, or any address that fsspec knows, such as s3://bucket/prefix.

A file is there as a whole or not at all, in both: a folder gets it under a temporary name that is
then renamed, and an object store shows an object only when its last byte has arrived.
"""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from stages.errors import UserError
from stages.io.files import atomic_path


class Place(Protocol):
    """What the cell store needs of a place; names are relative, with slashes."""

    address: str

    def read(self, name: str) -> bytes:
        """The content of a file, or FileNotFoundError."""

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, in place of an earlier one."""

    def create(self, name: str, content: bytes) -> bool:
        """Put a file there unless there is one; tells whether it was put."""

    def names(self, folder: str = "") -> list[str]:
        """All files below a folder, sorted."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""


class Folder:
    """A folder of a file system that this machine has mounted."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.root = Path(address)

    def read(self, name: str) -> bytes:
        """The content of a file, or FileNotFoundError."""
        try:
            return (self.root / name).read_bytes()
        except NotADirectoryError as error:
            raise FileNotFoundError(name) from error

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, in place of an earlier one."""
        with atomic_path(self.root / name) as temporary:
            temporary.write_bytes(content)

    def create(self, name: str, content: bytes) -> bool:
        """Put a file there unless there is one; tells whether it was put."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
        try:
            temporary.write_bytes(content)
            os.link(temporary, path)  # fails where the name is taken, so one of two wins
        except FileExistsError:
            return False
        finally:
            temporary.unlink(missing_ok=True)
        return True

    def names(self, folder: str = "") -> list[str]:
        """All files below a folder, sorted."""
        found = (self.root / folder).rglob("*")
        files = (path for path in found if not path.name.endswith(".tmp") and path.is_file())
        return sorted(path.relative_to(self.root).as_posix() for path in files)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        (self.root / name).unlink(missing_ok=True)


class Remote:
    """An address that fsspec knows. Objects are immutable or small, so nothing is cached."""

    def __init__(self, address: str) -> None:
        from fsspec.core import url_to_fs

        self.address = address
        self.files: Any
        self.files, self.root = url_to_fs(address.rstrip("/"), use_listings_cache=False)

    def _ask(self, call: str, name: str, *args: Any, **options: Any) -> Any:
        path = f"{self.root}/{name}" if name else self.root
        try:
            return getattr(self.files, call)(path, *args, **options)
        except OSError:
            raise
        except Exception as error:  # each client has errors of its own for a network that is away
            raise OSError(f"{self.address}/{name}: {error}") from error

    def read(self, name: str) -> bytes:
        """The content of a file, or FileNotFoundError."""
        return self._ask("cat_file", name)

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, in place of an earlier one."""
        self._ask("pipe_file", name, content)

    def create(self, name: str, content: bytes) -> bool:
        """Put a file there unless there is one; tells whether it was put."""
        try:
            self._ask("pipe_file", name, content, mode="create")
        except FileExistsError:
            return False
        return True

    def names(self, folder: str = "") -> list[str]:
        """All files below a folder, sorted."""
        return sorted(path[len(self.root) + 1 :] for path in self._ask("find", folder))

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with suppress(FileNotFoundError):
            self._ask("rm_file", name)


def is_remote(address: str) -> bool:
    """Whether an address is a URL and not a path."""
    return "://" in address


def absolute(address: str) -> str:
    """The address whatever the current folder is."""
    return address if is_remote(address) else str(Path(address).absolute())


@cache
def open_place(address: str) -> Place:
    """The place at a path or URL."""
    if not is_remote(address):
        return Folder(address)
    try:
        return Remote(address)
    except (ImportError, ValueError) as error:
        raise UserError(
            f"the address {address!r} cannot be opened: {error}; give a folder or a URL that "
            "fsspec knows, and for s3:// install the extra: pip install -e '.[s3]'"
        ) from error


def check_writable(place: Place) -> None:
    """Write and remove a file, so that a place that takes none is known before any work."""
    probe = f".probe-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        place.write(probe, b"")
        place.remove(probe)
    except OSError as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(
            f"the store {place.address!r} is not writable: {reason}; "
            "check its permissions, or name another one in RETHINK_STORE"
        ) from error
