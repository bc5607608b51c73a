"""A classifier chain whose order maximises the margins."""

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from rethink.costs import Cost
from rethink.discovery import unknown_name
from rethink.models.base import MultiLabelEstimator
from rethink.ordering import ChainCosts, dp_order, greedy_order

ORDER_SEARCHES = {"dp": dp_order, "greedy": greedy_order}


class LinearChain(NamedTuple):
    """Linear classifiers of K labels that look at features and at other labels.

    `coef` has shape (K, d), `effects` (K, K) with zeros for labels not looked at, `intercept` (K,).
    """

    coef: np.ndarray
    effects: np.ndarray
    intercept: np.ndarray

    @classmethod
    def zeros(cls, K: int, d: int) -> "LinearChain":
        """A chain to be filled."""
        return cls(np.zeros((K, d)), np.zeros((K, K)), np.zeros(K))

    def follow(self, X: Any, order: Iterable[int]) -> np.ndarray:
        """Hard predictions, shape (n, K), uint8, each from those of the labels before it."""
        scores = np.asarray(X @ self.coef.T) + self.intercept
        predicted = np.zeros(scores.shape)
        for label in order:
            predicted[:, label] = scores[:, label] + predicted @ self.effects[label] > 0
        return predicted.astype(np.uint8)


class OptimalChain(MultiLabelEstimator):
    """Chain of linear support vector machines in an order with a small sum of 1/margin² (CC-DP).

    The bound of a chain's error grows with the sum of 1/margin² = |w|² over its machines. CC-DP
    looks for the order with the least sum by dynamic programming, with one label set for each
    last label and length, so it is not exhaustive; CC-Greedy appends the label of the least
    |w|² again and again. The machines then learn from the true earlier labels and predict from
    the predicted ones.

    A machine has the objective of scikit-learn's `LinearSVC` (squared hinge, intercept regularised)
    and is solved exactly. A label that is constant in the training part keeps its value and costs
    nothing. Sums that differ by less than 1e-8 of their size are equal; the first label wins.

    Parameters
    ----------
    C : float
        Inverse strength of the regularisation.
    order_search : {"dp", "greedy", "file"}
        "file" takes the labels in their own order, without a search.
    order_C : float, optional
        The C of the machines that the order is searched with; None for `C`.
    search_order_up_to : int
        With more labels than this, cross-validation (`rethink.search`) compares values of `C` on
        chains in file order, and only the final fit searches an order. A deviation from the paper,
        where this search could not be finished on the sets with the most labels.
    order : sequence of int, optional
        The order itself, which is then not searched.

    Attributes
    ----------
    order_ : ndarray of shape (K,)
        Labels from the first of the chain to the last.
    order_value_ : float
        The sum of |w|² in this order, with the C that it was searched with.
    coef_ : ndarray of shape (K, d)
    effects_ : ndarray of shape (K, K)
        Row i: what the other labels say about label i; 0 for labels that come later.
    intercept_ : ndarray of shape (K,)
        Infinite for constant labels.

    References
    ----------
    W. Liu and I. W. Tsang, "On the Optimality of Classifier Chain for Multi-label
    Classification", NIPS 2015.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> Y = [[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 1], [1, 1, 1]]
    >>> model = OptimalChain(C=10).fit(X, Y)
    >>> model.order_, round(model.order_value_, 2)
    (array([0, 2, 1]), 16.47)
    >>> model.predict([[0.0], [2.0], [5.0]])
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 1, 1]])
    """

    no_probabilities = "support vector machines know on which side of a border a row lies"

    def __init__(
        self,
        C: float = 1.0,
        order_search: str = "dp",
        order_C: float | None = None,
        search_order_up_to: int = 20,
        order: Sequence[int] | None = None,
    ):
        self.C = C
        self.order_search = order_search
        self.order_C = order_C
        self.search_order_up_to = search_order_up_to
        self.order = order

    def fit(self, X: Any, Y: Any) -> "OptimalChain":
        """Search the order and fit the chain to Y, shape (n, K), on X, shape (n, d)."""
        self._check_params()
        X, Y = self._check_fit(X, Y)
        self._check_order(Y.shape[1])
        order, value = self._search(X, Y)
        chain = _fit_chain(ChainCosts(X, Y, self.C), order)
        return self._fitted(chain, order, value)

    def fit_path(self, X: Any, Y: Any, Cs: Sequence[float]) -> list["OptimalChain"]:
        """A copy of this model for each C, fitted to Y on X.

        Where all have one order, each machine begins where the one with the next smaller C ended,
        which changes the time, not the result.
        """
        models = [clone(self).set_params(C=C) for C in Cs]
        own_orders = self.order is None and self.order_search != "file" and self.order_C is None
        if own_orders or not models:
            return [model.fit(X, Y) for model in models]
        for model in models:
            model._check_params()
            rows, labels = model._check_fit(X, Y)
            model._check_order(labels.shape[1])
        order, value = self._search(rows, labels)
        costs, chain = ChainCosts(rows, labels, self.C), None
        for model in sorted(models, key=lambda model: model.C):
            chain = _fit_chain(costs.at(model.C), order, chain)
            model._fitted(chain, order, value)
        return models

    def predict(self, X: Any) -> np.ndarray:
        """Labels of shape (n, K), each from X and the predictions of the labels before it."""
        X = self._check_predict(X)
        chain = LinearChain(self.coef_, self.effects_, self.intercept_)
        return self._as_labels(chain.follow(X, self.order_))

    def cross_validate(
        self,
        points: Sequence[dict[str, Any]],
        X: Any,
        Y: np.ndarray,
        parts: Sequence[np.ndarray],
        costs: Sequence[Cost],
    ) -> list[list[Any]]:
        """Try every point on every fold, in file order if there are many labels."""
        from rethink.search import cross_validate  # which imports the models

        many = Y.shape[1] > self.search_order_up_to
        tried = clone(self).set_params(order_search="file") if many else self
        return cross_validate(tried, points, X, Y, parts, costs)

    def before_grid(self, X: Any, Y: Any) -> "OptimalChain":
        """With `order_C`, the order is the same for every `C`: search it once for a grid."""
        if self.order_C is None or self.order is not None or self.order_search == "file":
            return self
        X, Y = clone(self)._check_fit(X, Y)
        return clone(self).set_params(order=list(self._search(X, Y)[0]))

    def _fitted(
        self, chain: LinearChain, order: Sequence[int], value: float | None
    ) -> "OptimalChain":
        self.coef_, self.effects_, self.intercept_ = chain
        self.order_ = np.array(order)
        self.order_value_ = _value(chain) if value is None else value
        return self

    def _search(self, X: Any, Y: np.ndarray) -> tuple[Sequence[int], float | None]:
        """The order, and its value where a search found it."""
        if self.order is not None:
            return self.order, None
        if self.order_search == "file":
            return range(Y.shape[1]), None
        strength = self.C if self.order_C is None else self.order_C
        order = ORDER_SEARCHES[self.order_search](X, Y, strength)
        return order.labels, order.value

    def _check_params(self) -> None:
        if self.order_search not in (*ORDER_SEARCHES, "file"):
            raise unknown_name("order_search", self.order_search, (*ORDER_SEARCHES, "file"))
        strengths = {"C": self.C, "order_C": self.C if self.order_C is None else self.order_C}
        for name, value in strengths.items():
            if not (isinstance(value, Real) and 0 < value < np.inf):
                raise ValueError(f"{name} is {value!r}, but needs a number above 0, such as 1.0")

    def _check_order(self, K: int) -> None:
        if self.order is not None and sorted(self.order) != list(range(K)):
            raise ValueError(
                f"order is {list(self.order)!r:.80}, but needs each label from 0 to {K - 1} once"
            )


def _fit_chain(
    costs: ChainCosts, order: Sequence[int], near: LinearChain | None = None
) -> LinearChain:
    """The machines, each on the true labels that come before; `near` is a chain to begin with."""
    K, d = costs.Y.shape[1], costs.Z.shape[1] - 1
    chain, start = LinearChain.zeros(K, d), None
    for position, label in enumerate(order):
        before = list(order[:position])
        if near is not None:
            start = np.hstack(
                [near.coef[label], near.intercept[label], near.effects[label, before]]
            )
        w = costs.solve(label, before, start)
        chain.coef[label], chain.intercept[label] = w[:d], w[d]
        chain.effects[label, before] = w[d + 1 :]
    chain.intercept[costs.constant] = np.where(costs.Y[0, costs.constant], np.inf, -np.inf)
    return chain


def _value(chain: LinearChain) -> float:
    finite = np.where(np.isfinite(chain.intercept), chain.intercept, 0.0)
    return float((chain.coef**2).sum() + (chain.effects**2).sum() + finite @ finite)
