"""Thresholds that are searched on rows whose labels are known, for criteria without a rule."""

import numpy as np

from rethink.costs.base import Cost
from rethink.costs.extra.averaged import MatrixCost
from rethink.inference import TIE

CANDIDATES = 200  # thresholds tried for a cost of rows


def search_thresholds(cost: Cost, marginals: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """The thresholds that suit the cost best on held-out probabilities.

    Macro averages have one for each label, other criteria one for all. It lies half way between
    two probabilities; of equal scores the highest threshold is taken, which predicts the fewest
    labels. Criteria of counts are searched over all thresholds, other costs over 200 of them.

    Parameters
    ----------
    cost : Cost
    marginals, Y : ndarray of shape (n, K)
        Probabilities of rows that the model was not trained on, and their labels.

    Returns
    -------
    ndarray of shape (K,)
        A label is predicted where its probability is above.

    Examples
    --------
    >>> from rethink.costs import get_cost
    >>> p, Y = np.array([[0.1, 0.6], [0.3, 0.8], [0.2, 0.9]]), np.array([[0, 0], [1, 0], [1, 1]])
    >>> search_thresholds(get_cost("macro-f1"), p, Y)
    array([0.15, 0.85])
    """
    labels = marginals.shape[1]
    if not isinstance(cost, MatrixCost):
        return np.full(labels, _common(cost, marginals, Y))
    if cost.average == "macro":
        columns = range(labels)
        return np.array([_by_counts(cost, marginals[:, k], Y[:, k]) for k in columns])
    return np.full(labels, _by_counts(cost, marginals.ravel(), Y.ravel()))


def _by_counts(cost: MatrixCost, p: np.ndarray, y: np.ndarray) -> float:
    """The best threshold of all, from the counts of hits at each."""
    order = np.argsort(-p, kind="stable")
    p, hits = p[order], np.concatenate([[0], np.cumsum(y[order])])
    predicted = np.arange(len(p) + 1)
    values = cost.of_counts(hits, np.full(len(hits), hits[-1]), predicted)
    cuts = np.concatenate([[True], p[1:] < p[:-1], [True]])  # equal probabilities stay together
    first = _first_best(np.where(cuts, values, np.nan), cost)
    return _between(p, first)


def _common(cost: Cost, marginals: np.ndarray, Y: np.ndarray) -> float:
    levels = np.unique(marginals)[::-1]
    cuts = np.unique(np.linspace(0, len(levels), CANDIDATES + 1).astype(int))
    tried = [_between(levels, cut) for cut in cuts]
    values = np.array([cost.score(Y, marginals > threshold) for threshold in tried])
    return tried[_first_best(values, cost)]


def _between(falling: np.ndarray, cut: int) -> float:
    """A threshold above which that many values lie; the ends are 1 and 0 at least."""
    above = falling[cut - 1] if cut > 0 else 1.0
    below = falling[cut] if cut < len(falling) else -above
    return float(above if cut == 0 else (above + below) / 2)


def _first_best(values: np.ndarray, cost: Cost) -> int:
    best = np.nanmax(values) if cost.greater_is_better else np.nanmin(values)
    return int(np.argmax(np.abs(values - best) <= TIE))
