"""All models over all data sets: Friedman, Nemenyi, Wilcoxon with Holm, Bayesian signed ranks."""

from collections.abc import Mapping, Sequence

from rethink.statistics import (
    Blocks,
    complete_blocks,
    critical_difference,
    friedman,
    indistinct_groups,
    mean_ranks,
    nemenyi_groups,
    signed_rank,
    smallest_p_holm,
    wilcoxon_holm,
)
from stages.common.words import counted
from stages.compare.names import LEVEL, PROPOSED, ROPE, Json

SEED, SAMPLES = 20190917, 50_000  # of the posterior
FEWEST_MODELS, FEWEST_SETS = 3, 2  # of a Friedman test and a critical difference


def over_datasets(means: Mapping[str, Mapping[str, float | None]], greater: bool) -> Json:
    """What can be said over data sets from the mean scores; `why` tells if nothing can."""
    blocks = complete_blocks(means)
    dropped = [row for row in blocks.left_out if row.kind == "dataset"]
    found: Json = {
        "models": blocks.models,
        "datasets": blocks.datasets,
        "left_out": [row.name for row in dropped],
        "left_out_why": [f"{row.name}: {row.why}" for row in blocks.left_out],
        "scale": "absolute",
        "friedman": None,
        "nemenyi": None,
        "wilcoxon_holm": [],
        "signed_rank": [],
        "groups": [],
        "note": None,
        "why": why_nothing(blocks),
    }
    return found if found["why"] else found | _tests(blocks, greater)


def why_nothing(blocks: Blocks) -> str | None:
    """Why no test over data sets is possible, if so."""
    n, k = len(blocks.datasets), len(blocks.models)
    if k < FEWEST_MODELS:
        return f"needs at least {FEWEST_MODELS} models with scores, there are {k}"
    if n < FEWEST_SETS:
        return (
            f"needs at least {FEWEST_SETS} data sets on which every model has all its seeds, "
            f"there {'is' if n == 1 else 'are'} {n}"
        )
    return None


def _tests(blocks: Blocks, greater: bool) -> Json:
    n, k = len(blocks.datasets), len(blocks.models)
    whole = friedman(blocks.values, greater)
    ranks = dict(zip(blocks.models, mean_ranks(blocks.values, greater), strict=True))
    distance = critical_difference(k, n, LEVEL)
    scale, values = comparable(blocks.values, greater)
    pairs = wilcoxon_holm(values, blocks.models, greater, LEVEL)
    return {
        "scale": scale,
        "friedman": None
        if whole.p is None
        else {"statistic": whole.statistic, "p": whole.p, "n": n, "k": k},
        "nemenyi": {"cd": distance, "groups": nemenyi_groups(ranks, distance)},
        "wilcoxon_holm": [pair._asdict() for pair in pairs],
        "signed_rank": _posterior(values, blocks.models, greater),
        "groups": indistinct_groups(blocks.models, pairs, ranks),
        "note": whole.why or _powerless(n, k),
    }


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


def _posterior(values: list[list[float]], models: list[str], greater: bool) -> list[Json]:
    if PROPOSED not in models:
        return []
    columns = dict(zip(models, zip(*values, strict=True), strict=True))
    return [
        {
            "a": PROPOSED,
            "b": other,
            **signed_rank(
                columns[PROPOSED], columns[other], ROPE, greater, SEED, SAMPLES
            )._asdict(),
            "rope": ROPE,
        }
        for other in models
        if other != PROPOSED
    ]


def _powerless(n: int, k: int) -> str | None:
    if smallest_p_holm(n, k) < LEVEL:
        return None
    return (
        f"On {counted(n, 'data set')} no result could tell two of {k} models apart by "
        "Wilcoxon's test with Holm's correction; look at the average ranks and the critical "
        "difference."
    )
