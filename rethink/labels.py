"""Labels that are given by name."""

from typing import Any

import numpy as np


def labels_from_names(Y: Any, known: Any = None) -> tuple[Any, list[str] | None]:
    """Labels given by name, row by row, as a 0/1 matrix and its names; all else as it is.

    Parameters
    ----------
    Y : labels in any form
        A list, tuple or array of lists, tuples or sets of names is made into a matrix.
    known : sequence of str, optional
        The names to use, in this order; without it those of Y, sorted.

    Examples
    --------
    >>> labels_from_names([["sun"], ["sea", "sun"]])
    (array([[0, 1],
           [1, 1]]), ['sea', 'sun'])
    """
    kind = getattr(Y, "dtype", None)
    if not isinstance(Y, list | tuple) and (kind is None or kind.kind != "O" or Y.ndim != 1):
        return Y, None
    rows = list(Y)
    if not all(isinstance(row, list | tuple | set | frozenset) for row in rows):
        return Y, None
    names = {name for row in rows for name in row}
    if not names or names <= {"0", "1"} or not all(isinstance(name, str) for name in names):
        return Y, None
    order = sorted(names) if known is None else list(known)
    if unknown := sorted(names - set(order)):
        raise ValueError(f"Y has the labels {', '.join(unknown)}, which fit has not seen")
    return np.array([[int(name in row) for name in order] for row in map(set, rows)]), order
