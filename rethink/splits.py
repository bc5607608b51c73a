"""Splits in which every part has its share of every label: iterative stratification.

References
----------
Sechidis, Tsoumakas, Vlahavas: On the stratification of multi-label data. ECML PKDD 2011.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state, indexable

from rethink.costs.base import check_binary
from rethink.labels import labels_from_names


class MultilabelStratifiedKFold(BaseCrossValidator):
    """Folds with nearly equal shares of every label, and sizes that differ by one row at most.

    The rarest label is dealt out first, each of its rows to the fold that wants the label most.
    With `groups` the rows of a group stay together; sizes are then as equal as the groups allow.

    Parameters
    ----------
    n_splits : int
    shuffle : bool
        Deal the rows out in a random order, with random choices among folds that want a label
        equally. Else rows come in their order, and the first fold is taken.
    random_state : int, RandomState or None

    Examples
    --------
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1], [0, 0], [0, 0]])
    >>> for train, test in MultilabelStratifiedKFold(2).split(np.zeros((8, 1)), Y):
    ...     print(test, Y[test].sum(axis=0))
    [0 2 4 6] [2 2]
    [1 3 5 7] [2 2]
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are."""
        return self.n_splits

    def _iter_test_indices(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[np.ndarray]:
        labels, members = _checked(y, groups)
        items = labels.shape[0] if members is None else members.max() + 1
        if not (isinstance(self.n_splits, int) and 2 <= self.n_splits <= items):
            raise ValueError(
                f"n_splits is {self.n_splits!r}, but needs 2 at least and at most the "
                f"{items} {'rows' if members is None else 'groups'}"
            )
        sizes = [len(part) for part in np.array_split(np.arange(labels.shape[0]), self.n_splits)]
        chance = check_random_state(self.random_state) if self.shuffle else None
        folds = deal(labels, sizes, members, chance)
        return (np.flatnonzero(folds == fold) for fold in range(self.n_splits))


class MultilabelStratifiedShuffleSplit(BaseCrossValidator):
    """Random splits into a training and a test part, with shares of every label that agree.

    Parameters
    ----------
    n_splits : int
    test_size, train_size : float or int, optional
        A share or a number of rows. One of them may be left out; without both, the test part has
        a quarter.
    random_state : int, RandomState or None

    Examples
    --------
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1], [0, 0], [0, 0]])
    >>> splits = MultilabelStratifiedShuffleSplit(1, test_size=0.5, random_state=0)
    >>> [Y[test].sum(axis=0) for train, test in splits.split(np.zeros((8, 1)), Y)]
    [array([2, 2])]
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Any = None,
    ):
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many splits there are."""
        return self.n_splits

    def split(
        self, X: Any, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows of the training part and of the test part, sorted, for each split."""
        X, y, groups = indexable(X, y, groups)
        labels, members = _checked(y, groups)
        train, test = self._sizes(labels.shape[0])
        sizes = [train, test, labels.shape[0] - train - test]
        chance = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            parts = deal(labels, sizes, members, chance)
            yield np.flatnonzero(parts == 0), np.flatnonzero(parts == 1)

    def _sizes(self, n: int) -> tuple[int, int]:
        """Numbers of training and test rows."""
        test = None if self.test_size is None else _number("test_size", self.test_size, n)
        train = None if self.train_size is None else _number("train_size", self.train_size, n)
        if test is None:
            test = n - train if train is not None else max(1, round(n / 4))
        train = n - test if train is None else train
        if train < 1 or test < 1 or train + test > n:
            raise ValueError(
                f"{train} training and {test} test rows are wanted, but there are {n} rows and "
                "both parts need one; change test_size or train_size"
            )
        return train, test


def deal(
    labels: sp.csr_array,
    sizes: Sequence[int],
    members: np.ndarray | None = None,
    chance: np.random.RandomState | None = None,
) -> np.ndarray:
    """The part of each row, shape (n,), by iterative stratification.

    Label by label, the rarest among the rows left first, each row goes to the part that wants the
    label most; of several to the one with the most room. What a label's rows do to the other
    labels plays no part before the next label, so it is subtracted for all of them at once.

    Parameters
    ----------
    labels : CSR array of shape (n, K)
    sizes : sequence of int
        Rows of each part, n in total.
    members : ndarray of shape (n,), optional
        The number of each row's group, from 0.
    chance : RandomState, optional
        Without it, rows come in their order, and the first of equal parts is taken.
    """
    items, weights = _items(labels, members)
    n, K = items.shape
    order = np.arange(n) if chance is None else chance.permutation(n)
    items, weights = items[order], weights[order]
    total = int(weights.sum())
    # what each part wants of each label, times `total` so that it is a whole number
    wanted = np.outer(sizes, items.sum(axis=0))
    room = np.array(sizes)
    left = np.bincount(items.indices, minlength=K)  # items that have a label and no part yet
    columns = items.tocsc()
    parts = np.full(n, -1)
    dealt = _dealt_rows if members is None else _dealt_groups
    for label in _rarest_first(left):
        column = slice(columns.indptr[label], columns.indptr[label + 1])
        rows, amounts = columns.indices[column], columns.data[column]
        free = parts[rows] < 0
        rows, amounts = rows[free], amounts[free] * total
        parts[rows] = own = dealt(wanted[:, label], room, amounts, weights[rows], chance)
        _subtract(items, rows, own, wanted, left, total)
    rest = np.flatnonzero(parts < 0)
    parts[rest] = dealt(0 * room, room, 0 * rest, weights[rest], chance)
    result = np.empty(n, dtype=np.int64)
    result[order] = parts
    return result if members is None else result[members]


def _rarest_first(left: np.ndarray) -> Iterator[int]:
    """The label of the fewest items left, again and again; `left` changes between."""
    most = left.max(initial=0) + 1
    while True:
        counts = np.where(left > 0, left, most)
        label = int(counts.argmin())
        if counts[label] == most:
            return
        yield label


def _dealt_rows(
    wants: np.ndarray, room: np.ndarray, amounts: np.ndarray, sizes: np.ndarray, chance: Any
) -> np.ndarray:
    """A part for each row in turn: where the label is wanted most, then where most room is.

    What a part wants falls with each row it gets. So the rows go to the parts in the order of
    what each would want after none, one, two rows, as far as it has room. `room` is updated.
    """
    parts, rows = len(room), len(amounts)
    given = np.arange(rows)
    want = wants[:, None] - given * amounts[:1]
    space = room[:, None] - given
    rank = np.repeat(_first_ones(parts, chance), rows)
    order = np.lexsort((rank, -space.ravel(), -want.ravel(), space.ravel() <= 0))
    chosen = order[:rows] // max(rows, 1)
    room -= np.bincount(chosen, minlength=parts)
    return chosen


def _dealt_groups(
    wants: np.ndarray, room: np.ndarray, amounts: np.ndarray, sizes: np.ndarray, chance: Any
) -> np.ndarray:
    """A part for each group, those with the most rows of the label first; as `_dealt_rows`.

    A part without room for a group is passed over, unless none has room. `room` is updated.
    """
    wants, rank = wants.copy(), -_first_ones(len(room), chance)
    chosen = np.empty(len(amounts), dtype=np.int64)
    for group in np.lexsort((-sizes, -amounts)):
        fits = room >= sizes[group]
        part = np.lexsort((rank, room, wants, fits))[-1]
        wants[part] -= amounts[group]
        room[part] -= sizes[group]
        chosen[group] = part
    return chosen


def _first_ones(parts: int, chance: Any) -> np.ndarray:
    """Places of the parts among equals: as they are, or by chance."""
    return np.arange(parts) if chance is None else chance.permutation(parts)


def _subtract(
    items: sp.csr_array,
    rows: np.ndarray,
    parts: np.ndarray,
    wanted: np.ndarray,
    left: np.ndarray,
    total: int,
) -> None:
    """Take what the rows bring to their parts off what is wanted, and off what is left."""
    lengths = items.indptr[rows + 1] - items.indptr[rows]
    ends = lengths.cumsum()
    entries = np.arange(ends[-1]) + (items.indptr[rows] - ends + lengths).repeat(lengths)
    labels = items.indices[entries]
    places = parts.repeat(lengths) * len(left) + labels
    taken = np.bincount(places, items.data[entries], wanted.size).astype(np.int64)
    wanted -= total * taken.reshape(wanted.shape)
    left -= np.bincount(labels, minlength=len(left))


def _items(labels: sp.csr_array, members: np.ndarray | None) -> tuple[sp.csr_array, np.ndarray]:
    """What is dealt out, rows or groups: how often each has each label, and its rows."""
    counts = sp.csr_array(labels.astype(np.int64))
    if members is None:
        return counts, np.ones(counts.shape[0], dtype=np.int64)
    n = len(members)
    together = sp.csr_array((np.ones(n, dtype=np.int64), (members, np.arange(n))))
    return sp.csr_array(together @ counts), np.bincount(members)


def _checked(y: Any, groups: Any) -> tuple[sp.csr_array, np.ndarray | None]:
    if y is None:
        raise ValueError("y is None, but the labels are needed to split by: give a 0/1 matrix")
    labels = sp.csr_array(check_binary(labels_from_names(y)[0], "y"))
    if groups is None:
        return labels, None
    members = np.unique(np.asarray(groups), return_inverse=True)[1]
    if members.shape != labels.shape[:1]:
        raise ValueError(f"groups has {members.shape[0]} values, but y has {labels.shape[0]} rows")
    return labels, members


def _number(name: str, size: float, n: int) -> int:
    """A number of rows from a share or a number."""
    if isinstance(size, float) and 0 < size < 1:
        return round(size * n)
    if isinstance(size, int) and not isinstance(size, bool) and size > 0:
        return size
    raise ValueError(f"{name} is {size!r}, but needs a share between 0 and 1 or a number of rows")
