"""The two questions behind the paper's claims, on all data sets of the run.

Does rethinking add anything to reweighting? Does training for the cost add anything to predicting
for it? Each is put for every cost and, as the answer, for the mean over the costs.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from stages.common.schema import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTED,
    SUPPORTED,
    Claim,
    Question,
)
from stages.common.words import counted, in_unit, sentence
from stages.compare.cases import Column, gain_case
from stages.compare.claims import BY_INTERVAL, Case, Setting, Statement, judged
from stages.compare.evidence import Evidence
from stages.compare.experiments.rethinking import ABLATION, ablation
from stages.compare.numbers import ROPE

THEME = "The two questions"
COSTS = ("rank", "f1", "accuracy")  # by Hamming loss all weights are equal and the rule is one half
ANSWERS = {
    SUPPORTED: "Yes",
    CONTRADICTED: "No, it takes something away",
    INCONCLUSIVE: "Nothing that this run can show",
    NOT_TESTED: "Not tested",
}


def questions(evidence: Evidence) -> tuple[list[Question], list[Claim]]:
    """Both questions with their answers, and the claims that these rest on."""
    answers, claims = [], []
    for asked in _asked(evidence):
        rows = [judged(row) for row in _statements(evidence, asked)]
        claims += rows
        names = [row.id for row in rows]
        answers.append(Question(asked.name, asked.text, answer(rows[0]), names))
    return answers, claims


class Asked(NamedTuple):
    """A question before it is answered; `case` takes the costs and the setting."""

    name: str
    text: str
    subject: str
    anchor: str
    rule: str
    case: Callable[[Sequence[str], Setting], Case | str]


def _asked(evidence: Evidence) -> Iterator[Asked]:
    yield Asked(
        "rethinking-adds",
        "Does rethinking add anything to reweighting?",
        "Rethinking adds to reweighting",
        "once",
        ABLATION,
        partial(ablation, evidence),
    )
    yield Asked(
        "training-adds",
        "Does training for the cost add anything to predicting for it?",
        "Training for the cost adds to predicting for it",
        "rules",
        "gain of the net trained with the weighted loss over the same net trained without weights, "
        f"whose probabilities the rule for the cost turns into labels; {BY_INTERVAL}",
        partial(training, evidence),
    )


def training(evidence: Evidence, costs: Sequence[str], setting: Setting) -> Case | str:
    """What weights add to a rule: the proposed net against its plain variant with the rule."""
    roles = evidence.roles
    plain = roles.variants("plain").get(roles.proposed, "")
    rule = roles.variants("rule").get(plain)
    if not rule:
        return f"No model is {roles.proposed} without weights and with the rule (variant `rule`)."
    pairs = [(Column(roles.proposed, cost), Column(rule, cost)) for cost in costs]
    if not (datasets := evidence.datasets_of(rule)):
        return f"{rule} is not in the run."
    return gain_case(evidence, pairs, datasets, setting)


def _statements(evidence: Evidence, asked: Asked) -> Iterator[Statement]:
    """The question for the mean over the costs, then for each."""
    parts: list[tuple[str, str, tuple[str, ...]]] = [
        ("", ", on average over rank loss, F1 and accuracy", COSTS),
        *((f"-{cost}", f" by {evidence.within(cost)}", (cost,)) for cost in COSTS),
    ]
    for end, words, costs in parts:
        yield Statement(
            id=f"{asked.name}{end}",
            theme=THEME,
            claim=f"{asked.subject}{words}.",
            rule=asked.rule,
            anchor=asked.anchor,
            case=partial(asked.case, costs),
        )


def answer(claim: Claim) -> str:
    """The answer in one or two sentences, with the effect and its interval."""
    if claim.estimate is None:
        return sentence("Not tested.", claim.why)
    ends = (claim.estimate.low, claim.estimate.high)
    low, high = (in_unit(end, claim.unit) for end in ends)
    word = ANSWERS[claim.outcome]
    if claim.outcome == INCONCLUSIVE and max(map(abs, ends)) < ROPE:
        word = f"Less than {in_unit(ROPE, '%').lstrip('+')} either way"
    return (
        f"{word}: {in_unit(claim.estimate.effect, claim.unit)} on average over "
        f"{counted(len(claim.effects), 'data set')} (95 % interval {low} to {high})."
    )
