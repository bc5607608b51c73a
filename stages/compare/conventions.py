"""What predicting nothing is worth where nothing is true, in the paper's numbers and in ours."""

from stages.compare.evidence import Evidence
from stages.compare.names import COST_BLIND, DEFAULT_EMPTY, OF_THE_PAPER, PROPOSED, Json
from stages.compare.numbers import summary

CONVENTIONS = (0.0, 1.0)


def printed_convention(cost: str, model: str) -> float | None:
    """The convention of a printed number; None where the question does not arise.

    The F1 column counts 0 for all. The accuracy column counts 1 for the cost-blind models and
    CFT, but 0 for RethinkNet. PCC never predicts the empty set.
    """
    if model not in OF_THE_PAPER or cost not in ("f1", "accuracy"):
        return None
    return 1.0 if cost == "accuracy" and model in (*COST_BLIND, "CFT") else 0.0


def matters(evidence: Evidence, dataset: str, model: str, cost: str) -> bool:
    """Whether the convention changes a score of a model."""
    zero, one = (evidence.scores.seeds(dataset, model, cost, empty=empty) for empty in CONVENTIONS)
    return zero != one


def convention_beside(
    evidence: Evidence, dataset: str, model: str, cost: str, printed_as: str = PROPOSED
) -> float:
    """The convention for a score of ours that stands beside a printed number of a model."""
    printed = printed_convention(cost, printed_as)
    if printed is None or not matters(evidence, dataset, model, cost):
        return DEFAULT_EMPTY  # so that no reader looks for a reason where there is none
    return printed


def as_printed(evidence: Evidence, dataset: str, cost: str, model: str) -> tuple[Json, float]:
    """Our mean as the paper's main table counts it, and the convention that this is."""
    empty = convention_beside(evidence, dataset, model, cost, printed_as=model)
    return summary(evidence.scores.seeds(dataset, model, cost, empty=empty)), empty
