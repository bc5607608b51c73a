"""How a claim is written down, and the test over data sets that most claims share."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from rethink.statistics import signed_rank_p
from stages.common.words import counted, listed
from stages.compare.evidence import Evidence
from stages.compare.names import FEWEST_DATASETS, FEWEST_SEEDS, LEVEL, Json
from stages.compare.numbers import mean_gain, seed_gains
from stages.compare.scores import Seeds
from stages.compare.words import p_text, percent, sentence

HOLDS, FAILS, NOT_ENOUGH = "holds", "does not hold", "not enough runs"
OVER_DATASETS = (
    "one-sided exact signed-rank test over data sets at the 5 % level; needs "
    f"{FEWEST_DATASETS} data sets with {FEWEST_SEEDS} seeds each"
)


class Outcome(NamedTuple):
    """What a test says: yes, no or (None) nothing, and why."""

    holds: bool | None
    why: str


def claim(name: str, text: str, test: str, anchor: str, outcome: Outcome) -> Json:
    """One claim with its verdict."""
    verdict = NOT_ENOUGH if outcome.holds is None else HOLDS if outcome.holds else FAILS
    return {
        "id": name,
        "claim": text,
        "verdict": verdict,
        "why": outcome.why,
        "test": test,
        "anchor": anchor,
    }


def better_over_datasets(
    subject: str, gains: Mapping[str, float], said: Callable[[float], str] = percent
) -> Outcome:
    """Whether gains, one a data set, are above zero by more than chance."""
    better = sum(gain > 0 for gain in gains.values())
    mean = said(fmean(gains.values())) if gains else ""
    found = f"{subject} on {better} of {counted(len(gains), 'data set')}, by {mean} on average"
    if len(gains) < FEWEST_DATASETS:
        return Outcome(None, sentence(too_few(gains), f"{found}." if gains else None))
    p = one_sided_p(list(gains.values()))
    return Outcome(p is not None and p < LEVEL, f"{found} ({p_text(p)}).")


def one_sided_p(gains: Sequence[float]) -> float | None:
    """Exact p of the signed-rank test for gains above zero; None (above 1/2) if they are not."""
    values = np.asarray(gains, dtype=float)
    upwards = (np.sign(values) * rankdata(np.abs(values))).sum() > 0
    return signed_rank_p(values) / 2 if upwards else None


def too_few(datasets: Mapping[str, object], needed: int = FEWEST_DATASETS) -> str:
    """What is lacking for a test over data sets."""
    names = f" ({listed(list(datasets))})" if datasets else ""
    return (
        f"{counted(len(datasets), 'data set')} with {FEWEST_SEEDS} seeds or more{names}; "
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
    return mean_gain(a, b, greater) if len(seed_gains(a, b, greater)) >= FEWEST_SEEDS else None


def outside_the_paper(evidence: Evidence, datasets: Mapping[str, object] | list[str]) -> str | None:
    """A sentence on data sets that the paper does not have."""
    names = [name for name in datasets if not evidence.paper_name(name)]
    if not names:
        return None
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} not in the paper."
