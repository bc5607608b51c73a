"""Unpack a zip that nobody vouches for: inspected first, then all of it or nothing."""

import io
import shutil
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from stages.common.errors import DataError
from stages.common.files import write_json
from stages.common.raw_files import folder_of, measured, unpacked_note
from stages.common.sources import File

MAX_BYTES = 2_000_000_000
MAX_RATIO = 200  # text compresses 5 to 50 times, a bomb about 1,000
MAX_MEMBERS = 10_000
MAX_RECORD = 512  # bytes of the table of contents for one member, names and extras included
MAX_NAME = 255
# of archives whose bytes are pinned: COCO's largest has 118,288 members and 19 GB
PINNED_MEMBERS, PINNED_BYTES = 200_000, 40_000_000_000
PIECE = 1 << 20
# what the library says of a zip that is damaged, of an unknown version, or oddly encoded
UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError)


def unpack_zip(
    archive: Path,
    target: Path,
    *,
    max_bytes: int = MAX_BYTES,
    max_ratio: int = MAX_RATIO,
    max_members: int = MAX_MEMBERS,
) -> None:
    """Unpack `archive` as the new folder `target`; a refusal leaves no trace."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise DataError(f"{target} already has files; remove it before {archive} is unpacked there")
    try:
        with _Bounded(archive, max_members) as file, zipfile.ZipFile(file) as opened:
            file.most = None
            members = opened.infolist()
            if len(members) > max_members:
                raise _refusal(archive, f"it has {len(members)} members, allowed {max_members}")
            _inspect(archive, members, max_bytes, max_ratio)
            _check_space(archive, members, target)
            _extract(archive, opened, members, target)
    except UNREADABLE as error:
        raise DataError(f"{archive} is not a whole zip file: {error}; fetch it again") from None


class _Bounded(io.BufferedReader):
    """A zip that is opened: its table of contents is read at once, so its size is looked at."""

    def __init__(self, archive: Path, max_members: int) -> None:
        super().__init__(io.FileIO(archive))
        self.archive, self.max_members = archive, max_members
        self.most: int | None = max_members * MAX_RECORD

    def read(self, size: int | None = -1, /) -> bytes:
        """Refuse to read more than the contents of so many members need."""
        if self.most is not None and size is not None and size > self.most:
            problem = f"it lists its members in {size} bytes, allowed {self.most}"
            raise _refusal(self.archive, f"{problem} for {self.max_members} members")
        return super().read(size)


def _inspect(
    archive: Path, members: Iterable[zipfile.ZipInfo], max_bytes: int, max_ratio: int
) -> None:
    total = 0
    seen: set[str] = set()
    files: set[str] = set()
    folders: set[str] = set()
    for member in members:
        if problem := _name_problem(member) or _kind_problem(member):
            raise _refusal(archive, problem, member)
        total += member.file_size
        if member.file_size > max_ratio * max(member.compress_size, 1):
            raise _refusal(archive, f"it grows more than {max_ratio} times", member)
        if total > max_bytes:
            raise _refusal(archive, f"the members exceed {max_bytes} bytes", member)
        key = _key(member.filename)
        if key in seen:
            raise _refusal(archive, "another member has the same name", member)
        seen.add(key)
        if not member.is_dir():
            files.add(key)
        folders.update(_key(str(parent)) for parent in PurePosixPath(member.filename).parents)
    if clash := sorted(files & folders):
        raise _refusal(archive, f"{clash[0]!r} is a file and a folder")


def _check_space(archive: Path, members: Iterable[zipfile.ZipInfo], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    need, free = sum(m.file_size for m in members), shutil.disk_usage(target.parent).free
    if free < need:
        raise DataError(
            f"{archive}: need {need:,} bytes to unpack it, have {free:,}; "
            "free some space, run again"
        )


def _key(name: str) -> str:
    """Equal for names that a file system may hold to be the same."""
    return unicodedata.normalize("NFC", name.rstrip("/")).casefold()


def _name_problem(member: zipfile.ZipInfo) -> str | None:
    name = member.orig_filename  # `filename` is cut at a NUL
    parts = name.removesuffix("/").split("/")
    if name.startswith("/") or ":" in name:
        return "its path is absolute"
    if ".." in parts:
        return "its path leads out of the folder"
    unusual = not all(parts) or "." in parts or "\\" in name or not name.isprintable()
    if unusual or len(name.encode()) > MAX_NAME:
        return "its path is not plain"
    return None


def _kind_problem(member: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "it is a symbolic link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "it is neither a file nor a folder"
    if member.header_offset < 0:
        return "it lies before the start of the file"
    if member.flag_bits & 1:
        return "it is encrypted"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "its compression is neither stored nor deflate"
    return None


def _extract(
    archive: Path, opened: zipfile.ZipFile, members: Iterable[zipfile.ZipInfo], target: Path
) -> None:
    with tempfile.TemporaryDirectory(
        prefix=f".{target.name}.", suffix=".tmp", dir=target.parent
    ) as work:
        folder = Path(work) / target.name
        folder.mkdir()
        for member in members:
            path = folder / member.filename
            if member.is_dir():
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                _write(archive, opened, member, path)
        folder.replace(target)


def _write(archive: Path, opened: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> None:
    declared = member.file_size
    member.file_size += 1  # else the reader stops at the declared size and hides that more follows
    size = 0
    with opened.open(member) as source, path.open("wb") as file:
        while piece := source.read(PIECE):
            size += file.write(piece)
            if size > declared:
                raise _refusal(archive, f"it is longer than the declared {declared} bytes", member)


def _refusal(archive: Path, problem: str, member: zipfile.ZipInfo | None = None) -> DataError:
    where = f", member {member.orig_filename[:100]!r}" if member else ""
    return DataError(
        f"{archive}{where}: {problem}; nothing was unpacked, get the file from a source you trust"
    )


def unpack(file: File, folder: Path) -> None:
    """Unpack a checked zip, note what came out of it, and remove it: it may have 20 GB."""
    archive, target = folder / file.name, folder_of(file, folder)
    if target.exists():  # a run was killed after the last member and before the note
        shutil.rmtree(target)
    unpack_zip(archive, target, max_bytes=PINNED_BYTES, max_members=PINNED_MEMBERS)
    write_json(unpacked_note(file, folder), {"archive": file.sha256, **measured(target)})
    archive.unlink()
