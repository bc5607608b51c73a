import hashlib
import shutil
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest

from stages.common.catalog import Entry, load_catalog
from stages.common.errors import DataError, UserError
from stages.common.raw_files import find_source
from stages.common.tables import read_table, table_to_matrix
from stages.fetch.origins import fetch
from tests.conftest import MIRROR, ROOT, needs_mirror

CATALOG = load_catalog(ROOT / "data/catalog.yaml")
REAL = sorted(
    name
    for name, entry in CATALOG.datasets.items()
    for source in entry.sources[-1:]
    if not source.made and not any(file.unpack for file in source.files)  # 20 GB are not mirrored
)
CONTENT, LABELS = b"x,y\n0.5,1\n", b"<labels/>"


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """No mirror, and every connection but to this machine is refused at once."""
    monkeypatch.delenv("RETHINK_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    lookup = socket.getaddrinfo

    def local_only(host, *rest, **options):
        if host != "127.0.0.1":
            raise socket.gaierror(-2, "Name or service not known")
        return lookup(host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", local_only)


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    folder = tmp_path / "mirror"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.csv").write_bytes(CONTENT)
    (folder / "sub" / "a.xml").write_bytes(LABELS)
    monkeypatch.setenv("RETHINK_MIRROR", str(folder))
    return folder


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "raw" / "mine"


@pytest.fixture
def served(tmp_path):
    """A folder served at `address` while `gate` is open; `paths` are those asked for."""
    paths, gate = [], threading.Event()
    gate.set()

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self):
            gate.wait(timeout=120)
            super().do_GET()

        def log_message(self, *_):
            paths.append(self.path)

    root = tmp_path / "served"
    root.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    yield SimpleNamespace(root=root, address=address, paths=paths, gate=gate)
    server.shutdown()
    server.server_close()


def pinned(name, content):
    digest = hashlib.sha256(content).hexdigest()
    return {"name": name, "sha256": digest, "bytes": len(content)}


def source(*files, **more):
    return {"format": "csv", "labels": ["y"], "files": list(files), **more}


def entry_of(*sources):
    return Entry.model_validate({"sources": list(sources)})


BOTH = entry_of(source(pinned("a.csv", CONTENT), pinned("a.xml", LABELS), mirror="sub"))


def test_files_come_from_the_mirror_folder_and_are_named(mirror, folder, capsys):
    assert fetch("mine", BOTH, folder) == BOTH.sources[0]
    assert (folder / "a.csv").read_bytes() == CONTENT
    assert capsys.readouterr().out.splitlines() == [
        f"{folder / name}: from {mirror / 'sub' / name}" for name in ("a.csv", "a.xml")
    ]


def test_files_that_are_there_are_not_fetched_again(mirror, folder, capsys):
    fetch("mine", BOTH, folder)
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    shutil.rmtree(mirror)
    fetch("mine", BOTH, folder)
    assert before == {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert "a.xml: already there" in capsys.readouterr().out


def test_a_wrong_file_of_the_mirror_is_reported_and_not_taken(mirror, folder, capsys):
    (mirror / "sub" / "a.csv").write_bytes(b"other")
    with pytest.raises(DataError, match=r"sub/a\.csv is not the file of the catalogue"):
        fetch("mine", BOTH, folder)
    assert not (folder / "a.csv").exists()
    assert "warning" in capsys.readouterr().err


def test_a_mirror_that_does_not_exist_is_named(folder, monkeypatch):
    monkeypatch.setenv("RETHINK_MIRROR", "no/such/folder")
    with pytest.raises(UserError, match="RETHINK_MIRROR=no/such/folder is neither"):
        fetch("mine", BOTH, folder)


def test_a_mirror_address_is_asked_before_the_pinned_one(served, folder, monkeypatch):
    (served.root / "m" / "sub").mkdir(parents=True)
    (served.root / "m" / "sub" / "a.csv").write_bytes(CONTENT)
    (served.root / "a.xml").write_bytes(LABELS)
    monkeypatch.setenv("RETHINK_MIRROR", f"{served.address}/m/")
    files = pinned("a.csv", CONTENT), pinned("a.xml", LABELS)
    fetch("mine", entry_of(source(*files, mirror="sub", address=served.address)), folder)
    assert served.paths == ["/m/sub/a.csv", *["/m/sub/a.xml"] * 2, "/a.xml"]  # 404 is logged twice


def test_a_file_may_have_an_address_of_its_own(served, folder):
    (served.root / "a.csv").write_bytes(CONTENT)
    (served.root / "media").mkdir()
    (served.root / "media" / "a.xml").write_bytes(LABELS)
    files = pinned("a.csv", CONTENT), pinned("a.xml", LABELS)
    files[1]["address"] = f"{served.address}/media"
    fetch("mine", entry_of(source(*files, address=served.address)), folder)
    assert served.paths == ["/a.csv", "/media/a.xml"]


def test_what_is_at_hand_goes_before_the_network_whatever_the_order(served, mirror, folder):
    (served.root / "b.csv").write_bytes(CONTENT)
    online = source(pinned("b.csv", CONTENT), address=served.address)
    at_hand = source(pinned("a.csv", CONTENT), mirror="sub")
    assert fetch("mine", entry_of(online, at_hand), folder).mirror == "sub"
    assert served.paths == []


def test_a_source_is_completed_from_several_places(served, mirror, folder):
    (mirror / "sub" / "a.csv").unlink()
    (served.root / "a.csv").write_bytes(CONTENT)
    files = pinned("a.csv", CONTENT), pinned("a.xml", LABELS)
    fetch("mine", entry_of(source(*files, mirror="sub", address=served.address)), folder)
    assert served.paths == ["/a.csv"]


def test_a_file_of_ones_own_is_found_in_the_folder_or_in_the_mirror(mirror, folder):
    own = entry_of(source({"name": "own.csv"}))
    with pytest.raises(DataError, match=r"own\.csv is missing"):
        fetch("mine", own, folder)
    (mirror / "mine").mkdir()
    (mirror / "mine" / "own.csv").write_bytes(b"from the mirror")
    fetch("mine", own, folder)
    assert (folder / "own.csv").read_bytes() == b"from the mirror"
    (folder / "own.csv").write_bytes(b"edited by hand")
    fetch("mine", own, folder)
    assert (folder / "own.csv").read_bytes() == b"edited by hand"


def test_unknown_files_stay_and_leftovers_of_killed_runs_go(mirror, folder):
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")
    (folder / ".a.csv.k3j2.tmp").write_text("half")
    fetch("mine", BOTH, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["a.csv", "a.xml", "notes.txt"]


def test_two_runs_at_once_both_succeed_with_one_download(served, folder):
    (served.root / "a.csv").write_bytes(CONTENT)
    entry = entry_of(source(pinned("a.csv", CONTENT), address=served.address))
    served.gate.clear()
    with ThreadPoolExecutor() as pool:
        first = pool.submit(fetch, "mine", entry, folder)
        while not list(folder.glob(".*.tmp")):
            assert not first.done()
        second = pool.submit(fetch, "mine", entry, folder)
        with pytest.raises(TimeoutError):
            second.result(timeout=0.2)
        served.gate.set()
        assert first.result(timeout=120) == second.result(timeout=120)
    assert served.paths == ["/a.csv"]


def test_nothing_anywhere_is_one_error_with_every_way_out(folder):
    files = pinned("a.csv", CONTENT), pinned("a.xml", LABELS)
    entry = entry_of(source(*files, mirror="sub", address="https://a.example/x"))
    with pytest.raises(DataError) as caught:
        fetch("mine", entry, folder)
    message = str(caught.value)
    assert f"{folder / 'a.csv'} is missing" in message
    assert "https://a.example/x/a.csv" in message
    assert "https://a.example/x/a.xml" not in message  # the same server, not asked again
    assert "Failed to resolve 'a.example'" in message
    assert f"Put the files into {folder}" in message
    assert "sub/a.csv" in message


def test_a_full_disk_is_said_before_anything_is_written(mirror, folder, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=5))
    with pytest.raises(DataError, match="need 19 bytes, have 5"):
        fetch("mine", BOTH, folder)
    assert list(folder.iterdir()) == []


def test_find_source_takes_the_first_complete_one(folder):
    first, second = source(pinned("a.csv", CONTENT)), source(pinned("b.csv", CONTENT))
    folder.mkdir(parents=True)
    with pytest.raises(DataError, match=r"(?s)a\.csv is missing.*b\.csv is missing.*stages\.fetch"):
        find_source(entry_of(first, second), folder)
    (folder / "b.csv").write_bytes(CONTENT)
    assert find_source(entry_of(first, second), folder).files[0].name == "b.csv"
    (folder / "a.csv").write_bytes(CONTENT)
    assert find_source(entry_of(first, second), folder).files[0].name == "a.csv"


def test_yeast_comes_without_mirror_and_network(tmp_path):
    result = fetch("yeast", CATALOG.entry("yeast"), tmp_path)
    assert result.package == "river"
    assert [path.name for path in tmp_path.iterdir()] == ["yeast.csv.gz"]


def test_a_package_that_is_not_installed_is_passed_over(mirror, folder):
    absent = source(pinned("b.csv", CONTENT), package="no_such_package_here")
    at_hand = source(pinned("a.csv", CONTENT), mirror="sub")
    assert fetch("mine", entry_of(absent, at_hand), folder).mirror == "sub"


@needs_mirror
@pytest.mark.parametrize("name", REAL)
def test_every_real_data_set_comes_through_the_mirror(name, tmp_path, monkeypatch):
    monkeypatch.setenv("RETHINK_MIRROR", str(MIRROR))
    entry = CATALOG.entry(name)
    assert fetch(name, entry, tmp_path) == find_source(entry, tmp_path) == entry.sources[0]


@pytest.mark.parametrize("name", ["chain", "exclusive"])
def test_synthetic_sets_are_written_with_their_joint_distribution(name, tmp_path):
    entry = CATALOG.entry(name)
    recipe = entry.sources[0].recipe
    assert fetch(name, entry, tmp_path) == find_source(entry, tmp_path)
    table, joint = read_table(tmp_path / "table.parquet"), read_table(tmp_path / "joint.parquet")
    features = [f"x{number}" for number in range(1, recipe.features + 1)]
    labels = [f"y{number}" for number in range(1, recipe.labels + 1)]
    assert table.column_names == features + labels
    assert {str(kind) for kind in table.select(features).schema.types} == {"double"}
    assert {str(kind) for kind in table.select(labels).schema.types} == {"uint8"}
    assert table.num_rows == joint.num_rows == recipe.instances
    assert {len(vector) for vector in joint.column_names} == {recipe.labels}
    assert set("".join(joint.column_names)) == {"0", "1"}
    np.testing.assert_allclose(table_to_matrix(joint).sum(axis=1), 1)


def test_a_synthetic_set_has_the_same_bytes_each_time_and_other_ones_by_another_name(tmp_path):
    recipe = {"generator": "exclusive", "instances": 20, "features": 3, "labels": 4}
    entry = entry_of({"format": "synthetic", "recipe": recipe})

    def table(name, folder):
        fetch(name, entry, tmp_path / folder)
        return (tmp_path / folder / "table.parquet").read_bytes()

    assert table("mine", "a") == table("mine", "b") != table("other", "c")


def test_an_unknown_generator_is_a_users_error(tmp_path):
    recipe = {"generator": "magic", "instances": 20, "features": 3, "labels": 4}
    with pytest.raises(UserError, match=r"data set mine: .*magic"):
        fetch("mine", entry_of({"format": "synthetic", "recipe": recipe}), tmp_path)


def test_half_a_synthetic_set_is_none(tmp_path):
    entry = CATALOG.entry("exclusive")
    fetch("exclusive", entry, tmp_path)
    (tmp_path / "joint.parquet").unlink()
    with pytest.raises(DataError, match=r"joint\.parquet is missing"):
        find_source(entry, tmp_path)
