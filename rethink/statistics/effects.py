"""Effects that stand beside average ranks: shares gained, shares of splits won, errors left."""

from collections.abc import Mapping

import numpy as np

from rethink.statistics.means import NOISE


def rank_last(means: np.ndarray, greater_is_better: bool, rounded: bool = False) -> np.ndarray:
    """Ranks from 1 (best) along the last axis; equal means share the mean of their ranks.

    With `rounded`, means are whole numbers first and equal ones share the best rank, as the paper
    ranks: multiply them by a power of ten for more decimals.
    """
    values = np.round(-means if greater_is_better else means, 0 if rounded else NOISE)
    better = np.zeros(values.shape, dtype=np.int16)
    level = np.zeros(values.shape, dtype=np.int16)  # with itself
    for column in range(
        values.shape[-1]
    ):  # many short rows: faster than comparing all pairs at once
        better += values[..., column, None] < values
        level += values[..., column, None] == values
    return 1.0 + better + (0.0 if rounded else (level - 1) / 2)


def shares_gained(means: np.ndarray, others: np.ndarray, greater_is_better: bool) -> np.ndarray:
    """How much better means are than others, as a share of the larger: from -1 to 1."""
    larger = np.maximum(np.abs(means), np.abs(others))
    gained = means - others if greater_is_better else others - means
    return np.divide(gained, larger, out=np.zeros_like(gained), where=larger > 0)


def improvability(
    means: Mapping[str, Mapping[str, float]], greater_is_better: bool
) -> dict[str, float]:
    """For each model the mean over data sets of 1 - best error / its error: 0 is never behind.

    `means` is by data set and model and complete. The error of a score of at most 1 is what it
    lacks of 1.

    Examples
    --------
    >>> improvability({"a": {"x": 2.0, "y": 4.0}, "b": {"x": 3.0, "y": 3.0}}, False)
    {'x': 0.0, 'y': 0.25}
    """
    lost: dict[str, list[float]] = {}
    for row in means.values():
        errors = {model: 1.0 - x if greater_is_better else x for model, x in row.items()}
        best = min(errors.values())
        for model, error in errors.items():
            lost.setdefault(model, []).append(1.0 - best / error if error > 0 else 0.0)
    return {model: float(np.mean(values)) for model, values in lost.items()}


def win_rates(samples: Mapping[str, np.ndarray], greater_is_better: bool) -> np.ndarray:
    """For each model the share of the comparisons with others on single splits that it wins.

    `samples` is by data set: a row for each split, a column for each model. Every data set counts
    the same, however many splits it has; a tie is half a win.
    """
    rates = []
    for sample in samples.values():
        ranks = rank_last(np.asarray(sample, dtype=float), greater_is_better)
        others = max(ranks.shape[1] - 1, 1)
        rates.append(((ranks.shape[1] - ranks) / others).mean(axis=0))
    return np.mean(rates, axis=0)
