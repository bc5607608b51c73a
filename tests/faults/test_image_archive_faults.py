"""Zips of images: unpacked once, whole, within bounds, or not at all."""

import hashlib
import zipfile

import pytest

from stages.common.catalog import Entry
from stages.common.errors import DataError
from stages.fetch.origins import fetch
from tests.stages.features.pictures import save

PARTS = [{"images": "photos/photos", "labels": "labels.json"}]


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    folder = tmp_path / "mirror" / "mine"
    folder.mkdir(parents=True)
    monkeypatch.setenv("RETHINK_MIRROR", str(folder.parent))
    return folder


def zipped(mirror, members):
    """A zip in the mirror and the entry that pins it."""
    path = mirror / "photos.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    file = {"name": "photos.zip", "bytes": path.stat().st_size, "unpack": True}
    file["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    source = {"format": "coco", "files": [file], "parts": PARTS}
    return Entry.model_validate({"images": {"weights": "w"}, "sources": [source]})


@pytest.fixture
def photos(tmp_path):
    return {f"photos/{n}.jpg": save(tmp_path / f"{n}.jpg").read_bytes() for n in range(3)}


def snapshot(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def test_a_zip_becomes_a_folder_and_is_not_kept(mirror, photos, tmp_path):
    fetch("mine", zipped(mirror, photos), tmp_path / "raw")
    files = {
        str(p.relative_to(tmp_path / "raw" / "photos")) for p in tmp_path.glob("raw/photos/*/*")
    }
    assert files == set(photos)
    assert not (tmp_path / "raw" / "photos.zip").exists()


def test_the_second_run_has_nothing_to_do(mirror, photos, tmp_path, monkeypatch):
    entry = zipped(mirror, photos)
    fetch("mine", entry, tmp_path / "raw")
    before = snapshot(tmp_path / "raw")
    monkeypatch.delenv("RETHINK_MIRROR")
    fetch("mine", entry, tmp_path / "raw")
    assert snapshot(tmp_path / "raw") == before


def test_a_run_killed_before_it_noted_the_folder_unpacks_again(
    mirror, photos, tmp_path, monkeypatch
):
    entry = zipped(mirror, photos)
    raw = tmp_path / "raw"
    (raw / "photos").mkdir(parents=True)
    (raw / ".photos.abc.tmp" / "photos").mkdir(parents=True)
    (raw / "photos.zip").write_bytes((mirror / "photos.zip").read_bytes())
    monkeypatch.delenv("RETHINK_MIRROR")
    fetch("mine", entry, raw)
    assert len(list(raw.glob("photos/photos/*.jpg"))) == 3
    assert not list(raw.glob(".*"))


def test_an_image_that_was_lost_since_is_an_error_with_its_folder(mirror, photos, tmp_path):
    entry = zipped(mirror, photos)
    fetch("mine", entry, tmp_path / "raw")
    (tmp_path / "raw" / "photos" / "photos" / "1.jpg").unlink()
    with pytest.raises(DataError, match=r"raw/photos is not what came out of photos\.zip: 3 files"):
        fetch("mine", entry, tmp_path / "raw")


def test_a_folder_that_the_user_unpacked_is_taken_as_it_is(mirror, photos, tmp_path, monkeypatch):
    entry = zipped(mirror, photos)
    save(tmp_path / "raw" / "photos" / "photos" / "0.jpg")
    monkeypatch.delenv("RETHINK_MIRROR")
    before = snapshot(tmp_path / "raw")
    fetch("mine", entry, tmp_path / "raw")
    assert snapshot(tmp_path / "raw") == before


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"../outside.jpg": b"x"}, "leads out of the folder"),
        ({"/etc/outside.jpg": b"x"}, "absolute"),
        ({"a.jpg": b"\0" * 10_000_000}, "grows more than 200 times"),
        ({"a.jpg": b"x", "A.jpg": b"y"}, "another member has the same name"),
    ],
)
def test_a_hostile_zip_leaves_no_file_though_its_checksum_is_right(
    mirror, tmp_path, members, reason
):
    entry = zipped(mirror, members)
    with pytest.raises(DataError, match=reason):
        fetch("mine", entry, tmp_path / "raw")
    assert {path.name for path in (tmp_path / "raw").rglob("*")} <= {"photos.zip"}
    assert not list(tmp_path.rglob("outside.jpg"))


def test_a_zip_with_another_checksum_is_refused_before_it_is_opened(mirror, photos, tmp_path):
    entry = zipped(mirror, photos)
    zipped(mirror, photos | {"photos/3.jpg": b"more"})
    with pytest.raises(DataError, match=r"photos\.zip is not the file of the catalogue"):
        fetch("mine", entry, tmp_path / "raw")
    assert list((tmp_path / "raw").iterdir()) == []
