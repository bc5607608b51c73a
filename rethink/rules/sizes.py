"""F1 and accuracy of independent labels: the k most probable labels for the best k, exactly.

If labels are independent, some set of the k most probable labels is the best of its size: swapping
a label for a more probable one never lowers the expected hits, whatever the other labels are. So
K + 1 sets are compared. Their expected values are integrals over 0 < t < 1 of polynomials with
positive terms, because 1/m = ∫ t^(m-1) dt, so nothing is lost by cancelling.

Gauss's rule with K points is exact. Far fewer do: the polynomials are mixtures of powers t^m of a
degree below 2K, and the error of n points on t^m falls with exp(-(2n)²/m).
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import roots_legendre

from rethink.inference import TIE, best_size, top_labels

NUMBERS_IN_CACHE = 500_000  # of a block of rows: faster than the memory's speed

Values = Callable[[np.ndarray, int], np.ndarray]
Bounds = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def gfm_independent(marginals: np.ndarray, empty: bool = True) -> np.ndarray:
    """The prediction of the best expected F1 where labels are independent, among all.

    Of equal sets the smaller is taken, of equal labels the first. Without `empty` a row has at
    least its most probable label.

    Examples
    --------
    >>> gfm_independent(np.array([[0.9, 0.5, 0.1], [0.1, 0.05, 0.1]]))
    array([[1, 1, 0],
           [0, 0, 0]], dtype=uint8)
    >>> gfm_independent(np.array([[0.1, 0.05, 0.1]]), empty=False)
    array([[1, 0, 1]], dtype=uint8)
    """
    return _best_sets(marginals, empty, _f1_values, _f1_bounds)


def jaccard_independent(marginals: np.ndarray, empty: bool = True) -> np.ndarray:
    """The prediction of the best expected accuracy where labels are independent, among all.

    Ties and `empty` as for `gfm_independent`. The hits among k labels and the relevant labels
    outside of them are independent, so the expected value is a product: the expected hits times
    the expectation of 1 / (k + relevant labels outside).

    Examples
    --------
    >>> jaccard_independent(np.array([[0.9, 0.5, 0.1], [0.6, 0.3, 0.2]]))
    array([[1, 1, 0],
           [1, 0, 0]], dtype=uint8)
    """
    return _best_sets(marginals, empty, _jaccard_values, _jaccard_bounds)


def _best_sets(marginals: np.ndarray, empty: bool, values: Values, bounds: Bounds) -> np.ndarray:
    n, K = marginals.shape
    ranked = -np.sort(-marginals, axis=1)
    largest = _largest_size(*bounds(ranked))
    sizes = np.empty(n, dtype=np.int64)
    alike = np.argsort(largest, kind="stable")  # a block tries the sizes that its last row needs
    step = max(1, NUMBERS_IN_CACHE // (K * len(_gauss(K)[0])))
    for rows in (alike[start : start + step] for start in range(0, n, step)):
        p = ranked[rows]
        expected = values(p, largest[rows[-1]])
        sizes[rows] = best_size(expected, (1 - p).prod(axis=1) if empty else None)
    return top_labels(marginals, sizes)


def _largest_size(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The largest size whose value may be the best: the upper bound reaches a lower bound."""
    possible = upper >= lower.max(axis=1, keepdims=True) - TIE
    return possible.shape[1] - np.argmax(possible[:, ::-1], axis=1)


def _f1_values(p: np.ndarray, most: int) -> np.ndarray:
    """Expected F1 of 1 to `most` labels: 2 Σ p_i ∫ t^k Π_{j≠i} (1 - p_j + p_j t) dt."""
    points, weights, powers = _gauss(p.shape[1])
    factors = _factors(p, points)
    product = factors.prod(axis=0) * (2 * weights * points)
    within = np.divide(p.T[:most, :, None], factors[:most])
    within *= product
    for size in range(1, most):  # `cumsum` takes four times as long along this axis
        within[size] += within[size - 1]
    return np.einsum("knq,kq->nk", within, powers[:most])


def _f1_bounds(ranked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jensen's bounds of the expected F1 of each size, from the expected hits."""
    hits, sizes = np.cumsum(ranked, axis=1), np.arange(1, ranked.shape[1] + 1)
    return 2 * hits / (sizes + 1 + hits[:, -1:]), 2 * hits / (sizes + hits)


def _jaccard_values(p: np.ndarray, most: int) -> np.ndarray:
    """Expected accuracy of 1 to `most` labels: Σ p_i ∫ t^(k-1) Π_{j>k} (1 - p_j + p_j t) dt."""
    points, weights, powers = _gauss(p.shape[1])
    factors = _factors(p, points)
    outside = np.empty((most, *factors.shape[1:]))
    outside[-1] = factors[most:].prod(axis=0) * weights
    for size in range(most - 1, 0, -1):
        np.multiply(outside[size], factors[size], out=outside[size - 1])
    return np.cumsum(p[:, :most], axis=1) * np.einsum("knq,kq->nk", outside, powers[:most])


def _jaccard_bounds(ranked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jensen's lower bound of the expected accuracy of each size, and hits over size."""
    hits, sizes = np.cumsum(ranked, axis=1), np.arange(1, ranked.shape[1] + 1)
    return hits / (sizes + hits[:, -1:] - hits), hits / sizes


def _factors(p: np.ndarray, points: np.ndarray) -> np.ndarray:
    """1 - p + p t for each label, row and point: shape (K, n, points)."""
    factors = p.T[:, :, None] * (points - 1)
    factors += 1
    return factors


@lru_cache(maxsize=8)
def _gauss(labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points t and weights of the rule, and t^k for k from 0, shape (labels, points)."""
    places, weights = roots_legendre(min(labels, int(2.6 * np.sqrt(2 * labels)) + 6))
    points = (places + 1) / 2
    return points, weights / 2, points ** np.arange(labels)[:, None]
