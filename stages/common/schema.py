"""What comparison.json holds: compare makes it, report reads it back into the same types."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from stages.common.errors import DataError
from stages.common.outcomes import Estimate, Mean, Number, OverDatasets, Pair, Part
from stages.common.slices import Slice, Value
from stages.common.standings import Answer, Setting

SUPPORTED, CONTRADICTED, INCONCLUSIVE, NOT_TESTED = OUTCOMES = (
    "supported",
    "contradicted",
    "inconclusive",
    "not tested",
)


@dataclass
class PrintedRank(Number):
    """A number of the paper's main table."""

    rank: int | None


@dataclass
class PrintedScore(PrintedRank):
    """A number of the main table with its model; not comparable if it is a constant's."""

    model: str
    comparable: bool


@dataclass
class Beside(PrintedScore):
    """A printed number beside ours: the difference, also in pooled standard errors."""

    difference: float | None
    standard_errors: float | None


@dataclass
class Place(Mean):
    """A model on a data set: its mean and its place among the others."""

    planned: int
    common_mean: float | None  # over the splits that every ranked model has: ranks are by this
    common_ste: float | None
    rank: float | None
    paper_rule_rank: int | None
    best: bool
    beats_trivial: bool | None

    @property
    def shown(self) -> Number:
        """The mean that stands beside those of other models: the one that its rank is by."""
        if self.common_mean is None:
            return self
        return Number(self.common_mean, self.common_ste)


@dataclass
class Score(Place):
    """All about a model on a data set; `other_empty` is its place by the other convention."""

    seeds: dict[str, float | None]
    statuses: dict[str, int]
    reasons: list[str]
    other_empty: Place | None
    printed: Beside | None

    def under(self, other: bool) -> Place:
        """The place by the other convention, if that is asked for and differs."""
        return (self.other_empty if other else None) or self


@dataclass
class DatasetTable(Part):
    """A data set by one cost; `splits` are those that every ranked model has.

    `gains` is how much better each ranked model is than the proposed one, as a share.
    """

    decimals: int
    paper_decimals: int
    splits: int
    gains: dict[str, float]
    paper_name: str | None
    paper: list[PrintedScore]
    models: dict[str, Score]


@dataclass
class AverageRanks(Part):
    """The average rank of each model over the data sets that have them all."""

    models: dict[str, float | None]
    datasets: list[str]
    left_out: list[str]


@dataclass
class Overall(Part):
    """All models over all data sets: ranks and tests."""

    average_ranks: AverageRanks
    over_datasets: OverDatasets
    tests: dict[str, dict[str, Pair]]


@dataclass
class CostTable(Overall):
    """One cost; `other_empty` is its overall view by the other convention, where that differs."""

    title: str
    greater_is_better: bool
    datasets: dict[str, DatasetTable]
    other_empty: Overall | None

    def under(self, other: bool) -> Overall:
        """Ranks and tests by the other convention, if that is asked for and differs."""
        return (self.other_empty if other else None) or self


@dataclass
class Sides(Part):
    """With how many models the comparison comes out as printed, and with which it does not."""

    agree: int
    of: int
    disagree: list[str]


@dataclass
class PaperRow(Part):
    """A printed number and ours, counted the same way; `flaw` explains a difference.

    The status is: agrees, explained (by the flaw), differs (we do not know why), not run.
    `authors` is what the authors' published code gave.
    """

    table: str
    dataset: str
    cost: str
    model: str
    printed: PrintedRank
    ours: Mean | None
    z: float | None
    empty: float
    decimals: int
    comparisons: Sides
    status: str
    flaw: str | None
    authors: Mean | None


@dataclass
class Agreement(Part):
    """How many numbers of a printed table and cost have each status, and how many pairs agree.

    `better` are those that differ where ours is the better score of test rows.
    """

    table: str
    cost: str
    numbers: int
    agrees: int
    explained: int
    differs: int
    better: int
    not_run: int
    same_side: int
    comparisons: int


@dataclass
class PaperBeside(Part):
    """Every number of the paper beside ours."""

    rows: list[PaperRow]
    summary: list[Agreement]


@dataclass
class Flaw(Part):
    """A flaw of the printed tables with its verdict and the numbers behind it."""

    id: str
    title: str
    verdict: str
    text: str
    anchor: str
    evidence: list[dict[str, Value]]


@dataclass
class Sensitivity(Part):
    """The outcome of a claim that is judged in another way."""

    way: str
    outcome: str
    estimate: Estimate | None


@dataclass
class Claim(Part):
    """A claim with its outcome: of the paper if it has a quote, else ours.

    The effect is in `unit`; `effects` has it for each data set, `splits` the common splits there.
    `detectable` is the smallest effect that a run like this would see in four of five cases.
    """

    id: str
    theme: str
    claim: str
    quote: str
    place: str
    outcome: str
    why: str
    rule: str
    unit: str
    effect: str
    estimate: Estimate | None
    detectable: float | None
    effects: dict[str, float]
    splits: dict[str, int]
    differs: str
    sensitivity: list[Sensitivity]
    anchor: str

    @property
    def of_the_paper(self) -> bool:
        """Whether the paper says so."""
        return bool(self.quote)


@dataclass
class Question(Part):
    """A question, its answer in words, and the claims it rests on, the one that decides first."""

    id: str
    question: str
    answer: str
    claims: list[str]


@dataclass
class Price(Part):
    """A model by rank and time; on the Pareto front if no other beats it in both."""

    model: str
    average_rank: float
    seconds: float | None
    pareto: bool


@dataclass
class Advice(Part):
    """What to use for a cost."""

    recommended: str | None
    why: str
    points: list[Price]


@dataclass
class Failure(Part):
    """A cell without a result."""

    dataset: str
    model: str
    cost: str
    seed: int
    status: str
    reason: str


@dataclass
class Order(Part):
    """The order in which names are shown: as params.yaml lists them."""

    costs: list[str]
    datasets: list[str]
    models: list[str]
    experiments: list[str]


@dataclass
class Empty(Part):
    """What predicting nothing counts where nothing is true, and where it matters: by data set."""

    default: float
    other: float
    matters: dict[str, list[str]]


@dataclass
class Comparison(Part):
    """The whole file."""

    order: Order
    proposed: str
    reference: list[str]
    seeds: int
    cells: dict[str, int]
    failures: list[Failure]
    empty: Empty
    level: float
    costs: dict[str, CostTable]
    experiments: dict[str, Slice]
    paper: PaperBeside
    flaws: list[Flaw]
    claims: list[Claim]
    questions: list[Question]
    advice: dict[str, Advice]
    answers: list[Answer] = field(default_factory=list)  # for each data set alone
    chosen: dict[str, dict[str, Setting]] = field(default_factory=dict)  # by what is advised
    own: bool = False  # every data set is the user's own: nothing of the paper is examined
    splits: dict[str, int] = field(default_factory=dict)  # of each data set: the middle model

    def tally(self) -> dict[str, int]:
        """How many claims of the paper have each outcome."""
        counts = Counter(claim.outcome for claim in self.claims if claim.of_the_paper)
        return {outcome: counts[outcome] for outcome in OUTCOMES}

    def title(self, cost: str) -> str:
        """The name of a cost, also when no algorithm was run for it."""
        return self.costs[cost].title if cost in self.costs else cost


_FILE = TypeAdapter(Comparison)


def to_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain values; a value of a wrong type is an error."""
    return _FILE.dump_python(comparison, mode="json", warnings="error")


def claims_file(comparison: Comparison) -> dict[str, Any]:
    """The claims and questions alone, to be cited and read by programs: what claims.json holds."""
    whole = to_json(comparison)
    claims = [
        {"of_the_paper": claim.of_the_paper, **row}
        for claim, row in zip(comparison.claims, whole["claims"], strict=True)
    ]
    return {
        "counts": comparison.tally(),
        "questions": whole["questions"],
        "splits": comparison.splits,
        "claims": claims,
    }


def from_json(values: object) -> Comparison:
    """The comparison that `to_json` made these values of."""
    try:
        return _FILE.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(f"comparison.json: {place}: {first['msg']}; run `dvc repro`") from None
