"""How much better a model is than another: on each data set, and over all with an interval."""

from collections.abc import Iterable, Mapping
from math import sqrt
from statistics import fmean, stdev

from scipy.special import stdtrit

from stages.common.slices import Gain
from stages.compare.evidence import Evidence
from stages.compare.numbers import DEFAULT_EMPTY, FEWEST_SEEDS, LEVEL, seed_gains


def dataset_gains(
    evidence: Evidence,
    datasets: Iterable[str],
    cost: str,
    model: str,
    than: str,
    empty: float = DEFAULT_EMPTY,
) -> dict[str, float]:
    """The mean gain over splits, on each data set where both models have seeds enough."""
    shares = {
        dataset: seed_gains(
            evidence.scores.seeds(dataset, model, cost, empty=empty),
            evidence.scores.seeds(dataset, than, cost, empty=empty),
            evidence.greater(cost),
        )
        for dataset in datasets
    }
    return {name: fmean(each) for name, each in shares.items() if len(each) >= FEWEST_SEEDS}


def estimate(gains: Mapping[str, float]) -> Gain | None:
    """The mean over data sets, with Student's interval of the mean."""
    values, n = list(gains.values()), len(gains)
    if n < 2:
        return Gain(values[0], None, None, 1) if values else None
    mean = fmean(values)
    half = float(stdtrit(n - 1, 1 - LEVEL / 2)) * stdev(values) / sqrt(n)
    return Gain(mean, mean - half, mean + half, n)
