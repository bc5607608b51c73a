"""Single images and what rethinking does to their labels: what comes, what goes, what is true."""

from collections.abc import Collection, Sequence

import numpy as np

from stages.compare.names import Json

SHOWN = 4  # of each data set


def pick(predicted: np.ndarray, rows: Sequence[int], chosen: Collection[int] = ()) -> list[int]:
    """Places of the images to show: those somebody chose, then those that changed most.

    `predicted` has the shape (iterations, rows, labels), `rows` the number of each instance.
    """
    changes = np.abs(np.diff(predicted.astype(np.int8), axis=0)).sum(axis=(0, 2))
    wanted = np.array([row not in chosen for row in rows])
    return np.lexsort((-changes, wanted))[:SHOWN].tolist()


def story(steps: np.ndarray, truth: np.ndarray, names: Sequence[str]) -> Json:
    """The labels at each iteration with those added and dropped, and the true ones."""
    told = []
    before = None
    for now in steps:
        came = () if before is None else (now == 1) & (before == 0)
        went = () if before is None else (now == 0) & (before == 1)
        lists = {"labels": now == 1, "added": came, "dropped": went}
        told.append({key: _names(on, names) for key, on in lists.items()})
        before = now
    return {"truth": _names(truth == 1, names), "steps": told}


def _names(on: Sequence[bool] | np.ndarray, names: Sequence[str]) -> list[str]:
    return [names[index] for index in np.flatnonzero(on).tolist()]
