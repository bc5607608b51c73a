"""How a claim is written down, and the tests that several claims share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr
from scipy.stats import rankdata

from rethink.statistics import NOISE, signed_rank_p
from stages.common.schema import Claim
from stages.common.words import change, counted, listed, p_text, sentence, verb
from stages.compare.evidence import Evidence
from stages.compare.numbers import FEWEST_DATASETS, FEWEST_SEEDS, LEVEL, mean_of, seed_gains
from stages.compare.scores import Seeds

HOLDS, FAILS, NOT_ENOUGH = "holds", "does not hold", "not enough runs"
TEST_TO_TRAIN = 1 / 3  # rows of a split; splits overlap, so their variance does not average out
OVER_DATASETS = (
    "one-sided exact signed-rank test over data sets at the 5 % level; needs "
    f"{FEWEST_DATASETS} data sets with {FEWEST_SEEDS} seeds each"
)


class Outcome(NamedTuple):
    """What a test says: yes, no or (None) nothing, and why."""

    holds: bool | None
    why: str


def claim(name: str, text: str, test: str, anchor: str, outcome: Outcome) -> Claim:
    """One claim with its verdict."""
    verdict = NOT_ENOUGH if outcome.holds is None else HOLDS if outcome.holds else FAILS
    return Claim(name, text, verdict, outcome.why, test, anchor)


def absent(models: Iterable[str], experiment: Sequence[str]) -> Outcome | None:
    """The outcome of a claim on models that are not all in an experiment; None if they are."""
    missing = [model for model in models if model not in experiment]
    if not missing:
        return None
    return Outcome(None, f"{listed(missing)} {verb(missing)} not in the run.")


def better_over_datasets(
    subject: str, gains: Mapping[str, float], unit: Callable[[float], str] = change
) -> Outcome:
    """Whether gains, one a data set, are above zero by more than chance."""
    better = sum(gain > 0 for gain in gains.values())
    mean = unit(fmean(gains.values())) if gains else ""
    count = f"{subject} on {better} of {counted(len(gains), 'data set')}, by {mean} on average"
    if len(gains) < FEWEST_DATASETS:
        return Outcome(None, sentence(too_few(gains), f"{count}." if gains else None))
    p = one_sided_p(list(gains.values()))
    return Outcome(
        p is not None and p < LEVEL, f"{count} ({'p > 0.5' if p is None else p_text(p)})."
    )


def one_sided_p(gains: Sequence[float]) -> float | None:
    """Exact p of the signed-rank test for gains above zero; None (above 1/2) if they are not."""
    values = np.asarray(gains, dtype=float)
    upwards = (np.sign(values) * rankdata(np.abs(values))).sum() > 0
    return signed_rank_p(values) / 2 if upwards else None


class Pooled(NamedTuple):
    """The mean over data sets of the mean gain over seeds, and the one-sided p of its excess."""

    mean: float
    p: float


def pooled_gain(gains: Mapping[str, Sequence[float]]) -> Pooled:
    """Test that the gain, averaged over a few data sets, is above the chance of the splits.

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


def too_few(datasets: Iterable[str], needed: int = FEWEST_DATASETS) -> str:
    """What is lacking for a test over data sets."""
    names = list(datasets)
    list_of_names = f" ({listed(names)})" if names else ""
    return (
        f"{counted(len(names), 'data set')} with {FEWEST_SEEDS} seeds or more{list_of_names}; "
        f"this needs {needed}."
    )


def common_means(scores: Mapping[str, Seeds]) -> dict[str, float]:
    """The mean of each over the seeds that all have; nothing if these are too few."""
    common = sorted(set.intersection(*map(set, scores.values()))) if scores else []
    if len(common) < FEWEST_SEEDS:
        return {}
    return {name: fmean(seeds[seed] for seed in common) for name, seeds in scores.items()}


def dataset_gain(a: Seeds, b: Seeds, greater: bool) -> float | None:
    """The mean gain of `a` over `b` on a data set; None with too few common seeds."""
    shares = seed_gains(a, b, greater)
    return mean_of(shares) if len(shares) >= FEWEST_SEEDS else None


def outside_the_paper(evidence: Evidence, datasets: Iterable[str]) -> str | None:
    """A sentence on data sets that the paper does not have."""
    names = [name for name in datasets if not evidence.paper_name(name)]
    return f"{listed(names)} {verb(names)} not in the paper." if names else None
