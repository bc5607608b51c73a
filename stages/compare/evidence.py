"""All that a comparison is made of, already read: the run, the paper, and the models' parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rethink.costs import Cost
from stages.common.outcomes import Mean
from stages.common.params import Model, Role, Variant
from stages.common.schema import PrintedScore
from stages.common.slices import Example
from stages.common.standings import Setting
from stages.common.words import within
from stages.compare.numbers import DEFAULT_EMPTY, decimals_of, summary
from stages.compare.scores import CellName, Scores

TABLES = (
    "algorithms",
    "datasets",
    "mscoco",
    "reweighting",
    "rnn_variants",
    "ttest",
    "authors_code",  # not printed: what the authors' published code gave
)
OWN = "RethinkNet"  # what the paper calls its model
COST_BLIND = ("CC-DP", "CC", "CC-RNN", "BR")
COUNTED_AS_ONE = (*COST_BLIND, "CFT")  # in the accuracy column: nothing predicted, nothing true
CONSTANT = {"rank": COST_BLIND}  # printed numbers that are the loss of a constant prediction
CONVENTIONS = (0.0, 1.0)
NOBODY = "the model of the role proposed"  # in a sentence, where params.yaml gives it to none


class PrintedPlace(NamedTuple):
    """Where a number is printed: table, data set (as printed, and ours of the run), cost, name."""

    table: str
    paper_name: str
    dataset: str | None
    cost: str
    name: str


@dataclass(frozen=True)
class Experiment:
    """A named set of cells; the data sets are those in the run."""

    models: Sequence[str] = ()
    costs: Sequence[str] = ()
    datasets: Sequence[str] = ()


@dataclass(frozen=True)
class Roles:
    """Which part each model of params.yaml plays, whether it is in the run or not."""

    models: Mapping[str, Model] = field(default_factory=dict)

    def of(self, *roles: Role) -> list[str]:
        """The models of some roles."""
        return [name for name, model in self.models.items() if model.role in roles]

    @cached_property
    def proposed(self) -> str:
        """The paper's own model."""
        return next(iter(self.of("proposed")), NOBODY)

    @cached_property
    def paper(self) -> list[str]:
        """The algorithms of the paper's main table, its own first."""
        return [self.proposed, *self.of("paper")]

    @cached_property
    def blind(self) -> list[str]:
        """Those of the paper that predict the same for every cost."""
        return [m for m in self.paper if m in self.models and self.models[m].cost_blind]

    @cached_property
    def sensitive(self) -> list[str]:
        """Those of the paper that are trained for a cost."""
        return [m for m in self.paper if m not in self.blind]

    @cached_property
    def trivial(self) -> list[str]:
        """Models that look at no feature."""
        return self.of("trivial")

    @cached_property
    def zeros(self) -> str:
        """The model that predicts no label."""
        return self.of_estimator("AllZeros", "all zeros")

    def of_estimator(self, estimator: str, default: str) -> str:
        """The first model with an estimator, not wrong on purpose; the default if there is none."""
        models = self.models.items()
        names = (n for n, m in models if m.estimator == estimator and m.role != "audit")
        return next(names, default)

    @cached_property
    def reference(self) -> list[str]:
        """Models that know the joint distribution: shown, never ranked."""
        return self.of("reference")

    def variants(self, kind: Variant) -> dict[str, str]:
        """Each model that has a variant of a kind, with the variant."""
        return {
            model.variant_of: name
            for name, model in self.models.items()
            if model.variant == kind and model.variant_of
        }

    def nets(self, models: Sequence[str]) -> dict[str, str]:
        """Models by the kind of their recurrent net."""
        kinds = {name: self.models[name].net for name in models if name in self.models}
        return {net: name for name, net in kinds.items() if net}


@dataclass(frozen=True)
class Paper:
    """The numbers the paper prints, by its own names: tables as frames; an absent one is empty."""

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


@dataclass(frozen=True)
class Evidence:
    """A run and the paper. What is absent is an empty mapping, never an error."""

    scores: Scores
    experiments: Mapping[str, Experiment]
    costs: Mapping[str, Cost]
    roles: Roles = field(default_factory=Roles)
    paper: Paper = field(default_factory=Paper)
    paper_names: Mapping[str, str | None] = field(default_factory=dict)
    other_files: Mapping[str, str] = field(default_factory=dict)  # and the data sets they are of
    cards: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    labels: Mapping[str, Any] = field(default_factory=dict)  # 0/1 matrices, dense or sparse
    memories: Mapping[CellName, Mapping[int, np.ndarray]] = field(default_factory=dict)
    reliabilities: Mapping[CellName, Mapping[int, np.ndarray]] = field(default_factory=dict)
    seconds: Mapping[CellName, Mapping[int, float]] = field(default_factory=dict)
    examples: Callable[[str, str, str], list[Example]] = lambda dataset, model, cost: []
    chosen: Mapping[CellName, Mapping[int, dict[str, Setting]]] = field(default_factory=dict)
    own: bool = False  # every data set is the user's

    def experiment(self, name: str) -> Experiment:
        """An experiment of the run; one that is not in it has no models and no data sets."""
        return self.experiments.get(name, Experiment())

    def datasets(self) -> list[str]:
        """The data sets of all experiments, each once."""
        return list(dict.fromkeys(d for e in self.experiments.values() for d in e.datasets))

    def datasets_of(self, model: str) -> list[str]:
        """The data sets that a model was run on, in any experiment."""
        ran = {dataset for dataset, name, _ in self.scores.cells if name == model}
        return [dataset for dataset in self.datasets() if dataset in ran]

    def printed_datasets(self, experiment: str = "algorithms") -> list[str]:
        """The data sets of an experiment that the paper has."""
        return [d for d in self.experiment(experiment).datasets if self.paper_name(d)]

    def greater(self, cost: str) -> bool:
        """Whether a greater value of a cost is better."""
        return self.costs[cost].greater_is_better

    def title(self, cost: str) -> str:
        """The name of a cost."""
        return self.costs[cost].title

    def within(self, cost: str) -> str:
        """The name of a cost inside a sentence."""
        return within(self.title(cost))

    def paper_name(self, dataset: str) -> str | None:
        """What the paper calls a data set; None if it is not in the paper."""
        return self.paper_names.get(dataset)

    def decimals(self, dataset: str, cost: str) -> int:
        """Decimals of the paper's main table for a data set and cost."""
        return decimals_of(self.paper.algorithms(self.paper_name(dataset), cost), ())

    def printed_empty(self, cost: str, model: str) -> float | None:
        """The printed value of an empty prediction for an empty row; None where it plays no part.

        The F1 column counts 0 for all. The accuracy column counts 1 for the cost-blind models and
        CFT, but 0 for RethinkNet. PCC never predicts the empty set.
        """
        if model not in self.roles.paper or cost not in ("f1", "accuracy"):
            return None
        return 1.0 if cost == "accuracy" and model in COUNTED_AS_ONE else 0.0

    def empty_beside(
        self, dataset: str, model: str, cost: str, printed_as: str | None = None
    ) -> float:
        """The value for our score beside a printed one; by default that of the proposed model."""
        printed = self.printed_empty(cost, printed_as or self.roles.proposed)
        zero, one = (self.scores.seeds(dataset, model, cost, empty=e) for e in CONVENTIONS)
        if printed is None or zero == one:
            return DEFAULT_EMPTY  # the usual one: a reader of another would look for a reason
        return printed

    def as_printed(self, dataset: str, cost: str, model: str) -> tuple[Mean, float]:
        """Our mean, with empty rows counted as in the paper's main table, and that count."""
        empty = self.empty_beside(dataset, model, cost, printed_as=model)
        return summary(self.scores.seeds(dataset, model, cost, empty=empty)), empty
