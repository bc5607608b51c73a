"""Ranks from 1 (best), both ways, their means over data sets, and groups of near means."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from scipy.stats import rankdata

from rethink.statistics.blocks import complete_blocks
from rethink.statistics.means import NOISE
from rethink.statistics.wilcoxon import Pair


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


def nemenyi_groups(average_ranks: Mapping[str, float], cd: float) -> list[list[str]]:
    """Maximal groups of at least two models whose average ranks all differ by less than `cd`."""

    def apart(better: str, worse: str) -> bool:
        return round(average_ranks[worse] - average_ranks[better] - cd, NOISE) >= 0

    return _maximal_runs(_by_rank(average_ranks), apart)


def indistinct_groups(
    models: Sequence[str], pairs: Iterable[Pair], average_ranks: Mapping[str, float]
) -> list[list[str]]:
    """Maximal runs, by average rank, of at least two models in which no pair is told apart."""
    different = {frozenset((pair.a, pair.b)) for pair in pairs if pair.better is not None}
    ranks = {model: average_ranks[model] for model in models}
    return _maximal_runs(_by_rank(ranks), lambda one, other: frozenset((one, other)) in different)


def _by_rank(average_ranks: Mapping[str, float]) -> list[str]:
    return sorted(average_ranks, key=lambda model: average_ranks[model])


def _maximal_runs(order: list[str], apart: Callable[[str, str], bool]) -> list[list[str]]:
    """The runs of `order` without a pair that is apart and not inside a longer such run."""
    runs: list[list[str]] = []
    end = 0
    for start, first in enumerate(order):
        stop = max(end, start + 1)
        while stop < len(order) and not any(apart(one, order[stop]) for one in order[start:stop]):
            stop += 1
        if stop > end and stop - start > 1:
            runs.append([first, *order[start + 1 : stop]])
        end = max(end, stop)
    return runs
