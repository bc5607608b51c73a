"""Ranks from 1 (best), both ways, and their means over data sets."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import rankdata

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
    ranked = dict.fromkeys(
        model for table in ranks.values() for model, rank in table.items() if rank is not None
    )
    used = [
        name
        for name, table in ranks.items()
        if ranked and all(table.get(model) is not None for model in ranked)
    ]
    means = {
        model: float(np.mean([ranks[name][model] for name in used])) if used else None
        for model in ranked
    }
    return means, used


def rank_rows(values: Sequence[Sequence[float]], greater_is_better: bool) -> np.ndarray:
    """Mid-ranks within each row of a complete table: a row a data set, a column a model."""
    return np.array([midranks(row, greater_is_better) for row in values], dtype=float)
