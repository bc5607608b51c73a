"""The numbers the paper prints, found by its own names; nothing in here was measured by us."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from stages.compare.names import Json

TABLES = ("algorithms", "datasets", "mscoco", "reweighting", "rnn_variants", "ttest")


@dataclass(frozen=True)
class Paper:
    """The paper's tables as frames; an absent one is empty."""

    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @cached_property
    def _tables(self) -> dict[str, list[Json]]:
        return {
            name: [
                {key: None if pd.isna(value) else value for key, value in row.items()}
                for row in frame.to_dict("records")
            ]
            for name, frame in self.frames.items()
        }

    @cached_property
    def _lines(self) -> dict[tuple[str, str], list[Json]]:
        lines: dict[tuple[str, str], list[Json]] = {}
        for row in self.rows("algorithms"):
            number = {key: row[key] for key in ("model", "mean", "ste")}
            number["rank"] = None if row["rank"] is None else int(row["rank"])
            lines.setdefault((row["dataset"].casefold(), row["cost"]), []).append(number)
        return lines

    def rows(self, table: str, dataset: str | None = None, cost: str | None = None) -> list[Json]:
        """Rows of a table with nulls for blanks, of one data set and cost where these are given."""
        return [
            row
            for row in self._tables.get(table, [])
            # the paper writes arts1 and Arts1
            if (dataset is None or row["dataset"].casefold() == dataset.casefold())
            and (cost is None or row["cost"] == cost)
        ]

    def algorithms(self, dataset: str | None, cost: str) -> list[Json]:
        """The main table's numbers of one data set and cost: model, mean, ste and rank."""
        return self._lines.get((dataset.casefold(), cost), []) if dataset else []

    def number(self, dataset: str | None, cost: str, model: str) -> Json | None:
        """One number of the main table; None where it is blank."""
        rows = self.algorithms(dataset, cost)
        return next((r for r in rows if r["model"] == model and r["mean"] is not None), None)
