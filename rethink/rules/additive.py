"""Costs that add up over the labels: each label has its own exact threshold."""

import numpy as np

from rethink.costs.base import Cost

PAIRS = 300  # random pairs of vectors on which a sum over the labels must equal the cost
SAME = 1e-9  # relative to the largest value


def additive_thresholds(cost: Cost, labels: int) -> tuple[np.ndarray, np.ndarray] | None:
    """What a missed label and a false alarm cost more than a right label; None if not a sum.

    Whether a cost adds up is found by trying it: the parts of the labels are read off one by one,
    and their sum is compared with the cost on random pairs of vectors of all densities. A cost
    that differs from a sum only in rarer situations is taken for one.

    Returns
    -------
    tuple of two ndarrays of shape (labels,), or None

    Examples
    --------
    >>> from rethink.costs import get_cost
    >>> additive_thresholds(get_cost("asymmetric"), 2)
    (array([5., 5.]), array([1., 1.]))
    >>> additive_thresholds(get_cost("f1"), 2) is None
    True
    """
    sign = -1.0 if cost.greater_is_better else 1.0
    nothing, each = np.zeros((labels, labels), dtype=np.int64), np.eye(labels, dtype=np.int64)
    base = sign * cost(nothing[:1], nothing[:1])[0]
    missed, false = (sign * cost(each, nothing) - base, sign * cost(nothing, each) - base)
    hit = sign * cost(each, each) - base
    Y, P = _random_pairs(labels)
    expected = base + Y * (1 - P) @ missed + (1 - Y) * P @ false + Y * P @ hit
    actual = sign * cost(Y, P)
    if np.abs(actual - expected).max() > SAME * max(1.0, np.abs(actual).max()):
        return None
    return missed - hit, false


def additive_rule(marginals: np.ndarray, missed: np.ndarray, false: np.ndarray) -> np.ndarray:
    """Labels that are worth it: p times what is saved above (1 - p) times what is risked.

    Where both are worth the same, the label is left out.

    Examples
    --------
    >>> additive_rule(np.array([[0.1, 0.2]]), np.array([5.0, 5.0]), np.array([1.0, 1.0]))
    array([[0, 1]], dtype=uint8)
    """
    gain = marginals * missed - (1 - marginals) * false
    return (gain > SAME * (np.abs(missed) + np.abs(false))).astype(np.uint8)


def _random_pairs(labels: int) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(0)
    densities = chance.random((2, PAIRS, 1))
    Y, P = (chance.random((2, PAIRS, labels)) < densities).astype(np.int64)
    return Y, P
