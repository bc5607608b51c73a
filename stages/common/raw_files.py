"""The raw files of a data set: which there must be, and what is missing or damaged."""

from pathlib import Path

from stages.common.catalog import Entry, Source
from stages.common.errors import DataError
from stages.common.files import read_json, sha256_of
from stages.common.sources import File, Origin

TABLE, JOINT = "table.parquet", "joint.parquet"  # the files of a synthetic set
PICTURES, PICTURE_LABELS = "images", "labels.csv"  # and of drawings


def find_source(entry: Entry, folder: Path) -> Source:
    """The first source whose files are all in `folder`, none of them damaged."""
    for source in entry.sources:
        if not problems(source, folder):
            return source
    lines = "\n  ".join(line for source in entry.sources for line in problems(source, folder))
    raise DataError(
        f"{folder} has no complete copy of the data set:\n  {lines}\n"
        f"run: python -m stages.fetch --dataset {folder.name}"
    )


def problems(origin: Origin, folder: Path) -> list[str]:
    """What is missing or damaged of an origin's files; nothing if all is well."""
    files = origin.files
    if isinstance(origin, Source) and origin.recipe:
        files = (File(name=TABLE), File(name=JOINT))
    elif isinstance(origin, Source) and origin.drawing:
        files = (File(name=PICTURE_LABELS),)
    return [problem for file in files if (problem := file_problem(file, folder))]


def file_problem(file: File, folder: Path) -> str | None:
    """What is wrong with a file of the catalogue in `folder`, or nothing."""
    if file.unpack:
        return unpacked_problem(file, folder)
    path = folder / file.name
    if not path.is_file():
        return f"{path} is missing"
    wrong = mismatch(path, file.sha256, file.bytes)
    return f"{path} is damaged: {wrong}" if wrong else None


def mismatch(path: Path, sha256: str | None, bytes: int | None) -> str | None:
    """What is wrong with a file, or nothing."""
    size = path.stat().st_size
    if sha256 and (digest := sha256_of(path)) != sha256:
        return f"expected SHA-256 {sha256}, found {digest} ({size} bytes)"
    if bytes is not None and size != bytes:
        return f"expected {bytes} bytes, found {size}"
    return None


def folder_of(file: File, folder: Path) -> Path:
    """Where the members of a zip are, once it is unpacked."""
    return folder / file.name.removesuffix(".zip")


def unpacked_problem(file: File, folder: Path) -> str | None:
    """What is wrong with the folder of a zip; one that the user unpacked is taken as it is."""
    archive, target, note = folder / file.name, folder_of(file, folder), unpacked_note(file, folder)
    if not note.exists():
        return None if target.is_dir() and not archive.exists() else f"{archive} is missing"
    noted, there = read_json(note), measured(target)
    if noted == {"archive": file.sha256, **there}:
        return None
    raise DataError(
        f"{target} is not what came out of {file.name}: {noted.get('files')} files with "
        f"{noted.get('bytes')} bytes were unpacked, {there['files']} with {there['bytes']} are "
        f"there; remove the folder and {note}, and fetch it again"
    )


def unpacked_note(file: File, folder: Path) -> Path:
    """Where it is noted what came out of a zip."""
    return folder / f"{file.name}.unpacked.json"


def measured(folder: Path) -> dict[str, int]:
    """How many files a folder has, and how many bytes."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return {"files": len(sizes), "bytes": sum(sizes)}
