"""The features of a set of images: the same whatever happened on the way."""

import resource
from dataclasses import replace

import numpy as np
import pytest

from stages.common.catalog import load_catalog
from stages.common.files import sha256_of
from stages.common.image_features import (
    KEY,
    SHOWN,
    hash_of_parts,
    parts,
    patches_of,
    read_matrix,
)
from stages.common.sources import Pictures, Weights
from stages.features import extract as extraction
from stages.features.extract import Speed, extract
from stages.features.network import load_network
from tests.readme import ROOT
from tests.stages.features.pictures import bomb, photo, save, truncated

SEEDED = Weights(title="small", network="small-cnn", layout="seeded")
PICTURES = Pictures(weights="small", batch=4)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(extraction, "PART_BATCHES", 2)  # of eight rows


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return load_network(SEEDED, tmp_path_factory.mktemp("none"), device="cpu")


@pytest.fixture
def files(tmp_path):
    return [save(tmp_path / "raw" / f"{n:02d}.jpg", photo(seed=n)) for n in range(21)]


def hashes(folder):
    return {path.name: sha256_of(path) for path in parts(folder)}


def test_a_row_is_the_network_applied_to_the_image_of_that_row(files, network, tmp_path):
    extract(files, tmp_path / "out", network, PICTURES, workers=2)
    pooled, maps = read_matrix(tmp_path / "out", "pooled"), read_matrix(tmp_path / "out", "map")
    assert pooled.shape == (21, 64) and maps.shape == (21, 16 * 64)
    assert (pooled.dtype, maps.dtype, patches_of(tmp_path / "out")) == (np.float32, np.float16, 16)
    for row in (0, 8, 20):
        alone = extraction.see([[files[row]]], network, 1)
        vector, cells = next((seen.pooled[0], seen.maps[0]) for seen in alone)
        np.testing.assert_allclose(pooled[row], vector, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(maps[row], cells.ravel(), rtol=2e-3, atol=1e-3)
    np.testing.assert_allclose(maps.reshape(21, 16, 64).mean(axis=1), pooled, rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize("workers", [1, 3])
def test_bytes_do_not_depend_on_the_number_of_workers(files, network, tmp_path, workers):
    extract(files, tmp_path / "two", network, PICTURES, workers=2)
    extract(files, tmp_path / "other", network, PICTURES, workers=workers)
    assert hashes(tmp_path / "two") == hashes(tmp_path / "other")


def test_a_second_run_computes_nothing(files, network, tmp_path):
    assert extract(files, tmp_path, network, PICTURES, workers=2)
    before = {path: path.stat().st_mtime_ns for path in parts(tmp_path)}
    assert extract(files, tmp_path, network, PICTURES, workers=2) is None
    assert {path: path.stat().st_mtime_ns for path in parts(tmp_path)} == before


def test_a_lost_or_cut_part_is_computed_again_and_no_other(files, network, tmp_path):
    extract(files, tmp_path, network, PICTURES, workers=2)
    whole = hashes(tmp_path)
    first, second, third = parts(tmp_path)
    kept = first.stat().st_mtime_ns
    second.unlink()
    third.write_bytes(third.read_bytes()[:-50])
    speed = extract(files, tmp_path, network, PICTURES, workers=2)
    assert speed.images == 8 + 5
    assert hashes(tmp_path) == whole and first.stat().st_mtime_ns == kept


def test_another_image_or_other_weights_recompute_what_they_touch(files, network, tmp_path):
    extract(files, tmp_path, network, PICTURES, workers=2)
    save(files[9], photo(seed=99))
    assert extract(files, tmp_path, network, PICTURES, workers=2).images == 8
    other = replace(network, weights="others")
    assert extract(files, tmp_path, other, PICTURES, workers=2).images == 21


def test_parts_of_a_set_that_was_larger_are_removed(files, network, tmp_path):
    extract(files, tmp_path, network, PICTURES, workers=2)
    extract(files[:8], tmp_path, network, PICTURES, workers=2)
    assert len(read_matrix(tmp_path, "pooled")) == 8


def test_a_broken_image_is_a_row_of_zeros_and_moves_no_other(files, network, tmp_path):
    extract(files, tmp_path / "sound", network, PICTURES, workers=2)
    truncated(files[3])
    bomb(files[10])
    extract(files, tmp_path / "broken", network, PICTURES, workers=2)
    sound, broken = (read_matrix(tmp_path / name, "pooled") for name in ("sound", "broken"))
    assert not broken[[3, 10]].any()
    others = [row for row in range(21) if row not in (3, 10)]
    np.testing.assert_array_equal(sound[others], broken[others])


def test_the_share_of_the_bare_forward_pass_counts_all_workers():
    speed = Speed(images=100, seconds=10.0, forward=18.0, workers=2)
    assert (speed.rate, speed.share) == (10.0, 0.9)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_images(network, tmp_path):
    one = save(tmp_path / "one.png", photo(32, 32), "PNG")
    large = Pictures(weights="small", batch=64, map="float32")
    extract([one] * 256, tmp_path / "warm", network, large, workers=2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    extract([one] * 12_000, tmp_path / "many", network, large, workers=2)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    held = 12_000 * 16 * 64 * 4 / 1024  # kilobytes of the maps of all
    assert grown < held / 2


@pytest.mark.slow
def test_the_real_network_sees_pictures_in_the_sample(mirror, tmp_path):
    weights = load_catalog(ROOT / "data/catalog.yaml").weights["resnet50-keras"]
    network = load_network(weights, mirror / "weights" / "resnet50-keras", device="cpu")
    pictures = sorted((mirror / "coco-sample" / "val2017").glob("*.jpg"))[:4]
    extract(pictures, tmp_path, network, PICTURES, workers=2)
    pooled, maps = read_matrix(tmp_path, "pooled"), read_matrix(tmp_path, "map")
    assert pooled.shape == (4, 2048) and maps.shape == (4, 49 * 2048)
    assert (pooled >= 0).all() and 0.2 < pooled.mean() < 1.0


def test_other_code_gives_parts_another_key_but_other_pictures_show_something_else(
    files, network, tmp_path, monkeypatch
):
    extract(files, tmp_path / "one", network, PICTURES, workers=2)
    extract([*files[1:], files[0]], tmp_path / "turned", network, PICTURES, workers=2)
    monkeypatch.setattr(extraction, "CODE", ("stages.features.index",))
    extract(files, tmp_path / "other", network, PICTURES, workers=2)
    one, turned, other = (tmp_path / name for name in ("one", "turned", "other"))
    assert hash_of_parts(one, SHOWN) == hash_of_parts(other, SHOWN) != hash_of_parts(turned, SHOWN)
    assert len({hash_of_parts(folder, KEY) for folder in (one, turned, other)}) == 3
