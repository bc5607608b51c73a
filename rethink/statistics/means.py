"""Means with standard errors, and which of two is better."""

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

NOISE = 10  # decimals; a smaller difference only comes from the order of a sum


def mean_ste(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and standard error sd/√n; one value has no standard error."""
    numbers = np.asarray(values, dtype=float)
    if numbers.size < 2:
        return float(numbers.mean()), None
    return float(numbers.mean()), float(numbers.std(ddof=1) / sqrt(numbers.size))


def corrected_interval(
    values: Sequence[float], level: float = 0.05, test_share: float = 0.25
) -> tuple[float | None, float | None]:
    """An interval that holds the mean with confidence 1 - level; one value has none.

    For random splits of the same rows, as `corrected_t`: the variance is s²(1/n + test/train).

    Examples
    --------
    >>> [round(end, 3) for end in corrected_interval([0.50, 0.52, 0.54])]
    [0.45, 0.59]
    """
    n = len(values)
    if n < 2:
        return None, None
    mean, ste = mean_ste(values)
    spread = (ste or 0.0) * sqrt(1.0 + n * test_share / (1.0 - test_share))
    half = spread * float(stdtrit(n - 1, 1.0 - level / 2))
    return mean - half, mean + half


def beats(mean: float, other: float, greater_is_better: bool) -> bool:
    """Whether a mean is better than another by more than noise."""
    gain = round(mean - other, NOISE)
    return gain > 0 if greater_is_better else gain < 0


def best_of(means: Iterable[float], greater_is_better: bool) -> float | None:
    """The best of some means; of none, None."""
    return max(means, default=None) if greater_is_better else min(means, default=None)


def gains(a: ArrayLike, b: ArrayLike, greater_is_better: bool) -> np.ndarray:
    """How much better each value of `a` is than its partner in `b`, without noise."""
    differences = np.round(np.subtract(a, b, dtype=float), NOISE) + 0.0  # no -0.0
    return differences if greater_is_better else -differences
