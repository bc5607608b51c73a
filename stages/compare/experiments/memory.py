"""The memory matrix: what the net has learned beside the correlation of the labels."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from rethink.statistics import DRAWS
from stages.common.outcomes import Estimate
from stages.common.schema import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from stages.common.slices import Matrices, Matrix
from stages.common.words import p_text, sentence
from stages.compare.claims import Judgement, Statement
from stages.compare.evidence import Evidence
from stages.compare.numbers import FEWEST_SEEDS, LEVEL

PERMUTATIONS = 9999
SEED = 20190917
TOO_SMALL = 0.25  # share of the largest entry of its row: a smaller diagonal is no unit for the row
RULE = (
    "correlation of the off-diagonal entries of memory and label correlation, the memory as it was "
    f"learned and averaged over the seeds: supported if fewer than 5 % of {PERMUTATIONS:,} "
    "permutations of the label names reach it, contradicted if more than 95 % do, on the least "
    "convincing data set; its interval is a bootstrap over labels; "
    f"needs {FEWEST_SEEDS} seeds"
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
        interval=None if r is None else label_interval(learned, correlation),
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
    """Correlation of the off-diagonal entries, and how often shuffled names reach it.

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


def label_interval(memory: np.ndarray, correlation: np.ndarray) -> tuple[float, float] | None:
    """The 95 % interval of the correlation when labels are drawn anew; None where they are few."""
    rng = np.random.default_rng(SEED)
    draws = []
    for order in rng.integers(len(memory), size=(DRAWS, len(memory))):
        off = order[:, None] != order  # a label drawn twice says nothing of itself
        places = np.ix_(order, order)
        ours, theirs = _standard(memory[places][off]), _standard(correlation[places][off])
        if ours is not None and theirs is not None:
            draws.append(float(ours @ theirs))
    if not draws:
        return None
    low, high = np.percentile(draws, [2.5, 97.5]).tolist()
    return low, high


def _standard(entries: np.ndarray) -> np.ndarray | None:
    centred = entries - entries.mean() if entries.size else entries
    length = float(np.sqrt((centred**2).sum()))
    return centred / length if length > 1e-12 else None


def claims(evidence: Evidence, part: Matrices | None) -> list[Statement]:
    """One claim; the convention for empty sets plays no part in it."""
    return [
        Statement(
            id="memory",
            theme="Rethinking",
            claim="The memory matrix captures the correlation of the labels.",
            quote="We can clearly see that RethinkNet is able to capture the label correlation "
            "information, although we also found that such result in some data set can be noisy.",
            place="Section 3.1, Figure 2",
            rule=RULE,
            anchor="memory",
            unit="r",
            effect="correlation",
            differs="The paper shows one matrix and tests nothing.",
            case=lambda setting: _captures(part.matrices if part else []),
        )
    ]


def _captures(matrices: list[Matrix]) -> Judgement | str:
    tested = [(m, m.r, m.p, m.interval) for m in matrices if m.seeds >= FEWEST_SEEDS]
    known = [
        (m, r, p, ends) for m, r, p, ends in tested if r is not None and p is not None and ends
    ]
    if not known:
        return f"No memory matrix of {FEWEST_SEEDS} seeds whose entries differ was learned."
    parts = [
        f"On {matrix.dataset} the correlation is {r:.2f} ({p_text(p)} by permutations)"
        + (f", {matrix.scaled_r:.2f} in units of the diagonal." if matrix.scaled_r else ".")
        for matrix, r, p, _ in known
    ]
    _, r, p, (low, high) = max(
        known, key=lambda row: row[2]
    )  # the claim is judged on the data set with the largest p
    outcome = SUPPORTED if p < LEVEL else CONTRADICTED if p > 1 - LEVEL else INCONCLUSIVE
    estimate = Estimate(r, low, high, 1 - p)
    effects = {m.dataset: r for m, r, _, _ in known}
    splits = {m.dataset: m.seeds for m, _, _, _ in known}
    return Judgement(outcome, sentence(*parts), estimate, None, effects, splits)
