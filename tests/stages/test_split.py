import hashlib

import numpy as np
import pytest

from stages.common.tables import read_table, table_to_matrix
from stages.split import official, split, split_rows, stratified_rows

# The splits are part of the benchmark: these values must never change.
GOLDEN = {
    "emotions": (593, "c5bb453dea59cd53"),
    "yeast": (2417, "dec715d82ee8821f"),
    "chain": (800, "4c912636c61190cb"),
}


@pytest.mark.parametrize("dataset", GOLDEN)
def test_splits_are_pinned_for_ever(dataset):
    rows, expected = GOLDEN[dataset]
    masks = np.stack([split_rows(dataset, rows, seed) for seed in range(10)])
    assert hashlib.sha256(np.packbits(masks).tobytes()).hexdigest()[:16] == expected


def test_three_quarters_of_the_rows_are_for_training():
    assert split_rows("emotions", 593, 0).sum() == 444


def test_splits_differ_between_seeds_and_between_data_sets():
    assert (split_rows("a", 100, 0) != split_rows("a", 100, 1)).any()
    assert (split_rows("a", 100, 0) != split_rows("b", 100, 0)).any()


def test_the_table_has_every_row_once_for_each_of_ten_seeds():
    table = split("emotions", 20).to_pandas()
    assert len(table) == 200
    assert table.groupby("seed")["row"].apply(list).map(lambda rows: rows == list(range(20))).all()
    first = table[(table.seed == 3) & (table.part == "train")].row.to_numpy()
    assert (first == np.flatnonzero(split_rows("emotions", 20, 3))).all()


def test_stratified_splits_are_pinned_and_give_both_parts_their_share_of_every_label():
    labels = (np.random.default_rng(0).random((200, 12)) < np.linspace(0.02, 0.5, 12)).astype(int)
    masks = np.stack([stratified_rows("mine", labels, seed) for seed in range(10)])
    assert (masks.sum(axis=1) == 150).all() and len({mask.tobytes() for mask in masks}) == 10
    off = np.abs(np.array([labels[mask].sum(axis=0) for mask in masks]) - 0.75 * labels.sum(axis=0))
    chance = np.array([labels[split_rows("mine", 200, seed)].sum(axis=0) for seed in range(10)])
    assert off.mean() < np.abs(chance - 0.75 * labels.sum(axis=0)).mean() / 4
    assert hashlib.sha256(np.packbits(masks).tobytes()).hexdigest()[:16] == "532c3e3363c08eff"


@pytest.mark.parametrize("scheme", ["random", "stratified"])
def test_the_stage_makes_the_splits_that_params_ask_for(project, scheme):
    params = project.params() | {"splits": scheme}
    project.write_params(params)
    project.run("stages.split", "--dataset", "tiny")
    read = project.path / "data"
    masks = read_table(read / "splits" / "tiny.parquet")["part"].to_numpy().reshape(10, -1)
    labels = table_to_matrix(read_table(read / "prepared" / "tiny" / "labels.parquet"))
    one = split_rows("tiny", 150, 4) if scheme == "random" else stratified_rows("tiny", labels, 4)
    assert ((masks[4] == "train") == one).all()


def test_an_official_split_is_the_same_for_every_seed():
    table = official(["train", "test", "train"], seeds=4).to_pandas()
    assert table["part"].tolist() == ["train", "test", "train"] * 4
    assert table["seed"].tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
