"""The table of data sets beside the printed one, and the cards of all."""

from collections.abc import Sequence
from typing import Any

from stages.common.slices import DatasetCounts, DatasetRows
from stages.common.words import count, file_name, listed
from stages.report.page_inputs import Inputs
from stages.report.sections import Section, View
from stages.report.table import Column, Entry, Table, name, piece, simple, texts

TITLE = "Table of data sets"
COUNTS = ("features", "labels", "instances", "cardinality", "density")
MOST_CARDS = 100  # more would make the page too large
SYMBOLS = {"ok": "✓", "warn": "▲", "fail": "✕"}


def show(part: DatasetRows, inputs: Inputs) -> list[Section]:
    """Counts from the files beside the printed ones."""
    view = View(
        intro=[f"The paper's table of data sets, counted again. {wrong_counts(part.rows)}"],
        tables=[dataset_table(part.rows)],
        reading="= is a count as printed, ✕ one that the files contradict.",
    )
    return [Section("datasets", TITLE, view)]


def dataset_table(rows: Sequence[DatasetCounts]) -> Table:
    """Counts from the files, and the printed ones where they differ or agree."""
    columns = texts("Data set")
    columns += [Column(key.capitalize(), fields=("ours", "paper")) for key in COUNTS]
    cells = [[name(row.dataset), *(_count(row, key) for key in COUNTS)] for row in rows]
    return simple("data-sets", "Counts from the files, with the printed ones", columns, cells)


def _count(row: DatasetCounts, key: str) -> Entry:
    ours, printed = row.ours[key], (row.printed or {}).get(key)
    note = ""
    if printed is not None and key in row.wrong:
        note = piece("sign", "✕", "the paper is wrong:", "lack")
        note += piece("span", f" printed {count(printed)}", "ste")
    elif printed is not None:
        note = piece("sign", "=", "as printed", "near")
    html = piece("joined", count(ours), note)
    return Entry(html, ours, fields={"ours": ours, "paper": printed})


def wrong_counts(rows: Sequence[DatasetCounts]) -> str:
    """Which printed counts the files contradict, in one sentence."""
    wrong = [f"{row.dataset} ({listed(row.wrong)})" for row in rows if row.wrong]
    if not wrong:
        return "Every printed count of these data sets agrees with the files."
    return f"The files contradict the printed counts of {listed(wrong)}."


def cards(inputs: Inputs) -> dict[str, Any]:
    """Every data set's card and checks, of any run."""
    return {
        "cards": [
            {
                "id": card_id(dataset),
                "facts": inputs.cards[dataset],
                "rights": inputs.rights[dataset],
                "status": check_mark(inputs.validations[dataset]["status"]),
                "checks": _checks(inputs, dataset),
            }
            for dataset in inputs.params.datasets[:MOST_CARDS]
        ],
        "left_out": len(inputs.params.datasets[MOST_CARDS:]),
    }


def _checks(inputs: Inputs, dataset: str) -> Table:
    columns = texts("Result", "Expectation", "Observed")
    rows = [
        [
            Entry(check_mark(check["status"])),
            Entry(check["text"], head=True),
            Entry(check["observed"]),
        ]
        for check in inputs.validations[dataset]["checks"]
    ]
    file = f"validation-{dataset}"
    return simple(file, "Validation", columns, rows, kind="checks", sortable=False, filtered=False)


def card_id(dataset: str) -> str:
    """The place of a data set's card."""
    return f"card-{file_name(dataset)}"


def check_mark(status: str) -> str:
    """The result of a check as a symbol and a word."""
    return piece("marked", SYMBOLS[status], status, status)
