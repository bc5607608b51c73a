"""The table of a cost: every model on every data set, with the paper's numbers below."""

from collections.abc import Iterable, Iterator
from math import ceil, log10
from typing import Any

from stages.common.schema import Comparison, CostTable, DatasetTable, Place
from stages.common.words import listed, rank_text, verb
from stages.report.ranks import (
    RULES,
    averages,
    columns_of,
    conventions,
    leaders,
    rank_entry,
    ranked,
    titled_of,
)
from stages.report.sections.datasets import card_id
from stages.report.table import (
    NOT_PRINTED,
    Column,
    Entry,
    Group,
    Table,
    name,
    number,
    piece,
    simple,
    texts,
    void,
)

FIELDS = ("mean", "ste", "rank", "paper-rank")


def cost_table(comparison: Comparison, cost_name: str, other: bool) -> Table:
    """Every model on every data set by one cost, with the paper's rows below."""
    cost = comparison.costs[cost_name]
    datasets = columns_of(comparison, cost)
    rules = averages(cost, other)
    ours = [
        [name(model), rank_entry(rules, model), *_scores(cost, datasets, model, other)]
        for model in by_rank(comparison, cost, other)
    ]
    reference = [
        [name(model, "reference"), void("never ranked"), *_scores(cost, datasets, model, other)]
        for model in comparison.reference
    ]
    printed = [
        [
            _from_paper(model),
            Entry(),
            *(printed_score(cost, dataset, model) for dataset in datasets),
        ]
        for model in printed_models(cost, datasets)
    ]
    groups = [
        Group(ours),
        Group(reference, kind="reference"),
        Group(printed, "Printed in the paper, not measured here", "paper"),
    ]
    text = " on the test part: mean ± standard error over the common splits, rank in brackets"
    headings = [Column(d, named=True, fields=FIELDS, link=card_id(d)) for d in datasets]
    file, caption = titled_of(cost, cost_name, text, other)
    return Table(
        file,
        caption,
        [*texts("Model"), Column("Average rank", fields=RULES), *headings],
        [group for group in groups if group.rows],
        kind="results",
        direction="up" if cost.greater_is_better else "down",
    )


def by_rank(comparison: Comparison, cost: CostTable, other: bool) -> list[str]:
    """The ranked models, the best average rank first; those without one last, in their order."""
    averages = cost.under(other).average_ranks.models
    return sorted(ranked(comparison), key=lambda model: averages.get(model) or float("inf"))


def fewer_splits(cost: CostTable, datasets: Iterable[str]) -> str:
    """On which data sets the table rests on fewer splits than some models have, and why."""
    parts = []
    for dataset in datasets:
        table = cost.datasets[dataset]
        most = max((model.n for model in table.models.values()), default=0)
        if 0 < table.splits < most:
            few = [name for name, model in table.models.items() if model.n == table.splits]
            parts.append(f"{dataset} ({table.splits} of {most}: {listed(few)})")
    if not parts:
        return ""
    return (
        "Means and ranks use the splits that all ranked models have, so that a column compares "
        f"like with like; these are fewer on {listed(parts)}. “Every seed” has all."
    )


def _scores(cost: CostTable, datasets: Iterable[str], model: str, other: bool) -> list[Entry]:
    return [score(cost, dataset, model, other) for dataset in datasets]


def _from_paper(model: str) -> Entry:
    return Entry(piece("unseen", "paper: ") + piece("name", model), head=True)


def printed_models(cost: CostTable, datasets: Iterable[str]) -> list[str]:
    """The models the paper prints for these data sets."""
    rows = (row for dataset in datasets for row in cost.datasets[dataset].paper)
    return list(dict.fromkeys(row.model for row in rows))


def span_of(table: DatasetTable, other: bool) -> tuple[float, float]:
    """The smallest and largest mean of a data set."""
    means = [model.under(other).shown.mean for model in table.models.values()]
    known = [mean for mean in means if mean is not None]
    return (min(known), max(known)) if known else (0.0, 0.0)


def share(value: float, ends: tuple[float, float], greater: bool) -> float:
    """Where a value lies between the worst (0) and the best (100) of its column."""
    low, high = ends
    if high == low:
        return 100.0
    part = (value - low) / (high - low)
    return round(100 * (part if greater else 1 - part), 1)


def score(cost: CostTable, dataset: str, model: str, other: bool) -> Entry:
    """Mean ± standard error [rank] and where it lies in its column, or a dash and the reason."""
    table = cost.datasets[dataset]
    if model not in table.models:
        return void("not in this run")
    reasons = "; ".join(table.models[model].reasons)
    place = table.models[model].under(other)
    mean, ste = place.shown.mean, place.shown.ste
    if mean is None:
        return Entry(piece("failed", reasons or "no reason was recorded"), kind="void")
    tick = share(mean, span_of(table, other), cost.greater_is_better) * 0.97
    digits = (table.decimals, error_decimals(ste, table))
    marks = list(_marks(place, reasons))
    html = piece("score", place.shown, place.best, *digits, _ranks(place), marks, round(tick, 1))
    values = (mean, ste, place.rank, place.paper_rule_rank)
    return Entry(html, mean, fields=dict(zip(FIELDS, values, strict=True)))


def error_decimals(ste: float | None, table: DatasetTable) -> int:
    """Decimals of a standard error: as the paper prints, more where these would say nothing."""
    needed = ceil(-log10(ste)) if ste else 0
    return max(table.paper_decimals, min(needed, table.decimals))


def _ranks(place: Place) -> str:
    if place.rank is None:
        return ""
    rules = {"mid": place.rank, "paper": place.paper_rule_rank}
    choices = {rule: Entry(f"[{rank_text(rank)}]") for rule, rank in rules.items()}
    return piece("switched", "rank", choices)


def _marks(place: Place, reasons: str) -> Iterator[tuple[str, str]]:
    if place.beats_trivial is False:
        yield "†", "does not beat the trivial prediction"
    if place.n < place.planned:
        yield "‡", f"{place.n} of {place.planned} seeds; {reasons}"


def printed_score(cost: CostTable, dataset: str, model: str) -> Entry:
    """A number of the paper."""
    table = cost.datasets[dataset]
    row = next((row for row in table.paper if row.model == model), None)
    if row is None or row.mean is None:
        return void(NOT_PRINTED)
    fields = {"mean": row.mean, "ste": row.ste, "paper-rank": row.rank}
    return Entry(piece("printed_score", row, table.paper_decimals), row.mean, fields=fields)


def lead(cost: CostTable, other: bool) -> str:
    """Who has the best average rank, by either rule."""
    overall = cost.under(other).average_ranks
    rules = averages(cost, other)
    if not leaders(rules["mid"]):
        return "No data set has a result of every ranked model, so there is no average rank."
    choices = {
        rule: Entry(piece("joined", piece("bold", listed(first)), verb(first, "has", "share")))
        for rule, ranks in rules.items()
        for first in [leaders(ranks)]
    }
    end = f"the best average rank over {listed(overall.datasets)}."
    if overall.left_out:
        end += (
            f" Left out, because not every ranked model has a result there: {_gone(cost, other)}."
        )
    return piece("joined", piece("switched", "rank", choices), end)


def _gone(cost: CostTable, other: bool) -> str:
    """The data sets without an average rank, and whose result is missing there."""
    without: dict[str, list[str]] = {}
    for dataset in cost.under(other).average_ranks.left_out:
        models = cost.datasets[dataset].models
        missing = [
            model
            for model in cost.under(other).average_ranks.models
            if model not in models or models[model].under(other).rank is None
        ]
        without.setdefault(listed(missing), []).append(dataset)
    return "; ".join(f"{listed(datasets)} ({models})" for models, datasets in without.items())


def seed_table(comparison: Comparison, cost_name: str) -> Table:
    """Every single score behind the means, failed ones with their reason."""
    cost = comparison.costs[cost_name]
    reasons = {
        (row.dataset, row.model, str(row.seed)): f"{row.status}: {row.reason}"
        for row in comparison.failures
        if row.cost == cost_name
    }
    scores = {
        (dataset, model): table.models[model].seeds
        for dataset, table in ((d, cost.datasets[d]) for d in columns_of(comparison, cost))
        for model in comparison.order.models
        if model in table.models
    }
    seeds = sorted({seed for row in scores.values() for seed in row}, key=int)
    rows = [
        [
            name(dataset),
            name(model),
            *(
                number(
                    row.get(seed),
                    cost.datasets[dataset].decimals + 1,
                    reasons.get((dataset, model, seed), "not in this run"),
                )
                for seed in seeds
            ),
        ]
        for (dataset, model), row in scores.items()
    ]
    columns = [*texts("Data set", "Model"), *(Column(f"seed {seed}") for seed in seeds)]
    _, caption = titled_of(cost, "", " of every cell on the test part", False)
    return simple(f"{cost_name}-seeds", caption, columns, rows)


def view(comparison: Comparison, cost_name: str) -> dict[str, Any]:
    """A cost: who leads and the table, under each value of empty against empty."""
    cost = comparison.costs[cost_name]
    datasets = columns_of(comparison, cost)
    return {
        "name": cost_name,
        "greater_is_better": cost.greater_is_better,
        "tables": [
            (when, lead(cost, other), cost_table(comparison, cost_name, other))
            for other, when in conventions(cost.other_empty)
        ],
        "fewer": fewer_splits(cost, datasets),
        "printed": printed_models(cost, datasets),
        "mixed": any(
            cost.datasets[dataset].paper and cost_name in comparison.empty.matters.get(dataset, [])
            for dataset in datasets
        ),
        "seeds": seed_table(comparison, cost_name),
    }
