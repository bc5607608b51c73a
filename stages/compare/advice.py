"""Which model to use for a cost: the best by average rank, or a cheaper one that ties with it."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from rethink.statistics import holm
from stages.common.schema import Advice, CostTable, Price
from stages.common.words import counted, duration, sentence
from stages.compare.evidence import Evidence, Roles
from stages.compare.numbers import FEWEST_DATASETS, LEVEL, ROPE, mean_of, share_gained

CHEAPER = 0.5  # a model that ties with the best is taken if it needs at most this share of its time


def advice(evidence: Evidence, costs: Mapping[str, CostTable]) -> dict[str, Advice]:
    """For each cost the recommended model, why, and rank against time of all."""
    return {cost: _advise(evidence, cost, table) for cost, table in costs.items()}


def _advise(evidence: Evidence, cost: str, table: CostTable) -> Advice:
    roles, used = evidence.roles, table.average_ranks.datasets
    ranks = {
        model: rank
        for model, rank in table.average_ranks.models.items()
        if rank is not None and model not in roles.reference
    }
    points = pareto({m: (ranks[m], _seconds(evidence, m, cost, used)) for m in ranks})
    if not ranks:
        why = "No data set has every seed of every model, so there are no average ranks."
        return Advice(None, why, points)
    usable = candidates(roles, ranks)
    best = min(usable, key=lambda model: ranks[model])
    chosen = cheapest(best, _ties(table, best, usable), points)
    why = sentence(
        _reason(chosen, best, points, used),
        "Nothing that looks at the features beats it." if chosen in roles.trivial else None,
        f"On {counted(len(used), 'data set')} only: a hint, not a verdict."
        if len(used) < FEWEST_DATASETS
        else None,
    )
    return Advice(chosen, why, points)


def candidates(roles: Roles, ranks: Mapping[str, float]) -> list[str]:
    """Models one may use: not one known to be wrong; a trivial one only if nothing beats it."""
    usable = [m for m in ranks if m not in roles.of("audit")]
    trained = [m for m in usable if m not in roles.trivial]
    bar = min((ranks[m] for m in usable if m in roles.trivial), default=float("inf"))
    return trained if any(ranks[m] < bar for m in trained) else usable or list(ranks)


def pareto(models: Mapping[str, tuple[float, float | None]]) -> list[Price]:
    """Models by rank and seconds; marked are those that no other beats in both at once."""
    known = [(rank, seconds) for rank, seconds in models.values() if seconds is not None]

    def unbeaten(rank: float, seconds: float) -> bool:
        return not any(r <= rank and s <= seconds and (r, s) != (rank, seconds) for r, s in known)

    return [
        Price(model, rank, seconds, seconds is not None and unbeaten(rank, seconds))
        for model, (rank, seconds) in models.items()
    ]


def _seconds(evidence: Evidence, model: str, cost: str, datasets: Sequence[str]) -> float | None:
    """The mean over data sets of a cell's time there, however many splits each has."""
    cells = (evidence.seconds.get((dataset, model, cost), {}) for dataset in datasets)
    return mean_of([fmean(cell.values()) for cell in cells if cell])


def _ties(table: CostTable, best: str, models: Sequence[str]) -> list[str]:
    """Models that tie with the best: it gains less than 1 %, and no test tells them apart."""
    pairs = [pair for pair in table.over_datasets.pairs if best in (pair.a, pair.b)]
    worse = {
        pair.b if pair.a == best else pair.a
        for pair, p in zip(pairs, holm([pair.p for pair in pairs]), strict=True)
        if p < LEVEL
    }
    return [
        model
        for model in models
        if model != best and model not in worse and _behind(table, best, model) < ROPE
    ]


def _behind(table: CostTable, best: str, model: str) -> float:
    rows = (table.datasets[dataset].models for dataset in table.average_ranks.datasets)
    means = ((row[best].common_mean, row[model].common_mean) for row in rows)
    return fmean(
        share_gained(one or 0.0, other or 0.0, table.greater_is_better) for one, other in means
    )


def cheapest(best: str, tied: Sequence[str], points: Sequence[Price]) -> str:
    """The cheapest of those that tie with the best, if it takes half of the time at most."""
    seconds = {point.model: point.seconds for point in points if point.seconds is not None}
    if best not in seconds:
        return best
    cheap = [m for m in tied if m in seconds and seconds[m] <= CHEAPER * seconds[best]]
    return min(cheap, key=lambda model: seconds[model], default=best)


def _reason(chosen: str, best: str, points: Sequence[Price], used: Sequence[str]) -> str:
    prices = {point.model: point for point in points}
    one, other = prices[chosen], prices[best]
    if chosen == best:
        price = "" if one.seconds is None else f", at {duration(one.seconds)} of CPU time a cell"
        return (
            f"{chosen} has the best average rank, {one.average_rank:.2f} over "
            f"{counted(len(used), 'data set')}{price}."
        )
    part = f"1/{(other.seconds or 0.0) / one.seconds:,.0f}" if one.seconds else "none"
    return (
        f"{chosen} (average rank {one.average_rank:.2f}) ties with {best} "
        f"({other.average_rank:.2f}) at {part} of the time: {duration(one.seconds)} of CPU time a "
        f"cell against {duration(other.seconds)}."
    )
