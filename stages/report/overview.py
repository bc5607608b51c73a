"""All results at a glance: every model on every data set, against the proposed one."""

from stages.common.schema import Comparison, CostTable
from stages.common.words import change, isolated, listed
from stages.report.figures import heat
from stages.report.ranks import columns_of, ranked
from stages.report.sections import View
from stages.report.table import Column, Entry, Figure, Table, name, simple, texts, void

LIMIT = 25.0  # percent; a larger difference has the colour of the end


def view(comparison: Comparison) -> View:
    """A drawing for each cost, side by side."""
    own = isolated(comparison.proposed)
    models = {cost: _models(comparison, cost) for cost in comparison.order.costs}
    known = {cost: names for cost, names in models.items() if names}
    if not known:
        return View(intro=[f"{own} has no result beside another model."])
    reading = (
        f"blue is better than {own}, orange with a dash is worse, as a share of the larger score; "
        f"the colours end at {LIMIT:g} %. A cross is a model that is missing there or lacks "
        "a planned split."
    )
    single = [name for name, count in comparison.splits.items() if count == 1]
    if single:
        reading += f" One split only: {listed(single)}; such a colour may be chance."
    caption = f"Gain over {comparison.proposed}, in percent"
    drawings = [_drawing(comparison, cost, names) for cost, names in known.items()]
    return View(
        intro=[
            f"How much better or worse than {own} each model is, on every data set. The models "
            "with the best average ranks stand at the top."
        ],
        figures=[Figure(caption, drawings, reading, _table(comparison, known, caption))],
    )


def _models(comparison: Comparison, cost_name: str) -> list[str]:
    """The ranked models but the proposed one, by their average rank."""
    cost = comparison.costs[cost_name]
    averages = cost.average_ranks.models
    rivals = {model for table in cost.datasets.values() for model in table.gains}
    models = [m for m in ranked(comparison) if m in rivals and m != comparison.proposed]
    return sorted(models, key=lambda model: averages.get(model) or float("inf"))


def _drawing(comparison: Comparison, cost_name: str, models: list[str]) -> str:
    cost = comparison.costs[cost_name]
    datasets = columns_of(comparison, cost)
    matrix = [[_percent(cost, dataset, model) for dataset in datasets] for model in models]
    return heat(matrix, models, cost.title, "model", "data set", LIMIT, 1, columns=datasets)


def _percent(cost: CostTable, dataset: str, model: str) -> float | None:
    gain = cost.datasets[dataset].gains.get(model)
    return None if gain is None else 100 * gain


def _table(comparison: Comparison, models: dict[str, list[str]], caption: str) -> Table:
    datasets = comparison.order.datasets
    rows = [
        [
            name(comparison.title(cost)),
            name(model),
            *(_gain(comparison.costs[cost], dataset, model) for dataset in datasets),
        ]
        for cost, names in models.items()
        for model in names
    ]
    columns = [*texts("Cost", "Model"), *(Column(dataset, named=True) for dataset in datasets)]
    return simple("gains", caption, columns, rows)


def _gain(cost: CostTable, dataset: str, model: str) -> Entry:
    table = cost.datasets.get(dataset)
    gain = table.gains.get(model) if table else None
    return void("not every planned split") if gain is None else Entry(change(gain), gain)
