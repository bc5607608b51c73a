"""Rules: what predicting for the cost is worth, learner by learner, and what training for it is."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from statistics import fmean

import numpy as np

from rethink.statistics import shares_gained
from stages.common.slices import Addition, LearnerGain, Reliability, ReliabilityBin, RuleGains
from stages.compare.cases import Column, dataset_gains, estimate, gain_case, rank_case, samples
from stages.compare.claims import BY_CHANCE, BY_INTERVAL, Case, Setting, Statement
from stages.compare.evidence import Evidence
from stages.compare.numbers import DEFAULT_EMPTY

ANCHOR, THEME = "rules", "Rules"
FORESTS = ("sklearn.ensemble.RandomForestClassifier", "sklearn.ensemble.ExtraTreesClassifier")
WEIGHTS, RULE, WEIGHTS_OVER_RULE = (
    "weights",
    "the rule",
    "weights in place of the rule",
)


def section(evidence: Evidence) -> RuleGains:
    """Gains of each learner, gains step by step of the proposed net, and who is reliable."""
    costs = evidence.experiment("rules").costs
    return RuleGains(
        [_learner(evidence, learner, cost) for learner in learners(evidence) for cost in costs],
        list(_additions(evidence)),
        list(_reliabilities(evidence)),
    )


def learners(evidence: Evidence) -> dict[str, str]:
    """Each learner of the experiment, with the model that adds the rule to it."""
    models = evidence.experiment("rules").models
    pairs = evidence.roles.variants("rule").items()
    return {learner: rule for learner, rule in pairs if learner in models and rule in models}


def gains(
    evidence: Evidence, cost: str, model: str, than: str, empty: float = DEFAULT_EMPTY
) -> dict[str, float]:
    """By how much a model is better, on each data set of the experiment."""
    return dataset_gains(evidence, evidence.experiment("rules").datasets, cost, model, than, empty)


def _learner(evidence: Evidence, learner: str, cost: str) -> LearnerGain:
    trained = {plain: model for model, plain in evidence.roles.variants("plain").items()}
    by_rule = gains(evidence, cost, learners(evidence)[learner], learner)
    by_training = gains(evidence, cost, trained[learner], learner) if learner in trained else {}
    return LearnerGain(learner, cost, estimate(by_rule), estimate(by_training))


def pairs_of_the_proposed(evidence: Evidence) -> dict[str, tuple[str, str]]:
    """What a single change of the proposed net adds: the model with it and the one without."""
    roles, own = evidence.roles, evidence.roles.proposed
    plain = roles.variants("plain").get(own, "")
    rule = roles.variants("rule").get(plain, "")
    return {WEIGHTS: (own, plain), RULE: (rule, plain), WEIGHTS_OVER_RULE: (own, rule)}


def _additions(evidence: Evidence) -> Iterator[Addition]:
    for adds, (model, without) in pairs_of_the_proposed(evidence).items():
        for cost in evidence.experiment("rules").costs:
            gain = estimate(gains(evidence, cost, model, without))
            if gain:
                yield Addition(adds, model, without, cost, gain)


def _reliabilities(evidence: Evidence) -> Iterator[Reliability]:
    """Of each learner, by its models with the rule, and of the net trained with weights."""
    calibrated = evidence.roles.variants("calibration")
    models = [m for rule in learners(evidence).values() for m in (rule, calibrated.get(rule, rule))]
    for model in dict.fromkeys([*models, evidence.roles.proposed]):
        tables = list(_tables(evidence, model))
        if tables:
            rows, expected, on = np.mean(tables, axis=0).T
            filled = np.flatnonzero(rows)
            bins = [
                ReliabilityBin(float(rows[b]), float(expected[b] / rows[b]), float(on[b] / rows[b]))
                for b in filled
            ]
            error = fmean(float(np.abs(t[:, 2] - t[:, 1]).sum()) for t in tables)
            yield Reliability(model, len(tables), bins, error)


def _tables(evidence: Evidence, model: str) -> Iterator[np.ndarray]:
    """One a data set: bins over all costs and splits, as shares of its labels."""
    experiment = evidence.experiment("rules")
    for dataset in experiment.datasets:
        cells = [
            evidence.reliabilities.get((dataset, model, cost), {}) for cost in experiment.costs
        ]
        tables = [table for cell in cells for table in cell.values()]
        if tables:
            total = np.sum(tables, axis=0)
            yield total / total[:, 0].sum()


def claims(evidence: Evidence, part: RuleGains | None) -> Iterator[Statement]:
    """Our own questions, for each cost: rule or learner, who leads, and does calibration help.

    Whether training adds to predicting is asked in `stages/compare/questions.py`.
    """
    for cost in evidence.experiment("rules").costs:
        yield Statement(
            id=f"rules-learner-{cost}",
            theme=THEME,
            claim=f"The rule is worth more than the learner by {evidence.within(cost)}.",
            rule="mean gain by the rule over all learners, less the mean difference between two "
            f"learners that predict alike; {BY_INTERVAL}",
            anchor=ANCHOR,
            unit="points",
            effect="excess",
            case=partial(_more_than_the_learner, evidence, cost),
        )
        yield Statement(
            id=f"rules-forest-{cost}",
            theme=THEME,
            claim=f"A forest with the rule leads by {evidence.within(cost)}.",
            rule="average rank of the best other model that learns less that of the best forest "
            f"with the rule; {BY_CHANCE}",
            anchor=ANCHOR,
            unit="ranks",
            effect="lead",
            case=partial(_forest_leads, evidence, cost),
        )
        yield Statement(
            id=f"rules-calibration-{cost}",
            theme=THEME,
            claim=f"Calibrated probabilities make the rule better by {evidence.within(cost)}.",
            rule="gain of a learner with the rule by mapping its probabilities to frequencies on "
            f"held-out rows, averaged over such learners; {BY_INTERVAL}",
            anchor=ANCHOR,
            case=partial(_calibration_helps, evidence, cost),
        )


def _more_than_the_learner(evidence: Evidence, cost: str, setting: Setting) -> Case | str:
    """By how much the gain of the rule exceeds that of the better learner."""
    pairs = list(learners(evidence).items())
    if len(pairs) < 2:
        return "Fewer than two learners are in the run with and without the rule."
    columns = [Column(model, cost) for pair in pairs for model in pair]
    scores, left_out = samples(evidence, columns, evidence.experiment("rules").datasets, setting)
    greater = evidence.greater(cost)
    alike = [
        (2 * one + place, 2 * other + place)
        for place in (0, 1)
        for one, other in combinations(range(len(pairs)), 2)
    ]

    def each(means: np.ndarray) -> np.ndarray:
        by_rule = shares_gained(means[..., 1::2], means[..., ::2], greater).mean(axis=-1)
        by_learner = [
            np.abs(shares_gained(means[..., one], means[..., other], greater))
            for one, other in alike
        ]
        return (by_rule - np.mean(by_learner, axis=0))[..., None]

    return Case(scores, each, limits=(-2.0, 1.0), left_out=left_out)


def _calibration_helps(evidence: Evidence, cost: str, setting: Setting) -> Case | str:
    experiment = evidence.experiment("rules")
    pairs = [
        (Column(calibrated, cost), Column(rule, cost))
        for rule, calibrated in evidence.roles.variants("calibration").items()
        if rule in experiment.models and calibrated in experiment.models
    ]
    if not pairs:
        return "No learner with the rule is in the run both with and without calibration."
    return gain_case(evidence, pairs, experiment.datasets, setting)


def _forest_leads(evidence: Evidence, cost: str, setting: Setting) -> Case | str:
    models = _ranked_models(evidence)
    forests = [model for model in models if _is_forest(evidence, model)]
    others = [model for model in models if model not in forests]
    if not forests or not others:
        return "No forest with the rule is in the run beside another model."
    count = len(forests)
    return rank_case(
        evidence,
        cost,
        [*forests, *others],
        evidence.experiment("rules").datasets,
        setting,
        contrast=lambda ranks: ranks,
        whole=lambda averages: (
            averages[..., count:].min(axis=-1) - averages[..., :count].min(axis=-1)
        ),
        by_chance=True,
    )


def _ranked_models(evidence: Evidence) -> Sequence[str]:
    apart = evidence.roles.of("trivial", "reference", "audit")
    return [model for model in evidence.experiment("rules").models if model not in apart]


def _is_forest(evidence: Evidence, model: str) -> bool:
    entry = evidence.roles.models[model]
    return entry.variant in ("rule", "calibration") and entry.params.get("estimator") in FORESTS
