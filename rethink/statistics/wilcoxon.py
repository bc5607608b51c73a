"""Models over data sets, all pairs or against a control: exact signed-rank tests, after Holm."""

from collections.abc import Mapping, Sequence
from itertools import combinations
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
    return _tested(values, models, list(combinations(models, 2)), greater_is_better, level)


def control_holm(
    values: Sequence[Sequence[float]],
    models: Sequence[str],
    control: str,
    greater_is_better: bool,
    level: float = 0.05,
) -> list[Pair]:
    """The same of one column, the control, against each other one: k - 1 tests of k models."""
    names = [(control, model) for model in models if model != control]
    return _tested(values, models, names, greater_is_better, level)


def _tested(
    values: Sequence[Sequence[float]],
    models: Sequence[str],
    names: Sequence[tuple[str, str]],
    greater_is_better: bool,
    level: float,
) -> list[Pair]:
    table = np.asarray(values, dtype=float).reshape(len(values), len(models))
    columns = dict(zip(models, table.T, strict=True))
    differences = {(a, b): gains(columns[a], columns[b], greater_is_better) for a, b in names}
    return signed_rank_holm(differences, level)


def signed_rank_holm(
    differences: Mapping[tuple[str, str], Sequence[float] | np.ndarray], level: float = 0.05
) -> list[Pair]:
    """The tests of pairs, each on data sets of its own: how much better the first of the two is."""
    alone = [signed_rank_p(gained) for gained in differences.values()]
    pairs = []
    tests = zip(differences.items(), alone, holm(alone), strict=True)
    for ((a, b), gained), p, p_holm in tests:
        better = (a if _rank_sum(np.asarray(gained)) > 0 else b) if p_holm < level else None
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
    chances = np.zeros(lesser + 1)  # of each such sum, or less, when all signs are thrown anew
    chances[0] = 1.0
    for rank in doubled[signs != 0]:
        chances /= 2
        if rank <= lesser:
            chances[rank:] += chances[: lesser + 1 - rank].copy()
    return min(1.0, 2.0 * float(chances.sum()))


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


def smallest_p_holm(n: int, tests: int) -> float:
    """The smallest corrected p that so many tests on n data sets can have.

    Where it is not below the level, no result whatever could tell two of them apart.

    Examples
    --------
    >>> smallest_p_holm(n=11, tests=66)  # all pairs of twelve models
    0.064453125
    >>> smallest_p_holm(n=11, tests=13)  # fourteen models against one of them
    0.0126953125
    """
    return min(1.0, tests * 2.0 ** (1 - n))
