"""The figure of the memory matrix: what the net has learned beside the label correlation."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from stages.compare.evidence import Evidence
from stages.compare.names import Json

PERMUTATIONS = 9999
SEED = 20190917
TOO_SMALL = 0.25  # of the largest entry of its row: such a diagonal is no unit to measure in


def memory_section(evidence: Evidence) -> Json:
    """A matrix for each data set and cost, its correlation with the labels' and how likely."""
    experiment = evidence.experiment("memory")
    matrices = []
    for dataset in experiment.datasets:
        for cost in experiment.costs:
            for model in experiment.models:
                found = evidence.memories.get((dataset, model, cost), {})
                if found and dataset in evidence.labels:
                    names = evidence.cards[dataset]["label_names"]
                    place = {"dataset": dataset, "cost": cost, "labels": list(names)}
                    matrices.append(place | compare_memory(found, evidence.labels[dataset], names))
    return {"matrices": matrices}


def compare_memory(memories: Mapping[int, np.ndarray], labels: Any, names: list[str]) -> Json:
    """The mean memory over the seeds against the correlation of the labels.

    Shown is the memory in units of each row's diagonal, as in the paper. Tested is the memory as
    it was learned: where a diagonal is small, its row would outweigh all others.
    """
    learned = np.mean([memories[seed] for seed in sorted(memories)], axis=0)
    shown, left = unit_diagonal(learned)
    correlation = label_correlation(labels)
    r, p = permutation_test(learned, correlation)
    scaled_r, scaled_p = permutation_test(shown, correlation)
    return {
        "memory": shown.tolist(),
        "correlation": correlation.tolist(),
        "r": r,
        "p": p,
        "scaled_r": scaled_r,
        "scaled_p": scaled_p,
        "permutations": PERMUTATIONS,
        "seeds": len(memories),
        "unscaled": [name for name, unscaled in zip(names, left, strict=True) if unscaled],
    }


def unit_diagonal(memory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows divided by their diagonal; those whose diagonal is too small stay, and are told."""
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
    found = np.clip(unit.T @ unit, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


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
