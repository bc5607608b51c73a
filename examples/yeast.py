"""The yeast data set, from the wheel of river: 2,417 genes, 103 features, 14 functions."""

import csv
import gzip
from importlib.resources import files

import numpy as np


def load_yeast() -> tuple[np.ndarray, np.ndarray]:
    """Features of shape (2417, 103) and 0/1 labels of shape (2417, 14)."""
    packed = files("river").joinpath("datasets/yeast.csv.gz").read_bytes()
    header, *rows = csv.reader(gzip.decompress(packed).decode().splitlines())
    labels = [name.startswith("Class") for name in header]
    table = np.array(rows)
    number = {"TRUE": "1", "FALSE": "0"}
    table[:, labels] = [[number.get(v.upper(), v) for v in row] for row in table[:, labels]]
    values = table.astype(float)
    return values[:, ~np.array(labels)], values[:, labels].astype(int)
