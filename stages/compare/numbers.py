"""Small sums that several tables need, and the thresholds that several verdicts share."""

from collections.abc import Iterable, Mapping, Sequence
from math import hypot, sqrt
from statistics import fmean

from rethink.statistics import mean_ste
from stages.common.outcomes import Mean, Number

DEFAULT_EMPTY, OTHER_EMPTY = 1.0, 0.0  # the value of predicting nothing where nothing is true
LEVEL = 0.05
ROPE = 0.01  # a smaller difference is of no practical interest
NEAR = 2.0  # standard errors within which two means count as equal
FEWEST_SEEDS = 3  # below, a standard error says little
PRINTED_SPLITS = 10  # behind every printed mean of a table with standard errors
FEWEST_DATASETS = 4  # of a verdict over data sets; as many as the paper's figure of rethinking has


def summary(seeds: Mapping[int, float]) -> Mean:
    """Mean, standard error and number of seeds; nulls where there are none."""
    if not seeds:
        return Mean(None, None, 0)
    mean, ste = mean_ste(list(seeds.values()))
    return Mean(mean, ste, len(seeds))


def enough(ours: Mean) -> bool:
    """Whether a mean of ours has seeds enough to be held against a printed one."""
    return ours.n >= FEWEST_SEEDS


def decimals_of(printed: Iterable[Number], values: Iterable[float]) -> int:
    """Decimals to print: those of the paper's numbers, else by the size of the scores."""
    numbers = [x for row in printed for x in (row.mean, row.ste) if x is not None]
    if numbers:
        exact = (d for d in range(4) if all(round(x, d) == x for x in numbers))
        return next(exact, 4)
    largest = max(map(abs, values), default=0.0)
    return next((d for limit, d in ((1, 3), (25, 2), (100, 1)) if largest <= limit), 0)


def printed_error(printed: Number, decimals: int) -> float:
    """The printed standard error; one of zero counts as half a unit of its last digit."""
    return max(printed.ste or 0.0, 0.5 * 10.0**-decimals)


def errors_apart(ours: Mean, printed: Number, decimals: int) -> float | None:
    """Ours minus printed, in pooled standard errors.

    One split of ours has no standard error, and that of three says little. So the spread of single
    splits is taken from both sides, as in Student's test of two samples; where the two standard
    errors alone give a larger one, that counts.
    """
    if ours.mean is None or printed.mean is None:
        return None
    theirs = printed_error(printed, decimals)
    error = hypot(ours.ste or 0.0, theirs)
    if printed.ste is not None and ours.n:  # a mean of no split is exact
        error = max(error, _pooled(ours, theirs))
    return (ours.mean - printed.mean) / error


def _pooled(ours: Mean, theirs: float) -> float:
    """The standard error of the difference of two means whose splits have the same spread."""
    n, m = ours.n, PRINTED_SPLITS
    squares = n * (n - 1) * (ours.ste or 0.0) ** 2 + m * (m - 1) * theirs**2
    return sqrt(squares / (n + m - 2) * (1 / n + 1 / m))


def near(z: float | None) -> bool:
    """Whether two numbers so many standard errors apart count as equal."""
    return z is not None and abs(z) <= NEAR


def explains_most(printed: float | None, ours: float | None, flawed: float | None) -> bool:
    """Whether a flaw on purpose leaves at most half of the distance from ours to a printed mean."""
    if printed is None or ours is None or flawed is None:
        return False
    return abs(flawed - printed) <= abs(ours - printed) / 2


def on_common(*scores: Mapping[int, float]) -> list[dict[int, float]]:
    """Scores of several models on the seeds that all of them have: those alone are compared."""
    common = sorted(set.intersection(*map(set, scores)))
    return [{seed: seeds[seed] for seed in common} for seeds in scores]


def share_gained(mean: float, other: float, greater: bool) -> float:
    """How much better a mean is than another, as a share of the larger: from -1 to 1."""
    larger = max(abs(mean), abs(other))
    if larger == 0:
        return 0.0
    return (mean - other if greater else other - mean) / larger


def seed_gains(a: Mapping[int, float], b: Mapping[int, float], greater: bool) -> list[float]:
    """How much better `a` is than `b` on each common seed, as a share of the larger mean."""
    common = sorted(a.keys() & b.keys())
    if not common:
        return []
    larger = max(abs(fmean(scores[seed] for seed in common)) for scores in (a, b))
    if larger == 0:
        return [0.0 for _ in common]
    sign = 1.0 if greater else -1.0
    return [sign * (a[seed] - b[seed]) / larger for seed in common]


def mean_of(values: Sequence[float]) -> float | None:
    """The mean; None of no values."""
    return fmean(values) if values else None
