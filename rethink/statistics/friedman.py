"""Several models over several data sets by their ranks: Friedman's test, Nemenyi's distance."""

from collections.abc import Sequence
from functools import cache
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc
from scipy.stats import studentized_range

from rethink.statistics.ranks import rank_rows


class Friedman(NamedTuple):
    """Whether any model ranks differently; without a statistic, `why` says why."""

    statistic: float | None
    p: float | None
    n: int  # data sets
    k: int  # models
    why: str | None = None


def friedman(values: Sequence[Sequence[float]], greater_is_better: bool) -> Friedman:
    """Friedman's χ² with the correction for ties, from a complete table (row = data set)."""
    ranks = rank_rows(values, greater_is_better)
    n, k = ranks.shape if ranks.ndim == 2 else (0, 0)
    if why := _why_not(n, k):
        return Friedman(None, None, n, k, why)
    away = ranks - (k + 1) / 2
    spread = float((away**2).sum())
    if spread == 0:
        return Friedman(None, None, n, k, "all models are equal on every data set")
    statistic = (k - 1) * float((away.sum(axis=0) ** 2).sum()) / spread
    return Friedman(statistic, float(chdtrc(k - 1, statistic)), n, k)


def _why_not(n: int, k: int) -> str | None:
    if n == 0:
        return "no data set has a value of every model"
    if k < 3:
        return f"needs at least 3 models, has {k}"
    if n < 2:
        return f"needs at least 2 data sets, has {n}"
    return None


def mean_ranks(values: Sequence[Sequence[float]], greater_is_better: bool) -> list[float]:
    """Average mid-rank of each column of a complete table; an empty list if it has no rows."""
    ranks = rank_rows(values, greater_is_better)
    return ranks.mean(axis=0).tolist() if ranks.size else []


def critical_difference(k: int, n: int, level: float = 0.05) -> float:
    """Nemenyi's: average ranks of k models over n data sets that differ by less are not told apart.

    The studentized range is divided by √2, as in Demšar (2006).

    Examples
    --------
    >>> round(critical_difference(k=4, n=14), 2)
    1.25
    """
    if k < 2 or n < 1:
        raise ValueError(f"a critical difference needs 2 models and a data set, got {k} and {n}")
    return _nemenyi_q(k, level) * sqrt(k * (k + 1) / (6 * n))


@cache
def _nemenyi_q(k: int, level: float) -> float:
    return float(studentized_range.ppf(1.0 - level, k, inf) / np.sqrt(2.0))
