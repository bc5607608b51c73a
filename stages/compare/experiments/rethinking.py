"""Rethinking: the score against the number of iterations, whether it helps and where it settles."""

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import NamedTuple

from stages.common import slices
from stages.common.schema import Claim
from stages.common.words import change, counted, gains, p_text, sentence
from stages.compare.claims import Outcome, claim, outside_the_paper, pooled_gain, too_few
from stages.compare.evidence import Evidence
from stages.compare.numbers import (
    DEFAULT_EMPTY,
    FEWEST_SEEDS,
    LEVEL,
    ROPE,
    decimals_of,
    mean_of,
    seed_gains,
    summary,
)
from stages.compare.scores import Seeds

ANCHOR = "rethinking"
HELPED = ("rank", "f1", "accuracy")
FEWEST = 3  # data sets; the paper's figure has four
SETTLED_AT, SETTLED_SHARE, STILL_MOVING = 3, 0.75, 0.25
NEEDS = f"needs {FEWEST} data sets with {FEWEST_SEEDS} seeds each"
HELPS_TEST = (
    "last against first iteration on the test part: one-sided t-test of the mean gain over the "
    "data sets, corrected for overlapping splits, at the 5 % level, and better on more than half "
    f"of them; {NEEDS}"
)
FLAT_TEST = (
    "mean gain over the data sets from the first to the last iteration on the test part: at most "
    f"{ROPE:.0%} of the score; {NEEDS}"
)
CONVERGES_TEST = (
    f"a curve has settled if its change after iteration {SETTLED_AT} is at most {ROPE:.0%} of the "
    f"score or {STILL_MOVING:.0%} of the gain until then; holds if {SETTLED_SHARE:.0%} of the "
    f"curves by rank loss, F1 and accuracy have; {NEEDS}"
)


class Curve(NamedTuple):
    """A model on a data set, trained for a cost."""

    dataset: str
    cost: str
    model: str


def curves(evidence: Evidence, experiment: str = "rethinking") -> Iterator[Curve]:
    """The curves of which at least one iteration was scored."""
    entry = evidence.experiment(experiment)
    for dataset in entry.datasets:
        for cost in entry.costs:
            for model in entry.models:
                if evidence.scores.iterations(dataset, model, cost):
                    yield Curve(dataset, cost, model)


def at(
    evidence: Evidence,
    curve: Curve,
    iteration: int,
    part: str = "test",
    empty: float = DEFAULT_EMPTY,
) -> Seeds:
    """Scores of a curve at one iteration (0: the last), by seed."""
    return evidence.scores.seeds(
        curve.dataset, curve.model, curve.cost, part=part, iteration=iteration, empty=empty
    )


def section(evidence: Evidence) -> slices.Curves:
    """Train and test at each iteration, mean and standard error over the seeds."""
    return slices.Curves([_drawn(evidence, curve) for curve in curves(evidence)])


def _drawn(evidence: Evidence, curve: Curve) -> slices.Curve:
    steps = evidence.scores.iterations(curve.dataset, curve.model, curve.cost)
    train, test = (
        [summary(at(evidence, curve, step, part)) for step in steps] for part in ("train", "test")
    )
    printed = evidence.paper.algorithms(evidence.paper_name(curve.dataset), curve.cost)
    return slices.Curve(
        dataset=curve.dataset,
        cost=curve.cost,
        title=evidence.title(curve.cost),
        greater_is_better=evidence.greater(curve.cost),
        decimals=decimals_of(printed, (point.mean or 0.0 for point in test)),
        iterations=steps,
        train=train,
        test=test,
    )


def claims(evidence: Evidence, part: slices.Curves, empty: float) -> list[Claim]:
    """A claim for each cost that needs label correlation, and one on convergence."""
    costs = evidence.experiment("rethinking").costs
    helps = [
        claim(
            f"rethinking-{cost}",
            f"Rethinking improves {evidence.title(cost)}.",
            HELPS_TEST,
            ANCHOR,
            _helps(evidence, cost, empty),
        )
        for cost in HELPED
        if cost in costs
    ]
    flat = claim(
        "rethinking-hamming",
        "Hamming loss, which needs no label correlation, gains little by rethinking.",
        FLAT_TEST,
        ANCHOR,
        _flat(evidence, empty),
    )
    settled = claim(
        "rethinking-converges",
        "Performance has generally converged at the third iteration.",
        CONVERGES_TEST,
        ANCHOR,
        _converges(evidence, empty),
    )
    return [*helps, *([flat] if "hamming" in costs else []), settled]


def gains_between(
    evidence: Evidence, cost: str, start: int, stop: int, empty: float
) -> dict[str, list[float]]:
    """Gains from one iteration to another (0: the last), by data set and seed."""
    by_dataset = {
        curve.dataset: _gained(evidence, curve, start, stop, empty)
        for curve in curves(evidence)
        if curve.cost == cost
    }
    return {name: shares for name, shares in by_dataset.items() if len(shares) >= FEWEST_SEEDS}


def _gained(evidence: Evidence, curve: Curve, start: int, stop: int, empty: float) -> list[float]:
    before, after = (at(evidence, curve, step, empty=empty) for step in (start, stop))
    return seed_gains(after, before, evidence.greater(curve.cost))


def _mean(by_dataset: Mapping[str, list[float]]) -> float:
    return fmean(fmean(shares) for shares in by_dataset.values())


def _helps(evidence: Evidence, cost: str, empty: float) -> Outcome:
    gained = gains_between(evidence, cost, 1, 0, empty)
    if not gained:
        return Outcome(None, too_few(gained, FEWEST))
    enough = len(gained) >= FEWEST
    result = pooled_gain(gained)
    better = sum(fmean(shares) > 0 for shares in gained.values())
    why = sentence(
        None if enough else too_few(gained, FEWEST),
        f"The last iteration is better than the first on {better} of "
        f"{counted(len(gained), 'data set')}, by {change(result.mean)} on average"
        + (f" ({p_text(result.p)})." if enough else "."),
        _weighting(evidence, cost, empty),
        _without_weights(evidence, cost, empty),
        outside_the_paper(evidence, gained),
    )
    helps = result.p < LEVEL and 2 * better > len(gained)
    return Outcome(helps if enough else None, why)


def _weighting(evidence: Evidence, cost: str, empty: float) -> str | None:
    """The first iteration is trained without weights: what remains from the second on."""
    later = gains_between(evidence, cost, 2, 0, empty)
    if not later:
        return None
    return (
        "The first iteration is trained without weights, so this includes the gain by weighting; "
        f"from the second iteration to the last it is {change(_mean(later))}."
    )


def _without_weights(evidence: Evidence, cost: str, empty: float) -> str | None:
    """Nets without reweighting differ from iteration to iteration by rethinking alone."""
    plain = evidence.roles.variants("plain").values()
    means = [
        mean_of(_gained(evidence, curve, 1, 0, empty))
        for curve in curves(evidence, "reweighting")
        if curve.cost == cost and curve.model in plain
    ]
    known = [mean for mean in means if mean is not None]
    if not known:
        return None
    return (
        f"In nets trained without any weights the last iteration {gains(fmean(known))} "
        "against the first."
    )


def _flat(evidence: Evidence, empty: float) -> Outcome:
    gained = gains_between(evidence, "hamming", 1, 0, empty)
    if not gained:
        return Outcome(None, too_few(gained, FEWEST))
    enough = len(gained) >= FEWEST
    mean = pooled_gain(gained).mean
    why = sentence(
        None if enough else too_few(gained, FEWEST),
        f"On average over {counted(len(gained), 'data set')} the last iteration "
        f"{gains(mean)} against the first.",
    )
    return Outcome(mean <= ROPE if enough else None, why)


def _converges(evidence: Evidence, empty: float) -> Outcome:
    changes = {
        curve: both
        for curve in curves(evidence)
        if curve.cost in HELPED and (both := _changes(evidence, curve, empty))
    }
    datasets = dict.fromkeys(curve.dataset for curve in changes)
    if not changes:
        return Outcome(None, too_few(datasets, FEWEST))
    enough = len(datasets) >= FEWEST
    settled = sum(_settled(*both) for both in changes.values())
    early, late = (fmean(both[place] for both in changes.values()) for place in (0, 1))
    why = sentence(
        None if enough else too_few(datasets, FEWEST),
        f"{settled} of {counted(len(changes), 'curve')} have settled: the mean gain is "
        f"{change(early)} until the third iteration and {change(late)} after it.",
    )
    return Outcome(settled >= SETTLED_SHARE * len(changes) if enough else None, why)


def _changes(evidence: Evidence, curve: Curve, empty: float) -> tuple[float, float] | None:
    """The gain until the third iteration and after it; None where either is not known."""
    steps = evidence.scores.iterations(curve.dataset, curve.model, curve.cost)
    early, late = (
        _gained(evidence, curve, start, stop, empty)
        for start, stop in ((1, SETTLED_AT), (SETTLED_AT, 0))
    )
    if steps[-1] <= SETTLED_AT or min(len(early), len(late)) < FEWEST_SEEDS:
        return None
    return fmean(early), fmean(late)


def _settled(early: float, late: float) -> bool:
    return abs(late) <= max(ROPE, STILL_MOVING * early)
