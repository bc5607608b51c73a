"""Two models on one data set: paired t-tests over its splits."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from scipy.special import stdtr

from rethink.statistics.means import gains, mean_ste


class Paired(NamedTuple):
    """The outcome of a paired test: what it says of the first of the two."""

    result: str  # win | tie | loss | too few
    p: float | None
    n: int


def paired_t(
    a: Sequence[float], b: Sequence[float], greater_is_better: bool, level: float = 0.05
) -> Paired:
    """Two-sided paired t-test of `a` against `b`, value by value of the same split."""
    return _t_test(gains(a, b, greater_is_better).tolist(), level, overlap=0.0)


def corrected_t(
    a: Sequence[float],
    b: Sequence[float],
    greater_is_better: bool,
    test_share: float = 0.25,
    level: float = 0.05,
) -> Paired:
    """Corrected resampled t-test (Nadeau & Bengio 2003) for random splits of the same rows.

    Splits share rows, so their scores are not independent and the plain test calls too much
    a win. The variance of the mean is s²(1/n + test/train) in place of s²/n.
    """
    return _t_test(
        gains(a, b, greater_is_better).tolist(), level, overlap=test_share / (1.0 - test_share)
    )


def _t_test(gained: list[float], level: float, overlap: float) -> Paired:
    n = len(gained)
    if n < 2:
        return Paired("too few", None, n)
    mean, ste = mean_ste(gained)
    if len(set(gained)) > 1 and ste:
        p = 2.0 * float(stdtr(n - 1, -abs(mean) / (ste * sqrt(1.0 + n * overlap))))
    else:  # the t statistic is 0/0 or infinite
        p = 1.0 if mean == 0 else 0.0
    if p >= level:
        return Paired("tie", p, n)
    return Paired("win" if mean > 0 else "loss", p, n)
