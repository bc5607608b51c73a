"""What a reader must know before any number."""

from collections import defaultdict
from collections.abc import Iterable

from stages.common.words import isolated, listed
from stages.report.runs import failed_lines
from stages.report.tables import Json


def alerts(context: Json) -> dict[str, list[str]]:
    """Lines by kind; the template says what each kind means."""
    comparison = context["comparison"]
    return {
        "failed": failed_lines(comparison["failures"]),
        "devices": list(_mixed_devices(context["runs"])),
        "trivial": list(_behind_trivial(comparison)),
        "empty": list(_empty_matters(comparison, context["cards"])),
        "validation": [
            f"{isolated(dataset)}: {check['text']} – found {check['observed']}"
            for dataset, validation in context["validations"].items()
            for check in validation["checks"]
            if check["status"] != "ok"
        ],
    }


def _mixed_devices(runs: Iterable[Json]) -> Iterable[str]:
    models: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        models[run["device"]].add(run["model"])
    for device in sorted(models) if len(models) > 1 else ():
        yield f"{device}: {listed(sorted(models[device]))}"


def _behind_trivial(comparison: Json) -> Iterable[str]:
    for name in comparison["order"]["costs"]:
        cost = comparison["costs"][name]
        for model in comparison["order"]["models"]:
            sets = [
                dataset
                for dataset in comparison["order"]["datasets"]
                if _beats_trivial(cost, dataset, model) is False
            ]
            if sets:
                yield f"{isolated(model)} by {cost['title']} on {listed(sets)}"


def _beats_trivial(cost: Json, dataset: str, model: str) -> bool | None:
    models = cost["datasets"].get(dataset, {"models": {}})["models"]
    return models[model]["beats_trivial"] if model in models else None


def _empty_matters(comparison: Json, cards: dict[str, Json]) -> Iterable[str]:
    for dataset in comparison["order"]["datasets"]:
        costs = comparison["empty"]["matters"].get(dataset)
        if costs:
            card = cards[dataset]
            titles = listed(comparison["costs"][cost]["title"] for cost in costs)
            empty = f"{card['empty']:,} of {card['instances']:,} rows are empty"
            yield f"{isolated(dataset)}: {empty} ({titles})"


def view(context: Json) -> Json:
    """The lines, and how much smaller this run is than the paper's."""
    params = context["params"]
    thinned = None if params["profile"] == "paper" else params
    return {
        "lines": alerts(context),
        "thinned": thinned,
        "failed": len(context["comparison"]["failures"]),
    }
