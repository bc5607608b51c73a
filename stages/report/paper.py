"""The paper's numbers beside ours, and its known flaws."""

from collections.abc import Mapping
from typing import Any

from stages.common.schema import Agreement, Comparison, Flaw, PaperRow, PrintedRank, Sides
from stages.common.words import NONE, counted, listed, rank_text
from stages.report.page_inputs import Inputs
from stages.report.table import (
    MEAN,
    Cell,
    Column,
    Table,
    counted_as,
    distance,
    estimate,
    means,
    name,
    piece,
    plain_table,
    simple,
    texts,
    void,
)
from stages.report.verdict import verdict_cell

OF = ("count", "of")


def agreement(summary: Mapping[str, Agreement]) -> str:
    """How much of the printed table comes out again, in one sentence."""
    rows = summary.values()
    numbers, within = sum(row.numbers for row in rows), sum(row.within_2 for row in rows)
    same, pairs = sum(row.same_side for row in rows), sum(row.comparisons for row in rows)
    if not numbers:
        return "The paper prints no number for the models and data sets of this run."
    beside = (
        f"{within:,} of {counted(numbers, 'printed number')} lie within two pooled standard "
        "errors of ours"
    )
    pairs_of_models = f"{counted(pairs, 'comparison')} of two models"
    return f"{beside}; {same:,} of {pairs_of_models} fall on the same side."


def summary_table(comparison: Comparison) -> Table:
    """Agreement with the paper, by cost."""
    summary = comparison.paper.summary
    columns = [
        *texts("Cost"),
        Column("Numbers within two pooled standard errors", fields=OF),
        Column("Comparisons on the same side", fields=OF),
    ]
    rows = [
        [
            name(comparison.title(cost)),
            _part(summary[cost].within_2, summary[cost].numbers),
            _part(summary[cost].same_side, summary[cost].comparisons),
        ]
        for cost in comparison.order.costs
        if cost in summary
    ]
    return simple("paper-agreement", "Agreement with the printed table", columns, rows)


def _part(some: int, of: int) -> Cell:
    if not of:
        return void("nothing to compare", NONE)
    html = piece("joined", f"{some:,}", piece("span", f"of {of:,}", "ste"))
    return Cell(html, some / of, fields={"count": some, "of": of})


def number_table(comparison: Comparison) -> Table:
    """Every printed number beside ours."""
    columns = texts("Data set", "Cost", "Model")
    columns += [Column("Paper", fields=(*MEAN, "rank")), *means("Ours"), Column("Difference")]
    columns += [Column("Same side", fields=OF), *texts("Known flaw")]
    caption = "Every printed number beside ours, differences in pooled standard errors"
    rows = [_row(comparison, row) for row in comparison.paper.rows]
    return simple("paper-numbers", caption, columns, rows)


def _row(comparison: Comparison, row: PaperRow) -> list[Cell]:
    cost = comparison.costs[row.cost]
    decimals = cost.datasets[row.dataset].decimals if row.dataset in cost.datasets else 3
    return [
        counted_as(row.dataset, row.empty),
        name(cost.title),
        name(row.model),
        _printed(row.printed, decimals),
        estimate(row.ours, decimals, "not measured in this run"),
        distance(row.z, cost.greater_is_better),
        _side(row.comparisons),
        Cell(piece("link", row.flaw, f"flaw-{row.flaw}"), row.flaw) if row.flaw else Cell(),
    ]


def _printed(number: PrintedRank, decimals: int) -> Cell:
    rank = piece("span", f"[{rank_text(number.rank)}]", "rank") if number.rank else ""
    html = piece("joined", piece("estimate", number, decimals), rank)
    fields = {"mean": number.mean, "ste": number.ste, "rank": number.rank}
    return Cell(html, number.mean, fields=fields)


def _side(sides: Sides) -> Cell:
    if not sides.of:
        return void("nothing to compare with", NONE)
    title = "every comparison agrees"
    if sides.disagree:
        title = f"the other way round: {listed(sides.disagree)}"
    html = piece("span", f"{sides.agree} of {sides.of}", title=title)
    if sides.disagree:
        html += piece("sign", "≠", title, "lack")
    return Cell(html, sides.agree / sides.of, fields={"count": sides.agree, "of": sides.of})


def _flaw(flaw: Flaw, anchors: set[str]) -> dict[str, Any]:
    """A flaw with the table of what was recomputed for it."""
    table = plain_table(f"flaw-{flaw.id}", flaw.title, flaw.evidence) if flaw.evidence else None
    return {
        "id": flaw.id,
        "title": flaw.title,
        "text": flaw.text,
        "status": verdict_cell(flaw.verdict).html,
        "table": table,
        "link": flaw.anchor if flaw.anchor in anchors else None,
    }


def view(inputs: Inputs) -> dict[str, Any]:
    """Agreement, flaws with their evidence, and every number."""
    comparison = inputs.comparison
    return {
        "agreement": agreement(comparison.paper.summary),
        "summary": summary_table(comparison),
        "numbers": number_table(comparison),
        "flaws": [_flaw(flaw, inputs.anchors) for flaw in comparison.flaws],
    }
