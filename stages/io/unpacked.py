"""A zip of the catalogue and the folder it becomes; afterwards only the folder is kept."""

import shutil
from pathlib import Path

from stages.config.origins import File
from stages.errors import DataError
from stages.io.archive import unpack_zip
from stages.io.files import read_json, write_json

# of archives whose bytes are pinned: COCO's largest has 118,288 members and 19 GB
MAX_MEMBERS, MAX_BYTES = 200_000, 40_000_000_000


def folder_of(file: File, folder: Path) -> Path:
    """Where the members of a zip are."""
    return folder / file.name.removesuffix(".zip")


def unpack(file: File, folder: Path) -> None:
    """Unpack a checked zip, note what came out of it, and remove it: it may have 20 GB."""
    archive, target = folder / file.name, folder_of(file, folder)
    if target.exists():  # a run was killed after the last member and before the note
        shutil.rmtree(target)
    unpack_zip(archive, target, max_bytes=MAX_BYTES, max_members=MAX_MEMBERS)
    write_json(_note(file, folder), {"archive": file.sha256, **_measured(target)})
    archive.unlink()


def unpacked_problem(file: File, folder: Path) -> str | None:
    """What is wrong with the folder of a zip; one that the user unpacked is taken as it is."""
    archive, target, note = folder / file.name, folder_of(file, folder), _note(file, folder)
    if not note.exists():
        return None if target.is_dir() and not archive.exists() else f"{archive} is missing"
    noted, found = read_json(note), _measured(target)
    if noted == {"archive": file.sha256, **found}:
        return None
    raise DataError(
        f"{target} is not what came out of {file.name}: {noted.get('files')} files with "
        f"{noted.get('bytes')} bytes were unpacked, {found['files']} with {found['bytes']} are "
        f"there; remove the folder and {note}, and fetch it again"
    )


def _note(file: File, folder: Path) -> Path:
    return folder / f"{file.name}.unpacked.json"


def _measured(folder: Path) -> dict[str, int]:
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return {"files": len(sizes), "bytes": sum(sizes)}
