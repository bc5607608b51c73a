"""Files that are either complete or absent: written under a temporary name, then renamed."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary name beside `path`; on success sync it to disk and rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp makes private files; a shared store must stay readable
        publish(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def publish(temporary: Path, path: Path) -> None:
    """Give a finished file its name."""
    sync(temporary)
    temporary.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Force a file or folder to disk, so that a power cut cannot undo the rename."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def json_text(value: Any) -> str:
    """JSON with sorted keys, so that equal values give equal bytes."""
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def write_json(path: Path, value: Any) -> None:
    """Write JSON atomically."""
    write_text(path, json_text(value))


def read_json(path: Path) -> Any:
    """Read a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of `path`; only where no other writes it now."""
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        leftover.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One process works in a folder at a time; what one that was killed left there is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.parent / f".{folder.name}.lock"):
        for leftover in folder.rglob(".*.tmp"):
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink(missing_ok=True)
        yield
