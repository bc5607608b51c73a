"""Averaged probabilities: of several models, or of chains in random orders."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import _BaseComposition

from rethink.costs import Cost
from rethink.models.base import MultiLabelEstimator
from rethink.models.chain import ClassifierChain
from rethink.models.logistic import LogisticRelevance
from rethink.models.probabilities import fit_inner, probabilities, seeded

if TYPE_CHECKING:
    from rethink.search import Trial

Params = dict[str, Any]


class Mixture(_BaseComposition, MultiLabelEstimator):
    """The average of the probabilities of several models.

    Inside `DecisionRule` it predicts for any cost. A search with `rethink.search` lets a net choose
    its epochs by itself, under its own cost, and then tries its grid on the whole mixture.

    Parameters
    ----------
    estimators : list of (name, estimator) tuples
        Each with `predict_proba`, of this library or scikit-learn's; their parameters are set as
        `name__parameter`. None stands for `LogisticRelevance()` alone.
    random_state : int, RandomState or None
        Of the estimators whose own is None.

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted ones.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 1], [1, 1]]
    >>> parts = [("linear", LogisticRelevance()), ("tree", DecisionTreeClassifier())]
    >>> Mixture(parts, random_state=0).fit(X, Y).predict_proba([[0.0]]).round(2)
    array([[0.2, 1. ]])
    """

    def __init__(self, estimators: Any = None, random_state: Any = None):
        self.estimators = estimators
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, with `deep` those of the estimators, too."""
        if self.estimators is None:
            return super().get_params(deep=False)
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of this model, replace an estimator by its name, or set its parameters."""
        self._set_params("estimators", **params)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit every estimator on X, shape (n, d), and y, shape (n, K)."""
        X, Y = self._check_fit(X, y)
        weight = self._check_weight(sample_weight, X)
        parts = self._parts()
        self._validate_names([name for name, _ in parts])
        self.estimators_ = [fit_inner(each, X, Y, weight, self.random_state) for _, each in parts]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The average probability of each label, shape (n, K)."""
        X = self._check_predict(X)
        return np.mean([probabilities(fitted, X) for fitted in self.estimators_], axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """Labels with an average probability above one half, shape (n, K)."""
        return self._as_labels(self.predict_proba(X) > 0.5)

    @property
    def needs_folds(self) -> bool:
        """Whether an estimator has something to choose in a search of a single point."""
        return any(getattr(each, "needs_folds", False) for _, each in self._parts())

    def cross_validate(
        self,
        points: Sequence[Params],
        X: Any,
        Y: np.ndarray,
        parts: Sequence[np.ndarray],
        costs: Sequence[Cost],
        decide: Callable[[np.ndarray, Cost], np.ndarray] | None = None,
    ) -> "list[list[Trial]]":
        """Try grid points as `rethink.search` does, with one fit of what points have in common.

        `decide` makes labels of probabilities for a cost; without it, a label is on above one half.
        """
        from rethink.search import Trial  # which imports all models itself

        X, Y = clone(self)._check_fit(X, Y)
        held_out = _HeldOut(X, Y, parts)
        trials: list[list[Trial]] = [[] for _ in costs]
        for point in points:
            chosen, means = self._held_out(point, held_out)
            for row, cost in zip(trials, costs, strict=True):
                labels = [decide(mean, cost) if decide else mean > 0.5 for mean in means]
                pairs = zip(parts, labels, strict=True)
                row.append(Trial(chosen, [cost.score(Y[held], each) for held, each in pairs]))
        return trials

    def _held_out(self, point: Params, held_out: "_HeldOut") -> tuple[Params, list[np.ndarray]]:
        """The point with what the estimators chose, and the average probabilities on each fold."""
        model = clone(self).set_params(**point)
        names, members = {name for name, _ in model._parts()}, []
        for name, each in model._parts():
            others = names - {name}
            own = {key: v for key, v in point.items() if key.partition("__")[0] not in others}
            alone, given = held_out.of((name, own), seeded(clone(each), model.random_state))
            point = point | {f"{name}__{key}": value for key, value in alone.items()}
            members.append(given)
        return point, [np.mean(fold, axis=0) for fold in zip(*members, strict=True)]

    def _parts(self) -> list[tuple[str, Any]]:
        if self.estimators is None:
            return [("linear", LogisticRelevance())]
        if not isinstance(self.estimators, list) or not self.estimators:
            raise ValueError(
                f"estimators is {self.estimators!r}, but needs a list of (name, estimator) tuples"
            )
        return self.estimators


class _HeldOut:
    """Probabilities of the rows of each fold, by estimators that were fitted without them."""

    def __init__(self, X: Any, Y: np.ndarray, parts: Sequence[np.ndarray]):
        self.X, self.Y, self.parts = X, Y, parts
        self.known: list[tuple[Any, tuple[Params, list[np.ndarray]]]] = []

    def of(self, key: Any, estimator: Any) -> tuple[Params, list[np.ndarray]]:
        """What the estimator chose by itself, and its probabilities on each fold.

        An equal key gets the result of before.
        """
        for other, result in self.known:
            if other == key:
                return result
        chosen = self._chosen(estimator)
        estimator.set_params(**chosen)
        result = chosen, [self._probabilities(estimator, *rows) for rows in self.split()]
        self.known.append((key, result))
        return result

    def split(self, X: Any = None, Y: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows to fit and rows held out, as a splitter of scikit-learn gives them."""
        everything = np.arange(len(self.Y))
        return ((np.setdiff1d(everything, held), held) for held in self.parts)

    def _chosen(self, estimator: Any) -> Params:
        from rethink.search import search

        cost = getattr(estimator, "cost", "hamming")
        (selection,) = search(estimator, {}, self.X, self.Y, cost, folds=self).values()
        return selection.params

    def _probabilities(self, estimator: Any, kept: np.ndarray, held: np.ndarray) -> np.ndarray:
        fitted = fit_inner(estimator, self.X[kept], self.Y[kept], None, None)
        return probabilities(fitted, self.X[held])


class ChainEnsemble(MultiLabelEstimator):
    """Ensemble of classifier chains (ECC): chains in random orders, probabilities averaged.

    Parameters
    ----------
    C : float
        Inverse strength of the regularisation of every chain.
    chains : int
        Read et al. take ten. All rows train every chain: the orders alone make them differ.
    random_state : int, RandomState or None
        The orders.

    Attributes
    ----------
    chains_ : list of ClassifierChain

    References
    ----------
    Read, Pfahringer, Holmes, Frank: Classifier chains for multi-label classification.
    Machine Learning 85, 2011.

    Examples
    --------
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 0], [0, 0], [1, 1], [1, 1]]
    >>> model = ChainEnsemble(C=10, chains=3, random_state=0).fit(X, Y)
    >>> model.predict([[-1.0], [4.0]])
    array([[0, 0],
           [1, 1]])
    """

    def __init__(self, C: float = 1.0, chains: int = 10, random_state: Any = None):
        self.C = C
        self.chains = chains
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> Self:
        """Fit every chain on X, shape (n, d), and Y, shape (n, K)."""
        X, Y = self._check_fit(X, Y)
        self.chains_ = [chain.fit(X, Y) for chain in self._unfitted(Y.shape[1])]
        return self

    def fit_path(self, X: Any, Y: Any, Cs: Sequence[float]) -> list[Self]:
        """For each C a copy of this model, fitted well enough to choose among them."""
        model = clone(self)
        X, Y = model._check_fit(X, Y)
        paths = [chain.fit_path(X, Y, Cs) for chain in model._unfitted(Y.shape[1])]
        models = [copy(model).set_params(C=C) for C in Cs]
        for each, chains in zip(models, zip(*paths, strict=True), strict=True):
            each.chains_ = list(chains)
        return models

    def predict_proba(self, X: Any) -> np.ndarray:
        """The average over the chains of the probability of each label, shape (n, K)."""
        X = self._check_predict(X)
        return np.mean([chain.predict_proba(X) for chain in self.chains_], axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """Labels with an average probability above one half, shape (n, K)."""
        return self._as_labels(self.predict_proba(X) > 0.5)

    def _unfitted(self, labels: int) -> list[ClassifierChain]:
        if self.chains < 1:
            raise ValueError(f"chains is {self.chains}, but at least 1 is needed")
        chance = check_random_state(self.random_state)
        orders = [chance.permutation(labels) for _ in range(self.chains)]
        return [ClassifierChain(self.C, order) for order in orders]
