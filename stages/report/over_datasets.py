"""Tests over data sets: would the order of the models hold on another one?"""

from markupsafe import Markup

from stages.common.words import counted, isolated, listed
from stages.report.figure import Figure
from stages.report.figures import critical_difference_diagram
from stages.report.ranks import titled, view
from stages.report.tables import (
    Cell,
    Column,
    Json,
    Table,
    marked,
    name,
    number,
    simple,
    void,
    words,
)
from stages.report.text import chance

FEWEST_MODELS = 3


def wilcoxon_table(comparison: Json, cost_name: str, other: bool) -> Table | None:
    """Wilcoxon signed-rank tests over data sets, corrected for their number by Holm."""
    cost = comparison["costs"][cost_name]
    rows = view(cost, other)["over_datasets"]["wilcoxon_holm"] or []
    file, caption = titled(
        f"{cost_name}-wilcoxon-holm",
        f"{cost['title']}: Wilcoxon signed-rank test of each pair over data sets",
        other if cost["other_empty"] else None,
    )
    titles = [words("Model"), words("Against"), words("Better")]
    numbers = [Column("p"), Column("p after Holm"), Column("Data sets")]
    cells = [_wilcoxon(row) for row in rows]
    return simple(file, caption, titles + numbers, cells) if rows else None


def _wilcoxon(row: Json) -> list[Cell]:
    models = (name(row["a"]), name(row["b"]), _better(row["better"]))
    return [*models, _chance(row["p"]), _chance(row["p_holm"]), Cell(str(row["n"]), row["n"])]


def _better(model: str | None) -> Cell:
    if model is None:
        return Cell(marked("≈", "not told apart", "near"))
    return Cell(Markup("<bdi>{}</bdi>").format(model), model)


def _chance(p: float | None) -> Cell:
    return void("no test", "–") if p is None else Cell(chance(p).removeprefix("p ").strip("= "), p)


def bayes_table(comparison: Json, cost_name: str, other: bool) -> Table | None:
    """Bayesian signed-rank tests: how likely each is better, or the difference is of no account."""
    cost = comparison["costs"][cost_name]
    scale = view(cost, other)["over_datasets"]["scale"]
    rows = view(cost, other)["over_datasets"]["signed_rank"] or []
    file, caption = titled(
        f"{cost_name}-signed-rank",
        f"{cost['title']}: Bayesian signed-rank test, probability that on a new data set",
        other if cost["other_empty"] else None,
    )
    columns = [words("Model"), words("Against"), Column("the model is better")]
    columns += [Column("no difference that matters"), Column("the other is better")]
    columns += [Column("Matters from")]
    cells = (
        [name(row["a"]), name(row["b"])]
        + [_share(row[key], row) for key in ("p_a", "p_rope", "p_b")]
        + [Cell(_of_account(row["rope"], scale), row["rope"])]
        for row in rows
    )
    return simple(file, caption, columns, cells) if rows else None


def _of_account(rope: float, scale: str) -> str:
    """From which difference on a data set two models are not of equal worth."""
    return f"{100 * rope:g} % of the best loss" if scale == "relative" else f"{rope:g}"


def _share(p: float | None, row: Json) -> Cell:
    if p is None:
        return void("no test", "–")
    likely = p == max(row["p_a"], row["p_rope"], row["p_b"])
    text = f"{100 * p:.0f} %"
    return Cell(Markup("<b>{}</b>").format(text) if likely else text, p)


def summary(comparison: Json, cost_name: str, other: bool) -> list[str]:
    """What the tests over data sets say, in sentences."""
    cost = comparison["costs"][cost_name]
    found = view(cost, other)["over_datasets"]
    if found["why"]:
        return [f"Over data sets nothing can be said: {found['why']}."]
    said = (_friedman(found, comparison["level"]), _nemenyi(found), _left_out(found), found["note"])
    return [text for text in said if text]


def _friedman(found: Json, level: float) -> str:
    test = found["friedman"]
    if test is None:
        return ""
    alike = (
        "the models do not all perform alike"
        if test["p"] < level
        else "no difference between the models is shown"
    )
    return (
        f"Friedman test over {counted(test['n'], 'data set')} and {counted(test['k'], 'model')}: "
        f"{alike} ({chance(test['p'])})."
    )


def _nemenyi(found: Json) -> str:
    test = found["nemenyi"]
    if test is None:
        return ""
    return (
        f"Nemenyi: two average ranks are told apart when they are more than {test['cd']:.2f} apart."
    )


def _left_out(found: Json) -> str:
    if not found["left_out"]:
        return ""
    why = found["left_out_why"]
    return f"Left out: {listed(why or found['left_out'])}."


def wilcoxon_reading(comparison: Json, cost_name: str, other: bool) -> str:
    """How many pairs are told apart."""
    rows = view(comparison["costs"][cost_name], other)["over_datasets"]["wilcoxon_holm"] or []
    told = sum(row["better"] is not None for row in rows)
    are = "is" if told == 1 else "are"
    return (
        f"of {counted(len(rows), 'pair')} {told} {are} told apart at "
        f"{100 * comparison['level']:g} % after Holm's "
        "correction for the number of pairs. A pair that is not told apart need not be equal: "
        "few data sets show only large differences."
    )


def bayes_reading(comparison: Json, cost_name: str, other: bool) -> str:
    """The first row of the Bayesian test in words."""
    found = view(comparison["costs"][cost_name], other)["over_datasets"]
    rows = found["signed_rank"] or []
    row = next((row for row in rows if row["p_a"] is not None), None)
    if row is None:
        return "no pair could be tested."
    least = _of_account(row["rope"], found["scale"])
    one, two = isolated(row["a"]), isolated(row["b"])
    return (
        f"on a new data set {one} is better than {two} with probability "
        f"{100 * row['p_a']:.0f} %, worse with {100 * row['p_b']:.0f} %, and with "
        f"{100 * row['p_rope']:.0f} % the two differ by less than {least}, which is of no "
        "account."
    )


def diagram(comparison: Json, cost_name: str, other: bool) -> Figure | None:
    """Critical-difference diagrams by both tests, with the ranks in them."""
    cost = comparison["costs"][cost_name]
    found = view(cost, other)["over_datasets"]
    averages = view(cost, other)["average_ranks"]["models"]
    known = {model: averages[model] for model in found["models"] if averages.get(model) is not None}
    if found["why"] or len(known) < FEWEST_MODELS:
        return None
    tests = [("Wilcoxon with Holm", found["groups"], None)]
    if found["nemenyi"]:
        tests.append(("Nemenyi", found["nemenyi"]["groups"], found["nemenyi"]["cd"]))
    drawings = [
        critical_difference_diagram(known, groups, title, cd, len(found["datasets"]))
        for title, groups, cd in tests
    ]
    caption = f"{cost['title']}: which models are told apart over data sets"
    reading = diagram_reading(known, found["groups"])
    return Figure(caption, drawings, reading, _ranks(cost_name, cost, other, known))


def _ranks(cost_name: str, cost: Json, other: bool, ranks: dict[str, float]) -> Table:
    file, caption = titled(
        f"{cost_name}-ranks",
        f"{cost['title']}: average ranks",
        other if cost["other_empty"] else None,
    )
    rows = [[name(model), number(rank, 2)] for model, rank in sorted(ranks.items(), key=_by_rank)]
    return simple(file, caption, [words("Model"), Column("Average rank")], rows)


def _by_rank(item: tuple[str, float]) -> float:
    return item[1]


def diagram_reading(ranks: dict[str, float], groups: list[list[str]]) -> str:
    """What the diagrams say of the model in front."""
    best = min(ranks, key=ranks.__getitem__)
    joined = {model for group in groups if best in group for model in group}
    mates = [model for model in sorted(ranks, key=ranks.__getitem__) if model in joined - {best}]
    if not mates:
        return (
            f"{isolated(best)} leads, and Wilcoxon with Holm tells every other model apart from it."
        )
    others = "any other model" if len(mates) == len(ranks) - 1 else listed(mates)
    return f"{isolated(best)} leads, but Wilcoxon with Holm does not tell it apart from {others}."
