"""A mean gain over a few data sets, tested against the chance of the splits."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from rethink.statistics import NOISE

TEST_TO_TRAIN = 1 / 3  # rows of a split; splits overlap, so their variance does not average out


class Pooled(NamedTuple):
    """The mean over data sets of the mean gain over seeds, and the one-sided p of its excess."""

    mean: float
    p: float


def pooled_gain(gains: Mapping[str, Sequence[float]]) -> Pooled:
    """Test that the gain, averaged over these data sets, is above zero.

    Each data set has the variance of the corrected resampled t-test; the degrees of freedom are
    Satterthwaite's. The answer is about these data sets, not about others.
    """
    means = [float(np.mean(values)) for values in gains.values()]
    variances = [
        float(np.var(values, ddof=1)) * (1 / len(values) + TEST_TO_TRAIN)
        for values in gains.values()
    ]
    mean, total = float(np.mean(means)), sum(variances)
    if sqrt(total) < 10.0**-NOISE:
        return Pooled(mean, 0.0 if mean > 0 else 1.0)
    parts = [v**2 / (len(values) - 1) for v, values in zip(variances, gains.values(), strict=True)]
    t = mean / (sqrt(total) / len(means))
    return Pooled(mean, float(stdtr(total**2 / sum(parts), -t)))
