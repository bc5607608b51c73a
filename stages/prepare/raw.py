"""A data set as it stands in the files, before anything is scaled or encoded."""

from dataclasses import dataclass

import numpy as np

from rethink.tables import RawTable


@dataclass(frozen=True)
class RawDataset:
    """Features, and labels as 0/1 (uint8, a row per instance) in the order of their columns."""

    features: RawTable
    labels: np.ndarray
    label_names: tuple[str, ...]
