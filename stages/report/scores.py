"""The table of a cost: every model on every data set, with the paper's numbers below."""

from collections.abc import Iterable

from markupsafe import Markup

from stages.common.words import listed
from stages.report.datasets import card_id
from stages.report.ranks import (
    RULES,
    averages,
    columns_of,
    conventions,
    leaders,
    rank_cell,
    ranked,
    shown,
    titled,
    view,
)
from stages.report.seeds import seed_table
from stages.report.tables import (
    Cell,
    Column,
    Group,
    Json,
    Table,
    name,
    span,
    starred,
    ste,
    switched,
    unseen,
    void,
    words,
)
from stages.report.text import fixed, rank_text

FIELDS = ("mean", "ste", "rank", "paper-rank")
TRACK = Markup(
    '<svg class="track" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
    '<rect x="{}" width="3" height="4"/></svg>'
)


def cost_table(comparison: Json, cost_name: str, other: bool) -> Table:
    """Every model on every data set by one cost, with the paper's rows below."""
    cost = comparison["costs"][cost_name]
    datasets = columns_of(comparison, cost)
    rules = averages(cost, other)
    ours = [
        [name(model), *_scores(cost, datasets, model, other), rank_cell(rules, model)]
        for model in ranked(comparison)
    ]
    reference = [
        [_tagged(model, "reference"), *_scores(cost, datasets, model, other), void("never ranked")]
        for model in comparison["reference"]
    ]
    printed = [
        [_from_paper(model), *(printed_score(cost, dataset, model) for dataset in datasets), Cell()]
        for model in printed_models(cost, datasets)
    ]
    groups = [
        Group(ours),
        Group(reference, kind="reference"),
        Group(printed, "Printed in the paper, not measured here", "paper"),
    ]
    text = f"{cost['title']} on the test part: mean ± standard error over seeds, rank in brackets"
    headings = [Column(d, named=True, fields=FIELDS, link=card_id(d)) for d in datasets]
    file, caption = titled(cost_name, text, other if cost["other_empty"] else None)
    return Table(
        file,
        caption,
        [words("Model"), *headings, Column("Average rank", fields=RULES)],
        [group for group in groups if group.rows],
        kind="results",
        direction="up" if cost["greater_is_better"] else "down",
    )


def _scores(cost: Json, datasets: Iterable[str], model: str, other: bool) -> list[Cell]:
    return [score(cost, dataset, model, other) for dataset in datasets]


def _tagged(model: str, tag: str) -> Cell:
    return Cell(Markup("{} {}").format(name(model).html, span(tag, "tag")), head=True)


def _from_paper(model: str) -> Cell:
    return Cell(unseen("paper: ") + name(model).html, head=True)


def printed_models(cost: Json, datasets: Iterable[str]) -> list[str]:
    """The models the paper prints for these data sets."""
    rows = (row for dataset in datasets for row in cost["datasets"][dataset]["paper"])
    return list(dict.fromkeys(row["model"] for row in rows))


def span_of(table: Json, other: bool) -> tuple[float, float]:
    """The smallest and largest mean of a data set."""
    found = (shown(model, other)["mean"] for model in table["models"].values())
    means = [mean for mean in found if mean is not None]
    return (min(means), max(means)) if means else (0.0, 0.0)


def share(value: float, ends: tuple[float, float], greater: bool) -> float:
    """Where a value lies between the worst (0) and the best (100) of its column."""
    low, high = ends
    if high == low:
        return 100.0
    part = (value - low) / (high - low)
    return round(100 * (part if greater else 1 - part), 1)


def score(cost: Json, dataset: str, model: str, other: bool) -> Cell:
    """Mean ± standard error [rank] and where it lies in its column, or a dash and the reason."""
    table = cost["datasets"][dataset]
    if model not in table["models"]:
        return void("not planned")
    cell = table["models"][model]
    now = shown(cell, other)
    if now["mean"] is None:
        return failed(cell["reasons"])
    decimals = table["decimals"]
    line = Markup('<span class="line">{}{}{}{}</span>').format(
        starred(fixed(now["mean"], decimals), now["best"]),
        ste(now, decimals),
        _ranks(now),
        _marks(now, cell["reasons"]),
    )
    place = share(now["mean"], span_of(table, other), cost["greater_is_better"])
    values = (now["mean"], now["ste"], now["rank"], now["paper_rule_rank"])
    fields = dict(zip(FIELDS, values, strict=True))
    return Cell(line + TRACK.format(round(place * 0.97, 1)), now["mean"], fields=fields)


def failed(reasons: list[str]) -> Cell:
    """A dash that leads to the failures."""
    why = "; ".join(reasons) or "no reason was recorded"
    dash = '<a href="#failures" title="{0}">–<span class="vh"> did not finish: {0}</span></a>'
    return Cell(Markup(dash).format(why), kind="void")


def _ranks(now: Json) -> Markup:
    if now["rank"] is None:
        return Markup(" ") + span("", "rank")
    rules = {"mid": now["rank"], "paper": now["paper_rule_rank"]}
    choices = {rule: Cell(f"[{rank_text(rank)}]") for rule, rank in rules.items()}
    return Markup(' <span class="rank">{}</span>').format(switched("rank", choices))


def _marks(now: Json, reasons: list[str]) -> Markup:
    found = []
    if now["beats_trivial"] is False:
        found.append(span("†", title="does not beat the trivial prediction"))
    if now["n"] < now["planned"]:
        why = f"{now['n']} of {now['planned']} seeds; {'; '.join(reasons)}"
        found.append(span("‡", title=why))
    return span(Markup("").join(found), "mark")


def printed_score(cost: Json, dataset: str, model: str) -> Cell:
    """A number of the paper."""
    table = cost["datasets"][dataset]
    row = next((row for row in table["paper"] if row["model"] == model), None)
    if row is None or row["mean"] is None:
        return void("not printed in the paper")
    flaw = "" if row["comparable"] else span("§", title="the loss of a constant prediction")
    line = Markup('<span class="line">{}{} {}{}</span>').format(
        fixed(row["mean"], table["decimals"]),
        ste(row, table["decimals"]),
        span(f"[{rank_text(row['rank'])}]", "rank"),
        span(flaw, "mark"),
    )
    fields = {"mean": row["mean"], "ste": row["ste"], "paper-rank": row["rank"]}
    return Cell(line, row["mean"], fields=fields)


def lead(comparison: Json, cost: Json, other: bool) -> Markup:
    """Who has the best average rank, by either rule."""
    found = view(cost, other)["average_ranks"]
    rules = averages(cost, other)
    if not leaders(rules["mid"]):
        return Markup(
            "No data set has a result of every ranked model, so there is no average rank."
        )
    choices = {}
    for rule, ranks in rules.items():
        first = leaders(ranks)
        has = "has" if len(first) == 1 else "share"
        choices[rule] = Cell(Markup("<b>{}</b> {}").format(listed(first), has))
    end = f" the best average rank over {listed(found['datasets'])}."
    if found["left_out"]:
        gone = listed(found["left_out"])
        end += f" Left out, because a ranked model did not finish there: {gone}."
    return switched("rank", choices) + end


def view_of(comparison: Json, cost_name: str) -> Json:
    """A cost: who leads and the table, under each value of empty against empty."""
    cost = comparison["costs"][cost_name]
    datasets = columns_of(comparison, cost)
    return {
        "name": cost_name,
        "greater_is_better": cost["greater_is_better"],
        "tables": [
            (when, lead(comparison, cost, other), cost_table(comparison, cost_name, other))
            for other, when in conventions(cost["other_empty"])
        ],
        "printed": printed_models(cost, datasets),
        "mixed": any(
            cost["datasets"][dataset]["paper"]
            and cost_name in comparison["empty"]["matters"].get(dataset, [])
            for dataset in datasets
        ),
        "seeds": seed_table(comparison, cost_name),
    }
