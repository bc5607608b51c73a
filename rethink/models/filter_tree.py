"""Cost-sensitive chain: the condensed filter tree."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from rethink.costs import Cost, get_cost
from rethink.design import Features
from rethink.discovery import unknown_name
from rethink.linear import GRADIENT, fit_path, fit_single
from rethink.models.base import MultiLabelEstimator
from rethink.models.optimal_chain import LinearChain
from rethink.svm import append_columns

NODE_COSTS = ("label", "subtree")
ENOUGH_TO_CHOOSE = 1e-2  # |w - optimum| at most: moves held-out probabilities by about 1e-4
# In a search, after so many rounds: how many strengths below and above the best go on.
# Each round adds examples, which moves the best strength downwards.
RACE = ((2, 2, 1), (4, 1, 0))


class CondensedFilterTree(MultiLabelEstimator):
    """Chain of logistic regressions whose examples weigh what the label decides (CFT).

    Label vectors are the leaves of a binary tree with a level for each label, in file order; all
    nodes of a level share one classifier of the features and the earlier labels. It learns at the
    nodes on the path of the true labels, and from the second round on also at those on the paths
    that the chain of each earlier round predicted for the training part.

    Parameters
    ----------
    cost : str or Cost
    C : float
        Inverse strength of the regularisation.
    rounds : int
        How often all classifiers are fitted; the last ones predict.
    node_costs : {"label", "subtree"}
        What an example weighs. "label", as in the authors' code: the difference that the label
        makes to the cost of the whole path, other labels as they are there; the target is the true
        label, and the weights of each round's path have the mean 1 over examples and labels.
        "subtree", as in the paper by Li and Lin: the difference between the costs of the two leaves
        that the classifiers of the later labels reach; the target is the cheaper side, and the
        weights of each label have the mean 1.

    Attributes
    ----------
    coef_ : ndarray of shape (K, d)
    effects_ : ndarray of shape (K, K)
        Row i: what the labels before i say about label i.
    intercept_ : ndarray of shape (K,)
        Infinite for labels that are constant in the training part.
    node_counts_ : ndarray of shape (rounds, K)
        Different examples (features and earlier labels) of positive weight in each fit.

    References
    ----------
    C.-L. Li and H.-T. Lin, "Condensed Filter Tree for Cost-Sensitive Multi-Label Classification",
    ICML 2014.

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 0]]
    >>> CondensedFilterTree(cost="f1", C=10).fit(X, Y).predict([[-1.0], [4.0]])
    array([[0, 1],
           [1, 0]])
    """

    no_probabilities = "its nodes are trained to tell which of two subtrees costs less"

    def __init__(
        self,
        cost: str | Cost = "hamming",
        C: float = 1.0,
        rounds: int = 8,
        node_costs: str = "label",
    ):
        self.cost = cost
        self.C = C
        self.rounds = rounds
        self.node_costs = node_costs

    def fit(self, X: Any, Y: Any) -> "CondensedFilterTree":
        """Fit the chain to Y, shape (n, K), on X, shape (n, d)."""
        cost = self._check_params()
        X, Y = self._check_fit(X, Y)
        return self._trained(Training(Truth(X, Y, cost), self.C, node_costs=self.node_costs))

    def fit_path(self, X: Any, Y: Any, Cs: Sequence[float]) -> list["CondensedFilterTree"]:
        """For each C a copy of this model, fitted well enough to choose among them."""
        model = clone(self)
        cost = model._check_params()
        X, Y = model._check_fit(X, Y)
        trainings = model._trainings(Truth(X, Y, cost), Cs)
        return [copy(model).set_params(C=each.C)._trained(each) for each in trainings]

    def cross_validate(
        self,
        points: Sequence[dict[str, Any]],
        X: Any,
        Y: np.ndarray,
        parts: Sequence[np.ndarray],
        costs: Sequence[Cost],
    ) -> list[list[Any]]:
        """Try grid points as `rethink.search` does, but faster.

        A round takes the longer the more went before. So all strengths are trained on all folds for
        two rounds, the neighbours of the best for more, and two are left at the end. Those given up
        on the way have None as values.
        """
        from rethink.search import Trial, cross_validate  # which imports the models

        if self.node_costs != "label" or any(set(point) != {"C"} for point in points):
            return cross_validate(self, points, X, Y, parts, costs)
        model = clone(self).set_params(cost=costs[0])
        cost = model._check_params()
        X, Y = model._check_fit(X, Y)
        alive = sorted(range(len(points)), key=lambda point: points[point]["C"])
        folds = []
        for held in parts:
            kept = np.setdiff1d(np.arange(len(Y)), held)
            folds.append(model._trainings(Truth(X[kept], Y[kept], cost), [p["C"] for p in points]))
        values = np.empty((len(points), len(parts)), dtype=object)
        for rounds, below, above in (*RACE, (self.rounds, len(points), len(points))):
            for point in alive:
                for fold, held in enumerate(parts):
                    training = folds[fold][point]
                    training.go_on(min(rounds, self.rounds))
                    values[point, fold] = cost.score(Y[held], training.follow(X[held]))
            means = values[alive].mean(axis=1)
            best = int(np.argmax(means) if cost.greater_is_better else np.argmin(means))
            alive = alive[max(best - below, 0) : best + above + 1]
        for point in set(range(len(points))) - set(alive):
            values[point] = None
        return [[Trial(point, list(row)) for point, row in zip(points, values, strict=True)]]

    def predict(self, X: Any) -> np.ndarray:
        """Labels of shape (n, K), each from X and the predictions of the labels before it."""
        X = self._check_predict(X)
        chain = LinearChain(self.coef_, self.effects_, self.intercept_)
        return self._as_labels(chain.follow(X, range(len(self.intercept_))))

    def _check_params(self) -> Cost:
        if self.node_costs not in NODE_COSTS:
            raise unknown_name("node_costs", self.node_costs, NODE_COSTS)
        if not (isinstance(self.C, Real) and 0 < self.C < np.inf):
            raise ValueError(f"C is {self.C!r}, but needs a number above 0, such as 1.0")
        if not (isinstance(self.rounds, Integral) and self.rounds > 0):
            raise ValueError(
                f"rounds is {self.rounds!r}, but needs a whole number above 0, such as 8"
            )
        return get_cost(self.cost)

    def _trainings(self, truth: "Truth", Cs: Sequence[float]) -> list["Training"]:
        """For each C a training, not begun, whose rounds end within 1e-2 of the optimum.

        The first round is the same problem for every C, so it is solved for all of them in one go.
        """
        starts = [None] * len(Cs)
        if self.node_costs == "label":
            starts = list(truth.fit(truth.own_paths, Cs, None, ENOUGH_TO_CHOOSE))
        return [
            Training(truth, C, ENOUGH_TO_CHOOSE, start, self.node_costs)
            for C, start in zip(Cs, starts, strict=True)
        ]

    def _trained(self, training: "Training") -> "CondensedFilterTree":
        training.go_on(self.rounds)
        self.coef_, self.effects_, self.intercept_ = training.chain
        self.node_counts_ = np.array(training.counts)
        return self


@dataclass(frozen=True)
class _Examples:
    """Different pairs of a row and a path, shapes (m,) and (m, K), in lexical order.

    `weight`, shape (m, K), is what each label weighs there, and `times`, shape (m,), how often the
    pair was met.
    """

    row: np.ndarray
    path: np.ndarray
    weight: np.ndarray
    times: np.ndarray

    def joined(self, more: "_Examples") -> "_Examples":
        """With further ones; equal pairs become one."""
        row = np.concatenate([self.row, more.row])
        path = np.concatenate([self.path, more.path])
        first, pair = _distinct(row, path)
        sums = sp.csr_array((np.ones(len(pair)), (pair, np.arange(len(pair)))))
        weight = sums @ np.concatenate([self.weight, more.weight])
        times = sums @ np.concatenate([self.times, more.times])
        return _Examples(row[first], path[first], weight, times)

    @cached_property
    def parting(self) -> np.ndarray:
        """The first label in which each pair differs from the one before; -1 for a new row."""
        differs = self.path[1:] != self.path[:-1]
        first = np.where(np.diff(self.row) > 0, -1, differs.argmax(axis=1))
        return np.append(-1, first)

    def nodes(self, label: int) -> np.ndarray:
        """The nodes of a level, each as the first of its pairs: all earlier labels agree."""
        return np.flatnonzero(self.parting < label)


class Truth:
    """What is to be learned, and what all strengths share on the way."""

    def __init__(self, X: Any, Y: np.ndarray, cost: Cost):
        self.X, self.Y, self.cost, self.features = X, Y, cost, Features(X)
        self.before = np.tri(Y.shape[1], k=-1, dtype=bool)
        self.constant = Y.min(axis=0) == Y.max(axis=0)
        self.own_paths = self.examples(Y)

    def examples(self, path: np.ndarray) -> _Examples:
        """Each row on its path, shape (n, K)."""
        n, weight = len(self.Y), _mean_one(self.cost.weights(self.Y, path))
        return _Examples(np.arange(n), path, weight, np.ones(n))

    def fit(
        self, on: _Examples, Cs: Sequence[float], start: np.ndarray | None, tolerance: float
    ) -> np.ndarray:
        """Coefficients of all labels for each C, shape (len(Cs), K, d + K + 1)."""
        return fit_path(
            self.features,
            self.Y[on.row],
            Cs,
            weight=on.weight,
            start=start,
            row=on.row,
            earlier=on.path,
            allowed=self.before,
            tolerance=tolerance,
        )


class Training:
    """The chain of one strength with the examples it has been trained on."""

    def __init__(
        self,
        truth: Truth,
        C: float,
        tolerance: float = GRADIENT,
        start: np.ndarray | None = None,
        node_costs: str = "label",
    ):
        self.truth, self.C, self.tolerance, self.start = truth, C, tolerance, start
        self.fit_round = self.fit_labels if node_costs == "label" else self.fit_subtrees
        self.counts: list[list[int]] = []  # of examples, in each round
        self.examples, constant = truth.own_paths, truth.constant
        self.chain = LinearChain.zeros(truth.Y.shape[1], truth.X.shape[1])
        self.chain.intercept[constant] = np.where(truth.Y[0, constant], np.inf, -np.inf)

    def go_on(self, rounds: int) -> None:
        """Train until there were so many rounds."""
        while len(self.counts) < rounds:
            if self.counts:
                self.add_path(self.follow(self.truth.X))
            self.counts.append(self.fit_round())

    def follow(self, X: Any) -> np.ndarray:
        """The path that the chain predicts for each row of X, shape (n, K)."""
        return self.chain.follow(X, range(self.truth.Y.shape[1]))

    def add_path(self, path: np.ndarray) -> None:
        """Learn at the nodes of this path, shape (n, K), too."""
        self.examples = self.examples.joined(self.truth.examples(path))

    def fit_labels(self) -> list[int]:
        """Fit all labels with the weights of the paths; returns the number of examples of each."""
        on, varies, d = self.examples, ~self.truth.constant, self.truth.X.shape[1]
        self.start = w = self.truth.fit(on, [self.C], self.start, self.tolerance)[0]
        self.chain.coef[varies], self.chain.effects[varies] = w[varies, :d], w[varies, d:-1]
        self.chain.intercept[varies] = w[varies, -1]
        return [
            int(np.count_nonzero(np.add.reduceat(weight, on.nodes(label))))
            for label, weight in enumerate(on.weight.T)
        ]

    def fit_subtrees(self) -> list[int]:
        """Fit the labels from last to first, each with the costs of the leaves it leads to."""
        counts = []
        for label in reversed(range(self.truth.Y.shape[1])):
            nodes = self.examples.nodes(label)
            row, prefix = self.examples.row[nodes], self.examples.path[nodes, :label]
            off, on = (self._leaf_costs(row, prefix, value) for value in (0, 1))
            passing = np.add.reduceat(self.examples.times, nodes)
            weight = _mean_one(passing * np.abs(off - on), int(passing.sum()))
            if weight.any() and not self.truth.constant[label]:
                Z = append_columns(self.truth.X[row], prefix.astype(float))
                self._keep(label, fit_single(Z, on < off, self.C, weight))
            counts.append(int(np.count_nonzero(weight)))
        return counts[::-1]

    def _leaf_costs(self, row: np.ndarray, prefix: np.ndarray, value: int) -> np.ndarray:
        """The loss of the leaf that each node reaches if its label has this value."""
        truth, label = self.truth, prefix.shape[1]
        leaves = np.zeros((len(row), truth.Y.shape[1]))
        leaves[:, :label], leaves[:, label] = prefix, value
        scores = np.asarray(truth.X @ self.chain.coef[label + 1 :].T)[row]
        for later, score in enumerate(scores.T, start=label + 1):
            pushed = leaves @ self.chain.effects[later] + self.chain.intercept[later]
            leaves[:, later] = score + pushed > 0
        values = truth.cost(truth.Y[row], leaves)
        return -values if truth.cost.greater_is_better else values

    def _keep(self, label: int, w: np.ndarray) -> None:
        """Take over the classifier of a label: features, earlier labels, intercept."""
        d = self.truth.X.shape[1]
        self.chain.coef[label], self.chain.effects[label, :label] = w[:d], w[d:-1]
        self.chain.intercept[label] = w[-1]


def _distinct(row: np.ndarray, path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first place of each different pair, in lexical order, and the pair of each place."""
    keys = np.hstack([row.astype(">u4")[:, None].view(np.uint8), np.packbits(path, axis=1)])
    whole = np.ascontiguousarray(keys).view(f"V{keys.shape[1]}").ravel()
    return np.unique(whole, return_index=True, return_inverse=True)[1:]


def _mean_one(weights: np.ndarray, count: int | None = None) -> np.ndarray:
    """Weights with the mean 1 over `count` examples, by default their own number; or all 0."""
    total = weights.sum()
    return weights * ((count or weights.size) / total) if total > 0 else weights
