"""Everything a comparison is made of, already read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rethink.costs import Cost
from stages.compare.names import Json
from stages.compare.numbers import decimals_of
from stages.compare.printed import Paper
from stages.compare.scores import CellName, Scores


@dataclass(frozen=True)
class Experiment:
    """A named set of cells; the data sets are those in the run."""

    models: Sequence[str] = ()
    costs: Sequence[str] = ()
    datasets: Sequence[str] = ()


@dataclass(frozen=True)
class Evidence:
    """A run and the paper. What is absent is an empty mapping, never an error."""

    scores: Scores
    experiments: Mapping[str, Experiment]
    costs: Mapping[str, Cost]
    paper: Paper = field(default_factory=Paper)
    paper_names: Mapping[str, str | None] = field(default_factory=dict)
    cards: Mapping[str, Json] = field(default_factory=dict)
    labels: Mapping[str, Any] = field(default_factory=dict)  # 0/1 matrices, dense or sparse
    memories: Mapping[CellName, Mapping[int, np.ndarray]] = field(default_factory=dict)
    seconds: Mapping[CellName, Mapping[int, float]] = field(default_factory=dict)
    examples: Mapping[str, list[Json]] = field(default_factory=dict)  # single images, by data set

    def experiment(self, name: str) -> Experiment:
        """An experiment of the run; one that is not in it has no models and no data sets."""
        return self.experiments.get(name, Experiment())

    def datasets(self) -> list[str]:
        """The data sets of all experiments, each once."""
        return list(dict.fromkeys(d for e in self.experiments.values() for d in e.datasets))

    def greater(self, cost: str) -> bool:
        """Whether a greater value of a cost is better."""
        return self.costs[cost].greater_is_better

    def paper_name(self, dataset: str) -> str | None:
        """What the paper calls a data set; None if it is not in the paper."""
        return self.paper_names.get(dataset)

    def decimals(self, dataset: str, cost: str) -> int:
        """Decimals of the paper's main table for a data set and cost."""
        return decimals_of(self.paper.algorithms(self.paper_name(dataset), cost), ())
