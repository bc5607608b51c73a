"""Every printed number beside ours: what is open first, then what explains the rest."""

from collections.abc import Iterable, Sequence
from typing import Any

from stages.common.outcomes import Mean
from stages.common.schema import Agreement, Comparison, Flaw, PaperRow, PrintedRank, Sides
from stages.common.words import NONE, counted, fixed, listed, rank_text, signed
from stages.report.page_inputs import Inputs
from stages.report.table import (
    MEAN,
    Column,
    Entry,
    Table,
    counted_as,
    estimate,
    means,
    name,
    piece,
    plain_table,
    simple,
    texts,
    void,
)
from stages.report.verdict import verdict_entry

OF = ("count", "of")
TABLES = {  # in data/paper -> in the paper
    "algorithms": "Table 6, algorithms",
    "reweighting": "Table 3, reweighting",
    "rnn_variants": "Table 7, recurrent nets",
    "mscoco": "Table 5, images",
    "ttest": "Table 4, t-tests",
    "datasets": "Table 2, data sets",
}
STATUSES = {  # word -> symbol, class and what it means
    "agrees": ("≈", "near", "agrees within two standard errors"),
    "explained": ("!", "gain", "explained by a flaw that this run reproduces"),
    "differs": ("?", "lack", "differs, and we do not know why"),
    "not run": ("·", "near", "not run"),
}


def agreement(summary: Iterable[Agreement]) -> str:
    """How much of the printed tables comes out again, in two sentences."""
    rows = list(summary)
    numbers, agrees, explained, differs, missing, same, pairs = (
        sum(getattr(row, key) for row in rows)
        for key in ("numbers", "agrees", "explained", "differs", "not_run", "same_side",
                    "comparisons")
    )  # fmt: skip
    if numbers == missing:
        return f"This run has not one of the {numbers:,} numbers that the paper prints."
    return (
        f"The paper prints {numbers:,} numbers in six tables. {agrees:,} agree with ours within "
        f"two pooled standard errors, {explained:,} are explained by a flaw that this run "
        f"reproduces, {differs:,} differ and we do not know why, and {missing:,} were not run. Of "
        f"{counted(pairs, 'pair')} of algorithms on a data set, {same:,} are in the printed order."
    )


def summary_table(comparison: Comparison) -> Table:
    """The status of the numbers, by printed table and cost."""
    columns = [*texts("Table", "Cost"), Column("Numbers"), Column("Agree"), Column("Explained")]
    columns += [Column("Differ"), Column("Not run"), Column("Pairs in printed order", fields=OF)]
    rows = [
        [
            name(TABLES[row.table]),
            name(_cost(comparison, row.cost)),
            *(
                Entry(f"{count:,}", count)
                for count in (row.numbers, row.agrees, row.explained, row.differs, row.not_run)
            ),
            _part(row.same_side, row.comparisons),
        ]
        for row in comparison.paper.summary
    ]
    return simple("paper-agreement", "Agreement with the printed tables", columns, rows)


def _cost(comparison: Comparison, cost: str) -> str:
    return comparison.title(cost) if cost else NONE


def _part(some: int, of: int) -> Entry:
    if not of:
        return void("nothing to compare", NONE)
    html = piece("joined", f"{some:,}", piece("span", f"of {of:,}", "ste"))
    return Entry(html, some / of, fields={"count": some, "of": of})


def number_table(
    comparison: Comparison, rows: Sequence[PaperRow], file: str, caption: str
) -> Table:
    """Printed numbers beside ours and those of the authors' code."""
    columns = texts("Table", "Data set", "Cost", "Number")
    columns += [Column("Paper", fields=(*MEAN, "rank")), *means("Ours")]
    columns += [Column("Apart"), *texts("Status"), *means("Authors’ code")]
    return simple(file, caption, columns, [_row(comparison, row) for row in rows])


def _row(comparison: Comparison, row: PaperRow) -> list[Entry]:
    return [
        name(TABLES[row.table].split(",")[0]),
        counted_as(row.dataset or NONE, row.empty),
        name(_cost(comparison, row.cost)),
        name(row.model),
        _printed(row.printed, row.decimals),
        estimate(row.ours, row.decimals, "not measured in this run"),
        _apart(row.z, row.comparisons),
        status(row),
        _authors(row.authors, row.decimals),
    ]


def status(row: PaperRow) -> Entry:
    """One of four words; the flaw that explains a number is named and linked."""
    symbol, kind, words = STATUSES[row.status]
    html = piece("marked", symbol, row.status, kind)
    if row.status == "explained":
        html = piece("joined", html, piece("link", row.flaw, f"flaw-{row.flaw}"))
    return Entry(piece("titled", html, words), row.status)


def _authors(mean: Mean | None, decimals: int) -> Entry:
    if mean is None or mean.mean is None:
        return void("not run by anybody we know")
    html = piece("joined", fixed(mean.mean, decimals), piece("span", f"n = {mean.n}", "ste"))
    return Entry(html, mean.mean, fields={"mean": mean.mean, "ste": mean.ste})


def _printed(number: PrintedRank, decimals: int) -> Entry:
    rank = piece("span", f"[{rank_text(number.rank)}]", "rank") if number.rank else ""
    html = piece("joined", piece("estimate", number, decimals), rank)
    fields = {"mean": number.mean, "ste": number.ste, "rank": number.rank}
    return Entry(html, number.mean, fields=fields)


def _apart(z: float | None, sides: Sides) -> Entry:
    """Ours minus printed in pooled standard errors, with the pairs that turn round."""
    if z is None:
        return void("no standard error", NONE)
    html = signed(z, 1)
    if sides.disagree:
        title = f"the other way round than printed: {listed(sides.disagree)}"
        html = piece("joined", html, piece("sign", "≠", title, "lack"))
    return Entry(html, z)


def _flaw(flaw: Flaw, anchors: set[str]) -> dict[str, Any]:
    """A flaw with the table of what was recomputed for it."""
    table = plain_table(f"flaw-{flaw.id}", flaw.title, flaw.evidence) if flaw.evidence else None
    return {
        "id": flaw.id,
        "title": flaw.title,
        "text": flaw.text,
        "status": verdict_entry(flaw.verdict).html,
        "table": table,
        "link": flaw.anchor if flaw.anchor in anchors else None,
    }


def view(inputs: Inputs) -> dict[str, Any]:
    """What is open, agreement, flaws with their evidence, and every number that was measured."""
    comparison = inputs.comparison
    rows = comparison.paper.rows
    unexplained = sorted(
        (row for row in rows if row.status == "differs"), key=lambda row: -abs(row.z or 0.0)
    )
    measured = [row for row in rows if row.status != "not run"]
    return {
        "agreement": agreement(comparison.paper.summary),
        "open": number_table(
            comparison, unexplained, "paper-open", "Numbers that differ, the furthest first"
        )
        if unexplained
        else None,
        "summary": summary_table(comparison),
        "numbers": number_table(
            comparison,
            measured,
            "paper-numbers",
            "Every printed number that this run measured, differences in pooled standard errors",
        )
        if measured
        else None,
        "flaws": [_flaw(flaw, inputs.anchors) for flaw in comparison.flaws],
    }
