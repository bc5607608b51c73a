"""The whole comparison, from the evidence to what comparison.json holds."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from stages.common.outcomes import Mean, Number
from stages.common.schema import (
    Agreement,
    Comparison,
    CostTable,
    Empty,
    Failure,
    Order,
    PaperBeside,
    PaperRow,
    PrintedRank,
    Sides,
)
from stages.compare.advice import advice
from stages.compare.audit import flaws, known_flaw
from stages.compare.cost_tables import cost_table
from stages.compare.evidence import Evidence
from stages.compare.experiments import claims, sections
from stages.compare.numbers import DEFAULT_EMPTY, LEVEL, OTHER_EMPTY, errors_apart, near


def compare(evidence: Evidence) -> Comparison:
    """All that is said of the models; each is judged by the cost it was trained for."""
    tables = {cost: cost_table(evidence, cost) for cost in evidence.experiment("algorithms").costs}
    costs = {cost: table for cost, table in tables.items() if table.datasets}
    parts = sections(evidence)
    order = _order(evidence, costs)
    statuses = Counter(
        cell.status for cells in evidence.scores.cells.values() for cell in cells.values()
    )
    return Comparison(
        order=order,
        reference=[model for model in order.models if model in evidence.roles.reference],
        seeds=len({seed for cells in evidence.scores.cells.values() for seed in cells}),
        cells={"planned": statuses.total(), **dict(sorted(statuses.items()))},
        failures=failures(evidence),
        empty=Empty(DEFAULT_EMPTY, OTHER_EMPTY, _where_empty_matters(costs)),
        level=LEVEL,
        costs=costs,
        experiments=parts,
        paper=paper_section(evidence),
        flaws=flaws(evidence),
        claims=claims(evidence, parts),
        advice=advice(evidence, costs),
    )


def _order(evidence: Evidence, costs: Mapping[str, CostTable]) -> Order:
    algorithms = evidence.experiment("algorithms")
    tables = [table.datasets for table in costs.values()]
    shown = {model for table in tables for row in table.values() for model in row.models}
    return Order(
        costs=list(costs),
        datasets=[d for d in algorithms.datasets if any(d in table for table in tables)],
        models=[model for model in algorithms.models if model in shown],
        experiments=list(evidence.experiments),
    )


def failures(evidence: Evidence) -> list[Failure]:
    """Every cell of the run without a result, sorted."""
    return [
        Failure(*name, seed, cell.status, cell.reason)
        for name, cells in sorted(evidence.scores.cells.items())
        for seed, cell in cells.items()
        if cell.status != "ok"
    ]


def _where_empty_matters(costs: Mapping[str, CostTable]) -> dict[str, list[str]]:
    """Data sets, and their costs, where the value of empty-against-empty changes a score."""
    matters: dict[str, list[str]] = {}
    for cost, table in costs.items():
        for dataset, inner in table.datasets.items():
            if any(model.other_empty for model in inner.models.values()):
                matters.setdefault(dataset, []).append(cost)
    return matters


def paper_section(evidence: Evidence) -> PaperBeside:
    """All printed numbers with ours beside them, and how many agree for each cost."""
    algorithms = evidence.experiment("algorithms")
    rows = [
        row
        for cost in algorithms.costs
        for dataset in algorithms.datasets
        for row in _rows(evidence, dataset, cost)
    ]
    costs = dict.fromkeys(row.cost for row in rows)
    return PaperBeside(
        rows, {cost: _agreement(row for row in rows if row.cost == cost) for cost in costs}
    )


def _rows(evidence: Evidence, dataset: str, cost: str) -> Iterator[PaperRow]:
    printed = {
        row.model: row
        for row in evidence.paper.algorithms(evidence.paper_name(dataset), cost)
        if row.mean is not None
    }
    ours = {model: evidence.as_printed(dataset, cost, model) for model in printed}
    means = {model: mean for model, (mean, _) in ours.items()}
    for model, row in printed.items():
        mean, empty = ours[model]
        z = errors_apart(mean, row, evidence.decimals(dataset, cost))
        sides = same_sides(model, printed, means)
        puzzling = (z is not None and not near(z)) or bool(sides.disagree)
        yield PaperRow(
            dataset=dataset,
            cost=cost,
            model=model,
            printed=PrintedRank(row.mean, row.ste, row.rank),
            ours=mean if mean.n else None,
            z=z,
            empty=empty,
            comparisons=sides,
            flaw=known_flaw(evidence, dataset, cost, model) if puzzling else None,
        )


def same_sides(model: str, printed: Mapping[str, Number], ours: Mapping[str, Mean]) -> Sides:
    """With how many other models the comparison comes out as printed; printed ties agree."""
    pairs = {name: (printed[name].mean, ours[name].mean) for name in printed}
    known = {name: (p, o) for name, (p, o) in pairs.items() if p is not None and o is not None}
    if model not in known:
        return Sides(0, 0, [])
    own_printed, own = known.pop(model)
    wrong = [
        name
        for name, (their_printed, theirs) in known.items()
        if (own_printed - their_printed) * (own - theirs) < 0
        or (own_printed != their_printed and own == theirs)
    ]
    return Sides(len(known) - len(wrong), len(known), wrong)


def _agreement(rows: Iterable[PaperRow]) -> Agreement:
    ran = [row for row in rows if row.ours]
    return Agreement(
        numbers=len(ran),
        within_2=sum(near(row.z) for row in ran),
        same_side=sum(row.comparisons.agree for row in ran),
        comparisons=sum(row.comparisons.of for row in ran),
    )
