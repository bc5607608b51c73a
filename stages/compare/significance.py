"""Tests of models: over the splits of each data set, and over all data sets."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import numpy as np

import rethink.statistics
from rethink.statistics import (
    NOISE,
    Blocks,
    complete_blocks,
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
    signed_rank_holm,
    signed_rank_p,
    smallest_p_holm,
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
from stages.common.words import counted, listed, verb
from stages.compare.numbers import LEVEL, ROPE, on_common
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

    `means` are over the splits that all models of a data set have, `scores` by split. Ranks need
    data sets with all models. A pair of models is compared on every data set and split that these
    two have, so no other model changes what is said of them.
    """
    blocks = complete_blocks(means)
    overview = OverDatasets(
        models=blocks.models,
        datasets=blocks.datasets,
        left_out=[row.name for row in blocks.left_out if row.kind == "dataset"],
        left_out_why=_reasons(blocks),
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
        _add_ranks(overview, blocks, scores, greater)
        _add_pairs(overview, duels(means, scores, blocks.models, greater), proposed)
        overview.scale = scale_of(scores, greater)
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


class Duel(NamedTuple):
    """Two models on the data sets that have both, over the splits they share there.

    `gains` is how much better the first is on each, as a share of the larger mean; `differences`
    is what tests see.
    """

    gains: np.ndarray
    differences: np.ndarray

    def turned(self) -> "Duel":
        """The same, from the side of the second."""
        return Duel(-self.gains, -self.differences)


def duels(
    means: Mapping[str, Mapping[str, float | None]],
    scores: Mapping[str, Mapping[str, Seeds]],
    models: Sequence[str],
    greater: bool,
) -> dict[tuple[str, str], Duel]:
    """Every two models that are ranked on a common data set."""
    ranked = {
        name: {model: seeds for model, seeds in table.items() if means[name].get(model) is not None}
        for name, table in scores.items()
    }
    scale = scale_of(ranked, greater)
    pairs = {pair: _pair_means(ranked, *pair) for pair in combinations(models, 2)}
    return {
        pair: Duel(
            gained := shares_gained(both[:, 0], both[:, 1], greater),
            (both[:, 0] - both[:, 1]).round(NOISE) if scale == "absolute" else gained,
        )
        for pair, both in pairs.items()
        if len(both)
    }


def _pair_means(scores: Mapping[str, Mapping[str, Seeds]], one: str, other: str) -> np.ndarray:
    """A row for each data set with both models: their means over the common splits."""
    tables = [table for table in scores.values() if one in table and other in table]
    common = [on_common(table[one], table[other]) for table in tables]
    rows = [[fmean(seeds.values()) for seeds in both] for both in common if both[0]]
    return np.array(rows).reshape(len(rows), 2)


def scale_of(scores: Mapping[str, Mapping[str, Seeds]], greater: bool) -> str:
    """How differences are made to mean the same on every data set.

    Scores of at most 1 that are to be large are taken as they are. Losses differ in size from
    data set to data set, so differences are shares of the larger of the two.
    """
    values = (x for table in scores.values() for seeds in table.values() for x in seeds.values())
    return "absolute" if greater and max(values, default=0.0) <= 1 else "relative"


def _add_ranks(
    overview: OverDatasets,
    blocks: Blocks,
    scores: Mapping[str, Mapping[str, Seeds]],
    greater: bool,
) -> None:
    """What rests on the ranks of all models, on the data sets that have them all."""
    n, k = len(blocks.datasets), len(blocks.models)
    whole = friedman(blocks.values, greater)
    if whole.p is not None:
        overview.friedman = Friedman(whole.statistic, whole.p, n, k)
    overview.note = whole.why
    overview.standings = standings(blocks, scores, greater)
    ranks = {model: row.rank for model, row in overview.standings.items()}
    distance = critical_difference(k, n, LEVEL)
    overview.nemenyi = Nemenyi(distance, nemenyi_groups(ranks, distance))


def _add_pairs(
    overview: OverDatasets, pairs: Mapping[tuple[str, str], Duel], proposed: str
) -> None:
    """What rests on two models at a time."""
    overview.pairs = [_pair_effect(*pair, duel) for pair, duel in pairs.items()]
    against = {
        (proposed, b if a == proposed else a): duel if a == proposed else duel.turned()
        for (a, b), duel in pairs.items()
        if proposed in (a, b)
    }
    most = max((len(duel.gains) for duel in against.values()), default=0)
    powerless = _powerless(most, len(against)) if against else None
    if not powerless:
        overview.control = _tested(_tests(against))
    overview.signed_rank = [_posterior(*pair, duel) for pair, duel in against.items()]
    overview.note = overview.note or powerless
    if len(overview.datasets) >= FEWEST_FOR_PAIRS:
        tests = _tests(pairs)
        overview.wilcoxon_holm = _tested(tests)
        ranks = {model: row.rank for model, row in overview.standings.items()}
        overview.groups = indistinct_groups(overview.models, tests, ranks)


def _pair_effect(a: str, b: str, duel: Duel) -> PairEffect:
    """One pair of the matrix: it does not change with the other models that are compared."""
    signs = np.sign(np.round(duel.gains, NOISE))
    wins, ties, losses = (int((signs == sign).sum()) for sign in (1, 0, -1))
    p = signed_rank_p(duel.differences)
    return PairEffect(a, b, float(duel.gains.mean()), wins, ties, losses, p)


def _tests(pairs: Mapping[tuple[str, str], Duel]) -> list[rethink.statistics.Pair]:
    return signed_rank_holm({pair: duel.differences for pair, duel in pairs.items()}, LEVEL)


def _tested(tests: Iterable[rethink.statistics.Pair]) -> list[Wilcoxon]:
    return [Wilcoxon(**test._asdict()) for test in tests]


def _posterior(a: str, b: str, duel: Duel) -> SignedRank:
    nothing = [0.0] * len(duel.differences)
    shares = signed_rank(duel.differences.tolist(), nothing, ROPE, True, SEED, SAMPLES)
    return SignedRank(a, b, *shares, rope=ROPE)


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


def _reasons(blocks: Blocks) -> list[str]:
    """Why data sets are left out, those with the same reason together."""
    names: dict[str, list[str]] = {}
    for row in blocks.left_out:
        names.setdefault(row.why, []).append(row.name)
    return [f"{listed(same)} ({why})" for why, same in names.items()]


def _powerless(n: int, tests: int) -> str | None:
    if smallest_p_holm(n, tests) < LEVEL:
        return None
    return (
        f"Wilcoxon's test is not shown: {counted(n, 'data set')} are too few for it to tell one "
        f"model from {counted(tests, 'other')} after Holm's correction. Look at the effects and "
        "their intervals."
    )
