"""Images that are truncated, odd, gigantic or missing, and labels that do not fit."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from stages import split
from stages.common import paths
from stages.common.catalog import Entry, load_catalog
from stages.common.errors import DataError
from stages.common.files import read_json
from stages.common.image_features import read_matrix
from stages.common.prepared import load_splits
from stages.common.sources import Weights
from stages.common.tables import read_table, table_to_matrix
from stages.features import __main__ as features
from stages.features.index import read_coco, read_index
from stages.features.network import load_network
from stages.prepare import __main__ as prepare
from stages.prepare.dataset import read_images
from stages.train.inputs import input_files, make_inputs
from tests.conftest import PARAMS
from tests.readme import ROOT
from tests.stages.features.pictures import bomb, coco, photo, save, truncated

ODD = {  # file -> how it is made, and the name of its check
    "03.jpg": (truncated, "decodable"),
    "05.jpg": (lambda path: save(path, photo(mode="CMYK")), "colours"),
    "08.jpg": (lambda path: save(path, photo(1, 1)), "not-tiny"),
    "11.jpg": (bomb, "decodable"),
    "14.jpg": (lambda path: path.write_bytes(b"<html>not found</html>"), "decodable"),
}
ENTRY = {
    "title": "Pictures of mine",
    "images": {"weights": "small"},
    "sources": [
        {"format": "coco", "parts": [{"images": "photos", "labels": "labels.json"}]},
    ],
}
WEIGHTS = {"small": {"title": "small", "network": "small-cnn", "layout": "seeded"}}


@pytest.fixture
def pictures(tmp_path, monkeypatch):
    """A project folder with twenty images of the user's, five of them odd."""
    monkeypatch.chdir(tmp_path)
    folder = paths.raw("mine")
    files = {f"{n:02d}.jpg": [1 + n % 3] if n % 4 else [] for n in range(20)}
    coco(folder / "labels.json", files, categories=("cat", "dog", "cow"))
    for number, name in enumerate(files):
        save(folder / "photos" / name, photo(seed=number))
    for name, (make, _) in ODD.items():
        make(folder / "photos" / name)
    describe()
    return tmp_path


def describe(**images):
    """Write the catalogue."""
    mine = ENTRY | {"images": {"weights": "small"} | images}
    catalog = {"datasets": {"mine": mine}, "weights": WEIGHTS}
    Path("data/catalog.yaml").write_text(yaml.safe_dump(catalog))
    Path("params.yaml").write_text(yaml.safe_dump(PARAMS | {"datasets": ["mine"]}))


def see():
    """The stage `features`, in this process."""
    return features.features("mine", load_catalog(), paths.features("mine"), workers=2)


def run(stage, monkeypatch):
    monkeypatch.setattr(sys, "argv", [stage.__name__, "--dataset", "mine"])
    assert stage.main() == 0


def test_every_odd_image_is_told_by_the_validation_and_keeps_its_row(pictures, monkeypatch):
    for stage in (features, prepare, split):
        run(stage, monkeypatch)
    folder = paths.prepared("mine")
    checks = {check["check"]: check for check in read_json(folder / "validation.json")["checks"]}
    for name, (_, check) in ODD.items():
        assert f"photos/{name} (" in checks[check]["observed"]
        assert checks[check]["status"] == "warn"
    assert checks["decodable"]["observed"].startswith("3 of 20 break this")
    rows = read_table(folder / "images.parquet").to_pylist()
    assert [row["file"] for row in rows] == [f"photos/{n:02d}.jpg" for n in range(20)]
    facts = {row["file"].split("/")[1]: row["problem"] for row in rows if row["problem"]}
    assert facts == {
        **{"03.jpg": "truncated", "05.jpg": "colours", "08.jpg": "tiny"},
        **{"11.jpg": "gigantic", "14.jpg": "unreadable"},
    }
    zeros = (read_matrix(paths.features("mine"), "pooled") == 0).all(axis=1)
    assert [n for n in range(20) if zeros[n]] == [3, 11, 14]
    labels = table_to_matrix(read_table(folder / "labels.parquet"))
    assert labels.argmax(axis=1).tolist() == [n % 3 if n % 4 else 0 for n in range(20)]
    card = read_json(folder / "card.json")
    assert (card["empty"], card["images"]["split"]) == (5, "random")
    assert make_inputs(input_files("mine", "features"), "features").X.shape == (20, 64)
    maps = make_inputs(input_files("mine", "map"), "map")
    assert maps.X.shape == (20, 16 * 64) and maps.known == {"patches": 16}
    assert load_splits("mine").sum(axis=1).tolist() == [15] * 10


def test_an_image_that_vanished_is_an_error_with_its_name_and_nothing_is_lost(pictures):
    see()
    before = {path: path.read_bytes() for path in paths.features("mine").rglob("*.parquet")}
    lost = paths.raw("mine") / "photos" / "07.jpg"
    kept = lost.read_bytes()
    lost.unlink()
    with pytest.raises(DataError, match=r"1 of 20 images are missing: .*photos/07\.jpg"):
        see()
    lost.write_bytes(kept)
    assert "all of them seen before" in see()
    after = {path: path.read_bytes() for path in paths.features("mine").rglob("*.parquet")}
    assert after == before


def test_a_killed_run_goes_on_with_the_parts_it_has(pictures):
    describe(batch=1)  # a part has sixteen images
    see()
    folder = paths.features("mine")
    whole = {path: path.read_bytes() for path in folder.rglob("*.parquet")}
    (folder / "parts" / "000001.parquet").unlink()
    (folder / "parts" / ".000001.parquet.x.tmp").write_bytes(b"PAR1")
    (folder / "summary.json").unlink()
    with pytest.raises(DataError, match="is not complete; run: dvc repro features@mine"):
        read_images(folder)
    assert "4 of 20 images seen" in see()
    assert {path: path.read_bytes() for path in folder.rglob("*.parquet")} == whole
    assert not list(folder.rglob(".*"))


@pytest.mark.slow
def test_a_run_that_is_killed_for_good_is_continued(pictures):
    """The real thing: kill -9 while images are seen, then the same command."""
    describe(batch=1)
    command = [sys.executable, "-m", "stages.features", "--dataset", "mine"]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    parts = paths.features("mine") / "parts"
    while process.poll() is None and not (parts / "000000.parquet").exists():
        time.sleep(0.005)
    process.kill()
    process.wait()
    first = (parts / "000000.parquet").stat().st_mtime_ns
    see()
    assert (parts / "000000.parquet").stat().st_mtime_ns == first
    assert read_matrix(paths.features("mine"), "pooled").shape == (20, 64)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"annotations": [{"id": 7, "image_id": 999, "category_id": 1}]},
            "annotation 7 is on image 999, which is not listed",
        ),
        (
            {"annotations": [{"id": 7, "image_id": 100, "category_id": 55}]},
            "annotation 7 has the unknown category 55",
        ),
        ({"annotations": [{"id": 7, "image_id": 100}]}, "without a plain 'category_id'"),
        ({"annotations": [[1, 2]]}, "without a plain 'image_id'"),
        (
            {"images": [{"id": 1, "file_name": "../x.jpg"}], "annotations": []},
            "below its folder",
        ),
        ({"images": [{"id": 1, "file_name": "/etc/x.jpg"}], "annotations": []}, "below its folder"),
        (
            {"images": [{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}]},
            "an id comes twice",
        ),
        ({"images": [{"id": [1], "file_name": "a"}]}, "without a plain 'id'"),
        ({"images": {}}, "has no list of images"),
        ({"images": [], "annotations": []}, "lists no image"),
        ({"categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "a"}]}, "the same name"),
    ],
)
def test_labels_that_do_not_fit_are_refused_with_the_file(tmp_path, changes, message):
    path = coco(tmp_path / "labels.json", {"a.jpg": [1], "b.jpg": [2]})
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(facts | changes))
    with pytest.raises(DataError, match=message) as error:
        read_coco(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"images": 1}', "[" * 100_000])
def test_labels_that_are_no_coco_file_are_refused_with_the_file(tmp_path, text):
    path = tmp_path / "labels.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"labels\.json"):
        read_coco(path)


def test_very_many_missing_images_are_counted_not_listed(tmp_path):
    coco(tmp_path / "labels.json", {f"{n}.jpg": [] for n in range(5000)})
    source = Entry.model_validate(ENTRY).sources[0]
    with pytest.raises(DataError, match="5000 of 5000 images are missing") as error:
        read_index(source, tmp_path)
    assert len(str(error.value)) < 1000


def keras(**changes):
    return Weights.model_validate(
        {"title": "t", "network": "resnet50", "layout": "keras", "files": [{"name": "model.json"}]}
        | changes
    )


def test_weights_of_another_network_are_refused_with_the_file(tmp_path):
    manifest = [
        {"paths": ["a.bin"], "weights": [{"name": "x/kernel", "shape": [2], "dtype": "float32"}]}
    ]
    (tmp_path / "model.json").write_text(json.dumps({"weightsManifest": manifest}))
    (tmp_path / "a.bin").write_bytes(b"\0" * 8)
    with pytest.raises(DataError, match=r"model\.json does not fit: missing: conv1/kernel"):
        load_network(keras(), tmp_path)


@pytest.mark.parametrize(
    ("shard", "entry", "message"),
    [
        (b"\0" * 7, {}, r"the shards end within 'x/kernel'"),
        (b"\0" * 12, {}, r"the shards have 12 bytes, it tells of 8"),
        (b"\0" * 8, {"dtype": "uint8"}, "is not plain float32"),
        (b"\0" * 8, {"quantization": {"dtype": "uint8"}}, "is not plain float32"),
        (b"\0" * 8, {"shape": [-2]}, "is no manifest of weights"),
    ],
)
def test_damaged_weights_are_refused_with_the_file(tmp_path, shard, entry, message):
    facts = {"name": "x/kernel", "shape": [2], "dtype": "float32"} | entry
    manifest = [{"paths": ["a.bin"], "weights": [facts]}]
    (tmp_path / "model.json").write_text(json.dumps({"weightsManifest": manifest}))
    (tmp_path / "a.bin").write_bytes(shard)
    with pytest.raises(DataError, match=message) as error:
        load_network(keras(), tmp_path)
    assert str(tmp_path / "model.json") in str(error.value)


def test_weights_with_another_checksum_are_refused_with_the_file_and_both_hashes(tmp_path):
    (tmp_path / "model.json").write_text("{}")
    pinned = keras(files=[{"name": "model.json", "sha256": "0" * 64}])
    with pytest.raises(DataError, match=rf"model\.json is damaged: expected SHA-256 {'0' * 64}"):
        load_network(pinned, tmp_path)


def test_a_shard_outside_its_folder_is_not_read(tmp_path):
    manifest = [{"paths": ["../a.bin"], "weights": []}]
    (tmp_path / "model.json").write_text(json.dumps({"weightsManifest": manifest}))
    with pytest.raises(DataError, match="is not in its folder"):
        load_network(keras(), tmp_path)


def test_a_file_that_is_no_safetensors_is_refused_with_its_name(tmp_path):
    (tmp_path / "net.safetensors").write_bytes(b"\x80\x04K*.")
    weights = keras(layout="torchvision", files=[{"name": "net.safetensors"}])
    with pytest.raises(DataError, match=r"net\.safetensors is not a safetensors file"):
        load_network(weights, tmp_path)
