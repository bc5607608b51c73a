import hashlib

import numpy as np
import pytest

from stages.split import official, split, split_rows

# The splits are part of the benchmark: these values must never change.
GOLDEN = {
    "emotions": (593, "c5bb453dea59cd53"),
    "yeast": (2417, "dec715d82ee8821f"),
    "chain": (2000, "a1383b7bcdf71f56"),
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


def test_an_official_split_is_the_same_for_every_seed():
    table = official(["train", "test", "train"], seeds=4).to_pandas()
    assert table["part"].tolist() == ["train", "test", "train"] * 4
    assert table["seed"].tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
