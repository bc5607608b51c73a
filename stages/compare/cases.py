"""What a claim is decided by: the scores of common splits, and gains and ranks from them."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from rethink.statistics import rank_last, shares_gained
from rethink.statistics.resampling import Effect
from stages.common.slices import Gain
from stages.common.words import counted, listed, verb
from stages.compare.claims import ABOVE_ZERO, Case, Setting
from stages.compare.evidence import Evidence
from stages.compare.numbers import DEFAULT_EMPTY, FEWEST_SEEDS, LEVEL, seed_gains


class Column(NamedTuple):
    """A column of a sample: a model, by a cost, on a part of the rows, at an iteration."""

    model: str
    cost: str
    part: str = "test"
    iteration: int = 0


def absent(models: Iterable[str], run: Iterable[str]) -> str | None:
    """Why a claim on models that are not all in the run cannot be tested; None if they are."""
    names = set(run)
    missing = [model for model in models if model not in names]
    return f"{listed(missing)} {verb(missing)} not in the run." if missing else None


def samples(
    evidence: Evidence, columns: Sequence[Column], datasets: Iterable[str], setting: Setting
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Scores by data set, a row for each split that all columns have; and what was left out."""
    whole: dict[str, np.ndarray] = {}
    left_out: list[str] = []
    for dataset in datasets:
        scores = [
            evidence.scores.seeds(
                dataset, c.model, c.cost, part=c.part, iteration=c.iteration, empty=setting.empty
            )
            for c in columns
        ]
        common = sorted(set.intersection(*map(set, scores)))
        if len(common) >= setting.fewest:
            whole[dataset] = np.array([[seeds[seed] for seeds in scores] for seed in common])
        elif any(scores):
            left_out.append(f"{dataset} ({counted(len(common), 'common split')})")
    return whole, left_out


def gain_case(
    evidence: Evidence,
    pairs: Sequence[tuple[Column, Column]],
    datasets: Iterable[str],
    setting: Setting,
    region: tuple[float, float] = ABOVE_ZERO,
) -> Case:
    """How much better the first of each pair is than the second, as a share; the mean of pairs."""
    columns = [column for pair in pairs for column in pair]
    whole, left_out = samples(evidence, columns, datasets, setting)
    signs = [evidence.greater(first.cost) for first, _ in pairs]

    def each(means: np.ndarray) -> np.ndarray:
        shares = [
            shares_gained(means[..., 2 * k], means[..., 2 * k + 1], greater)
            for k, greater in enumerate(signs)
        ]
        return np.mean(shares, axis=0)[..., None]

    return Case(whole, each, region=region, left_out=left_out)


def rank_case(
    evidence: Evidence,
    cost: str,
    models: Sequence[str],
    datasets: Iterable[str],
    setting: Setting,
    contrast: Effect,
    whole: Effect,
    by_chance: bool = False,
    most: float | None = None,
) -> Case:
    """A contrast of ranks on each data set, such as the rank of one model less that of another.

    It is `most` at most: by default from the first rank to the last.
    """
    columns = [Column(model, cost) for model in models]
    scores, left_out = samples(evidence, columns, datasets, setting)
    if setting.rounded:  # the paper ranks means of as many decimals as it prints
        scores = {d: table * 10.0 ** evidence.decimals(d, cost) for d, table in scores.items()}
    greater = evidence.greater(cost)
    most = len(models) - 1.0 if most is None else most
    return Case(
        scores,
        lambda means: contrast(rank_last(means, greater, setting.rounded)),
        whole,
        by_chance=by_chance,
        limits=(-most, most),
        left_out=left_out,
    )


def distinct(evidence: Evidence, cost: str, models: Sequence[str]) -> list[str]:
    """Models without those whose scores equal an earlier one's everywhere: a copy is no rival."""
    datasets = evidence.datasets()
    scores = {m: [evidence.scores.seeds(d, m, cost) for d in datasets] for m in models}
    return [
        model
        for place, model in enumerate(models)
        if scores[model] not in [scores[m] for m in models[:place]]
    ]


def of_the_paper(evidence: Evidence, datasets: Iterable[str], setting: Setting) -> list[str]:
    """The data sets a claim of the paper is judged on: its own, and others only if asked for."""
    return [name for name in datasets if setting.other_sets or evidence.paper_name(name)]


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
