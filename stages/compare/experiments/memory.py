"""The memory matrix: what the net has learned beside the correlation of the labels."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from stages.common.schema import Claim
from stages.common.slices import Matrices, Matrix
from stages.common.words import p_text, sentence
from stages.compare.claims import Outcome, claim
from stages.compare.evidence import Evidence
from stages.compare.numbers import FEWEST_SEEDS, LEVEL

PERMUTATIONS = 9999
SEED = 20190917
TOO_SMALL = 0.25  # of the largest entry of its row: such a diagonal is no unit to measure in
TEST = (
    "correlation of the off-diagonal entries of memory and label correlation, the memory as it was "
    "learned and averaged over the seeds, one-sided "
    f"permutation test of the label names ({PERMUTATIONS:,} permutations) at the 5 % level, on "
    f"every data set of the experiment; needs {FEWEST_SEEDS} seeds"
)


def section(evidence: Evidence) -> Matrices:
    """A matrix for each data set and cost, its correlation with the labels' and how likely."""
    experiment = evidence.experiment("memory")
    return Matrices(
        [
            compare_memory(evidence, dataset, cost, memories)
            for dataset in experiment.datasets
            for cost in experiment.costs
            for model in experiment.models
            if (memories := evidence.memories.get((dataset, model, cost)))
            and dataset in evidence.labels
        ]
    )


def compare_memory(
    evidence: Evidence, dataset: str, cost: str, memories: Mapping[int, np.ndarray]
) -> Matrix:
    """The mean memory over the seeds against the correlation of the labels.

    Shown is the memory in units of each row's diagonal, as in the paper. Tested is the memory as
    it was learned: where a diagonal is small, its row would outweigh all others.
    """
    names = list(evidence.cards[dataset]["label_names"])
    learned = np.mean([memories[seed] for seed in sorted(memories)], axis=0)
    shown, left = unit_diagonal(learned)
    correlation = label_correlation(evidence.labels[dataset])
    r, p = permutation_test(learned, correlation)
    scaled_r, scaled_p = permutation_test(shown, correlation)
    return Matrix(
        dataset=dataset,
        cost=cost,
        labels=names,
        memory=shown.tolist(),
        correlation=correlation.tolist(),
        r=r,
        p=p,
        scaled_r=scaled_r,
        scaled_p=scaled_p,
        permutations=PERMUTATIONS,
        seeds=len(memories),
        unscaled=[name for name, unscaled in zip(names, left, strict=True) if unscaled],
    )


def unit_diagonal(memory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows divided by their diagonal, and which rows stay because theirs is too small."""
    matrix = np.array(memory, dtype=float)
    diagonal = np.diag(matrix)
    left = diagonal <= TOO_SMALL * np.abs(matrix).max(axis=1)
    return matrix / np.where(left, 1.0, diagonal)[:, None], left


def label_correlation(labels: Any) -> np.ndarray:
    """Pearson correlation of every two labels; a label that never changes has none, 0."""
    dense = labels.toarray() if sparse.issparse(labels) else np.asarray(labels)
    centred = dense - dense.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(length > 0, length, 1.0)
    correlation = np.clip(unit.T @ unit, -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def permutation_test(
    memory: np.ndarray, correlation: np.ndarray, permutations: int = PERMUTATIONS
) -> tuple[float | None, float | None]:
    """Correlation of the off-diagonal entries, and how often names put at random reach it.

    Only the names are exchanged, the same way for rows and columns, so that each matrix keeps its
    structure. One-sided: a memory that opposes the correlation captures nothing.
    """
    off = ~np.eye(len(memory), dtype=bool)
    ours, theirs = _standard(memory[off]), _standard(correlation[off])
    if ours is None or theirs is None:
        return None, None
    r = float(ours @ theirs)
    whole = np.zeros(memory.shape)
    whole[off] = theirs
    rng = np.random.default_rng(SEED)
    reached = 0
    for _ in range(permutations):
        order = rng.permutation(len(memory))
        reached += float(ours @ whole[np.ix_(order, order)][off]) >= r - 1e-12
    return r, (1 + reached) / (1 + permutations)


def _standard(entries: np.ndarray) -> np.ndarray | None:
    centred = entries - entries.mean() if entries.size else entries
    length = float(np.sqrt((centred**2).sum()))
    return centred / length if length > 1e-12 else None


def claims(evidence: Evidence, part: Matrices, empty: float) -> list[Claim]:
    """One claim; the convention for empty sets plays no part in it."""
    text = "The memory matrix captures the correlation of the labels."
    return [claim("memory", text, TEST, "memory", _captures(part.matrices))]


def _captures(matrices: list[Matrix]) -> Outcome:
    tested = [(m, m.r, m.p) for m in matrices if m.seeds >= FEWEST_SEEDS]
    known = [(m, r, p) for m, r, p in tested if r is not None and p is not None]
    if not known:
        return Outcome(
            None, f"No memory matrix of {FEWEST_SEEDS} seeds whose entries differ was learned."
        )
    parts = [
        f"On {matrix.dataset} the correlation is {r:.2f} ({p_text(p)})"
        + (f", {matrix.scaled_r:.2f} in units of the diagonal." if matrix.scaled_r else ".")
        for matrix, r, p in known
    ]
    return Outcome(all(r > 0 and p < LEVEL for _, r, p in known), sentence(*parts))
