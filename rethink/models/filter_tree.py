"""Cost-sensitive chain: the condensed filter tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from rethink.costs import Cost, get_cost
from rethink.discovery import unknown_name
from rethink.linear import fit_logistic
from rethink.models.base import MultiLabelEstimator
from rethink.models.optimal_chain import LinearChain
from rethink.svm import append_columns

NODE_COSTS = ("label", "subtree")


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
        training = _Training(X, Y, cost, self.C)
        fit_round = training.fit_labels if self.node_costs == "label" else training.fit_subtrees
        counts = [fit_round()]
        for _ in range(self.rounds - 1):
            training.add_path(training.chain.follow(X, range(Y.shape[1])))
            counts.append(fit_round())
        self.coef_, self.effects_, self.intercept_ = training.chain
        self.node_counts_ = np.array(counts)
        return self

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


@dataclass(frozen=True)
class _Nodes:
    """The different nodes of one level that the paths pass.

    `row` and `prefix` are the instance and the earlier labels of each node; `of_path` tells for
    each path and instance, in this order, its node.
    """

    row: np.ndarray
    prefix: np.ndarray
    of_path: np.ndarray

    def total(self, weights: np.ndarray) -> np.ndarray:
        """The sum of the weights, one for each path and instance, that meet at each node."""
        return np.bincount(self.of_path, weights=weights.ravel(), minlength=len(self.row))


class _Training:
    """The chain with the paths and weights it has been trained on."""

    def __init__(self, X: Any, Y: np.ndarray, cost: Cost, C: float):
        self.X, self.Y, self.cost, self.C = X, Y, cost, C
        self.constant = Y.min(axis=0) == Y.max(axis=0)
        self.chain = LinearChain.zeros(Y.shape[1], X.shape[1])
        self.chain.intercept[self.constant] = np.where(Y[0, self.constant], np.inf, -np.inf)
        self.paths: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        self.add_path(Y)

    def add_path(self, path: np.ndarray) -> None:
        """Learn at the nodes of this path, shape (n, K), too."""
        self.paths.append(path)
        self.weights.append(_mean_one(self.cost.weights(self.Y, path)))

    def fit_labels(self) -> list[int]:
        """Fit each label with the weights of the paths; returns the number of examples of each."""
        weights = np.stack(self.weights)
        return [
            self._fit(label, nodes, nodes.total(weights[..., label]), self.Y[nodes.row, label])
            for label, nodes in enumerate(self._levels())
        ]

    def fit_subtrees(self) -> list[int]:
        """Fit the labels from last to first, each with the costs of the leaves it leads to."""
        counts = []
        for label, nodes in reversed(list(enumerate(self._levels()))):
            off, on = (self._leaf_costs(label, nodes, value) for value in (0, 1))
            passing = np.bincount(nodes.of_path)
            weight = _mean_one(passing * np.abs(off - on), passing.sum())
            counts.append(self._fit(label, nodes, weight, (on < off).astype(np.uint8)))
        return counts[::-1]

    def _levels(self) -> Iterator[_Nodes]:
        """The nodes of each level: paths that agree in all earlier labels meet."""
        paths = np.concatenate(self.paths)
        row = np.tile(np.arange(len(self.Y)), len(self.paths))
        node = row
        for label in range(self.Y.shape[1]):
            _, first, node = np.unique(node, return_index=True, return_inverse=True)
            yield _Nodes(row[first], paths[first, :label], node)
            node = 2 * node + paths[:, label]

    def _leaf_costs(self, label: int, nodes: _Nodes, value: int) -> np.ndarray:
        """The loss of the leaf that each node reaches if the label has this value."""
        leaves = np.zeros((len(nodes.row), self.Y.shape[1]))
        leaves[:, :label], leaves[:, label] = nodes.prefix, value
        scores = np.asarray(self.X @ self.chain.coef[label + 1 :].T)[nodes.row]
        for later, score in enumerate(scores.T, start=label + 1):
            pushed = leaves @ self.chain.effects[later] + self.chain.intercept[later]
            leaves[:, later] = score + pushed > 0
        values = self.cost(self.Y[nodes.row], leaves)
        return -values if self.cost.greater_is_better else values

    def _fit(self, label: int, nodes: _Nodes, weight: np.ndarray, target: np.ndarray) -> int:
        """Refit one label, starting from its last classifier; returns the number of examples."""
        used = weight > 0
        if used.any() and not self.constant[label]:
            prefix = nodes.prefix[used].astype(float)
            Z = append_columns(self.X[nodes.row[used]], prefix)
            chain, d = self.chain, self.X.shape[1]
            start = np.hstack(
                [chain.coef[label], chain.effects[label, :label], chain.intercept[label]]
            )
            w = fit_logistic(Z, target[used], self.C, weight=weight[used], start=start)
            chain.coef[label], chain.effects[label, :label] = w[:d], w[d:-1]
            chain.intercept[label] = w[-1]
        return int(np.count_nonzero(used))


def _mean_one(weights: np.ndarray, count: int | None = None) -> np.ndarray:
    """Weights with the mean 1 over `count` examples, by default their own number; or all 0."""
    total = weights.sum()
    return weights * ((count or weights.size) / total) if total > 0 else weights
