"""Tests of models: over the splits of each data set, and over all data sets."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

import rethink.statistics
from rethink.statistics import (
    NOISE,
    Blocks,
    complete_blocks,
    control_holm,
    corrected_t,
    critical_difference,
    friedman,
    improvability,
    indistinct_groups,
    mean_ranks,
    nemenyi_groups,
    paired_t,
    rank_intervals,
    shares_gained,
    signed_rank,
    smallest_p_holm,
    wilcoxon_holm,
    win_rates,
)
from stages.common.outcomes import (
    BothTests,
    Counts,
    Friedman,
    Nemenyi,
    OverDatasets,
    Pair,
    PairEffect,
    SignedRank,
    Standing,
    TTest,
    Wilcoxon,
)
from stages.common.words import counted, verb
from stages.compare.numbers import LEVEL, ROPE
from stages.compare.scores import Seeds

SEED, SAMPLES = 20190917, 50_000  # of the posterior
FEWEST_MODELS, FEWEST_SETS = 3, 2  # of a Friedman test and a critical difference
FEWEST_FOR_PAIRS = 12  # data sets; on 11, no pair of 12 models can be told apart after Holm


def pairwise_tests(
    values: Mapping[str, Mapping[str, Seeds]], greater: bool
) -> dict[str, dict[str, Pair]]:
    """The paper's paired t-test and, beside it, the one corrected for overlapping splits."""
    models = dict.fromkeys(model for table in values.values() for model in table)
    pairs: dict[str, dict[str, Pair]] = {model: {} for model in models}
    for one, other in combinations(models, 2):
        tests = {
            dataset: both_tests(table[one], table[other], greater)
            for dataset, table in values.items()
            if one in table and other in table
        }
        turned = {dataset: _turned(test) for dataset, test in tests.items()}
        pairs[one][other], pairs[other][one] = _pair(tests), _pair(turned)
    return pairs if len(models) > 1 else {}


def _pair(tests: dict[str, BothTests]) -> Pair:
    counts = _counts(test.result for test in tests.values())
    corrected = _counts(test.corrected.result for test in tests.values())
    return Pair(**vars(counts), corrected=corrected, datasets=tests)


def _turned(test: BothTests) -> BothTests:
    """The same test, from the side of the other model."""
    words = {"win": "loss", "loss": "win"}
    plain, corrected = (words.get(t.result, t.result) for t in (test, test.corrected))
    return BothTests(plain, test.p, test.n, TTest(corrected, test.corrected.p, test.n))


def both_tests(one: Seeds, other: Seeds, greater: bool) -> BothTests:
    """The plain outcome, with the corrected one inside."""
    common = sorted(one.keys() & other.keys())
    a, b = ([seeds[seed] for seed in common] for seeds in (one, other))
    corrected = TTest(*corrected_t(a, b, greater, level=LEVEL))
    return BothTests(*paired_t(a, b, greater, LEVEL), corrected)


def _counts(results: Iterable[str]) -> Counts:
    counts = Counter(results)
    return Counts(counts["win"], counts["tie"], counts["loss"], counts["too few"])


def over_datasets(
    means: Mapping[str, Mapping[str, float | None]],
    scores: Mapping[str, Mapping[str, Seeds]],
    greater: bool,
    proposed: str,
) -> OverDatasets:
    """What can be said over data sets from the mean scores; `why` tells if nothing can.

    `means` are over the splits that all models of a data set have, `scores` by split.
    """
    blocks = complete_blocks(means)
    overview = OverDatasets(
        models=blocks.models,
        datasets=blocks.datasets,
        left_out=[row.name for row in blocks.left_out if row.kind == "dataset"],
        left_out_why=[f"{row.name}: {row.why}" for row in blocks.left_out],
        scale="absolute",
        friedman=None,
        nemenyi=None,
        standings={},
        pairs=[],
        control=[],
        wilcoxon_holm=[],
        signed_rank=[],
        groups=[],
        note=None,
        why=why_nothing(blocks),
    )
    if overview.why is None:
        _add_tests(overview, blocks, greater, proposed)
        overview.standings = standings(blocks, scores, greater)
    return overview


def why_nothing(blocks: Blocks) -> str | None:
    """Why no test over data sets is possible, if so."""
    n, k = len(blocks.datasets), len(blocks.models)
    if k < FEWEST_MODELS:
        return f"needs at least {FEWEST_MODELS} models with scores, there {verb(blocks.models)} {k}"
    if n < FEWEST_SETS:
        return (
            f"needs at least {FEWEST_SETS} data sets on which every model has all its seeds, "
            f"there {verb(blocks.datasets)} {n}"
        )
    return None


def _add_tests(overview: OverDatasets, blocks: Blocks, greater: bool, proposed: str) -> None:
    n, k = len(blocks.datasets), len(blocks.models)
    whole = friedman(blocks.values, greater)
    ranks = dict(zip(blocks.models, mean_ranks(blocks.values, greater), strict=True))
    distance = critical_difference(k, n, LEVEL)
    overview.scale, values = comparable(blocks.values, greater)
    pairs = wilcoxon_holm(values, blocks.models, greater, LEVEL)
    overview.pairs = [_pair_effect(blocks, pair, greater) for pair in pairs]
    if proposed in blocks.models and not _powerless(n, k):
        tests = control_holm(values, blocks.models, proposed, greater, LEVEL)
        overview.control = [Wilcoxon(**pair._asdict()) for pair in tests]
    if whole.p is not None:
        overview.friedman = Friedman(whole.statistic, whole.p, n, k)
    overview.nemenyi = Nemenyi(distance, nemenyi_groups(ranks, distance))
    if n >= FEWEST_FOR_PAIRS:
        overview.wilcoxon_holm = [Wilcoxon(**pair._asdict()) for pair in pairs]
        overview.groups = indistinct_groups(blocks.models, pairs, ranks)
    overview.signed_rank = _posterior(values, blocks.models, greater, proposed)
    overview.note = whole.why or _powerless(n, k)


def _pair_effect(blocks: Blocks, pair: rethink.statistics.Pair, greater: bool) -> PairEffect:
    """One pair of the matrix: it does not change with the other models that are compared."""
    one, other = (blocks.models.index(model) for model in (pair.a, pair.b))
    table = np.asarray(blocks.values)
    gained = shares_gained(table[:, one], table[:, other], greater)
    signs = np.sign(np.round(gained, NOISE))
    wins, ties, losses = (int((signs == sign).sum()) for sign in (1, 0, -1))
    return PairEffect(pair.a, pair.b, float(gained.mean()), wins, ties, losses, pair.p)


def standings(
    blocks: Blocks, scores: Mapping[str, Mapping[str, Seeds]], greater: bool
) -> dict[str, Standing]:
    """Each model's average rank with its interval, its improvability and its win rate."""
    samples = {name: _splits(scores[name], blocks.models) for name in sorted(blocks.datasets)}
    rows = zip(blocks.datasets, blocks.values, strict=True)
    means = {name: dict(zip(blocks.models, row, strict=True)) for name, row in rows}
    left, won = improvability(means, greater), win_rates(samples, greater)
    ranks = mean_ranks(blocks.values, greater)
    intervals = rank_intervals(list(samples.values()), greater)
    return {
        model: Standing(ranks[place], *intervals[place], left[model], float(won[place]))
        for place, model in enumerate(blocks.models)
    }


def _splits(table: Mapping[str, Seeds], models: Sequence[str]) -> np.ndarray:
    common = sorted(set.intersection(*(set(table[model]) for model in models)))
    return np.array([[table[model][seed] for model in models] for seed in common])


def comparable(values: Sequence[Sequence[float]], greater: bool) -> tuple[str, list[list[float]]]:
    """Scores whose differences mean the same on every data set, and how they were made so.

    Scores of at most 1 that are to be large are taken as they are. Losses differ in size from
    data set to data set and are divided by the best loss on each.
    """
    if greater and max(max(row) for row in values) <= 1:
        return "absolute", [list(row) for row in values]
    return "relative", [[x / _unit(row, greater) for x in row] for row in values]


def _unit(row: Sequence[float], greater: bool) -> float:
    positive = [x for x in row if x > 0]
    return (max if greater else min)(positive) if positive else 1.0


def _posterior(
    values: list[list[float]], models: list[str], greater: bool, proposed: str
) -> list[SignedRank]:
    if proposed not in models:
        return []
    columns = dict(zip(models, zip(*values, strict=True), strict=True))
    own = columns[proposed]
    return [
        SignedRank(
            proposed,
            other,
            *signed_rank(own, columns[other], ROPE, greater, SEED, SAMPLES),
            rope=ROPE,
        )
        for other in models
        if other != proposed
    ]


def _powerless(n: int, k: int) -> str | None:
    if smallest_p_holm(n, k - 1) < LEVEL:
        return None
    return (
        f"On {counted(n, 'data set')} no result could tell one model apart from the {k - 1} others "
        "by Wilcoxon's test with Holm's correction; look at the effects and their intervals."
    )
