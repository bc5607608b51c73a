"""What to use for a cost: the recommended model, its price beside the others, and its code."""

from collections.abc import Mapping
from typing import Any

from stages.common.recipe import snippet
from stages.common.schema import Advice, Comparison
from stages.common.standings import Setting
from stages.common.words import duration, listed
from stages.report.about import describe
from stages.report.figures import Spot, front
from stages.report.page_inputs import Inputs
from stages.report.table import Column, Entry, Figure, Table, name, number, simple, texts


def pick(inputs: Inputs, row: Advice) -> str:
    """What the recommended model is, and its CPU time."""
    model = inputs.params.models.get(row.recommended or "")
    seconds = {point.model: point.seconds for point in row.points}
    known = seconds.get(row.recommended or "")
    parts = [describe(model)] if model else []
    parts += [] if known is None else [f"{duration(known)} of CPU time a cell"]
    return "; ".join(parts)


def view(inputs: Inputs) -> dict[str, Any]:
    """For each cost what to use, with code to go on with."""
    comparison = inputs.comparison
    return {
        "advice": [
            {
                "cost": cost,
                "title": comparison.title(cost),
                "recommended": comparison.advice[cost].recommended,
                "why": comparison.advice[cost].why,
                "figure": price_figure(comparison, cost),
                "snippet": code_for(
                    inputs,
                    comparison.advice[cost].recommended,
                    comparison.chosen.get(cost, {}),
                    cost,
                ),
            }
            for cost in comparison.order.costs
            if cost in comparison.advice
        ],
    }


def price_figure(comparison: Comparison, cost: str) -> Figure | None:
    """Average rank against CPU time, with the models that no other beats in both."""
    row, title = comparison.advice[cost], comparison.title(cost)
    if all(point.seconds is None for point in row.points):
        return None
    unbeaten = [point.model for point in row.points if point.pareto]
    reading = (
        f"a filled dot is a model that no other beats in rank and time at once: {listed(unbeaten)}."
    )
    spots = [
        Spot(point.model, point.seconds, point.average_rank, point.pareto) for point in row.points
    ]
    drawing = front(spots, "Average rank against CPU time", chosen=row.recommended)
    caption = f"{title}: average rank against CPU time of a cell"
    return Figure(caption, [drawing], reading, _price_table(title, cost, row), captioned=False)


def _price_table(title: str, cost: str, row: Advice) -> Table:
    rows = [
        [
            name(point.model),
            number(point.average_rank, 2),
            Entry(duration(point.seconds), point.seconds),
            Entry("yes" if point.pareto else "no"),
        ]
        for point in sorted(row.points, key=lambda point: point.average_rank)
    ]
    columns = [*texts("Model"), Column("Average rank"), Column("CPU time of a cell")]
    columns += texts("No other beats it in both")
    return simple(f"{cost}-price", f"{title}: average rank and price of each model", columns, rows)


def code_for(
    inputs: Inputs, model: str | None, chosen: Mapping[str, Setting], cost: str
) -> str | None:
    """The code, or None where nothing is recommended that works on features."""
    entry = inputs.params.models.get(model or "")
    return None if entry is None or entry.input != "features" else snippet(entry, chosen, cost)
