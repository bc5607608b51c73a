"""Every two of several models over data sets: exact signed-rank tests, corrected by Holm."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from rethink.statistics.means import gains


class Pair(NamedTuple):
    """Two models: p of their difference, alone and among all pairs, and the better one if told."""

    a: str
    b: str
    p: float
    p_holm: float
    n: int
    better: str | None


def wilcoxon_holm(
    values: Sequence[Sequence[float]],
    models: Sequence[str],
    greater_is_better: bool,
    level: float = 0.05,
) -> list[Pair]:
    """Wilcoxon's signed-rank test of every two columns of a complete table (row = data set)."""
    columns = np.asarray(values, dtype=float).reshape(len(values), len(models)).T
    names = list(combinations(models, 2))
    differences = [gains(a, b, greater_is_better) for a, b in combinations(columns, 2)]
    alone = [signed_rank_p(gained) for gained in differences]
    pairs = []
    for (a, b), gained, p, p_holm in zip(names, differences, alone, holm(alone), strict=True):
        better = (a if _rank_sum(gained) > 0 else b) if p_holm < level else None
        pairs.append(Pair(a, b, p, p_holm, len(gained), better))
    return pairs


def signed_rank_p(differences: Sequence[float] | np.ndarray) -> float:
    """Exact two-sided p of Wilcoxon's signed-rank test, also with ties and zeros.

    Equal sizes share their mid-rank. Zeros are ranked and half of their ranks go to each
    side (`zsplit`); no sign moves them, so p is also that of Pratt's method.
    """
    sizes = np.abs(np.asarray(differences, dtype=float))
    doubled = np.rint(2 * rankdata(sizes)).astype(int)  # mid-ranks are halves
    signs = np.sign(differences)
    lesser = int(min(doubled[signs > 0].sum(), doubled[signs < 0].sum()))
    chances = np.ones(1)  # of each sum of positive ranks when all signs are thrown anew
    for rank in doubled[signs != 0]:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return min(1.0, 2.0 * float(chances[: lesser + 1].sum()))


def _rank_sum(differences: np.ndarray) -> float:
    return float((np.sign(differences) * rankdata(np.abs(differences))).sum())


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: p values that may each be held against the level.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def smallest_p_holm(n: int, k: int) -> float:
    """The least corrected p of any two of k models on n data sets.

    Where it is not below the level, no result whatever could tell two of them apart.

    Examples
    --------
    >>> smallest_p_holm(n=6, k=7) > 0.05 > smallest_p_holm(n=10, k=7)
    True
    """
    return min(1.0, comb(k, 2) * 2.0 ** (1 - n))
