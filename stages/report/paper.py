"""The paper's numbers beside ours, and its known flaws."""

from markupsafe import Markup

from stages.common.words import counted, listed
from stages.report.tables import (
    MEAN,
    Cell,
    Column,
    Json,
    Table,
    counted_as,
    estimate,
    link,
    name,
    sign,
    simple,
    span,
    ste,
    void,
    words,
)
from stages.report.text import fixed, rank_text, short, signed
from stages.report.verdict import verdict_cell

CLOSE = 2  # pooled standard errors
PLACES = {"dataset": 0, "cost": 1, "model": 2}  # of columns of evidence, before all others
OF = ("count", "of")
BETTER, WORSE = ("▲", "ours is better:", "gain"), ("▼", "ours is worse:", "lack")


def agreement(summary: dict[str, Json]) -> str:
    """How much of the printed table we find again, in one sentence."""
    numbers, within, same, of = (
        sum(row[key] for row in summary.values())
        for key in ("numbers", "within_2", "same_side", "comparisons")
    )
    if not numbers:
        return "The paper prints no number for the models and data sets of this run."
    beside = (
        f"{within:,} of {counted(numbers, 'printed number')} lie within two pooled standard "
        "errors of ours"
    )
    return f"{beside}; {same:,} of {counted(of, 'comparison')} of two models fall on the same side."


def summary_table(comparison: Json) -> Table:
    """Agreement with the paper, by cost."""
    summary = comparison["paper"]["summary"]
    columns = [
        words("Cost"),
        Column("Numbers within two pooled standard errors", fields=OF),
        Column("Comparisons on the same side", fields=OF),
    ]
    rows = [
        [
            name(comparison["costs"][cost]["title"]),
            _part(summary[cost]["within_2"], summary[cost]["numbers"]),
            _part(summary[cost]["same_side"], summary[cost]["comparisons"]),
        ]
        for cost in comparison["order"]["costs"]
        if cost in summary
    ]
    return simple("paper-agreement", "Agreement with the printed table", columns, rows)


def _part(some: int, of: int) -> Cell:
    if not of:
        return void("nothing to compare", "–")
    html = Markup("{:,} {}").format(some, span(f"of {of:,}", "ste"))
    return Cell(html, some / of, fields={"count": some, "of": of})


def number_table(comparison: Json, anchors: set[str]) -> Table:
    """Every printed number beside ours."""
    rows = [_row(comparison, row, anchors) for row in comparison["paper"]["rows"]]
    caption = "Every printed number beside ours, differences in pooled standard errors"
    columns = [words("Data set"), words("Cost"), words("Model")]
    columns += [Column("Paper", fields=(*MEAN, "rank")), Column("Ours", fields=MEAN)]
    columns += [Column("Difference"), Column("Same side", fields=OF)]
    columns += [words("Known flaw")]
    return simple("paper-numbers", caption, columns, rows)


def _row(comparison: Json, row: Json, anchors: set[str]) -> list[Cell]:
    cost = comparison["costs"][row["cost"]]
    decimals = decimals_of(cost, row["dataset"])
    return [
        counted_as(row["dataset"], row["empty"]),
        name(cost["title"]),
        name(row["model"]),
        _printed(row["printed"], decimals),
        estimate(row["ours"], decimals, "not measured in this run"),
        distance(row["z"], cost["greater_is_better"]),
        _side(row["comparisons"]),
        _flaw(row["flaw"], anchors),
    ]


def decimals_of(cost: Json, dataset: str) -> int:
    """How many decimals a data set is printed with."""
    return cost["datasets"][dataset]["decimals"] if dataset in cost["datasets"] else 3


def _printed(found: Json, decimals: int) -> Cell:
    rank = span(f"[{rank_text(found['rank'])}]", "rank") if found.get("rank") else ""
    html = Markup("{}{} {}").format(fixed(found["mean"], decimals), ste(found, decimals), rank)
    fields = {key: found.get(key) for key in (*MEAN, "rank")}
    return Cell(html, found["mean"], fields=fields)


def distance(z: float | None, greater: bool) -> Cell:
    """A difference in pooled standard errors, with a symbol for what it means."""
    if z is None:
        return void("cannot be compared", "–")
    if abs(z) <= CLOSE:
        return Cell(sign("≈", "agrees:", "near") + " " + signed(z, 1), z)
    better = (z > 0) == greater
    symbol, says, kind = (
        ("▲", "ours is better:", "gain") if better else ("▼", "ours is worse:", "lack")
    )
    return Cell(sign(symbol, says, kind) + " " + signed(z, 1), z)


def _side(found: Json) -> Cell:
    if not found["of"]:
        return void("nothing to compare with", "–")
    rivals = found["disagree"]
    title = f"the other way round: {listed(rivals)}" if rivals else "every comparison agrees"
    text = f"{found['agree']} of {found['of']}"
    fields = {"count": found["agree"], "of": found["of"]}
    html = span(text, title=title) + (sign("≠", title, "lack") if rivals else Markup(""))
    return Cell(html, found["agree"] / found["of"], fields=fields)


def _flaw(flaw: str | None, anchors: set[str]) -> Cell:
    if flaw is None:
        return Cell()
    anchor = f"flaw-{flaw}"
    return Cell(link(flaw, anchor) if anchor in anchors else flaw, flaw)


def evidence_table(flaw: Json) -> Table | None:
    """What was recomputed for a flaw, as it stands in the comparison."""
    rows = flaw["evidence"]
    is_text = {
        key: all(not isinstance(row.get(key), int | float) for row in rows)
        for row in rows
        for key in row
    }
    keys = sorted(is_text, key=lambda key: (PLACES.get(key, len(PLACES)), not is_text[key]))
    columns = [Column(key.replace("_", " "), number=not is_text[key]) for key in keys]
    cells = ([_plain(row.get(key)) for key in keys] for row in rows)
    return simple(f"flaw-{flaw['id']}", flaw["title"], columns, cells) if rows else None


def _plain(value: object) -> Cell:
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, int | float):
        return Cell(short(value), value)
    if isinstance(value, list):
        return Cell(listed(map(str, value)) if value else "–")
    return Cell("–" if value is None else Markup("<bdi>{}</bdi>").format(value))


def view(comparison: Json, anchors: set[str]) -> Json:
    """Agreement, flaws with their evidence, and every number."""
    return {
        "agreement": agreement(comparison["paper"]["summary"]),
        "summary": summary_table(comparison),
        "numbers": number_table(comparison, anchors),
        "flaws": [
            flaw
            | {
                "status": verdict_cell(flaw["verdict"]).html,
                "table": evidence_table(flaw),
                "link": flaw["anchor"] if flaw["anchor"] in anchors else None,
            }
            for flaw in comparison["flaws"]
        ],
    }
