"""Tests over data sets: would the order of the models hold on another one?"""

from collections.abc import Mapping, Sequence

from stages.common.outcomes import OverDatasets, SignedRank, Wilcoxon
from stages.common.schema import Comparison, CostTable
from stages.common.words import counted, isolated, listed, p_text, verb
from stages.report.figures import critical_difference_diagram
from stages.report.ranks import titled_of
from stages.report.table import Cell, Column, Figure, Table, name, number, piece, simple, texts

FEWEST_MODELS = 3


def wilcoxon_table(comparison: Comparison, cost_name: str, other: bool) -> Table | None:
    """Wilcoxon signed-rank tests over data sets, corrected for their number by Holm."""
    cost = comparison.costs[cost_name]
    pairs = cost.under(other).over_datasets.wilcoxon_holm
    text = ": Wilcoxon signed-rank test of each pair over data sets"
    file, caption = titled_of(cost, f"{cost_name}-wilcoxon-holm", text, other)
    columns = texts("Model", "Against", "Better")
    columns += [Column("p"), Column("p after Holm"), Column("Data sets")]
    return simple(file, caption, columns, map(_wilcoxon, pairs)) if pairs else None


def _wilcoxon(pair: Wilcoxon) -> list[Cell]:
    better = Cell(piece("marked", "≈", "not told apart", "near"))
    if pair.better is not None:
        better = Cell(piece("name", pair.better), pair.better)
    chances = [Cell(p_text(p).removeprefix("p ").strip("= "), p) for p in (pair.p, pair.p_holm)]
    return [name(pair.a), name(pair.b), better, *chances, Cell(str(pair.n), pair.n)]


def bayes_table(comparison: Comparison, cost_name: str, other: bool) -> Table | None:
    """Bayesian signed-rank tests: how likely each is better, or the difference is of no account."""
    cost = comparison.costs[cost_name]
    overview = cost.under(other).over_datasets
    text = ": Bayesian signed-rank test, probability that on a new data set"
    file, caption = titled_of(cost, f"{cost_name}-signed-rank", text, other)
    columns = [*texts("Model", "Against"), Column("the model is better")]
    columns += [Column("no difference that matters"), Column("the other is better")]
    columns += [Column("Matters from")]
    rows = [_posterior(row, overview.scale) for row in overview.signed_rank]
    return simple(file, caption, columns, rows) if rows else None


def _posterior(row: SignedRank, scale: str) -> list[Cell]:
    shares = (row.p_a, row.p_rope, row.p_b)
    cells = [
        Cell(piece("bold", f"{100 * p:.0f} %") if p == max(shares) else f"{100 * p:.0f} %", p)
        for p in shares
    ]
    return [name(row.a), name(row.b), *cells, Cell(_of_account(row.rope, scale), row.rope)]


def _of_account(rope: float, scale: str) -> str:
    """From which difference on a data set two models are not of equal worth."""
    return f"{100 * rope:g} % of the best loss" if scale == "relative" else f"{rope:g}"


def summary(comparison: Comparison, cost_name: str, other: bool) -> list[str]:
    """What the tests over data sets say, in sentences."""
    overview = comparison.costs[cost_name].under(other).over_datasets
    if overview.why:
        return [f"Over data sets nothing can be said: {overview.why}."]
    sentences = (
        _friedman(overview, comparison.level),
        _nemenyi(overview),
        f"Left out: {listed(overview.left_out_why or overview.left_out)}."
        if overview.left_out
        else None,
        overview.note,
    )
    return [sentence for sentence in sentences if sentence]


def _friedman(overview: OverDatasets, level: float) -> str | None:
    test = overview.friedman
    if test is None:
        return None
    alike = (
        "the models do not all perform alike"
        if test.p < level
        else "no difference between the models is shown"
    )
    return (
        f"Friedman test over {counted(test.n, 'data set')} and {counted(test.k, 'model')}: "
        f"{alike} ({p_text(test.p)})."
    )


def _nemenyi(overview: OverDatasets) -> str | None:
    if overview.nemenyi is None:
        return None
    distance = f"{overview.nemenyi.cd:.2f}"
    return f"Nemenyi: two average ranks are told apart when they are more than {distance} apart."


def wilcoxon_reading(comparison: Comparison, cost_name: str, other: bool) -> str:
    """How many pairs are told apart."""
    pairs = comparison.costs[cost_name].under(other).over_datasets.wilcoxon_holm
    apart = [pair for pair in pairs if pair.better is not None]
    return (
        f"of {counted(len(pairs), 'pair')} {len(apart)} {verb(apart)} told apart at "
        f"{100 * comparison.level:g} % after Holm's "
        "correction for the number of pairs. A pair that is not told apart need not be equal: "
        "few data sets show only large differences."
    )


def bayes_reading(comparison: Comparison, cost_name: str, other: bool) -> str:
    """The first row of the Bayesian test in words."""
    overview = comparison.costs[cost_name].under(other).over_datasets
    if not overview.signed_rank:
        return "no pair could be tested."
    row = overview.signed_rank[0]
    least = _of_account(row.rope, overview.scale)
    return (
        f"on a new data set {isolated(row.a)} is better than {isolated(row.b)} with probability "
        f"{100 * row.p_a:.0f} %, worse with {100 * row.p_b:.0f} %, and with "
        f"{100 * row.p_rope:.0f} % the two differ by less than {least}, which is of no "
        "account."
    )


def diagram(comparison: Comparison, cost_name: str, other: bool) -> Figure | None:
    """Critical-difference diagrams by both tests, with the ranks in them."""
    cost = comparison.costs[cost_name]
    overall = cost.under(other)
    overview = overall.over_datasets
    ranks = {model: overall.average_ranks.models.get(model) for model in overview.models}
    known = {model: rank for model, rank in ranks.items() if rank is not None}
    if overview.why or len(known) < FEWEST_MODELS:
        return None
    tests: list[tuple[str, list[list[str]], float | None]] = [
        ("Wilcoxon with Holm", overview.groups, None)
    ]
    if overview.nemenyi:
        tests.append(("Nemenyi", overview.nemenyi.groups, overview.nemenyi.cd))
    drawings = [
        critical_difference_diagram(known, groups, title, cd, len(overview.datasets))
        for title, groups, cd in tests
    ]
    caption = f"{cost.title}: which models are told apart over data sets"
    reading = diagram_reading(known, overview.groups)
    return Figure(caption, drawings, reading, _ranks(cost_name, cost, other, known))


def _ranks(cost_name: str, cost: CostTable, other: bool, ranks: Mapping[str, float]) -> Table:
    file, caption = titled_of(cost, f"{cost_name}-ranks", ": average ranks", other)
    order = sorted(ranks, key=ranks.__getitem__)
    rows = [[name(model), number(ranks[model], 2)] for model in order]
    return simple(file, caption, [*texts("Model"), Column("Average rank")], rows)


def diagram_reading(ranks: Mapping[str, float], groups: Sequence[Sequence[str]]) -> str:
    """What the diagrams say of the model in front."""
    order = sorted(ranks, key=ranks.__getitem__)
    best = order[0]
    joined = {model for group in groups if best in group for model in group}
    mates = [model for model in order if model in joined - {best}]
    if not mates:
        return (
            f"{isolated(best)} leads, and Wilcoxon with Holm tells every other model apart from it."
        )
    others = "any other model" if len(mates) == len(ranks) - 1 else listed(mates)
    return f"{isolated(best)} leads, but Wilcoxon with Holm does not tell it apart from {others}."
