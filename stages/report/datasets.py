"""The table of data sets beside the printed one."""

from markupsafe import Markup

from stages.common.words import listed
from stages.report.tables import Cell, Column, Json, Table, marked, name, sign, simple, span, words
from stages.report.text import count, file_name

COUNTS = ("features", "labels", "instances", "cardinality", "density")
FIELDS = ("ours", "paper")
SYMBOLS = {"ok": "✓", "warn": "▲", "fail": "✕"}


def dataset_table(section: Json) -> Table:
    """Counts from the files, and the printed ones where they differ or agree."""
    columns = [words("Data set"), *(Column(key.capitalize(), fields=FIELDS) for key in COUNTS)]
    rows = [
        [name(row["dataset"]), *(_count(row, key) for key in COUNTS)] for row in section["rows"]
    ]
    return simple("data-sets", "Counts from the files, with the printed ones", columns, rows)


def _count(row: Json, key: str) -> Cell:
    ours, printed = row["ours"][key], (row["printed"] or {}).get(key)
    fields = {"ours": ours, "paper": printed}
    if printed is None:
        return Cell(count(ours), ours, fields=fields)
    if key in row["wrong"]:
        note = sign("✕", "the paper is wrong:", "lack") + span(f" printed {count(printed)}", "ste")
    else:
        note = sign("=", "as printed", "near")
    return Cell(Markup("{} {}").format(count(ours), note), ours, fields=fields)


def wrong_counts(section: Json) -> str:
    """Which printed counts the files contradict, in one sentence."""
    found = [
        f"{row['dataset']} ({listed(row['wrong'])})" for row in section["rows"] if row["wrong"]
    ]
    if not found:
        return "Every printed count of these data sets agrees with the files."
    return f"The files contradict the printed counts of {listed(found)}."


def view(context: Json) -> Json:
    """The table, if it was asked for, and every data set's card and checks."""
    section = context["comparison"]["experiments"].get("datasets")
    names = context["params"]["datasets"]
    return {
        "sentence": wrong_counts(section) if section else "",
        "table": dataset_table(section) if section else None,
        "cards": [
            (context["cards"][name], context["validations"][name], _checks(context, name))
            for name in names
        ],
    }


def _checks(context: Json, dataset: str) -> Table:
    columns = [words("Result"), words("Expectation"), words("Observed")]
    rows = [
        [Cell(check_mark(check["status"])), Cell(check["text"], head=True), Cell(check["observed"])]
        for check in context["validations"][dataset]["checks"]
    ]
    file = f"validation-{dataset}"
    return simple(file, "Validation", columns, rows, kind="checks", sortable=False, filtered=False)


def card_id(dataset: str) -> str:
    """The place of a data set's card."""
    return f"card-{file_name(dataset)}"


def check_mark(status: str) -> Markup:
    """The result of a check as a symbol and a word."""
    return marked(SYMBOLS[status], status, status)
