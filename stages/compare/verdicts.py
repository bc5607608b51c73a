"""All claims of the paper with their verdicts, under both conventions for empty sets."""

from stages.compare.claims.best_rank import best_rank
from stages.compare.claims.cost_sensitive import cost_sensitive
from stages.compare.claims.memory import memory
from stages.compare.claims.rethinking import rethinking
from stages.compare.claims.reweighting import reweighting
from stages.compare.claims.rnn import rnn_variants
from stages.compare.evidence import Evidence
from stages.compare.names import DEFAULT_EMPTY, OTHER_EMPTY, Json

CLAIMS = (best_rank, cost_sensitive, rethinking, reweighting, rnn_variants)


def claims(evidence: Evidence, memory_matrices: Json | None = None) -> list[Json]:
    """Every claim the run has an experiment for; the other convention is named if it decides."""
    found, others = (
        [row for kind in CLAIMS for row in kind(evidence, empty)]
        for empty in (DEFAULT_EMPTY, OTHER_EMPTY)
    )
    for row, other in zip(found, others, strict=True):
        if row["verdict"] != other["verdict"]:
            row["why"] += (
                f" With {OTHER_EMPTY:g} in place of {DEFAULT_EMPTY:g} for predicting nothing "
                f"where nothing is true, the verdict is: {other['verdict']}."
            )
    return [*found, *memory(evidence, memory_matrices)]
