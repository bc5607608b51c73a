"""Rethinking helps, and has converged at the third iteration."""

from statistics import fmean

from stages.common.words import counted
from stages.compare.claims.base import Outcome, claim, outside_the_paper, too_few
from stages.compare.evidence import Evidence
from stages.compare.names import FEWEST_SEEDS, LEVEL, REWEIGHTED, ROPE, Json
from stages.compare.numbers import mean_of, seed_gains
from stages.compare.pooled import pooled_gain
from stages.compare.rethinking import Curve, at, curves
from stages.compare.words import p_text, percent, sentence

ANCHOR = "rethinking"
HELPED = ("rank", "f1", "accuracy")
FEWEST = 3  # data sets; the paper's figure has four
SETTLED_AT, SETTLED_SHARE, STILL_MOVING = 3, 0.75, 0.25
HELPS_TEST = (
    "last against first iteration on the test part: one-sided t-test of the mean gain over the "
    "data sets, corrected for overlapping splits, at the 5 % level, and better on more than half "
    f"of them; needs {FEWEST} data sets with {FEWEST_SEEDS} seeds each"
)
FLAT_TEST = (
    "mean gain over the data sets from the first to the last iteration on the test part: at most "
    f"{ROPE:.0%} of the score; needs {FEWEST} data sets with {FEWEST_SEEDS} seeds each"
)
CONVERGES_TEST = (
    f"a curve has settled if its change after iteration {SETTLED_AT} is at most {ROPE:.0%} of the "
    f"score or {STILL_MOVING:.0%} of the gain until then; holds if {SETTLED_SHARE:.0%} of the "
    f"curves by rank loss, F1 and accuracy have; needs {FEWEST} data sets with {FEWEST_SEEDS} "
    "seeds each"
)


def rethinking(evidence: Evidence, empty: float) -> list[Json]:
    """A claim for each cost that needs label correlation, and one on convergence."""
    costs = evidence.experiment("rethinking").costs
    if not costs:
        return []
    helps = [
        claim(
            f"rethinking-{cost}",
            f"Rethinking improves {evidence.costs[cost].title}.",
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
    found = {}
    for curve in curves(evidence):
        if curve.cost == cost:
            gained = _gained(evidence, curve, start, stop, empty)
            if len(gained) >= FEWEST_SEEDS:
                found[curve.dataset] = gained
    return found


def _gained(evidence: Evidence, curve: Curve, start: int, stop: int, empty: float) -> list[float]:
    before, after = (at(evidence, curve, step, empty=empty) for step in (start, stop))
    return seed_gains(after, before, evidence.greater(curve.cost))


def _helps(evidence: Evidence, cost: str, empty: float) -> Outcome:
    gains = gains_between(evidence, cost, 1, 0, empty)
    if not gains:
        return Outcome(None, too_few(gains, FEWEST))
    enough = len(gains) >= FEWEST
    result = pooled_gain(gains)
    better = sum(fmean(values) > 0 for values in gains.values())
    why = sentence(
        None if enough else too_few(gains, FEWEST),
        f"The last iteration is better than the first on {better} of "
        f"{counted(len(gains), 'data set')}, by {percent(result.mean)} on average"
        + (f" ({p_text(result.p)})." if enough else "."),
        _weighting(evidence, cost, empty),
        _without_weights(evidence, cost, empty),
        outside_the_paper(evidence, gains),
    )
    helps = result.p < LEVEL and 2 * better > len(gains)
    return Outcome(helps if enough else None, why)


def _weighting(evidence: Evidence, cost: str, empty: float) -> str | None:
    """The first iteration is trained without weights: what remains from the second on."""
    later = gains_between(evidence, cost, 2, 0, empty)
    if not later:
        return None
    gained = fmean(fmean(values) for values in later.values())
    return (
        "The first iteration is trained without weights, so this includes the gain by weighting; "
        f"from the second iteration to the last it is {percent(gained)}."
    )


def _without_weights(evidence: Evidence, cost: str, empty: float) -> str | None:
    """Nets without reweighting differ from iteration to iteration by rethinking alone."""
    plain = [models[0] for models in REWEIGHTED.values()]
    gained = [
        value
        for curve in curves(evidence, "reweighting")
        if curve.cost == cost and curve.model in plain
        for value in [mean_of(_gained(evidence, curve, 1, 0, empty))]
        if value is not None
    ]
    if not gained:
        return None
    return (
        f"In nets trained without any weights the last iteration gains {percent(fmean(gained))} "
        "over the first."
    )


def _flat(evidence: Evidence, empty: float) -> Outcome:
    gains = gains_between(evidence, "hamming", 1, 0, empty)
    if not gains:
        return Outcome(None, too_few(gains, FEWEST))
    enough = len(gains) >= FEWEST
    mean = pooled_gain(gains).mean
    why = sentence(
        None if enough else too_few(gains, FEWEST),
        f"On average over {counted(len(gains), 'data set')} the last iteration gains "
        f"{percent(mean)} over the first.",
    )
    return Outcome(mean <= ROPE if enough else None, why)


def _converges(evidence: Evidence, empty: float) -> Outcome:
    changes = {
        curve: change
        for curve in curves(evidence)
        if curve.cost in HELPED and (change := _changes(evidence, curve, empty))
    }
    datasets = dict.fromkeys(curve.dataset for curve in changes)
    if not changes:
        return Outcome(None, too_few(datasets, FEWEST))
    enough = len(datasets) >= FEWEST
    settled = sum(_settled(*change) for change in changes.values())
    early, late = (fmean(change[place] for change in changes.values()) for place in (0, 1))
    why = sentence(
        None if enough else too_few(datasets, FEWEST),
        f"{settled} of {counted(len(changes), 'curve')} have settled: the mean gain is "
        f"{percent(early)} until the third iteration and {percent(late)} after it.",
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
