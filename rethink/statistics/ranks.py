"""Ranks from 1 (best), both ways, and their means over data sets."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import rankdata

from rethink.statistics.blocks import complete_blocks
from rethink.statistics.means import NOISE


def midranks(means: Sequence[float], greater_is_better: bool) -> list[float]:
    """Ranks from 1 (best); equal means share the mean of their ranks."""
    return _ranks(means, greater_is_better, NOISE, "average")


def paper_ranks(means: Sequence[float], greater_is_better: bool, decimals: int) -> list[int]:
    """Ranks as the paper prints them: of the rounded means, equal ones share the best rank."""
    return [int(rank) for rank in _ranks(means, greater_is_better, decimals, "min")]


def _ranks(
    means: Sequence[float], greater_is_better: bool, decimals: int, method: str
) -> list[float]:
    rounded = np.round(np.asarray(means, dtype=float), decimals)
    return rankdata(-rounded if greater_is_better else rounded, method=method).tolist()


def average_ranks(
    ranks: Mapping[str, Mapping[str, float | None]],
) -> tuple[dict[str, float | None], list[str]]:
    """Mean rank of each model over the tables in which every ranked model has one; those tables."""
    blocks = complete_blocks(ranks)
    means = (
        np.mean(blocks.values, axis=0).tolist() if blocks.values else [None] * len(blocks.models)
    )
    return dict(zip(blocks.models, means, strict=True)), blocks.datasets


def rank_rows(values: Sequence[Sequence[float]], greater_is_better: bool) -> np.ndarray:
    """Mid-ranks within each row of a complete table: a row a data set, a column a model."""
    return np.array([midranks(row, greater_is_better) for row in values], dtype=float)
