"""Bring files from wherever they are: this machine first, the network last."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from stages.common.catalog import Entry, Source
from stages.common.errors import DataError, UserError
from stages.common.files import alone_in, atomic_path
from stages.common.raw_files import file_problem, mismatch, problems
from stages.common.sources import File, Origin, Weights
from stages.common.words import shown
from stages.fetch.archive import unpack
from stages.fetch.download import DownloadError, download
from stages.fetch.made import write_drawings, write_synthetic

MIRROR = "RETHINK_MIRROR"


def fetch(name: str, entry: Entry, folder: Path) -> Source:
    """Complete one source in `folder`; the network is asked last, after all that is at hand."""
    return entry.sources[_fetch(f"data set {name}", name, entry.sources, folder)]


def fetch_weights(name: str, weights: Weights, folder: Path) -> None:
    """Complete the files of a network's weights in `folder`."""
    if weights.files:
        _fetch(f"network {name}", name, (weights,), folder)


def _fetch(what: str, name: str, origins: Sequence[Origin], folder: Path) -> int:
    """The number of the origin that is complete."""
    with alone_in(folder):
        failures: list[str] = []
        for online in (False, True):
            for number, origin in enumerate(origins):
                if _complete(name, origin, folder, online, failures):
                    return number
    raise DataError(_give_up(what, name, origins, folder, failures))


def _complete(name: str, source: Origin, folder: Path, online: bool, failures: list[str]) -> bool:
    """Bring what one origin lacks, from this machine or (`online`) from the network."""
    if isinstance(source, Source) and source.made:
        _make(name, source, folder)
        return True
    lacking = {
        file.name: problem for file in source.files if (problem := file_problem(file, folder))
    }
    _check_space(source, lacking, folder)
    came_from = {}
    for file in source.files:
        if file.name not in lacking:
            continue
        if not online and (folder / file.name).exists():
            _warn(f"{lacking[file.name]}; fetching it again")
        origins = _addresses(name, source, file) if online else _copies(name, source, file)
        came_from[file.name] = _bring(file, folder, origins, failures)
        if online and came_from[file.name] is None:
            return False  # the next file would only wait for the same server
    if None in came_from.values():
        return False
    _say(source, folder, came_from)
    return True


def _make(name: str, source: Source, folder: Path) -> None:
    if source.recipe:
        write_synthetic(name, source.recipe, folder)
    elif source.drawing:
        write_drawings(name, source.drawing, folder)


def _say(origin: Origin, folder: Path, came_from: dict[str, str | None]) -> None:
    """A line a file; of a listing, which may be long, one for all."""
    if origin.listing:
        brought = len(came_from)
        print(f"{folder}: {len(origin.files)} files, {brought} of them brought now")
        return
    for file in origin.files:
        print(shown(f"{folder / file.name}: {came_from.get(file.name, 'already there')}"))


def _bring(
    file: File, folder: Path, origins: Iterator[Path | str], failures: list[str]
) -> str | None:
    """Take the file from the first origin that has the right bytes; say which."""
    target = folder / file.name
    if file.unpack and target.is_file() and not mismatch(target, file.sha256, file.bytes):
        unpack(file, folder)  # an earlier run brought it and was stopped
        return "unpacked"
    for origin in origins:
        try:
            if isinstance(origin, Path):
                _copy(origin, target, file)
            else:
                download(origin, target, file.sha256, file.bytes)
            if file.unpack:
                unpack(file, folder)
        except DownloadError as error:
            failures.append(error.problem)
        except DataError as error:
            _warn(str(error))
            failures.append(str(error))
        else:
            return f"from {origin}"
    return None


def _copies(name: str, source: Origin, file: File) -> Iterator[Path]:
    """Where this machine may have the file: a mirror folder, an installed package."""
    mirror = os.environ.get(MIRROR)
    if mirror and not _is_address(mirror):
        if not Path(mirror).is_dir():
            raise UserError(f"{MIRROR}={mirror} is neither a folder nor an http(s) address")
        yield from _if_file(Path(mirror) / (source.mirror or name) / file.name)
    # The package is found but not imported: only its files are wanted.
    spec = importlib.util.find_spec(source.package) if source.package else None
    for root in (spec and spec.submodule_search_locations) or ():
        yield from _if_file(Path(root) / (source.path or "") / file.name)


def _if_file(path: Path) -> list[Path]:
    return [path] if path.is_file() else []


def _addresses(name: str, source: Origin, file: File) -> Iterator[str]:
    """Where the network may have the file: a mirror, its pinned address."""
    mirror = os.environ.get(MIRROR, "")
    if _is_address(mirror):
        yield f"{mirror.rstrip('/')}/{source.mirror or name}/{file.name}"
    if address := file.address or source.address:
        yield f"{address.rstrip('/')}/{file.name}"


def _is_address(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _copy(origin: Path, target: Path, file: File) -> None:
    with atomic_path(target) as temporary:
        shutil.copyfile(origin, temporary)
        if wrong := mismatch(temporary, file.sha256, file.bytes):
            raise DataError(f"{origin} is not the file of the catalogue: {wrong}")


def _check_space(source: Origin, lacking: dict[str, str], folder: Path) -> None:
    need = sum(file.bytes or 0 for file in source.files if file.name in lacking)
    free = shutil.disk_usage(folder).free
    if free < need:
        raise DataError(f"{folder}: need {need:,} bytes, have {free:,}; free some space, run again")


def _give_up(
    what: str, name: str, origins: Sequence[Origin], folder: Path, failures: list[str]
) -> str:
    missing = [line for origin in origins for line in problems(origin, folder)]
    places = [f"{origin.mirror or name}/{file.name}" for origin in origins for file in origin.files]
    lines = "\n  ".join(_first([*missing, *failures]))
    return (
        f"{what} cannot be fetched:\n  {lines}\n"
        f"Put the files into {folder}, or set {MIRROR} to a folder or http(s) address that has "
        f"{', '.join(_first(places))}"
    )


def _first(lines: list[str], most: int = 20) -> list[str]:
    """The first few names: as many as a person reads."""
    more = len(lines) - most
    return lines if more <= 0 else [*lines[:most], f"and {more} more"]


def _warn(text: str) -> None:
    print(shown(f"warning: {text}"), file=sys.stderr)
