"""How a claim is written down, judged, and judged again in other ways.

A module of `experiments` gives `Statement`s. Each has a function `case(setting)`, which says what
the claim is decided by: a `Case` for `judge`, a `Judgement` that was reached otherwise, or a
sentence on why it cannot be tested. The rule is in the statement, so it is fixed before any score
is seen.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, sqrt

import numpy as np
from scipy.special import stdtr, stdtrit

from rethink.statistics import bootstrap
from rethink.statistics.resampling import POWER, Effect
from stages.common.outcomes import LIMITS, SURE, Estimate
from stages.common.schema import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTED,
    SUPPORTED,
    Claim,
    Sensitivity,
)
from stages.common.words import counted, in_unit, listed, sentence, share_text
from stages.compare.numbers import DEFAULT_EMPTY, FEWEST_DATASETS, FEWEST_SEEDS, OTHER_EMPTY

PAPER_COSTS = ("hamming", "rank", "f1", "accuracy")
_BOOTSTRAP = (
    "else inconclusive; bootstrap over data sets, then splits; needs "
    f"{FEWEST_DATASETS} data sets with {FEWEST_SEEDS} common splits each"
)
BY_INTERVAL = (
    "supported if the 95 % interval lies on the claim's side, contradicted if it lies on the other "
    f"side, {_BOOTSTRAP}"
)
BY_CHANCE = (  # who is first is a yes or no, so it has no interval
    f"supported if P(claim) ≥ {SURE}, contradicted if P(claim) ≤ {1 - SURE:.2f}, {_BOOTSTRAP}"
)
ABOVE_ZERO = (0.0, inf)


@dataclass(frozen=True)
class Setting:
    """One way to judge a claim; the default decides, the others show how sensitive it is."""

    empty: float = DEFAULT_EMPTY
    rounded: bool = False  # ranks by the paper's rule
    corrected: bool = False  # t-tests allow for the overlap of splits
    our_rows: bool = False  # rows that the paper lacks are ranked, too
    other_sets: bool = False  # data sets that the paper lacks count, too
    fewest: int = FEWEST_SEEDS  # common splits of a data set that counts


DEFAULT = Setting()
VARIED = {
    "0/0 counts 0": replace(DEFAULT, empty=OTHER_EMPTY),
    "the paper's rank rule": replace(DEFAULT, rounded=True),
    "the corrected t-test": replace(DEFAULT, corrected=True),
    "with our rows": replace(DEFAULT, our_rows=True),
    "with data sets the paper lacks": replace(DEFAULT, other_sets=True),
    f"with data sets of fewer than {FEWEST_SEEDS} common splits": replace(DEFAULT, fewest=1),
}


@dataclass(frozen=True)
class Case:
    """What decides a claim: scores by data set (splits x columns), and the effect of their means.

    `region` holds the effects that the claim speaks of.
    """

    samples: Mapping[str, np.ndarray]
    each: Effect
    whole: Effect = field(default=lambda averages: averages[..., 0])
    region: tuple[float, float] = ABOVE_ZERO
    by_chance: bool = False  # decided by P(claim) in place of the interval
    limits: tuple[float, float] = (-1.0, 1.0)  # between which every possible effect lies
    left_out: Sequence[str] = ()
    splits: Mapping[str, int] = field(default_factory=dict)  # where a sample is not one row a split

    @cached_property
    def by_dataset(self) -> dict[str, float]:
        """The effect on each data set alone."""
        return {
            name: float(self.whole(self.each(sample.mean(axis=0)[None])[0]))
            for name, sample in self.samples.items()
        }

    def without(self, dataset: str) -> "Case":
        """The same, with a data set left out."""
        rest = {name: sample for name, sample in self.samples.items() if name != dataset}
        return replace(self, samples=rest)


@dataclass(frozen=True)
class Judgement:
    """An outcome and what it rests on."""

    outcome: str
    why: str
    estimate: Estimate | None = None
    detectable: float | None = None
    effects: Mapping[str, float] = field(default_factory=dict)
    splits: Mapping[str, int] = field(default_factory=dict)
    case: Case | None = None


@dataclass(frozen=True)
class Statement:
    """A claim before it is judged: what it says, who says it where, and the rule that decides."""

    id: str
    theme: str
    claim: str
    rule: str
    anchor: str
    case: Callable[[Setting], Case | Judgement | str]
    unit: str = "%"  # of the effect: %, points, ranks, r
    effect: str = "gain"  # what the effect is, in a word or two
    quote: str = ""  # the paper's own sentence; a claim without one is ours
    place: str = ""
    differs: str = ""  # how our protocol differs from the paper's for this claim
    note: Callable[[], str | None] = lambda: None  # what else a reader should know


def judged(statement: Statement) -> Claim:
    """A claim with its outcome, and the outcomes of judging it in other ways."""
    judgement = _judgement(statement, DEFAULT)
    return Claim(
        id=statement.id,
        theme=statement.theme,
        claim=statement.claim,
        quote=statement.quote,
        place=statement.place,
        outcome=judgement.outcome,
        why=sentence(judgement.why, statement.note()),
        rule=statement.rule,
        unit=statement.unit,
        effect=statement.effect,
        estimate=judgement.estimate,
        detectable=judgement.detectable,
        effects=dict(judgement.effects),
        splits=dict(judgement.splits),
        differs=statement.differs,
        sensitivity=list(_sensitivity(statement, judgement)),
        anchor=statement.anchor,
    )


def _judgement(statement: Statement, setting: Setting) -> Judgement:
    case = statement.case(setting)
    if isinstance(case, Judgement):
        return case
    return Judgement(NOT_TESTED, case) if isinstance(case, str) else judge(case, statement.unit)


def _sensitivity(statement: Statement, default: Judgement) -> Iterator[Sensitivity]:
    """The claim judged in every other way that changes its effect, then without each data set."""
    if default.outcome == NOT_TESTED:
        return
    for name, setting in VARIED.items():
        varied = statement.case(setting)
        if isinstance(varied, Case) and not _same(varied, default.case):
            other = judge(varied, statement.unit)
            if other.estimate:
                yield Sensitivity(name, other.outcome, other.estimate)
    case = default.case
    if case is None or len(case.samples) <= FEWEST_DATASETS:
        return
    for name in case.samples:
        other = judge(case.without(name), statement.unit)
        yield Sensitivity(f"without {name}", other.outcome, other.estimate)


def _same(case: Case, other: Case | None) -> bool:
    """Whether two cases have the same scores: the setting does not matter then."""
    if other is None or case.samples.keys() != other.samples.keys():
        return False
    pairs = ((case.samples[name], other.samples[name]) for name in case.samples)
    return all(np.array_equal(one, two) for one, two in pairs)


def judge(case: Case, unit: str = "%") -> Judgement:
    """The outcome of a claim on an effect over data sets."""
    splits = {name: case.splits.get(name, len(sample)) for name, sample in case.samples.items()}
    left_out = f"Left out: {'; '.join(case.left_out)}." if case.left_out else None
    if len(splits) < FEWEST_DATASETS:
        return Judgement(NOT_TESTED, sentence(too_few(splits), left_out))
    # in the order of the names: neither the order of the data sets nor that of params.yaml counts
    interval = bootstrap([case.samples[name] for name in sorted(splits)], case.each, case.whole)
    # the interval is widened for few data sets, but not beyond what is possible
    low, high = np.clip((interval.low, interval.high), *case.limits).tolist()
    estimate = Estimate(interval.effect, low, high, interval.share_within(*case.region))
    inside = sum(_within(effect, case.region) for effect in case.by_dataset.values())
    why = sentence(
        f"{_estimated(estimate, unit)}; on {inside} of {counted(len(splits), 'data set')} it is on "
        f"the claim's side. {_chance(estimate.p)}.",
        left_out,
    )
    outcome = by_chance(estimate.p) if case.by_chance else decided(estimate, case.region)
    effects = case.by_dataset
    return Judgement(outcome, why, estimate, interval.detectable, effects, splits, case)


def judge_splits(dataset: str, gained: np.ndarray) -> Judgement:
    """The outcome on one data set, from the gain on each of its splits."""
    count = len(gained)
    mean, error = float(gained.mean()), float(gained.std(ddof=1) / sqrt(count))
    half = float(stdtrit(count - 1, 0.975)) * error
    p = float(stdtr(count - 1, mean / error)) if error else float(mean > 0) or (mean == 0) / 2
    estimate = Estimate(mean, mean - half, mean + half, p)
    why = f"{_estimated(estimate, '%')} over {counted(count, 'split')} of {dataset}."
    detectable = half + float(stdtrit(count - 1, POWER)) * error
    outcome = decided(estimate)
    return Judgement(outcome, why, estimate, detectable, {dataset: mean}, {dataset: count})


def _estimated(estimate: Estimate, unit: str) -> str:
    low, high = (in_unit(end, unit) for end in (estimate.low, estimate.high))
    return f"The effect is {in_unit(estimate.effect, unit)} (95 % interval {low} to {high})"


def _chance(p: float) -> str:
    text = share_text(p, LIMITS)
    return f"P(claim) {text}" if text[0] in "<>" else f"P(claim) = {text}"


def _within(effect: float, region: tuple[float, float]) -> bool:
    least, most = region
    return least < effect < most or (effect == most < inf)


def decided(estimate: Estimate, region: tuple[float, float] = ABOVE_ZERO) -> str:
    """The outcome: whether the interval lies inside the region, outside of it, or across."""
    least, most = region
    if least < estimate.low and estimate.high < most:
        return SUPPORTED
    if estimate.high < least or estimate.low > most:
        return CONTRADICTED
    return INCONCLUSIVE


def by_chance(p: float) -> str:
    """The outcome by the share of the draws in which the claim is true."""
    return SUPPORTED if p >= SURE else CONTRADICTED if p <= 1 - SURE else INCONCLUSIVE


def too_few(datasets: Iterable[str], needed: int = FEWEST_DATASETS) -> str:
    """What is lacking for a verdict over data sets."""
    names = list(datasets)
    list_of_names = f" ({listed(names)})" if names else ""
    return (
        f"{counted(len(names), 'data set')} with {FEWEST_SEEDS} common splits or more"
        f"{list_of_names}; this needs {needed}."
    )
