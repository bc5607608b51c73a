"""Average ranks by either rule, and how a table follows the switch of empty predictions."""

from statistics import fmean
from typing import Any

from stages.common.schema import Comparison, CostTable
from stages.common.words import NONE, fixed
from stages.report.table import Column, Entry, Table, name, piece, simple, texts, void

RULES = ("mid-ranks", "paper-rule")

Averages = dict[str, dict[str, float | None]]  # by rule and model


def ranked(comparison: Comparison) -> list[str]:
    """The models that are ranked: all but the reference."""
    return [m for m in comparison.order.models if m not in comparison.reference]


def columns_of(comparison: Comparison, cost: CostTable) -> list[str]:
    """The data sets of a cost, in their order."""
    return [dataset for dataset in comparison.order.datasets if dataset in cost.datasets]


def averages(cost: CostTable, other: bool) -> Averages:
    """The average rank of each model, by mid-ranks and by the paper's rule."""
    overall = cost.under(other).average_ranks
    tables = [cost.datasets[dataset].models for dataset in overall.datasets]
    rounded: dict[str, float | None] = {}
    for model in overall.models:
        ranks = [table[model].under(other).paper_rule_rank for table in tables if model in table]
        known = [rank for rank in ranks if rank is not None]
        rounded[model] = fmean(known) if known and len(known) == len(ranks) else None
    return {"mid": overall.models, "paper": rounded}


def leaders(ranks: dict[str, float | None]) -> list[str]:
    """The models with the best average rank."""
    known = {model: rank for model, rank in ranks.items() if rank is not None}
    return [model for model, rank in known.items() if rank == min(known.values())]


def rank_entry(rules: Averages, model: str) -> Entry:
    """An average rank by either rule."""
    if rules["mid"].get(model) is None:
        return void("not ranked", NONE)
    choices = {
        rule: Entry(piece("starred", fixed(ranks[model], 2), model in leaders(ranks)), ranks[model])
        for rule, ranks in rules.items()
    }
    fields = dict(zip(RULES, (rules["mid"][model], rules["paper"][model]), strict=True))
    return Entry(piece("switched", "rank", choices), rules["mid"][model], fields=fields)


def rank_table(comparison: Comparison, other: bool) -> Table:
    """The average rank of every model by every cost."""
    costs = comparison.order.costs
    rules = {cost: averages(comparison.costs[cost], other) for cost in costs}
    columns = [Column(comparison.title(cost), fields=RULES, link=f"cost-{cost}") for cost in costs]
    rows = [
        [name(model), *(rank_entry(rules[cost], model) for cost in costs)]
        for model in ranked(comparison)
    ]
    file, caption = titled(
        "average-ranks",
        "Average rank of each model by cost",
        other if comparison.empty.matters else None,
    )
    return simple(file, caption, [*texts("Model"), *columns], rows, direction="down")


def titled(file: str, caption: str, other: bool | None) -> tuple[str, str]:
    """File and caption, with the value of empty against empty where it makes a difference."""
    if other is None:
        return file, caption
    worth = 0 if other else 1
    suffix = f"-empty-{worth}" if other else ""
    return file + suffix, f"{caption}; an empty prediction for an empty row counts as {worth}"


def titled_of(cost: CostTable, file: str, caption: str, other: bool) -> tuple[str, str]:
    """File and caption of a table of one cost."""
    return titled(file, f"{cost.title}{caption}", other if cost.other_empty else None)


def conventions(differs: object) -> list[tuple[bool, str]]:
    """For each value of an empty prediction for an empty row: is it the other, and its class."""
    return [(False, "empty-1"), (True, "empty-0")] if differs else [(False, "")]


def view(comparison: Comparison) -> dict[str, Any]:
    """The table of average ranks, under each value of empty against empty."""
    both = bool(comparison.empty.matters)
    tables = [(when, rank_table(comparison, other)) for other, when in conventions(both)]
    return {"both": both, "tables": tables, "reference": comparison.reference}
