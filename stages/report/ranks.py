"""Average ranks by either rule, and which score a switch shows."""

from statistics import fmean

from stages.report.tables import (
    Cell,
    Column,
    Json,
    Table,
    name,
    simple,
    starred,
    switched,
    void,
    words,
)
from stages.report.text import fixed

RULES = ("mid-ranks", "paper-rule")


def ranked(comparison: Json) -> list[str]:
    """The models that are ranked: all but the reference."""
    return [m for m in comparison["order"]["models"] if m not in comparison["reference"]]


def columns_of(comparison: Json, cost: Json) -> list[str]:
    """The data sets of a cost, in their order."""
    return [dataset for dataset in comparison["order"]["datasets"] if dataset in cost["datasets"]]


def shown(found: Json, other: bool) -> Json:
    """A score under the chosen value of empty against empty."""
    return (other and found["other_empty"]) or found


def view(cost: Json, other: bool) -> Json:
    """Ranks and tests under the chosen value of empty against empty."""
    return (other and cost["other_empty"]) or cost


def averages(cost: Json, other: bool) -> dict[str, dict[str, float | None]]:
    """The average rank of each model, by mid-ranks and by the paper's rule."""
    found = view(cost, other)["average_ranks"]
    rounded: dict[str, float | None] = {}
    for model in found["models"]:
        ranks = [
            shown(cost["datasets"][dataset]["models"][model], other)["paper_rule_rank"]
            for dataset in found["datasets"]
            if model in cost["datasets"][dataset]["models"]
        ]
        rounded[model] = None if not ranks or None in ranks else fmean(ranks)
    return {"mid": found["models"], "paper": rounded}


def leaders(ranks: dict[str, float | None]) -> list[str]:
    """The models with the best average rank."""
    known = {model: rank for model, rank in ranks.items() if rank is not None}
    return [model for model, rank in known.items() if rank == min(known.values())]


def rank_cell(rules: dict[str, dict[str, float | None]], model: str) -> Cell:
    """An average rank by either rule."""
    if rules["mid"].get(model) is None:
        return void("not ranked", "–")
    choices = {
        rule: Cell(starred(fixed(ranks[model], 2), model in leaders(ranks)), ranks[model])
        for rule, ranks in rules.items()
    }
    fields = dict(zip(RULES, (rules["mid"][model], rules["paper"][model]), strict=True))
    return Cell(switched("rank", choices), rules["mid"][model], fields=fields)


def rank_table(comparison: Json, other: bool) -> Table:
    """The average rank of every model by every cost."""
    costs = comparison["order"]["costs"]
    rules = {cost: averages(comparison["costs"][cost], other) for cost in costs}
    columns = [
        Column(comparison["costs"][cost]["title"], fields=RULES, link=f"cost-{cost}")
        for cost in costs
    ]
    rows = [
        [name(model), *(rank_cell(rules[cost], model) for cost in costs)]
        for model in ranked(comparison)
    ]
    file, caption = titled(
        "average-ranks",
        "Average rank of each model by cost",
        other if comparison["empty"]["matters"] else None,
    )
    return simple(file, caption, [words("Model"), *columns], rows, direction="down")


def titled(file: str, caption: str, other: bool | None) -> tuple[str, str]:
    """File and caption, with the value of empty against empty where it makes a difference."""
    if other is None:
        return file, caption
    worth = 0 if other else 1
    suffix = f"-empty-{worth}" if other else ""
    return file + suffix, f"{caption}; an empty prediction for an empty row counts as {worth}"


def conventions(differs: object) -> list[tuple[bool, str]]:
    """For each value of empty against empty: whether it is the other one, and its class."""
    return [(False, "empty-1"), (True, "empty-0")] if differs else [(False, "")]


def view_of(comparison: Json) -> Json:
    """The table of average ranks, under each value of empty against empty."""
    both = bool(comparison["empty"]["matters"])
    tables = [(when, rank_table(comparison, other)) for other, when in conventions(both)]
    return {"both": both, "tables": tables}
