"""Stage `split`: ten 75/25 splits of each data set, or its official one, stored by row id.

They are random, as the paper's, unless `splits` in params.yaml says stratified.
"""

import argparse
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from rethink.seeds import derive_seed
from stages.common import paths
from stages.common.errors import run_command
from stages.common.files import read_json
from stages.common.params import SEEDS_STORED, TRAIN_SHARE, load_params
from stages.common.tables import read_table, table_to_matrix, write_table


def split_rows(dataset: str, rows: int, seed: int) -> np.ndarray:
    """A mask of the training rows; it depends on the data set and the seed, never on a model."""
    order = np.random.default_rng(derive_seed("split", dataset, seed)).permutation(rows)
    mask = np.zeros(rows, dtype=bool)
    mask[order[: int(rows * TRAIN_SHARE)]] = True
    return mask


def stratified_rows(dataset: str, labels: np.ndarray, seed: int) -> np.ndarray:
    """A mask of the training rows, in which both parts have their share of every label."""
    from rethink.splits import MultilabelStratifiedShuffleSplit  # loads scikit-learn

    splits = MultilabelStratifiedShuffleSplit(
        1,
        train_size=int(len(labels) * TRAIN_SHARE),
        random_state=derive_seed("stratified split", dataset, seed),
    )
    mask = np.zeros(len(labels), dtype=bool)
    mask[next(iter(splits.split(labels, labels)))[0]] = True
    return mask


def split(dataset: str, rows: int, seeds: int = SEEDS_STORED) -> pa.Table:
    """The table of all random splits: seed, row, part."""
    return _table([split_rows(dataset, rows, seed) for seed in range(seeds)])


def stratified(dataset: str, labels: np.ndarray, seeds: int = SEEDS_STORED) -> pa.Table:
    """The table of all stratified splits of labels, shape (n, K)."""
    return _table([stratified_rows(dataset, labels, seed) for seed in range(seeds)])


def official(parts: Sequence[str], seeds: int = SEEDS_STORED) -> pa.Table:
    """The split a data set comes with, for every seed: seeds differ by the chance of the models."""
    return _table([np.array(parts) == "train"] * seeds)


def _table(masks: Sequence[np.ndarray]) -> pa.Table:
    seeds, rows = len(masks), len(masks[0])
    return pa.table(
        {
            "seed": pa.array(np.repeat(np.arange(seeds, dtype=np.int16), rows)),
            "row": pa.array(np.tile(np.arange(rows, dtype=np.int32), seeds)),
            "part": pa.array(np.where(np.concatenate(masks), "train", "test")),
        }
    )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.split --dataset yeast"
    )
    parser.add_argument("--dataset", required=True)
    dataset = parser.parse_args().dataset
    folder = paths.prepared(dataset)
    card = read_json(folder / "card.json")
    if card.get("images", {}).get("split") == "official":
        parts = read_table(folder / "images.parquet", ["part"])["part"].to_pylist()
        table = official(parts)
    elif load_params(estimators=False).splits == "stratified":
        labels = table_to_matrix(read_table(folder / "labels.parquet"))
        table = stratified(dataset, labels)
    else:
        table = split(dataset, card["instances"])
    write_table(paths.splits(dataset), table)
    return 0


if __name__ == "__main__":
    run_command(main)
