"""From a distribution of label vectors to the prediction of the best expected cost.

Every function works on all rows at once. A distribution is given as `marginals` of shape (n, K)
where they are all that matters or labels are independent, as `samples` of shape (n, S, K), or as
`probabilities` of shape (n, m) over the vectors in `support` of shape (m, K).

References
----------
Dembczyński, Waegeman, Cheng, Hüllermeier: An exact algorithm for F-measure maximization,
NeurIPS 2011 (`gfm`).
"""

from collections.abc import Callable, Iterator

import numpy as np

from rethink.costs import Cost
from rethink.costs.base import CountCost

TIE = 1e-12  # rounding must not decide between predictions of equal value
NUMBERS_AT_ONCE = 2_000_000  # bounds the memory of a block of rows


def in_blocks(rule: Callable[[slice], np.ndarray], n: int, numbers: int) -> np.ndarray:
    """The results of `rule` on blocks of rows, joined; a row needs so many numbers of memory."""
    blocks = [rule(rows) for rows in row_blocks(n, numbers)]
    return np.concatenate(blocks)


def row_blocks(n: int, numbers: int) -> Iterator[slice]:
    """Slices that part n rows, one at least, so that a block fits into memory."""
    size = max(1, NUMBERS_AT_ONCE // max(numbers, 1))
    for start in range(0, max(n, 1), size):
        yield slice(start, min(start + size, n))


def hamming_rule(marginals: np.ndarray) -> np.ndarray:
    """Labels more probable than not: the least expected Hamming loss."""
    return (marginals > 0.5).astype(np.uint8)


def rank_rule(marginals: np.ndarray) -> np.ndarray:
    """Labels more probable than the average label: the least expected rank loss.

    On 0/1 predictions the loss is (Q fn + P fp) / 2, so a label is worth predicting if
    E[P (1 - y)] < E[Q y], which is E[P] < K Pr(y = 1): the joint plays no part.

    Examples
    --------
    >>> rank_rule(np.array([[0.1, 0.4, 0.2]]))
    array([[0, 1, 0]], dtype=uint8)
    """
    return (marginals > marginals.mean(axis=1, keepdims=True) + TIE).astype(np.uint8)


def gfm(D: np.ndarray, p_empty: np.ndarray | None) -> np.ndarray:
    """The prediction of the best expected F1, among all.

    Of equal sets the smaller is taken, of equal labels the first.

    Parameters
    ----------
    D : ndarray of shape (n, S, K)
        Pr(label i is on and s labels are on) for s = 1 to S, the largest possible number.
    p_empty : ndarray of shape (n,), or None
        Probability of no label at all; the empty prediction then scores 1. None gives predictions
        that are never empty: even where no label is possible, the first is taken.

    Examples
    --------
    >>> D, p_empty = size_joint(np.array([[0, 0], [1, 0], [1, 1]]), np.array([[0.3, 0.4, 0.3]]))
    >>> gfm(D, p_empty)
    array([[1, 0]], dtype=uint8)
    """
    sizes, K = D.shape[1], D.shape[2]
    weights = 1.0 / np.add.outer(np.arange(1, K + 1), np.arange(1, sizes + 1))

    def block(rows: slice) -> np.ndarray:
        gains = weights @ D[rows]
        # the sum of the k largest gains of size k, for every k
        sums = np.einsum("nkj,kj->nk", -np.sort(-gains, axis=2), np.tri(K))
        best = best_size(2 * sums, None if p_empty is None else p_empty[rows])
        chosen = gains[np.arange(len(best)), np.maximum(best, 1) - 1]
        return top_labels(chosen, best)

    return in_blocks(block, len(D), 2 * K * K)


def published_f1_rule(D: np.ndarray) -> np.ndarray:
    """The rule of the authors' code in place of `gfm`; not optimal, and never empty.

    It takes D[s, i] / (s + i) element by element, where `gfm` has a matrix product, so that the
    index of a label plays a part; from row s, the s largest entries. D as for `gfm`.

    Examples
    --------
    >>> D, _ = size_joint(np.array([[0, 0], [0, 1]]), np.array([[0.9, 0.1]]))
    >>> published_f1_rule(D)
    array([[0, 1]], dtype=uint8)
    """
    sizes, K = D.shape[1], D.shape[2]
    divisors = np.add.outer(np.arange(1, sizes + 1), np.arange(1, K + 1))

    def block(rows: slice) -> np.ndarray:
        scores = D[rows] / divisors
        sums = np.cumsum(-np.sort(-scores, axis=2), axis=2)
        best = best_size(np.diagonal(sums, axis1=1, axis2=2), None)
        return top_labels(scores[np.arange(len(best)), best - 1], best)

    return in_blocks(block, len(D), 2 * sizes * K)


def size_joint(support: np.ndarray, probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D and p_empty for `gfm` from a distribution over the vectors in `support`."""
    support = support.astype(float)
    sizes, K = support.sum(axis=1).astype(int), support.shape[1]
    largest = max(sizes.max(), 1)
    by_size = np.zeros((len(support), largest, K))
    some = np.flatnonzero(sizes)
    by_size[some, sizes[some] - 1] = support[some]
    D = probabilities @ by_size.reshape(len(support), -1)
    return D.reshape(-1, largest, K), probabilities[:, sizes == 0].sum(axis=1)


def size_joint_of_samples(samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D and p_empty for `gfm` from equally probable samples of shape (n, S, K)."""
    sizes = samples.sum(axis=2, dtype=np.int64)
    largest = max(sizes.max(initial=0), 1)
    has_size = (sizes[:, None, :] == np.arange(1, largest + 1)[:, None]).astype(np.float32)
    D = has_size @ samples.astype(np.float32)  # counts: exact in single precision
    return D.astype(float) / samples.shape[1], (sizes == 0).mean(axis=1)


def best_expected(
    cost: Cost, candidates: np.ndarray, support: np.ndarray, probabilities: np.ndarray
) -> np.ndarray:
    """The candidate of the best expected cost for each row: its index, the first if several tie.

    `candidates` have shape (c, K); `support`, shape (m, K), and `probabilities`, shape (n, m),
    are the distributions.

    Examples
    --------
    >>> from rethink.costs import get_cost
    >>> vectors = np.array([[0, 0], [1, 0], [1, 1]])
    >>> best_expected(get_cost("hamming"), vectors, vectors, np.array([[0.3, 0.4, 0.3]]))
    array([1])
    """
    return first_best(probabilities @ pair_costs(cost, support, candidates), cost)


def first_best(expected: np.ndarray, cost: Cost) -> np.ndarray:
    """Index of the best value of each row of shape (n, c), the first if several tie."""
    signed = -expected if cost.greater_is_better else expected
    return np.argmax(signed <= signed.min(axis=1, keepdims=True) + TIE, axis=1)


def most_probable_sets(marginals: np.ndarray) -> np.ndarray:
    """The k labels of the highest marginals for every k from 0 to K: shape (n, K + 1, K)."""
    n, K = marginals.shape
    repeated = np.repeat(marginals, K + 1, axis=0)
    return top_labels(repeated, np.tile(np.arange(K + 1), n)).reshape(n, K + 1, K)


def pair_costs(cost: Cost, Y: np.ndarray, P: np.ndarray) -> np.ndarray:
    """The cost of each prediction in P, shape (..., c, K), for each truth in Y: (..., m, c)."""
    if isinstance(cost, CountCost):
        hits = Y.astype(np.float32) @ np.swapaxes(P, -1, -2).astype(np.float32)
        relevant, predicted = Y.sum(axis=-1, dtype=np.int64), P.sum(axis=-1, dtype=np.int64)
        relevant, predicted = np.broadcast_arrays(relevant[..., None], predicted[..., None, :])
        return cost.from_counts(hits.astype(np.int64), relevant, predicted, Y.shape[-1], 1.0)
    truths, guesses = np.broadcast_arrays(Y[..., None, :], P[..., None, :, :])
    values = cost(truths.reshape(-1, Y.shape[-1]), guesses.reshape(-1, Y.shape[-1]))
    return values.reshape(truths.shape[:-1])


def best_size(values: np.ndarray, empty: np.ndarray | None) -> np.ndarray:
    """Size of the best set of each row, the smallest if several tie: 0, or the place in `values`.

    `values` has a column for each size from 1, `empty` the value of no label, None to bar it.
    """
    if empty is not None:
        values = np.column_stack([empty, values])
    first = np.argmax(values >= values.max(axis=1, keepdims=True) - TIE, axis=1)
    return first if empty is not None else first + 1


def top_labels(scores: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Predict the labels of the highest scores, as many in each row as `sizes` says.

    Of equal scores the first labels are taken.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    result = np.zeros(scores.shape, dtype=np.uint8)
    np.put_along_axis(result, order, np.arange(scores.shape[1]) < sizes[:, None], axis=1)
    return result
