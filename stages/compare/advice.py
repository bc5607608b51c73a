"""What to use for a cost: the best average rank, unless as good is to be had for less time."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from stages.common.words import counted
from stages.compare.evidence import Evidence
from stages.compare.names import (
    FEWEST_DATASETS,
    PUBLISHED_PCC,
    REFERENCE,
    ROPE,
    TRIVIAL,
    Json,
)
from stages.compare.numbers import share_gained
from stages.compare.words import sentence, short

CHEAPER = 0.5  # of the time: only then is a tie with the best worth a change


def advice(evidence: Evidence, costs: Mapping[str, Json]) -> dict[str, Json]:
    """For each cost the recommended model, why, and rank against time of all."""
    return {cost: _advise(evidence, cost, table) for cost, table in costs.items()}


def _advise(evidence: Evidence, cost: str, table: Json) -> Json:
    averages = table["average_ranks"]
    used = averages["datasets"]
    ranks = {m: r for m, r in averages["models"].items() if r is not None and m not in REFERENCE}
    points = pareto(
        [
            {"model": model, "average_rank": rank, "seconds": _seconds(evidence, model, cost, used)}
            for model, rank in ranks.items()
        ]
    )
    if not ranks:
        why = "No data set has every seed of every model, so there are no average ranks."
        return {"recommended": None, "why": why, "points": points}
    best = min(_candidates(ranks), key=lambda model: ranks[model])
    tied = _ties(table, best, _candidates(ranks))
    chosen = _cheapest(best, tied, points)
    why = sentence(
        _reason(chosen, best, points, used),
        "Nothing that looks at the features beats it." if chosen in TRIVIAL else None,
        f"On {counted(len(used), 'data set')} only: a hint, not a verdict."
        if len(used) < FEWEST_DATASETS
        else None,
    )
    return {"recommended": chosen, "why": why, "points": points}


def _candidates(ranks: Mapping[str, float]) -> list[str]:
    """Models one may use: not one known to be wrong; a trivial one only if nothing beats it."""
    usable = [m for m in ranks if m != PUBLISHED_PCC]
    trained = [m for m in usable if m not in TRIVIAL]
    bar = min((ranks[m] for m in usable if m in TRIVIAL), default=float("inf"))
    return trained if any(ranks[m] < bar for m in trained) else usable or list(ranks)


def pareto(points: Sequence[Json]) -> list[Json]:
    """Mark the points that no other beats in rank and time at once."""

    def beaten(one: Json) -> bool:
        return any(
            other["seconds"] is not None
            and other["average_rank"] <= one["average_rank"]
            and other["seconds"] <= one["seconds"]
            and (other["average_rank"], other["seconds"]) != (one["average_rank"], one["seconds"])
            for other in points
        )

    return [p | {"pareto": p["seconds"] is not None and not beaten(p)} for p in points]


def _seconds(evidence: Evidence, model: str, cost: str, datasets: Sequence[str]) -> float | None:
    found = [
        second
        for dataset in datasets
        for second in evidence.seconds.get((dataset, model, cost), {}).values()
    ]
    return fmean(found) if found else None


def _ties(table: Json, best: str, models: Sequence[str]) -> list[str]:
    """Models the best gains less than 1 % on, on average, and that no test tells apart from it."""
    worse = {
        row["b"] if row["better"] == row["a"] else row["a"]
        for row in table["over_datasets"]["wilcoxon_holm"]
        if row["better"] == best
    }
    return [
        model
        for model in models
        if model != best and model not in worse and _behind(table, best, model) < ROPE
    ]


def _behind(table: Json, best: str, model: str) -> float:
    greater = table["greater_is_better"]
    return fmean(
        share_gained(row[best]["mean"], row[model]["mean"], greater)
        for dataset in table["average_ranks"]["datasets"]
        for row in [table["datasets"][dataset]["models"]]
    )


def _cheapest(best: str, tied: Sequence[str], points: Sequence[Json]) -> str:
    seconds = {p["model"]: p["seconds"] for p in points if p["seconds"] is not None}
    if best not in seconds:
        return best
    cheap = [m for m in tied if m in seconds and seconds[m] <= CHEAPER * seconds[best]]
    return min(cheap, key=lambda model: seconds[model], default=best)


def _reason(chosen: str, best: str, points: Sequence[Json], used: Sequence[str]) -> str:
    seconds = {point["model"]: point["seconds"] for point in points}
    ranks = {point["model"]: point["average_rank"] for point in points}
    price = seconds[chosen]
    if chosen == best:
        paid = "" if price is None else f", at {short(price)} s of CPU time a cell"
        return (
            f"{chosen} has the best average rank, {ranks[best]:.2f} over "
            f"{counted(len(used), 'data set')}{paid}."
        )
    return (
        f"{chosen} (average rank {ranks[chosen]:.2f}) ties with {best} ({ranks[best]:.2f}) at "
        f"{_part(price, seconds[best])}: {short(price)} s of CPU time a cell against "
        f"{short(seconds[best])} s."
    )


def _part(price: float, full: float) -> str:
    return f"1/{full / price:,.0f} of the time" if price else "no time at all"
