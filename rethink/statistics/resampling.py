"""A bootstrap over data sets, then over the splits of each: how sure an effect is."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from rethink.statistics.effects import rank_last
from rethink.statistics.means import NOISE

DRAWS, SEED = 4_000, 20190917
COVERED = 0.95
POWER = 0.8  # of the smallest effect that counts as one the run could have seen

Effect = Callable[[np.ndarray], np.ndarray]


class Interval(NamedTuple):
    """An effect: its estimate, a 95 % interval, all draws, and what could have been seen."""

    effect: float
    low: float
    high: float
    draws: np.ndarray
    detectable: float

    def share_within(self, least: float, most: float) -> float:
        """The share of the draws between two bounds; a draw on a bound counts half."""
        draws = np.round(self.draws, NOISE)
        inside = ((draws > least) & (draws < most)).mean()
        return float(inside + ((draws == least) | (draws == most)).mean() / 2)


def bootstrap(samples: Sequence[np.ndarray], each: Effect, whole: Effect) -> Interval:
    """The effect of a table of means over data sets, with its interval.

    A sample is a data set: a row for each split, a column for each model. `each` takes means of
    shape (..., data sets, models) to what is averaged over data sets, (..., data sets, numbers);
    `whole` takes that average, (..., numbers), to the effect, (...).

    Data sets are drawn first, then the splits of each one drawn. The splits of a data set overlap,
    so they alone would tell too little of chance; the data sets, which share nothing, carry it.
    A bootstrap of few data sets is too narrow, by as much as a normal interval with the variance
    divided by n is narrower than Student's: the draws are stretched by that factor.
    """
    point = np.stack([np.mean(sample, axis=0) for sample in samples])
    effect = float(_effect(point[None], each, whole)[0])
    draws = _effect(_drawn_means(samples), each, whole)
    centre = draws.mean()
    stretched = centre + (draws - centre) * stretch(len(samples))
    tail = 100 * (1 - COVERED) / 2
    low, high = np.percentile(stretched, [tail, 100 - tail])
    multiple = float(ndtri(1 - (1 - COVERED) / 2) + ndtri(POWER))
    return Interval(effect, float(low), float(high), stretched, multiple * float(stretched.std()))


def rank_intervals(
    samples: Sequence[np.ndarray], greater_is_better: bool
) -> list[tuple[float, float]]:
    """The 95 % interval of each model's average rank, by the same bootstrap."""
    ranks = rank_last(_drawn_means(samples), greater_is_better).mean(axis=1)
    centre = ranks.mean(axis=0)
    stretched = centre + (ranks - centre) * stretch(len(samples))
    tail = 100 * (1 - COVERED) / 2
    ends = np.percentile(stretched, [tail, 100 - tail], axis=0)
    within = np.clip(ends, 1.0, ranks.shape[1])  # no rank lies beyond the first and the last
    return [(float(low), float(high)) for low, high in within.T]


def stretch(count: int) -> float:
    """By how much Student's interval of a mean of `count` numbers is wider than a bootstrap's.

    Examples
    --------
    >>> round(stretch(4), 2), round(stretch(11), 2)
    (1.87, 1.19)
    """
    if count < 2:
        return 1.0
    tail = 1 - (1 - COVERED) / 2
    return sqrt(count / (count - 1)) * float(stdtrit(count - 1, tail) / ndtri(tail))


def _effect(means: np.ndarray, each: Effect, whole: Effect) -> np.ndarray:
    return whole(each(means).mean(axis=-2))


def _drawn_means(samples: Sequence[np.ndarray]) -> np.ndarray:
    """Means of shape (draws, data sets, models)."""
    count, columns = len(samples), np.shape(samples[0])[1]
    means = np.empty((DRAWS * count, columns))
    plan = _plan(tuple(map(len, samples)), DRAWS)
    for sample, (places, weights) in zip(samples, plan, strict=True):
        means[places] = weights @ sample
    return means.reshape(DRAWS, count, columns)


@lru_cache(maxsize=64)
def _plan(splits: tuple[int, ...], draws: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each data set the places of the draws where it stands, and its splits' weights there."""
    rng = np.random.default_rng(SEED)
    choice = rng.integers(len(splits), size=draws * len(splits))
    places = [np.flatnonzero(choice == dataset) for dataset in range(len(splits))]
    return [
        (here, rng.multinomial(count, [1 / count] * count, size=len(here)) / count)
        for here, count in zip(places, splits, strict=True)
    ]
