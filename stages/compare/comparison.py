"""The whole comparison, from the evidence to what comparison.json holds."""

from collections import Counter
from collections.abc import Mapping
from statistics import median_low

from stages.common.schema import Comparison, CostTable, Empty, Failure, Order
from stages.compare.advice import advice
from stages.compare.answers import answers, usual_choices
from stages.compare.audit import flaws
from stages.compare.cost_tables import cost_table
from stages.compare.evidence import Evidence
from stages.compare.experiments import claims, sections
from stages.compare.numbers import DEFAULT_EMPTY, LEVEL, OTHER_EMPTY
from stages.compare.printed import paper_section
from stages.compare.questions import questions


def compare(evidence: Evidence) -> Comparison:
    """All that is said of the models; each is judged by the cost it was trained for."""
    tables = {cost: cost_table(evidence, cost) for cost in evidence.experiment("algorithms").costs}
    costs = {cost: table for cost, table in tables.items() if table.datasets}
    parts = sections(evidence)
    order = _order(evidence, costs)
    asked, answered = ([], []) if evidence.own else questions(evidence)
    advised = advice(evidence, costs)
    statuses = Counter(
        cell.status for cells in evidence.scores.cells.values() for cell in cells.values()
    )
    return Comparison(
        order=order,
        proposed=evidence.roles.proposed,
        reference=[model for model in order.models if model in evidence.roles.reference],
        seeds=len({seed for cells in evidence.scores.cells.values() for seed in cells}),
        cells={"planned": statuses.total(), **dict(sorted(statuses.items()))},
        failures=failures(evidence),
        empty=Empty(DEFAULT_EMPTY, OTHER_EMPTY, _where_empty_matters(costs)),
        level=LEVEL,
        costs=costs,
        experiments=parts,
        paper=paper_section(evidence),
        flaws=[] if evidence.own else flaws(evidence),
        claims=[] if evidence.own else [*answered, *claims(evidence, parts)],
        questions=asked,
        advice=advised,
        answers=answers(evidence, costs),
        chosen=usual_choices(evidence, advised),
        own=evidence.own,
        splits={dataset: _splits(evidence, dataset) for dataset in order.datasets},
    )


def _splits(evidence: Evidence, dataset: str) -> int:
    """So many splits of a data set has the middle one of the models in the main table: a few that
    are ahead of the others, or behind, do not speak for all."""
    algorithms = evidence.experiment("algorithms")
    seeds = evidence.scores.seeds
    most = [max(len(seeds(dataset, m, c)) for c in algorithms.costs) for m in algorithms.models]
    return median_low([count for count in most if count] or [0])


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
