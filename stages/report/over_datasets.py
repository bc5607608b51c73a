"""Tests over data sets: would the order of the models hold on another one?"""

from collections.abc import Mapping, Sequence

from stages.common.outcomes import OverDatasets, PairEffect, SignedRank, Wilcoxon
from stages.common.schema import Comparison, CostTable
from stages.common.words import change, counted, fixed, isolated, listed, p_text, percent, verb
from stages.report.figures import critical_difference_diagram
from stages.report.ranks import titled_of
from stages.report.table import Column, Entry, Figure, Table, name, number, piece, simple, texts

FEWEST_MODELS = 3
LEVEL = 0.05


def pair_matrix(comparison: Comparison, cost_name: str, other: bool) -> Table | None:
    """Every pair over data sets: mean gain, wins / ties / losses, p; rivals do not change it."""
    cost = comparison.costs[cost_name]
    overview = cost.under(other).over_datasets
    entries = {(pair.a, pair.b): pair for pair in overview.pairs}
    entries |= {(pair.b, pair.a): _turned(pair) for pair in overview.pairs}
    if not entries:
        return None
    order = sorted(overview.models, key=lambda model: overview.standings[model].rank)
    rows = [
        [name(model), *(_pair(entries.get((model, rival))) for rival in order)] for model in order
    ]
    columns = [Column(rival, named=True, fields=("gain", "p")) for rival in order]
    test = ", and p of Wilcoxon's signed-rank test" if any(map(speaks, overview.pairs)) else ""
    text = f": the row against the column; mean gain, wins / ties / losses over data sets{test}"
    file, caption = titled_of(cost, f"{cost_name}-pairs", text, other)
    return simple(file, caption, [*texts("Model"), *columns], rows, kind="pairs", sortable=False)


def _turned(pair: PairEffect) -> PairEffect:
    return PairEffect(pair.b, pair.a, -pair.gain, pair.loss, pair.tie, pair.win, pair.p)


def speaks(pair: PairEffect) -> bool:
    """Whether the data sets of a pair are enough for its test to tell the two apart."""
    return 2.0 ** (1 - pair.win - pair.tie - pair.loss) < LEVEL


def _pair(pair: PairEffect | None) -> Entry:
    if pair is None:
        return Entry(piece("silent", "·"), kind="void")
    counts = f"{pair.win}/{pair.tie}/{pair.loss}"
    test = p_text(pair.p) if speaks(pair) else ""
    html = piece("pair", change(pair.gain), counts, test, pair.p < LEVEL)
    return Entry(html, pair.gain, fields={"gain": pair.gain, "p": pair.p})


def standing_table(comparison: Comparison, cost_name: str, other: bool) -> Table | None:
    """Each model: average rank with its interval, improvability and win rate."""
    cost = comparison.costs[cost_name]
    rows = cost.under(other).over_datasets.standings
    if not rows:
        return None
    columns = [
        *texts("Model"),
        Column("Average rank", fields=("rank", "low", "high")),
        Column("Improvability"),
        Column("Splits won"),
    ]
    lines = [
        [
            name(model),
            Entry(
                piece("interval", fixed(row.rank, 2), fixed(row.low, 1), fixed(row.high, 1)),
                row.rank,
                fields={"rank": row.rank, "low": row.low, "high": row.high},
            ),
            Entry(percent(row.improvability), row.improvability),
            Entry(percent(row.win_rate), row.win_rate),
        ]
        for model, row in sorted(rows.items(), key=lambda item: item[1].rank)
    ]
    text = ": average rank with its 95 % interval, and two effects beside it"
    file, caption = titled_of(cost, f"{cost_name}-standings", text, other)
    return simple(file, caption, columns, lines)


def control_table(comparison: Comparison, cost_name: str, other: bool) -> Table | None:
    """The proposed model against each other one: the test over data sets, and the posterior."""
    cost = comparison.costs[cost_name]
    overview = cost.under(other).over_datasets
    if not overview.control:
        return None
    posterior = {row.b: row for row in overview.signed_rank}
    gains = {(pair.a, pair.b): pair.gain for pair in overview.pairs}
    gains |= {(pair.b, pair.a): -pair.gain for pair in overview.pairs}
    columns = [
        *texts("Against", "Better"),
        Column("Data sets"),
        Column("Mean gain"),
        Column("p"),
        Column("p after Holm"),
    ]
    columns += [Column("better"), Column("no difference"), Column("worse")]
    rows = [
        [
            name(test.b),
            _better(test),
            Entry(f"{test.n}", test.n),
            Entry(change(gains[test.a, test.b]), gains[test.a, test.b]),
            *(Entry(p_text(p).removeprefix("p ").strip("= "), p) for p in (test.p, test.p_holm)),
            *_posterior(posterior[test.b]),
        ]
        for test in sorted(overview.control, key=lambda test: test.p)
    ]
    text = f": {overview.control[0].a} against each other model over data sets"
    file, caption = titled_of(cost, f"{cost_name}-control", text, other)
    return simple(file, caption, columns, rows)


def _better(test: Wilcoxon) -> Entry:
    if test.better is None:
        return Entry(piece("marked", "≈", "not told apart", "near"))
    return Entry(piece("name", test.better), test.better)


def _posterior(row: SignedRank) -> list[Entry]:
    shares = (row.p_a, row.p_rope, row.p_b)
    return [
        Entry(piece("bold", f"{100 * p:.0f} %") if p == max(shares) else f"{100 * p:.0f} %", p)
        for p in shares
    ]


def _of_account(rope: float, scale: str) -> str:
    """The smallest difference on a data set that counts: below it two models are of equal worth."""
    return f"{100 * rope:g} % of the larger loss" if scale == "relative" else f"{rope:g}"


def summary(comparison: Comparison, cost_name: str, other: bool) -> list[str]:
    """What the tests over data sets say, in sentences."""
    overview = comparison.costs[cost_name].under(other).over_datasets
    if overview.why:
        return [f"Over data sets nothing can be said: {overview.why}."]
    sentences = (
        _friedman(overview, comparison.level),
        _nemenyi(overview),
        f"Left out: {'; '.join(overview.left_out_why) or listed(overview.left_out)}."
        if overview.left_out
        else None,
        all_pairs(comparison, cost_name, other),
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


def control_reading(comparison: Comparison, cost_name: str, other: bool) -> str:
    """How many models are told apart from the control, and what the posterior says."""
    overview = comparison.costs[cost_name].under(other).over_datasets
    if not overview.control:
        return "the proposed model is not in the table."
    apart = [test for test in overview.control if test.better is not None]
    row = overview.signed_rank[0]
    return (
        f"of {counted(len(overview.control), 'model')} {len(apart)} {verb(apart)} told apart from "
        f"{isolated(row.a)} at {100 * comparison.level:g} % after Holm's correction for so many "
        "tests. One that is not told apart need not be equal: few data sets show only large "
        "differences. The last three columns are a Bayesian signed-rank test: how probable it is "
        f"that “{isolated(row.a)} is better”, “the two differ by less than "
        f"{_of_account(row.rope, overview.scale)}” or “it is worse” is the likeliest of the three "
        "outcomes on data sets like these. That is not the probability of winning on a new one, "
        "which is lower."
    )


STANDING_READING = (
    "the interval of an average rank is a bootstrap over data sets, then splits. Improvability is "
    "the share of a model's error that the best model of each data set does not make, on average: "
    "0 % is never behind. Splits won are the comparisons with other models on single splits that "
    "the model wins, every data set counting the same. All of this is about the data sets that "
    "have every model, and there about the splits that all of them have."
)
PAIR_READING = (
    "a gain is how much better the row is than the column, as a share of the larger score, over "
    "all data sets and splits that the two share: their number may differ from pair to pair. Bold "
    "where p is below 5 % for this pair alone; with so many pairs some are by chance. An entry "
    "does not change when other models join or leave, as ranks do."
)


def all_pairs(comparison: Comparison, cost_name: str, other: bool) -> str | None:
    """How many pairs are told apart, where there are data sets enough to test them all."""
    pairs = comparison.costs[cost_name].under(other).over_datasets.wilcoxon_holm
    if not pairs:
        return None
    apart = [pair for pair in pairs if pair.better is not None]
    return (
        f"Of all {counted(len(pairs), 'pair')}, {len(apart)} {verb(apart)} told apart after Holm's "
        "correction for so many."
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
    tests: list[tuple[str, list[list[str]], float | None]] = []
    if overview.wilcoxon_holm:
        tests.append(("Wilcoxon with Holm", overview.groups, None))
    if overview.nemenyi:
        tests.append(("Nemenyi", overview.nemenyi.groups, overview.nemenyi.cd))
    drawings = [
        critical_difference_diagram(known, groups, title, cd, len(overview.datasets))
        for title, groups, cd in tests
    ]
    caption = f"{cost.title}: which models are told apart over data sets"
    if not tests:
        return None
    title, groups, _ = tests[0]
    reading = diagram_reading(known, groups, title)
    return Figure(caption, drawings, reading, _ranks(cost_name, cost, other, known))


def _ranks(cost_name: str, cost: CostTable, other: bool, ranks: Mapping[str, float]) -> Table:
    file, caption = titled_of(cost, f"{cost_name}-ranks", ": average ranks", other)
    order = sorted(ranks, key=ranks.__getitem__)
    rows = [[name(model), number(ranks[model], 2)] for model in order]
    return simple(file, caption, [*texts("Model"), Column("Average rank")], rows)


def diagram_reading(ranks: Mapping[str, float], groups: Sequence[Sequence[str]], test: str) -> str:
    """What the diagrams say of the model in front."""
    order = sorted(ranks, key=ranks.__getitem__)
    best = order[0]
    joined = {model for group in groups if best in group for model in group}
    mates = [model for model in order if model in joined - {best}]
    if not mates:
        return f"{isolated(best)} leads, and {test} tells every other model apart from it."
    others = "any other model" if len(mates) == len(ranks) - 1 else listed(mates)
    return (
        f"{isolated(best)} leads, but {test} does not tell it apart from {others}. The diagram "
        "changes with the models that are in it."
    )
