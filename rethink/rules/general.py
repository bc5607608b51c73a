"""Any cost: the best vector by its expected cost, over all vectors or over samples."""

import numpy as np
from scipy.special import logit

from rethink.costs.base import Cost, CountCost
from rethink.inference import first_best, in_blocks, pair_costs, top_labels
from rethink.joint import enumerate_chain, sample_independent, spread_draws

MOST_ENUMERATED = 10  # labels; with more, vectors are sampled
SAMPLES = 200  # by which candidates are judged
TRIED = 30  # more samples, as candidates; judged by themselves they would look too good
SIZES = 40  # most numbers of the most probable labels that are candidates


def best_of_vectors(marginals: np.ndarray, cost: Cost, empty: bool) -> np.ndarray:
    """The best expected cost for independent labels, among all vectors or among candidates.

    With up to ten labels all vectors are compared. With more, the candidates are sets of the most
    probable labels and 30 samples, judged by 200 other samples, drawn the same way in every call.
    Without `empty` the distribution is that of the vectors with a label. Of equal vectors the
    first is taken.

    Examples
    --------
    >>> from rethink.costs import get_cost
    >>> best_of_vectors(np.array([[0.6, 0.3, 0.6]]), get_cost("subset"), empty=True)
    array([[1, 0, 1]], dtype=uint8)
    """
    n, labels = marginals.shape
    if labels <= MOST_ENUMERATED:
        return in_blocks(lambda rows: _exact(marginals[rows], cost, empty), n, 2**labels)
    chance = np.random.RandomState(0)
    judges, tried = (spread_draws(size, labels, chance) for size in (SAMPLES, TRIED))
    pairs = SAMPLES * (TRIED + SIZES)
    numbers = pairs if isinstance(cost, CountCost) else pairs * labels

    def block(rows: slice) -> np.ndarray:
        p = marginals[rows]
        samples = sample_independent(p, judges, empty).samples
        candidates = _candidates(p, sample_independent(p, tried, empty).samples, empty)
        best = first_best(pair_costs(cost, samples, candidates).mean(axis=1), cost)
        return candidates[np.arange(len(p)), best]

    return in_blocks(block, n, numbers)


def _exact(marginals: np.ndarray, cost: Cost, empty: bool) -> np.ndarray:
    labels = marginals.shape[1]
    with np.errstate(divide="ignore"):  # certain labels have infinite logits
        logits = logit(marginals)
    joint = enumerate_chain(logits, np.zeros((labels, labels)), np.arange(labels))
    return (joint if empty else joint.never_empty()).best(cost)


def _candidates(marginals: np.ndarray, samples: np.ndarray, empty: bool) -> np.ndarray:
    """Sets of the most probable labels, up to twice the largest sample, and the samples."""
    labels = marginals.shape[1]
    largest = min(labels, 2 * int(samples.sum(axis=2).max()) + 1)
    sizes = np.unique(np.linspace(0 if empty else 1, largest, SIZES).astype(int))
    likely = [top_labels(marginals, np.full(len(marginals), size)) for size in sizes]
    return np.concatenate([np.stack(likely, axis=1), samples], axis=1)
