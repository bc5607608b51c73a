"""Parts of comparison.json that several others are made of: numbers, and outcomes of tests."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

SURE = 0.95  # of P(claim), where that decides
LIMITS = (1 - SURE, SURE)  # contradicted at the first or below, supported at the second or above


class Part:
    """A part of comparison.json: reading it refuses a key that the part does not have."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass
class Number(Part):
    """A mean and its standard error, as the paper prints them."""

    mean: float | None
    ste: float | None


@dataclass
class Mean(Number):
    """A mean of ours over `n` seeds; None where no seed finished."""

    n: int


@dataclass
class Estimate(Part):
    """An effect with its 95 % interval; `p` is the share of bootstrap draws that fit the claim."""

    effect: float
    low: float
    high: float
    p: float


@dataclass
class TTest(Part):
    """The outcome of one model against another over seeds: win, tie, loss or too few."""

    result: str
    p: float | None
    n: int


@dataclass
class BothTests(TTest):
    """The paper's paired t-test, and the one corrected for overlapping splits."""

    corrected: TTest


@dataclass
class Counts(Part):
    """On how many data sets one model wins, ties and loses against another."""

    win: int
    tie: int
    loss: int
    too_few: int


@dataclass
class Pair(Counts):
    """One model against another, by both tests."""

    corrected: Counts
    datasets: dict[str, BothTests]


@dataclass
class Friedman(Part):
    """Friedman's test over `n` data sets and `k` models."""

    statistic: float | None
    p: float
    n: int
    k: int


@dataclass
class Nemenyi(Part):
    """The critical difference, and the models it does not tell apart."""

    cd: float
    groups: list[list[str]]


@dataclass
class Wilcoxon(Part):
    """Two models over data sets; `better` is None where they are not told apart."""

    a: str
    b: str
    p: float
    p_holm: float
    n: int
    better: str | None


@dataclass
class SignedRank(Part):
    """How probable it is that "`a` is better" is the likeliest outcome of the three."""

    a: str
    b: str
    p_a: float
    p_rope: float
    p_b: float
    rope: float


@dataclass
class PairEffect(Part):
    """Two models over data sets: by how much `a` is better as a share, how often, and p alone."""

    a: str
    b: str
    gain: float
    win: int
    tie: int
    loss: int
    p: float


@dataclass
class Standing(Part):
    """A model beside its average rank: the rank's interval, errors left, and splits won."""

    rank: float
    low: float
    high: float
    improvability: float
    win_rate: float


@dataclass
class OverDatasets(Part):
    """Tests over data sets; `why` tells why there are none, `note` what they cannot show.

    `control` has the tests of the proposed model against each other one; `wilcoxon_holm` those of
    all pairs, which only many data sets allow.
    """

    models: list[str]
    datasets: list[str]
    left_out: list[str]
    left_out_why: list[str]
    scale: str
    friedman: Friedman | None
    nemenyi: Nemenyi | None
    standings: dict[str, Standing]
    pairs: list[PairEffect]
    control: list[Wilcoxon]
    wilcoxon_holm: list[Wilcoxon]
    signed_rank: list[SignedRank]
    groups: list[list[str]]
    note: str | None
    why: str | None
