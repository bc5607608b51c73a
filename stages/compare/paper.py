"""The paper against this run: every printed number of the main table that was run again."""

from collections.abc import Iterable, Iterator, Mapping

from stages.compare.conventions import as_printed
from stages.compare.evidence import Evidence
from stages.compare.flaws.touched import known_flaw
from stages.compare.names import Json
from stages.compare.numbers import errors_apart, near


def paper_section(evidence: Evidence) -> Json:
    """All printed numbers with ours beside them, and how many agree for each cost."""
    algorithms = evidence.experiment("algorithms")
    rows = [
        row
        for cost in algorithms.costs
        for dataset in algorithms.datasets
        for row in _rows(evidence, dataset, cost)
    ]
    costs = dict.fromkeys(row["cost"] for row in rows)
    return {
        "rows": rows,
        "summary": {cost: _summary(row for row in rows if row["cost"] == cost) for cost in costs},
    }


def _rows(evidence: Evidence, dataset: str, cost: str) -> Iterator[Json]:
    printed = {
        row["model"]: row
        for row in evidence.paper.algorithms(evidence.paper_name(dataset), cost)
        if row["mean"] is not None
    }
    ours = {model: as_printed(evidence, dataset, cost, model) for model in printed}
    for model, row in printed.items():
        mean, empty = ours[model]
        z = errors_apart(mean, row, evidence.decimals(dataset, cost))
        sides = same_sides(model, printed, {name: found for name, (found, _) in ours.items()})
        puzzling = (z is not None and not near(z)) or bool(sides["disagree"])
        yield {
            "dataset": dataset,
            "cost": cost,
            "model": model,
            "printed": {key: row[key] for key in ("mean", "ste", "rank")},
            "ours": mean if mean["n"] else None,
            "z": z,
            "empty": empty,
            "comparisons": sides,
            "flaw": known_flaw(evidence, dataset, cost, model) if puzzling else None,
        }


def same_sides(model: str, printed: Mapping[str, Json], ours: Mapping[str, Json]) -> Json:
    """With how many other models the comparison comes out as printed; printed ties agree."""
    if ours[model]["mean"] is None:
        return {"agree": 0, "of": 0, "disagree": []}
    others = [name for name in printed if name != model and ours[name]["mean"] is not None]
    wrong = []
    for other in others:
        said = printed[model]["mean"] - printed[other]["mean"]
        found = ours[model]["mean"] - ours[other]["mean"]
        if said * found < 0 or (said != 0 and found == 0):
            wrong.append(other)
    return {"agree": len(others) - len(wrong), "of": len(others), "disagree": wrong}


def _summary(rows: Iterable[Json]) -> Json:
    ran = [row for row in rows if row["ours"]]
    return {
        "numbers": len(ran),
        "within_2": sum(near(row["z"]) for row in ran),
        "same_side": sum(row["comparisons"]["agree"] for row in ran),
        "comparisons": sum(row["comparisons"]["of"] for row in ran),
    }
