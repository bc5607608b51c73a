"""Listings: the files of a set with too many to name in the catalogue, in data/listings."""

from pathlib import Path
from typing import Any

from stages.errors import UserError


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
    found = inner if isinstance(inner, list) else [entry]
    return [origin for origin in found if isinstance(origin, dict)]


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
