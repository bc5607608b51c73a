"""The page of a run on the user's own data alone: the answer for her cost, nothing of the paper."""

from typing import Any

from stages.common.standings import Answer, Standing
from stages.common.words import NONE, duration, fixed, listed, p_text
from stages.report import health
from stages.report.figures import Span, mean_chart
from stages.report.page_inputs import Inputs
from stages.report.recommended import code_for
from stages.report.score_tables import seed_table
from stages.report.sections import Section
from stages.report.sections.datasets import cards
from stages.report.table import (
    Column,
    Entry,
    Table,
    name,
    number,
    piece,
    simple,
    texts,
    void,
)

WORDS = {"win": "worse", "tie": "not told apart", "loss": "better", "too few": "too few splits"}


def page(inputs: Inputs) -> dict[str, Any]:
    """What the template of the page needs beside the comparison."""
    answers = inputs.comparison.answers
    return {
        "title": title(inputs),
        "header": "own_header.html.j2",
        "answers": [(answer, short(answer)) for answer in answers],
        "sections": [*(section(answer, inputs) for answer in answers), *rest(inputs)],
    }


def title(inputs: Inputs) -> str:
    """The title of the data, or the names of several sets."""
    named = [inputs.cards[name]["title"] or name for name in inputs.params.datasets]
    return listed(named)


def short(answer: Answer) -> str:
    """The mean of the recommended model with its interval."""
    if answer.recommended is None:
        return ""
    row = answer.standing(answer.recommended)
    return f"{fixed(row.mean, answer.decimals + 1)} {_interval(row, answer.decimals + 1)}".strip()


def section(answer: Answer, inputs: Inputs) -> Section:
    """One answer: the advice, the models beside each other, and code to go on with."""
    alone = len(inputs.params.datasets) == 1
    view = {
        "answer": answer,
        "drawing": _drawing(answer),
        "table": standing_table(answer),
        "seeds": seed_table(inputs.comparison, answer.cost),
        "snippet": code_for(inputs, answer.recommended, answer.chosen, answer.cost),
    }
    heading = answer.title if alone else f"{answer.title}: {answer.dataset}"
    return Section(f"answer-{answer.dataset}-{answer.cost}", heading, view, "answer")


def rest(inputs: Inputs) -> list[Section]:
    """How the run went, the data, and how to do it again with the same parameters."""
    alerts = health.view(inputs) | {"small": False}
    reproduce = {"entries": inputs.params.entries, "params": inputs.params.text}
    return [
        Section("alerts", "Alerts", alerts, "alerts"),
        Section("run-times", "Run times and failures", health.times(inputs), "times"),
        Section("data", "Data", cards(inputs), "data"),
        Section("reproduce", "Reproduce", reproduce, "own_reproduce"),
        Section("environment", "Environment", {"now": inputs.now}, "environment"),
    ]


def _interval(row: Standing, digits: int) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"({fixed(row.low, digits)} to {fixed(row.high, digits)})"


def _drawing(answer: Answer) -> str | None:
    spans = [
        Span(row.model, row.mean, row.low, row.high)
        for row in answer.standings
        if row.mean is not None
    ]
    if not spans:
        return None
    better = "higher" if answer.greater_is_better else "lower"
    label = f"mean on test rows and its 95 % interval, {better} is better"
    return mean_chart(spans, answer.title, label, answer.recommended)


def standing_table(answer: Answer) -> Table:
    """Every model: mean, interval, the test against the recommended one, and its price."""
    digits = answer.decimals + 1
    rows = [
        [
            name(row.model, "looks at no feature" if row.trivial else ""),
            number(row.mean, digits, "did not finish"),
            Entry(_interval(row, digits).strip("()") or NONE),
            _against(answer, row),
            Entry(f"{row.n} of {row.planned}", row.n),
            Entry(duration(row.seconds), row.seconds),
        ]
        for row in answer.standings
    ]
    beside = f"Against {answer.recommended}" if answer.recommended else "Test"
    columns = [*texts("Model"), Column("Mean"), *texts("95 % interval", beside)]
    columns += [Column("Splits"), Column("CPU time")]
    caption = f"{answer.title} of every model on the test rows"
    file = f"{answer.dataset}-{answer.cost}"
    way = "up" if answer.greater_is_better else "down"
    return simple(file, caption, columns, rows, direction=way)


def _against(answer: Answer, row: Standing) -> Entry:
    if row.model == answer.recommended:
        return Entry(piece("bold", "recommended"))
    if row.against is None:
        return void("not tested", NONE)
    p = "" if row.against.p is None else f" ({p_text(row.against.p)})"
    return Entry(f"{WORDS[row.against.result]}{p}")
