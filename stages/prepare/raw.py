"""Tables as they stand in the files, before anything is scaled or encoded."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse


class Column(NamedTuple):
    """A column: numeric, or nominal with its values in the order of their codes."""

    name: str
    values: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RawTable:
    """Cells as float64: a number, or the index of a nominal value; NaN where one is missing.

    A cell that a sparse matrix does not store is 0, and so the first value of a nominal column.
    """

    columns: tuple[Column, ...]
    matrix: np.ndarray | sparse.csr_array
    labels: tuple[str, ...] = ()  # columns that are labels, where the file itself says so


@dataclass(frozen=True)
class RawDataset:
    """Features, and labels as 0/1 (uint8, a row per instance) in the order of their columns."""

    features: RawTable
    labels: np.ndarray
    label_names: tuple[str, ...]
