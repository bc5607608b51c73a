"""Means with standard errors, ranks and paired tests: numbers in, numbers out."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr
from scipy.stats import rankdata

NOISE = 10  # decimals; a smaller difference only comes from the order of a sum


class Paired(NamedTuple):
    """The outcome of a paired test: what it says of the first of the two."""

    result: str  # win | tie | loss | too few
    p: float | None
    n: int


def mean_ste(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and standard error sd/√n; one value has no standard error."""
    numbers = np.asarray(values, dtype=float)
    if numbers.size < 2:
        return float(numbers.mean()), None
    return float(numbers.mean()), float(numbers.std(ddof=1) / sqrt(numbers.size))


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


def beats(mean: float, other: float, greater_is_better: bool) -> bool:
    """Whether a mean is better than another by more than noise."""
    gain = round(mean - other, NOISE)
    return gain > 0 if greater_is_better else gain < 0


def best_of(means: Iterable[float], greater_is_better: bool) -> float | None:
    """The best of some means; of none, None."""
    return max(means, default=None) if greater_is_better else min(means, default=None)


def paired_t(
    a: Sequence[float], b: Sequence[float], greater_is_better: bool, level: float = 0.05
) -> Paired:
    """Two-sided paired t-test of `a` against `b`, value by value of the same split."""
    gains = np.round(np.subtract(a, b, dtype=float), NOISE).tolist()
    n = len(gains)
    if n < 2:
        return Paired("too few", None, n)
    mean, ste = mean_ste(gains)
    if len(set(gains)) > 1 and ste:
        p = 2.0 * float(stdtr(n - 1, -abs(mean) / ste))
    else:  # the t statistic is 0/0 or infinite
        p = 1.0 if mean == 0 else 0.0
    if p >= level:
        return Paired("tie", p, n)
    return Paired("win" if (mean > 0) == greater_is_better else "loss", p, n)
