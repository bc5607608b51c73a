"""The main tables: for each cost every model on every data set, its place and its seeds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from rethink.statistics import NOISE, average_ranks, beats, best_of, midranks, paper_ranks
from stages.common.schema import (
    AverageRanks,
    Beside,
    CostTable,
    DatasetTable,
    Overall,
    Place,
    PrintedScore,
    Score,
)
from stages.compare.evidence import Evidence
from stages.compare.numbers import (
    DEFAULT_EMPTY,
    OTHER_EMPTY,
    decimals_of,
    errors_apart,
    on_common,
    share_gained,
    summary,
)
from stages.compare.scores import Ending, Seeds
from stages.compare.significance import over_datasets, pairwise_tests

MORE_DECIMALS = 2  # than the paper prints

Table = dict[str, dict[str, Seeds]]  # data set -> model -> seed -> score


def cost_table(evidence: Evidence, cost: str) -> CostTable:
    """One cost: a table of data sets and models, average ranks and tests."""
    values, others = (seed_table(evidence, cost, empty) for empty in (DEFAULT_EMPTY, OTHER_EMPTY))
    datasets = {name: _dataset(evidence, cost, name, values[name], others[name]) for name in values}
    places: Mapping[str, Mapping[str, Place]] = {name: t.models for name, t in datasets.items()}
    other_places = {
        name: {model: row.other_empty or row for model, row in table.models.items()}
        for name, table in datasets.items()
    }
    overall = _overall(evidence, cost, places, values)
    return CostTable(
        **vars(overall),
        title=evidence.title(cost),
        greater_is_better=evidence.greater(cost),
        datasets=datasets,
        other_empty=_overall(evidence, cost, other_places, others) if others != values else None,
    )


def seed_table(evidence: Evidence, cost: str, empty: float = DEFAULT_EMPTY) -> Table:
    """Scores of the experiment `algorithms` by data set, model and seed, as far as planned."""
    algorithms = evidence.experiment("algorithms")
    table = {
        dataset: {
            model: evidence.scores.seeds(dataset, model, cost, empty=empty)
            for model in algorithms.models
            if evidence.scores.planned(dataset, model, cost)
        }
        for dataset in algorithms.datasets
    }
    return {dataset: models for dataset, models in table.items() if models}


def _dataset(
    evidence: Evidence,
    cost: str,
    dataset: str,
    values: Mapping[str, Seeds],
    others: Mapping[str, Seeds],
) -> DatasetTable:
    printed = evidence.paper.algorithms(evidence.paper_name(dataset), cost)
    decimals = decimals_of(printed, (x for seeds in values.values() for x in seeds.values()))
    cells = {model: evidence.scores.planned(dataset, model, cost) for model in values}
    places = _places(evidence, cost, values, cells, decimals)
    ranked = {m: row.common_mean for m, row in places.items() if row.common_mean is not None}
    other = _places(evidence, cost, others, cells, decimals) if others != values else {}
    return DatasetTable(
        decimals=telling(decimals, list(ranked.values())),
        paper_decimals=decimals,
        splits=len(common_splits(values, ranked_models(evidence, values, cells))),
        gains=_gains(evidence, cost, {model: values[model] for model in ranked}),
        paper_name=evidence.paper_name(dataset),
        paper=printed,
        models={
            model: Score(
                **vars(places[model]),
                seeds={str(seed): values[model].get(seed) for seed in cells[model]},
                statuses=dict(sorted(Counter(c.status for c in cells[model].values()).items())),
                reasons=list(dict.fromkeys(c.reason for c in cells[model].values() if c.reason)),
                other_empty=other.get(model),
                printed=_beside(places[model], printed, model, decimals),
            )
            for model in values
        },
    )


def telling(decimals: int, means: Sequence[float]) -> int:
    """Decimals that tell unequal means apart: those of the paper, and at most two more."""
    distinct = len({round(mean, NOISE) for mean in means})
    for more in range(MORE_DECIMALS):
        if len({round(mean, decimals + more) for mean in means}) == distinct:
            return decimals + more
    return decimals + MORE_DECIMALS


def _gains(evidence: Evidence, cost: str, scores: Mapping[str, Seeds]) -> dict[str, float]:
    """Against the proposed model, over the splits that the two share."""
    own = scores.get(evidence.roles.proposed, {})
    greater = evidence.greater(cost)
    pairs = {model: on_common(seeds, own) for model, seeds in scores.items()}
    return {
        model: share_gained(fmean(seeds.values()), fmean(mine.values()), greater)
        for model, (seeds, mine) in pairs.items()
        if seeds
    }


def _places(
    evidence: Evidence,
    cost: str,
    values: Mapping[str, Seeds],
    planned: Mapping[str, Mapping[int, Ending]],
    digits: int,
) -> dict[str, Place]:
    """Mean, standard error and ranks of each model; only those with every seed are ranked."""
    greater, roles = evidence.greater(cost), evidence.roles
    rows = {model: summary(seeds) for model, seeds in values.items()}
    ranked = ranked_models(evidence, values, planned)
    common = common_splits(values, ranked)
    # a model that lacks a seed has no rank, but while it leads no other is called the best
    shared = {
        model: summary({seed: seeds[seed] for seed in common if seed in seeds})
        for model, seeds in values.items()
    }
    means = {model: row.mean for model, row in shared.items() if row.mean is not None}
    ours = [means[model] for model in ranked]
    mid = dict(zip(ranked, midranks(ours, greater), strict=True))
    rounded = dict(zip(ranked, paper_ranks(ours, greater, digits), strict=True))
    lead = best_of((means[model] for model in means if model not in roles.reference), greater)
    bar = best_of((means[model] for model in ranked if model in roles.trivial), greater)
    return {
        model: Place(
            mean=rows[model].mean,
            ste=rows[model].ste,
            n=rows[model].n,
            planned=len(planned[model]),
            common_mean=means[model] if model in mid else None,
            common_ste=shared[model].ste if model in mid else None,
            rank=mid.get(model),
            paper_rule_rank=rounded.get(model),
            best=lead is not None and model in mid and not beats(lead, means[model], greater),
            beats_trivial=beats(means[model], bar, greater)
            if model in mid and model not in roles.trivial and bar is not None
            else None,
        )
        for model in values
    }


def ranked_models(
    evidence: Evidence, values: Mapping[str, Seeds], planned: Mapping[str, Mapping[int, Ending]]
) -> list[str]:
    """The models of a data set with every planned seed; the reference is never ranked."""
    return [
        model
        for model, seeds in values.items()
        if seeds and len(seeds) == len(planned[model]) and model not in evidence.roles.reference
    ]


def common_splits(values: Mapping[str, Seeds], models: Sequence[str]) -> list[int]:
    """The seeds that all of some models have: a mean over others is of another task."""
    return sorted(set.intersection(*(set(values[model]) for model in models))) if models else []


def _beside(
    ours: Place, printed: Sequence[PrintedScore], model: str, decimals: int
) -> Beside | None:
    """The paper's number for the same model and how far ours is from it."""
    row = next((row for row in printed if row.model == model), None)
    if row is None or row.mean is None:
        return None
    gap = None if ours.mean is None else ours.mean - row.mean
    errors = errors_apart(ours, row, decimals) if row.comparable else None
    return Beside(**vars(row), difference=gap, standard_errors=errors)


def _overall(
    evidence: Evidence, cost: str, places: Mapping[str, Mapping[str, Place]], values: Table
) -> Overall:
    ranks = {name: {m: row.rank for m, row in table.items()} for name, table in places.items()}
    averages, used = average_ranks(ranks)
    reference = evidence.roles.reference
    means = {
        name: {model: row.common_mean for model, row in table.items() if model not in reference}
        for name, table in places.items()
    }
    greater = evidence.greater(cost)
    scores = {
        name: {model: seeds for model, seeds in table.items() if model not in reference}
        for name, table in values.items()
    }
    return Overall(
        average_ranks=AverageRanks(averages, used, [name for name in ranks if name not in used]),
        over_datasets=over_datasets(means, scores, greater, evidence.roles.proposed),
        tests=pairwise_tests(scores, greater),
    )
