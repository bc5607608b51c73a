from pathlib import Path

import pandas as pd
import pytest
import yaml

from stages.common.catalog import load_catalog
from stages.common.errors import UserError
from stages.common.files import sha256_of

ROOT = Path(__file__).resolve().parents[3]
PAPER_SETS = {
    *("emotions", "scene", "yeast", "birds", "tmc2007-500", "arts1"),
    *("medical", "enron", "bibtex", "cal500", "corel5k"),
}
MORE_SETS = {
    *("langlog", "slashdot", "ng20", "ohsumed", "reutersk500", "stackex-chess", "stackex-cs"),
    *("stackex-chemistry", "stackex-cooking", "stackex-coffee", "stackex-philosophy"),
}
SYNTHETIC = {"chain", "exclusive", "tiny"}
IMAGE_SETS = {"shapes", "coco-sample", "coco-2014", "coco-2017"}
HASH = "0" * 64


@pytest.fixture(scope="module")
def catalog():
    return load_catalog(ROOT / "data/catalog.yaml")


def pinned_files(catalog):
    """The files that come from elsewhere; a user's own have no address."""
    sources = [source for entry in catalog.datasets.values() for source in entry.sources]
    origins = [source for source in sources if source.address or source.package]
    origins += [weights for weights in catalog.weights.values() if weights.mirror]
    return [(origin, file) for origin in origins for file in origin.files]


def test_the_sets_of_the_paper_eleven_more_synthetic_ones_and_images_are_there(catalog):
    tables = PAPER_SETS | MORE_SETS | {"tmc2007-mldr"} | SYNTHETIC
    assert set(catalog.datasets) >= tables | IMAGE_SETS
    assert {name for name in tables | IMAGE_SETS if catalog.entry(name).images} == IMAGE_SETS
    synthetic = {name for name, entry in catalog.datasets.items() if entry.synthetic}
    assert synthetic == SYNTHETIC


def test_every_data_set_and_weight_file_says_its_licence_and_whom_to_cite(catalog):
    for name, entry in (catalog.datasets | catalog.weights).items():
        assert len(entry.licence) > 6 and entry.cite != "unknown", name
    pictures = catalog.rights("coco-sample")
    assert "CC BY 4.0" in pictures["Licence"] and "MIT" in pictures["Licence of the network"]


def test_each_name_of_the_papers_tables_belongs_to_one_data_set(catalog):
    names = [entry.paper_name for entry in catalog.datasets.values() if entry.paper_name]
    printed = pd.read_csv(ROOT / "data/paper/algorithms.csv")["dataset"]
    assert sorted(names) == sorted(set(printed))


def test_the_counts_agree_with_the_papers_where_the_paper_is_right(catalog):
    printed = pd.read_csv(ROOT / "data/paper/datasets.csv")
    printed = printed.set_index(printed["dataset"].str.lower())
    wrong_features = {"scene", "yeast", "medical"}
    for name in PAPER_SETS:
        entry = catalog.entry(name)
        row = printed.loc[entry.paper_name.lower()]
        counts = entry.counts
        assert (counts.instances, counts.labels) == (row["instances"], row["labels"])
        assert counts.cardinality == pytest.approx(row["cardinality"], abs=0.0015)
        assert (counts.features == row["features"]) == (name not in wrong_features)


def test_every_file_is_pinned_by_hash_size_and_commit(catalog):
    for source, file in pinned_files(catalog):
        assert file.sha256
        assert file.bytes
        address = file.address or source.address
        by_commit = any(len(part) == 40 for part in address.split("/")) if address else False
        assert by_commit or source.package or address.startswith("http://images.cocodataset.org/")


def test_hashes_and_sizes_are_those_of_the_real_files(catalog, mirror):
    for source, file in pinned_files(catalog):
        if source.mirror or source.listing == "coco-sample.txt":
            path = mirror / (source.mirror or "coco-sample") / file.name
            assert (file.name, sha256_of(path)) == (file.name, file.sha256)
            assert path.stat().st_size == file.bytes


def test_an_unknown_data_set_is_refused_with_the_nearest_name(catalog):
    with pytest.raises(UserError, match=r"unknown data set 'yaest'; did you mean 'yeast'\?"):
        catalog.entry("yaest")


def csv_entry(**changes):
    source = {"format": "csv", "files": [{"name": "a.csv"}], "labels": ["y"], **changes}
    return {"datasets": {"mine": {"sources": [source]}}}


def load(content, folder):
    path = folder / "catalog.yaml"
    path.write_text(yaml.safe_dump(content))
    return load_catalog(path)


def test_a_users_own_set_needs_only_format_files_and_labels(tmp_path):
    entry = load(csv_entry(), tmp_path).entry("mine")
    assert entry.sources[0].files[0].sha256 is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (csv_entry(lables=["y"]), "datasets.mine.sources.0.lables: unknown key; did you mean"),
        (csv_entry(files=[{"name": "a.csv", "sha": HASH}]), "sources.0.files.0.sha: unknown key"),
        (csv_entry(files=[{"name": "../a.csv"}]), "datasets.mine.sources.0.files.0.name"),
        (csv_entry(files=[{"name": "/etc/a.csv"}]), "datasets.mine.sources.0.files.0.name"),
        (csv_entry(files=[{"name": "a", "sha256": "abc"}]), "sources.0.files.0.sha256"),
        (csv_entry(files=[{"name": "a", "bytes": "9"}]), "sources.0.files.0.bytes"),
        (csv_entry(files=[]), "datasets.mine.sources.0: .*needs files"),
        (csv_entry(files=[{"name": "a.csv"}] * 2), "named twice"),
        (csv_entry(labels=[]), "name the label columns"),
        (csv_entry(mirror="a/../../b"), "datasets.mine.sources.0.mirror"),
        (csv_entry(mirror="/etc"), "datasets.mine.sources.0.mirror"),
        (csv_entry(package="os.path"), "datasets.mine.sources.0.package"),
        (csv_entry(path="../.."), "datasets.mine.sources.0.path"),
        (csv_entry(address="file:///etc"), "datasets.mine.sources.0.address"),
        (csv_entry(format="pickle"), "datasets.mine.sources.0.format"),
        (csv_entry(format="synthetic"), "needs a recipe"),
        ({"datasets": {"../up": csv_entry()["datasets"]["mine"]}}, r"datasets\.\.\./up"),
        ({"datasets": {"a b": csv_entry()["datasets"]["mine"]}}, "datasets.a b"),
        ({"datasets": {"mine": {"sources": []}}}, "datasets.mine.sources"),
    ],
)
def test_a_wrong_entry_is_refused_with_the_path_of_its_key(content, complaint, tmp_path):
    with pytest.raises(UserError, match=complaint):
        load(content, tmp_path)
