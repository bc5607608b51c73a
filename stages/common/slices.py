"""What comparison.json holds of each experiment; for one table, `Rows` is enough."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from stages.common.outcomes import Mean, Number, Part, TTest

Value = bool | int | float | str | list[str] | None  # in a table of plain values


@dataclass
class Rows(Part):
    """Any table: rows of plain values, the same keys in each."""

    rows: list[dict[str, Value]]
    kind: Literal["rows"] = "rows"


@dataclass
class DatasetCounts(Part):
    """Counts from the files, the printed ones, and which of these are wrong."""

    dataset: str
    paper_name: str | None
    ours: dict[str, int | float]
    printed: dict[str, int | float] | None
    wrong: list[str]


@dataclass
class DatasetRows(Part):
    """The table of data sets."""

    rows: list[DatasetCounts]
    kind: Literal["datasets"] = "datasets"


@dataclass
class Curve(Part):
    """Scores of a net on a data set at each iteration."""

    dataset: str
    cost: str
    title: str
    greater_is_better: bool
    decimals: int
    iterations: list[int]
    train: list[Mean]
    test: list[Mean]


@dataclass
class Curves(Part):
    """The figure of rethinking."""

    curves: list[Curve]
    kind: Literal["rethinking"] = "rethinking"


@dataclass
class Matrix(Part):
    """A memory, in units of its diagonal, beside the label correlation; `r` is of the raw one."""

    dataset: str
    cost: str
    labels: list[str]
    memory: list[list[float]]
    correlation: list[list[float]]
    r: float | None
    p: float | None
    interval: tuple[float, float] | None
    scaled_r: float | None
    scaled_p: float | None
    permutations: int
    seeds: int
    unscaled: list[str]


@dataclass
class Matrices(Part):
    """The figure of the memory."""

    matrices: list[Matrix]
    kind: Literal["memory"] = "memory"


@dataclass
class PrintedPair(Part):
    """The paper's numbers without and with reweighting."""

    plain: Number
    reweighted: Number


@dataclass
class ReweightedNet(Part):
    """A net without and with reweighting; `empty` is what predicting nothing rightly counts."""

    dataset: str
    cost: str
    rnn: str
    empty: float
    plain: Mean
    reweighted: Mean
    gain_in_ste: float | None
    test: TTest
    corrected: TTest
    printed: PrintedPair | None
    decimals: int


@dataclass
class ReweightedNets(Part):
    """The table of reweighting."""

    rows: list[ReweightedNet]
    kind: Literal["reweighting"] = "reweighting"


@dataclass
class RnnVariant(Part):
    """A kind of recurrent net on both parts; `printed` is by part, too."""

    dataset: str
    cost: str
    rnn: str
    empty: float
    train: Mean
    test: Mean
    best: bool
    printed: dict[str, Number]
    decimals: int


@dataclass
class RnnVariants(Part):
    """The table of recurrent nets, and by cost the average rank of each kind."""

    rows: list[RnnVariant]
    average_ranks: dict[str, dict[str, float | None]]
    kind: Literal["rnn"] = "rnn"


@dataclass
class WrongChoice(Part):
    """A model with the best and the worst search point; `_z` are distances from the paper."""

    dataset: str
    model: str
    cost: str
    best: Mean
    max: Mean
    all_zeros: Mean
    printed: Number | None
    max_z: float | None
    best_z: float | None


@dataclass
class WrongChoices(Part):
    """The table of models selected by the largest loss."""

    rows: list[WrongChoice]
    kind: Literal["max"] = "max"


@dataclass
class Gain(Part):
    """A gain as a share of the score, over data sets; with one of them there is no interval."""

    effect: float
    low: float | None
    high: float | None
    datasets: int


@dataclass
class LearnerGain(Part):
    """What a rule adds to a learner, and what training for the cost does where it can be."""

    learner: str
    cost: str
    rule: Gain | None
    training: Gain | None


@dataclass
class Addition(Part):
    """One model against another that lacks a single thing: what that thing adds."""

    adds: str
    model: str
    without: str
    cost: str
    gain: Gain


@dataclass
class ReliabilityBin(Part):
    """Labels whose probability lies in a tenth: their share, the mean of it, how many are on."""

    share: float
    expected: float
    on: float


@dataclass
class Reliability(Part):
    """How far a model's probabilities are frequencies; every data set counts the same."""

    model: str
    datasets: int
    bins: list[ReliabilityBin]
    error: float


@dataclass
class RuleGains(Part):
    """The experiment on rules."""

    learners: list[LearnerGain]
    additions: list[Addition]
    reliability: list[Reliability]
    kind: Literal["rules"] = "rules"


Added = Literal["rethinking", "first weights", "weighted rethinking"]


@dataclass
class PairRow(Part):
    """Two nets that differ in one thing alone, with it and without."""

    adds: Added
    dataset: str
    cost: str
    without: Mean
    whole: Mean
    gain: float | None
    corrected: TTest
    decimals: int


@dataclass
class Iterations(Part):
    """The experiment on iterations and early weights, and over data sets what each adds."""

    rows: list[PairRow]
    additions: list[Addition]
    kind: Literal["once"] = "once"


@dataclass
class ProtocolRow(Part):
    """The proposed net trained by our protocol and by the paper's; CPU seconds a cell."""

    dataset: str
    cost: str
    greater_is_better: bool
    ours: Mean
    theirs: Mean
    gain: float | None
    corrected: TTest
    seconds: float | None
    their_seconds: float | None
    printed: Number | None
    decimals: int


@dataclass
class Protocols(Part):
    """The experiment on the protocol."""

    rows: list[ProtocolRow]
    kind: Literal["protocol"] = "protocol"


@dataclass
class OverfittedScore(Part):
    """A model that was chosen on held-out rows beside one that knows the training rows by heart.

    `printed` and the distances from it, `_z`, are of test rows.
    """

    dataset: str
    model: str
    cost: str
    greater_is_better: bool
    tuned: Mean
    overfitted: Mean
    tuned_train: Mean
    overfitted_train: Mean
    printed: Number | None
    tuned_z: float | None
    overfitted_z: float | None
    decimals: int


@dataclass
class OverfittedScores(Part):
    """The experiment on overfitting."""

    rows: list[OverfittedScore]
    kind: Literal["overfitting"] = "overfitting"


@dataclass
class FileScore(Part):
    """A model on a data set and on another file of it; `_z` are distances from the paper."""

    dataset: str
    other: str
    model: str
    cost: str
    greater_is_better: bool
    ours: Mean
    elsewhere: Mean
    printed: Number | None
    ours_z: float | None
    other_z: float | None
    decimals: int


@dataclass
class OtherFiles(Part):
    """Scores on two files of a data set, and the share of test rows known from training."""

    twins: dict[str, float]
    rows: list[FileScore]
    kind: Literal["files"] = "files"


@dataclass
class ImageMean(Mean):
    """The mean of a model on images."""

    planned: int
    best: bool


@dataclass
class ImageRow(Part):
    """A cost: the mean of each model and the printed numbers."""

    cost: str
    title: str
    greater_is_better: bool
    models: dict[str, ImageMean]
    printed: dict[str, float]


@dataclass
class ImageSet(Part):
    """A set of images: what was run, and the scores by cost."""

    dataset: str
    title: str
    models: list[str]
    role: str | None
    network: str
    split: str
    parts: dict[str, int]
    problems: dict[str, int]
    images: int
    features: int
    labels: int
    empty: int
    rows: list[ImageRow]


@dataclass
class Step(Part):
    """Labels at one iteration, with those it added and those it dropped."""

    labels: list[str]
    added: list[str]
    dropped: list[str]


@dataclass
class Example(Part):
    """One image, what is on it, and what a model said of it step by step."""

    file: str
    picture: str
    width: int
    height: int
    seed: int
    truth: list[str]
    steps: list[Step]


@dataclass
class Shown(Part):
    """Whose predictions the examples are, and the title of the cost."""

    model: str
    cost: str


@dataclass
class Images(Part):
    """The image experiment."""

    datasets: list[ImageSet]
    examples: dict[str, list[Example]]
    shown: Shown | None
    kind: Literal["images"] = "images"


Slice = Annotated[
    DatasetRows
    | Curves
    | Matrices
    | ReweightedNets
    | RnnVariants
    | WrongChoices
    | OtherFiles
    | RuleGains
    | Iterations
    | Protocols
    | OverfittedScores
    | Images
    | Rows,
    Field(discriminator="kind"),
]
