"""The paper against this run: every printed number of the main table that was run again."""

from collections.abc import Iterable, Iterator, Mapping

from stages.common.schema import Agreement, PaperBeside, PaperRow, PrintedRank, Sides
from stages.common.slices import Mean, Number
from stages.compare.audit import known_flaw
from stages.compare.evidence import Evidence
from stages.compare.numbers import errors_apart, near


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
