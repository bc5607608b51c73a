"""The memory matrix captures the correlation of the labels."""

from stages.compare.claims.base import Outcome, claim
from stages.compare.evidence import Evidence
from stages.compare.memory import PERMUTATIONS, memory_section
from stages.compare.names import FEWEST_SEEDS, LEVEL, Json
from stages.compare.words import p_text, sentence

TEST = (
    "correlation of the off-diagonal entries of memory and label correlation, the memory as it was "
    "learned and averaged over the seeds, one-sided "
    f"permutation test of the label names ({PERMUTATIONS:,} permutations) at the 5 % level, on "
    f"every data set of the experiment; needs {FEWEST_SEEDS} seeds"
)


def memory(evidence: Evidence, section: Json | None = None) -> list[Json]:
    """One claim; the convention for empty sets plays no part in it."""
    if not evidence.experiment("memory").models:
        return []
    matrices = (section or memory_section(evidence))["matrices"]
    text = "The memory matrix captures the correlation of the labels."
    return [claim("memory", text, TEST, "memory", _captures(matrices))]


def _captures(matrices: list[Json]) -> Outcome:
    told = [row for row in matrices if row["seeds"] >= FEWEST_SEEDS and row["r"] is not None]
    if not told:
        return Outcome(
            None, f"No memory matrix of {FEWEST_SEEDS} seeds whose entries differ was learned."
        )
    said = [
        f"On {row['dataset']} the correlation is {row['r']:.2f} ({p_text(row['p'])})"
        + (f", {row['scaled_r']:.2f} in units of the diagonal." if row["scaled_r"] else ".")
        for row in told
    ]
    return Outcome(all(row["r"] > 0 and row["p"] < LEVEL for row in told), sentence(*said))
