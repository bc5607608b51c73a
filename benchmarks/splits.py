"""Iterative stratification against its plain steps, at the size of bibtex."""

from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp

from benchmarks.costs import CARDINALITY, LABELS, ROWS, seconds
from rethink.splits import deal

FOLDS = 5


def plain_stratification(Y, sizes, chance=None):
    """The paper's steps, row by row and label by label: what `deal` must return."""
    n, K = Y.shape
    order = list(range(n) if chance is None else chance.permutation(n))
    labels_of = [np.flatnonzero(Y[row]) for row in order]
    rows_with = [[row for row in range(n) if label in labels_of[row]] for label in range(K)]
    wanted = [np.array([size * len(rows) for size in sizes]) for rows in rows_with]
    room, parts = list(sizes), {}
    while len(parts) < n:
        left = {label: len(rows) for label, rows in enumerate(rows_with) if rows}
        rarest = min(left, key=lambda label: left[label]) if left else None
        chosen = [row for row in range(n) if row not in parts] if rarest is None else None
        ranks = range(len(sizes)) if chance is None else chance.permutation(len(sizes))
        for row in chosen or list(rows_with[rarest]):
            wants = [0 if rarest is None else wanted[rarest][part] for part in range(len(sizes))]
            keys = [(wants[part], room[part], -ranks[part]) for part in range(len(sizes))]
            part = max((part for part in range(len(sizes)) if room[part]), key=lambda p: keys[p])
            parts[row] = part
            room[part] -= 1
            for label in labels_of[row]:
                rows_with[label].remove(row)
                wanted[label][part] -= n
    folds = np.empty(n, dtype=int)
    folds[order] = [parts[row] for row in range(n)]
    return folds


def main():
    rng = np.random.default_rng(0)
    frequencies = np.geomspace(0.006, 0.1, LABELS)
    Y = rng.random((ROWS, LABELS)) < frequencies * CARDINALITY / frequencies.sum()
    sizes = [len(part) for part in np.array_split(np.arange(ROWS), FOLDS)]
    labels = sp.csr_array(Y)
    quick = seconds(lambda: deal(labels, sizes, None, np.random.RandomState(0)))
    plain = seconds(lambda: plain_stratification(Y, sizes, np.random.RandomState(0)), 1)
    ours = deal(labels, sizes, None, np.random.RandomState(0))
    theirs = plain_stratification(Y, sizes, np.random.RandomState(0))
    same = "same" if (ours == theirs).all() else "DIFFERENT"
    print(f"{ROWS} rows, {LABELS} labels, {FOLDS} folds: CPU s")
    if find_spec("skmultilearn"):
        from skmultilearn.model_selection import IterativeStratification

        peer = IterativeStratification(FOLDS, order=1)
        theirs = seconds(lambda: list(peer.split(Y, Y.astype(int))))
        print(f"scikit-multilearn {theirs:.2f}  ratio {theirs / quick:.0f}")
    print(f"plain {plain:.2f}  ours {quick:.4f}  ratio {plain / quick:.0f} (at least 20), {same}")


if __name__ == "__main__":
    main()
