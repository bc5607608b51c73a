"""Subset 0/1 loss: the most probable label vector, of independent labels and of a chain."""

import numpy as np

from rethink.inference import TIE, top_labels

WIDTHS = (8, 64, 512)  # of the beam, until the best vector is proved
LARGEST = 32_000  # labels times width: 512 up to 62 labels, 64 up to 500


def mode_independent(marginals: np.ndarray, empty: bool = True) -> np.ndarray:
    """The most probable vector of independent labels: those above one half.

    Without `empty`, a row that would have none gets its most probable label, which is the most
    probable vector with a label; of equal labels the first.

    Examples
    --------
    >>> mode_independent(np.array([[0.1, 0.3, 0.2]]), empty=False)
    array([[0, 1, 0]], dtype=uint8)
    """
    chosen = (marginals > 0.5).astype(np.uint8)
    if empty:
        return chosen
    one = top_labels(marginals, np.ones(len(marginals), dtype=np.int64))
    return np.where(chosen.any(axis=1, keepdims=True), chosen, one)


def mode_of_chain(
    logits: np.ndarray, effects: np.ndarray, order: np.ndarray, empty: bool = True
) -> np.ndarray:
    """The most probable vector of a chain, by a beam that widens until it is proved.

    What a beam drops cannot end better than it was when dropped. So a vector that is at least as
    probable as everything dropped is the best of all. Rows without this proof are tried with a
    wider beam, the last time with 512 beginnings, fewer with many labels, whose best is taken.

    Parameters
    ----------
    logits : ndarray of shape (n, K)
        From the features.
    effects : ndarray of shape (K, K)
        Row k: what each label adds to the logit of label k.
    order : ndarray of shape (K,)
    empty : bool
        False leaves the empty vector out.

    Examples
    --------
    >>> effects = np.array([[0.0, 0.0], [4.0, 0.0]])  # the second label follows the first
    >>> mode_of_chain(np.array([[-0.2, -2.0]]), effects, np.arange(2))
    array([[0, 0]], dtype=uint8)
    >>> mode_of_chain(np.array([[-0.2, -2.0]]), effects, np.arange(2), empty=False)
    array([[1, 1]], dtype=uint8)
    """
    result = np.empty(logits.shape, dtype=np.uint8)
    open_rows = np.arange(len(logits))
    widths = [width for width in WIDTHS if width * logits.shape[1] <= LARGEST]
    for width in widths or WIDTHS[:1]:
        best, proved = _beam(logits[open_rows], effects, order, width, empty)
        result[open_rows] = best
        open_rows = open_rows[~proved]
        if not open_rows.size:
            break
    return result


def _beam(
    logits: np.ndarray, effects: np.ndarray, order: np.ndarray, width: int, empty: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The best vector that a beam of this width finds for each row, and whether it is proved."""
    n, labels = logits.shape
    vectors = np.zeros((n, 1, labels), dtype=np.uint8)
    values = np.zeros((n, 1))
    dropped = np.full(n, -np.inf)
    for place, label in enumerate(order):
        score = logits[:, label, None] + vectors @ effects[label]
        values = np.hstack([values - np.logaddexp(0, score), values - np.logaddexp(0, -score)])
        vectors = np.concatenate([vectors, vectors], axis=1)
        vectors[:, vectors.shape[1] // 2 :, label] = 1
        if place == labels - 1 and not empty:
            values[~vectors.any(axis=2)] = -np.inf
        if values.shape[1] > width:
            vectors, values, lost = _keep(vectors, values, width)
            dropped = np.maximum(dropped, lost)
    best = np.argmax(values >= values.max(axis=1, keepdims=True) - TIE, axis=1)
    rows = np.arange(n)
    return vectors[rows, best], values[rows, best] >= dropped - TIE


def _keep(
    vectors: np.ndarray, values: np.ndarray, width: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best beginnings (the first if several tie), and the value of the best one dropped."""
    order = np.argsort(-values, axis=1, kind="stable")
    kept = order[:, :width]
    lost = np.take_along_axis(values, order[:, width : width + 1], axis=1)[:, 0]
    return (
        np.take_along_axis(vectors, kept[:, :, None], axis=1),
        np.take_along_axis(values, kept, axis=1),
        lost,
    )
