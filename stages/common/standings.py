"""The part of comparison.json that answers for one data set: which model, and how good it is."""

from dataclasses import dataclass, field

from stages.common.outcomes import Part, TTest

Setting = bool | int | float | str | None  # of a parameter


@dataclass
class Standing(Part):
    """A model on a data set by one cost: its mean over `n` splits of `planned`, with an interval.

    `against` is the test of the recommended model against it, corrected for overlapping splits.
    """

    model: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    planned: int
    seconds: float | None
    trivial: bool
    against: TTest | None


@dataclass
class Answer(Part):
    """What to use for a data set and a cost, with the parameters that its searches chose most."""

    dataset: str
    cost: str
    title: str
    greater_is_better: bool
    decimals: int
    recommended: str | None
    why: str
    standings: list[Standing]  # the best first
    chosen: dict[str, Setting] = field(default_factory=dict)

    def standing(self, model: str) -> Standing:
        """The row of a model."""
        return next(row for row in self.standings if row.model == model)
