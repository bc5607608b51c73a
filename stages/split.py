"""Stage `split`: ten 75/25 splits of each data set, stored by row id."""

import argparse

import numpy as np
import pyarrow as pa

from rethink.seeds import derive_seed
from stages import paths
from stages.config.params import SEEDS_STORED
from stages.errors import run_command
from stages.io.files import read_json
from stages.io.tables import write_table

TRAIN_SHARE = 0.75  # the paper's protocol


def split_rows(dataset: str, rows: int, seed: int) -> np.ndarray:
    """A mask of the training rows; it depends on the data set and the seed, never on a model."""
    order = np.random.default_rng(derive_seed("split", dataset, seed)).permutation(rows)
    mask = np.zeros(rows, dtype=bool)
    mask[order[: int(rows * TRAIN_SHARE)]] = True
    return mask


def split(dataset: str, rows: int, seeds: int = SEEDS_STORED) -> pa.Table:
    """The table of all splits: seed, row, part."""
    masks = np.concatenate([split_rows(dataset, rows, seed) for seed in range(seeds)])
    return pa.table(
        {
            "seed": pa.array(np.repeat(np.arange(seeds, dtype=np.int16), rows)),
            "row": pa.array(np.tile(np.arange(rows, dtype=np.int32), seeds)),
            "part": pa.array(np.where(masks, "train", "test")),
        }
    )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.split --dataset yeast"
    )
    parser.add_argument("--dataset", required=True)
    dataset = parser.parse_args().dataset
    card = read_json(paths.prepared(dataset) / "card.json")
    write_table(paths.splits(dataset), split(dataset, card["instances"]))
    return 0


if __name__ == "__main__":
    run_command(main)
