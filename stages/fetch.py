"""Stage `fetch`: bring the raw files of a data set to data/raw/<data set>/, every byte checked."""

import argparse
import fcntl
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pyarrow as pa

from rethink.seeds import derive_seed
from rethink.synthetic import generate
from stages import paths
from stages.config.catalog import Entry, File, Recipe, Source, load_catalog
from stages.config.params import load_params
from stages.errors import DataError, UserError, run_command
from stages.io.download import DownloadError, download, mismatch
from stages.io.files import atomic_path
from stages.io.tables import write_table

MIRROR = "RETHINK_MIRROR"
TABLE, JOINT = "table.parquet", "joint.parquet"  # the files of a synthetic set


def find_source(entry: Entry, folder: Path) -> Source:
    """The first source whose files are all in `folder`, none of them damaged."""
    for source in entry.sources:
        if not _problems(source, folder):
            return source
    lines = "\n  ".join(line for source in entry.sources for line in _problems(source, folder))
    raise DataError(
        f"{folder} has no complete copy of the data set:\n  {lines}\n"
        f"run: python -m stages.fetch --dataset {folder.name}"
    )


def fetch(name: str, entry: Entry, folder: Path) -> Source:
    """Complete one source in `folder`; the network is asked last, after all that is at hand."""
    folder.mkdir(parents=True, exist_ok=True)
    with _alone_in(folder):
        for leftover in folder.glob(".*.tmp"):  # of killed runs; no other run is in here now
            leftover.unlink()
        failures: list[str] = []
        for online in (False, True):
            for source in entry.sources:
                if _complete(name, source, folder, online, failures):
                    return source
    raise DataError(_give_up(name, entry, folder, failures))


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One process a folder; the lock is on the folder itself and ends with its process."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems cannot lock a folder
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _problems(source: Source, folder: Path) -> list[str]:
    files = (File(name=TABLE), File(name=JOINT)) if source.recipe else source.files
    return [problem for file in files if (problem := _problem(file, folder))]


def _problem(file: File, folder: Path) -> str | None:
    path = folder / file.name
    if not path.is_file():
        return f"{path} is missing"
    wrong = mismatch(path, file.sha256, file.bytes)
    return f"{path} is damaged: {wrong}" if wrong else None


def _complete(name: str, source: Source, folder: Path, online: bool, failures: list[str]) -> bool:
    """Bring what one source lacks, from this machine or (`online`) from the network."""
    if source.recipe:
        _write_synthetic(name, source.recipe, folder)
        return True
    lacking = {file.name: problem for file in source.files if (problem := _problem(file, folder))}
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
    for file in source.files:
        print(f"{folder / file.name}: {came_from.get(file.name, 'already there')}")
    return True


def _bring(
    file: File, folder: Path, origins: Iterator[Path | str], failures: list[str]
) -> str | None:
    """Take the file from the first origin that has the right bytes; say which."""
    for origin in origins:
        try:
            if isinstance(origin, Path):
                _copy(origin, folder / file.name, file)
            else:
                download(origin, folder / file.name, file.sha256, file.bytes)
        except DownloadError as error:
            failures.append(error.problem)
        except DataError as error:
            _warn(str(error))
            failures.append(str(error))
        else:
            return f"from {origin}"
    return None


def _copies(name: str, source: Source, file: File) -> Iterator[Path]:
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


def _addresses(name: str, source: Source, file: File) -> Iterator[str]:
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


def _write_synthetic(name: str, recipe: Recipe, folder: Path) -> None:
    """Generated anew each time: that is cheap, and a changed recipe leaves nothing stale."""
    try:
        sample = generate(**recipe.model_dump(), seed=derive_seed("data", name))
    except ValueError as error:
        raise UserError(f"data set {name}: {error}") from None
    tables = {
        TABLE: {**_columns("x", sample.X), **_columns("y", sample.Y)},
        JOINT: {
            "".join(map(str, vector)): column
            for vector, column in zip(sample.support.tolist(), sample.joint.T, strict=True)
        },
    }
    for file, columns in tables.items():
        write_table(folder / file, pa.table(columns))
        print(f"{folder / file}: generated by {recipe.generator}")


def _columns(prefix: str, matrix: np.ndarray) -> dict[str, np.ndarray]:
    return {f"{prefix}{number}": column for number, column in enumerate(matrix.T, start=1)}


def _check_space(source: Source, lacking: dict[str, str], folder: Path) -> None:
    need = sum(file.bytes or 0 for file in source.files if file.name in lacking)
    free = shutil.disk_usage(folder).free
    if free < need:
        raise DataError(f"{folder}: need {need:,} bytes, have {free:,}; free some space, run again")


def _give_up(name: str, entry: Entry, folder: Path, failures: list[str]) -> str:
    problems = [line for source in entry.sources for line in _problems(source, folder)]
    places = [
        f"{source.mirror or name}/{file.name}" for source in entry.sources for file in source.files
    ]
    lines = "\n  ".join([*problems, *failures])
    return (
        f"data set {name} cannot be fetched:\n  {lines}\n"
        f"Put the files into {folder}, or set {MIRROR} to a folder or http(s) address that has "
        f"{', '.join(places)}"
    )


def _warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.fetch --dataset yeast"
    )
    parser.add_argument("--dataset", required=True, help="a name in data/catalog.yaml")
    name = parser.parse_args().dataset
    load_params()  # the first stage: a mistake in params.yaml stops here, before any work
    fetch(name, load_catalog().entry(name), paths.raw(name))
    return 0


if __name__ == "__main__":
    run_command(main)
