import stat
import struct
import time
import zipfile
import zlib

import pytest

from stages.common.errors import DataError
from stages.fetch.archive import unpack_zip


@pytest.fixture
def place(tmp_path):
    """A folder with a neighbour; whatever is refused must leave both as they are."""
    (tmp_path / "inside").mkdir()
    (tmp_path / "neighbour.txt").write_text("untouched")
    return tmp_path / "inside"


def make(path, *members):
    """A zip of (name or ZipInfo, content), deflated, duplicates allowed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content, compress_type=zipfile.ZIP_DEFLATED)
    return path


def snapshot(folder):
    return {path: path.is_file() and path.read_bytes() for path in folder.rglob("*")}


def refused(archive, place, **limits):
    before = snapshot(place.parent)
    with pytest.raises(DataError) as caught:
        unpack_zip(archive, place / "target", **limits)
    assert snapshot(place.parent) == before
    assert str(archive) in str(caught.value)
    return str(caught.value)


def test_an_honest_archive_is_unpacked_whole(place):
    archive = make(place / "a.zip", ("data/", b""), ("data/x.arff", b"1"), ("read me.txt", b"2"))
    unpack_zip(archive, place / "target")
    target = place / "target"
    assert snapshot(target) == {
        target / "data": False,
        target / "data/x.arff": b"1",
        target / "read me.txt": b"2",
    }
    assert sorted(path.name for path in place.iterdir()) == ["a.zip", "target"]


def test_a_folder_listed_after_its_files_is_no_duplicate(place):
    archive = make(place / "a.zip", ("data/x.arff", b"1"), ("data/", b""))
    unpack_zip(archive, place / "target")
    assert (place / "target/data/x.arff").read_bytes() == b"1"


@pytest.mark.parametrize(
    "name",
    [
        "../neighbour.txt",
        "a/../../neighbour.txt",
        "..",
        "/etc/evil",
        "//server/share",
        "C:/evil",
        "c:evil",
        "..\\neighbour.txt",
        "a\\b",
        "a//b",
        "./a",
        "line\nbreak",
        "a" * 300,
    ],
)
def test_a_path_that_is_not_plain_and_relative_is_refused(name, place):
    archive = make(place / "a.zip", ("good.txt", b"good"), (name, b"evil"))
    assert repr(name[:100]) in refused(archive, place)


def test_a_name_cut_by_a_nul_is_refused(place):
    archive = make(place / "a.zip", ("goodXevil", b"1"))
    archive.write_bytes(archive.read_bytes().replace(b"goodXevil", b"good\0evil"))
    assert "not plain" in refused(archive, place)


def special(name, kind):
    info = zipfile.ZipInfo(name)
    info.create_system = 3  # Unix
    info.external_attr = (kind | 0o777) << 16
    return info


def test_a_symbolic_link_is_refused(place):
    archive = make(place / "a.zip", (special("link", stat.S_IFLNK), b"../neighbour.txt"))
    assert "'link': it is a symbolic link" in refused(archive, place)


def test_a_device_is_refused(place):
    archive = make(place / "a.zip", (special("disk", stat.S_IFBLK), b""))
    assert "neither a file nor a folder" in refused(archive, place)


@pytest.mark.parametrize("pair", [("a.txt", "a.txt"), ("a.txt", "A.TXT"), ("é", "e\u0301")])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_comes_twice_is_refused(pair, place):
    archive = make(place / "a.zip", (pair[0], b"1"), (pair[1], b"2"))
    assert "the same name" in refused(archive, place)


def test_a_file_that_is_also_a_folder_is_refused(place):
    archive = make(place / "a.zip", ("a", b"1"), ("a/b", b"2"))
    assert "'a' is a file and a folder" in refused(archive, place)


def test_a_bomb_is_refused_before_it_grows(place):
    archive = make(place / "a.zip", ("bomb", bytes(50_000_000)))
    declared = 50_000_000 / archive.stat().st_size
    assert declared > 900
    assert "grows more than 200 times" in refused(archive, place)


def test_many_modest_members_may_not_exceed_the_budget_together(place):
    text = bytes(range(256)) * 40
    archive = make(place / "a.zip", *((f"{number}.txt", text) for number in range(10)))
    assert "exceed 100000 bytes" in refused(archive, place, max_bytes=100_000)
    unpack_zip(archive, place / "target", max_bytes=102_400)


def test_one_member_too_many_is_refused(place):
    archive = make(place / "a.zip", *((f"{number}", b"") for number in range(4)))
    assert "4 members" in refused(archive, place, max_members=3)
    unpack_zip(archive, place / "target", max_members=4)


def test_a_count_of_members_that_is_a_lie_does_not_help(place):
    archive = make(place / "a.zip", *((f"{number}", b"") for number in range(4)))
    raw = archive.read_bytes()
    counts, lie = struct.pack("<HH", 4, 4), struct.pack("<HH", 1, 1)
    archive.write_bytes(raw[:-14] + raw[-14:].replace(counts, lie))
    assert "it has 4 members, allowed 3" in refused(archive, place, max_members=3)


def contents_of_a_million(declared):
    """A zip of a million empty members, made by hand: the library would take a minute."""
    count = 1_000_000
    record = b"PK\1\2" + struct.pack("<4H4L5HLL", 20, 20, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    contents = (record + b"x") * count
    wide = b"PK\6\6" + struct.pack(
        "<QHHLLQQQQ", 44, 45, 45, 0, 0, declared, declared, len(contents), 0
    )
    locator = b"PK\6\7" + struct.pack("<LQL", 0, len(contents), 1)
    end = b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return contents + wide + locator + end


@pytest.mark.parametrize("declared", [1_000_000, 1])
def test_a_million_members_are_refused_without_reading_them(declared, place):
    archive = place / "a.zip"
    archive.write_bytes(contents_of_a_million(declared))
    assert "members in 47000000 bytes" in refused(archive, place)
    start = time.process_time()
    with pytest.raises(DataError):
        unpack_zip(archive, place / "target")
    assert time.process_time() - start < 1


def understate(archive, content, shown, checked):
    """Declare `shown` bytes and the checksum of `checked` in both headers of one member."""
    true = struct.pack("<L", zlib.crc32(content)), struct.pack("<L", len(content))
    false = struct.pack("<L", zlib.crc32(content[:checked])), struct.pack("<L", shown)
    raw = archive.read_bytes()
    for old, new in zip(true, false, strict=True):
        assert raw.count(old) == 2
        raw = raw.replace(old, new)
    archive.write_bytes(raw)


@pytest.mark.parametrize("checked", [1000, 1001, None])
def test_more_bytes_than_declared_are_refused_whatever_the_checksum(checked, place):
    content = bytes(range(256)) * 300
    archive = make(place / "a.zip", ("first", b"good"), ("liar", content))
    understate(archive, content, shown=1000, checked=checked)
    assert "'liar'" in refused(archive, place)


def test_an_encrypted_member_is_refused(place):
    archive = make(place / "a.zip", ("secret", b"1"))
    raw = bytearray(archive.read_bytes())
    raw[raw.index(b"PK\1\2") + 8] |= 1
    archive.write_bytes(raw)
    assert "encrypted" in refused(archive, place)


def test_another_compression_is_refused(place):
    with zipfile.ZipFile(place / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a", b"1")
    assert "neither stored nor deflate" in refused(place / "a.zip", place)


@pytest.mark.parametrize("damage", ["cut", "flip", "not a zip", "empty"])
def test_a_damaged_archive_is_refused(damage, place):
    archive = make(place / "a.zip", ("a.txt", bytes(range(256)) * 20))
    raw = bytearray(archive.read_bytes())
    raw[80] ^= 0xFF
    contents = {"cut": raw[:-30], "flip": raw, "not a zip": b"<html>" * 50, "empty": b""}
    archive.write_bytes(contents[damage])
    assert "not a whole zip file" in refused(archive, place)


def test_a_folder_with_files_is_not_overwritten(place):
    archive = make(place / "a.zip", ("a.txt", b"1"))
    (place / "target").mkdir()
    (place / "target" / "mine.txt").write_text("mine")
    assert "already has files" in refused(archive, place)
