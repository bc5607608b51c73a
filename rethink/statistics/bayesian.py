"""Bayesian signed-rank test: how probable it is that one of two models is better in practice."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rethink.statistics.means import NOISE, gains

PRIOR = 0.5  # strength of one made-up data set without a difference (Benavoli et al. 2017)
NUMBERS_AT_ONCE = 1 << 20  # of Dirichlet weights, 8 MB


class SignedRank(NamedTuple):
    """Posterior probabilities: `a` is better, no practical difference, `b` is better."""

    p_a: float
    p_rope: float
    p_b: float


def signed_rank(
    a: Sequence[float],
    b: Sequence[float],
    rope: float,
    greater_is_better: bool,
    seed: int,
    samples: int = 50_000,
) -> SignedRank:
    """Bayesian signed-rank test of two models over data sets (Benavoli et al. 2017).

    `rope` is half the width of the region of practical equivalence, in units of the values.
    Each sample of the posterior is a weighting of the data sets and goes to the outcome with
    the most weight; outcomes with equal weight share it.
    """
    gained = np.concatenate(([0.0], gains(a, b, greater_is_better)))
    if len(gained) < 2 or rope < 0 or samples < 1:
        raise ValueError(
            "a signed-rank test needs a data set, a sample and a rope of 0 or more; "
            f"got {len(gained) - 1}, {samples} and {rope}"
        )
    sums = gained[:, None] + gained
    above, below = _share_above(sums, 2 * rope), _share_above(-sums, 2 * rope)
    won = np.zeros(3)
    for weights in _weights(len(gained), samples, np.random.default_rng(seed)):
        p_a, p_b = (((weights @ part) * weights).sum(axis=1) for part in (above, below))
        outcomes = np.stack([p_a, 1.0 - p_a - p_b, p_b])
        best = outcomes == outcomes.max(axis=0)
        won += (best / best.sum(axis=0)).sum(axis=1)
    p_a, p_rope, p_b = (won / samples).tolist()
    return SignedRank(p_a, p_rope, p_b)


def _share_above(sums: np.ndarray, threshold: float) -> np.ndarray:
    """1 above the threshold, one half on it, 0 below."""
    return (1.0 + np.sign(np.round(sums - threshold, NOISE))) / 2


def _weights(size: int, samples: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    strengths = np.ones(size)
    strengths[0] = PRIOR
    step = max(1, NUMBERS_AT_ONCE // size)
    for done in range(0, samples, step):
        yield rng.dirichlet(strengths, min(step, samples - done))
