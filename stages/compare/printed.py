"""The numbers the paper prints, found by its own names; nothing in here was measured by us."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from stages.common.schema import PrintedScore

TABLES = ("algorithms", "datasets", "mscoco", "reweighting", "rnn_variants", "ttest")
OWN = "RethinkNet"  # what the paper calls its model
COST_BLIND = ("CC-DP", "CC", "CC-RNN", "BR")
COUNTED_AS_ONE = (*COST_BLIND, "CFT")  # in the accuracy column: nothing predicted, nothing true
CONSTANT = {"rank": COST_BLIND}  # printed numbers that are the loss of a constant prediction


@dataclass(frozen=True)
class Paper:
    """The paper's tables as frames; an absent one is empty."""

    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @cached_property
    def _tables(self) -> dict[str, list[dict[str, Any]]]:
        return {
            name: [
                {key: None if pd.isna(value) else value for key, value in row.items()}
                for row in frame.to_dict("records")
            ]
            for name, frame in self.frames.items()
        }

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[PrintedScore]]:
        lines: dict[tuple[str, str], list[PrintedScore]] = {}
        for row in self.rows("algorithms"):
            rank = None if row["rank"] is None else int(row["rank"])
            comparable = row["model"] not in CONSTANT.get(row["cost"], ())
            number = PrintedScore(row["mean"], row["ste"], rank, row["model"], comparable)
            lines.setdefault((row["dataset"].casefold(), row["cost"]), []).append(number)
        return lines

    def rows(
        self, table: str, dataset: str | None = None, cost: str | None = None
    ) -> list[dict[str, Any]]:
        """Rows of a table with nulls for blanks, of one data set and cost where these are given."""
        return [
            row
            for row in self._tables.get(table, [])
            # the paper writes arts1 and Arts1
            if (dataset is None or row["dataset"].casefold() == dataset.casefold())
            and (cost is None or row["cost"] == cost)
        ]

    def algorithms(self, dataset: str | None, cost: str) -> list[PrintedScore]:
        """The main table's numbers of one data set and cost."""
        return self._lines.get((dataset.casefold(), cost), []) if dataset else []

    def number(self, dataset: str | None, cost: str, model: str) -> PrintedScore | None:
        """One number of the main table; None where it is blank."""
        rows = self.algorithms(dataset, cost)
        return next((row for row in rows if row.model == model and row.mean is not None), None)
