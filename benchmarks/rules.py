"""The best expected F1 and accuracy of independent labels, at the size of Corel5k and beyond."""

import numpy as np

from benchmarks.costs import seconds
from rethink.rules.sizes import gfm_independent, jaccard_independent

ROWS, LABELS = 10_000, 374
PEER_ROWS = 10


def gfm_in_loops(p):
    """GFM as it is written: the sizes of the other labels by a recurrence, for each label."""
    K = len(p)
    gains = np.zeros((K, K))
    for label in range(K):
        sizes = np.zeros(K)
        sizes[0] = 1
        for other in np.delete(p, label):
            sizes[1:] = sizes[1:] * (1 - other) + sizes[:-1] * other
            sizes[0] *= 1 - other
        gains[:, label] = p[label] / np.add.outer(np.arange(2, K + 2), np.arange(K)) @ sizes
    ranked = -np.sort(-gains, axis=1)
    values = 2 * (ranked * np.tri(K)).sum(axis=1)
    size = int(np.argmax(values)) + 1 if values.max() > (1 - p).prod() else 0
    chosen = np.zeros(K, dtype=np.uint8)
    chosen[np.argsort(-p, kind="stable")[:size]] = 1
    return chosen


def main():
    rng = np.random.default_rng(0)
    rows = {
        "3.7 labels a row": rng.beta(0.02, 2, (ROWS, LABELS)),
        "75 labels a row": rng.random((ROWS, LABELS)) ** 4,
        "187 labels a row": rng.random((ROWS, LABELS)),
    }
    print(f"{ROWS} rows, {LABELS} labels: CPU s (limit of F1: 2.0)")
    for name, p in rows.items():
        f1, accuracy = (seconds(lambda r=r, p=p: r(p), 1) for r in RULES)
        plain = seconds(lambda p=p: [gfm_in_loops(row) for row in p[:PEER_ROWS]], 1)
        same = all((gfm_in_loops(r) == gfm_independent(r[None])[0]).all() for r in p[:PEER_ROWS])
        ratio = plain * ROWS / PEER_ROWS / f1
        print(
            f"{name:<20} F1 {f1:6.2f}  accuracy {accuracy:6.2f}  "
            f"in loops {ratio:8.0f} times as long, {'same' if same else 'DIFFERENT'} sets"
        )


RULES = (gfm_independent, jaccard_independent)

if __name__ == "__main__":
    main()
