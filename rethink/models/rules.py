"""The prediction that suits a cost, from the marginal probabilities of any model."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if

from rethink.calibration import CALIBRATIONS, Calibrator
from rethink.costs import Cost, get_cost
from rethink.costs.extra.averaged import MatrixCost
from rethink.discovery import unknown_name
from rethink.inference import top_labels
from rethink.models.base import MultiLabelEstimator, is_cost_sensitive, shares_fits
from rethink.models.logistic import LogisticRelevance
from rethink.models.probabilities import (
    fit_inner,
    held_out_probabilities,
    probabilities,
    seeded,
)
from rethink.rules import independent_rule
from rethink.rules.thresholds import search_thresholds

if TYPE_CHECKING:
    from rethink.search import Trial

Empty = Literal["auto", "allowed", "never"]
EMPTIES = ("auto", "allowed", "never")
THRESHOLDS, TOP = "thresholds", "top-"
INNER = "estimator__"  # before the parameters of the estimator


class DecisionRule(MetaEstimatorMixin, MultiLabelEstimator):
    """Predict what is best for a cost, given any model's probabilities of single labels.

    Labels are taken as independent given x. The rules:

    - Hamming loss: above one half. Any cost that adds up over the labels, such as `Asymmetric` or
      one of your own: above its exact threshold. A label on the threshold is left out.
    - Rank loss: above the average probability, which is right whatever the dependence. Where all
      are equal, so are all predictions, and none is predicted.
    - F1 and accuracy: the best of all label sets; of equal sets the smallest, of equal labels the
      first. Subset 0/1 loss: the most probable set.
    - Macro and micro F1, recall at a precision: thresholds searched on held-out folds.
    - Any other cost: the best of all vectors with up to ten labels, of samples with more.

    Parameters
    ----------
    estimator : estimator with `predict_proba`
        Of this library or scikit-learn's. One that knows only a single label is fitted for each.
        None stands for `LogisticRelevance()`.
    cost : str or Cost
        Matters for predictions alone, unless thresholds are searched.
    rule : str or Cost, optional
        Another rule than the cost's own: that of another cost ("hamming" gives the plain threshold
        one half whatever the cost), "thresholds" to search one on the folds, or "top-3" for the
        three most probable labels.
    empty : {"auto", "allowed", "never"}
        Whether a row may have no label. "auto" allows it if a row of the training part has none.
        It matters where a rule asks how probable the empty set is: F1, accuracy, subset loss and
        costs without a rule of their own.
    calibration : {None, "isotonic", "sigmoid"}
        Map the probabilities of each label on held-out folds to frequencies.
    folds : int
        For calibration and thresholds; other rules need none.
    pass_cost : bool
        Train the estimator for the cost, too, if it has a parameter `cost`, such as `RethinkNet`.
    random_state : int, RandomState or None
        Of the folds, and of an estimator whose own is None.

    Attributes
    ----------
    estimator_ : estimator
        The fitted one.
    empty_ : bool
        Whether a row may have no label.
    thresholds_ : ndarray of shape (K,)
        Only if they were searched.

    Examples
    --------
    >>> X, Y = [[0.0]] * 5, [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    >>> model = DecisionRule(LogisticRelevance(C=100), cost="hamming").fit(X, Y)
    >>> model.predict([[0.0]])
    array([[0, 0, 0]])
    >>> model.set_params(cost="rank").predict([[0.0]])  # no new fit
    array([[1, 0, 1]])
    """

    def __init__(
        self,
        estimator: Any = None,
        cost: str | Cost = "rank",
        rule: str | Cost | None = None,
        empty: Empty = "auto",
        calibration: Literal["isotonic", "sigmoid"] | None = None,
        folds: int = 3,
        pass_cost: bool = False,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.cost = cost
        self.rule = rule
        self.empty = empty
        self.calibration = calibration
        self.folds = folds
        self.pass_cost = pass_cost
        self.random_state = random_state

    @property
    def fit_uses_cost(self) -> bool:
        """Whether thresholds are searched for the cost, or the estimator is trained for it."""
        return self._searches or (self._passes_cost and not shares_fits(self.estimator))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the estimator on X, shape (n, d), and y, shape (n, K).

        `sample_weight` of shape (n,) goes to the estimator, if it takes one.
        """
        X, Y = self._check_fit(X, y)
        self._check_options()
        sample_weight = self._check_weight(sample_weight, X)
        self.empty_ = may_be_empty(self.empty, Y)
        estimator = LogisticRelevance() if self.estimator is None else self.estimator
        if self._passes_cost:
            estimator = clone(estimator).set_params(cost=self.cost)
        self.estimator_ = fit_inner(estimator, X, Y, sample_weight, self.random_state)
        if self.calibration is not None or self._searches:
            held_out = held_out_probabilities(
                estimator, X, Y, sample_weight, self.folds, self.random_state
            )
            self._learn_from(held_out, Y)
        return self

    @available_if(lambda self: self._has_path)
    def fit_path(self, X: Any, Y: Any, Cs: Sequence[float]) -> list[Self]:
        """For each C of the estimator a copy of this model, in a fraction of the time."""
        model = clone(self)
        X, Y = model._check_fit(X, Y)
        model._check_options()
        model.empty_ = may_be_empty(self.empty, Y)
        models = []
        inner = seeded(clone(model.estimator), self.random_state)
        for fitted in inner.fit_path(X, Y, Cs):
            each = copy(model)
            each.estimator = clone(fitted)
            each.estimator_ = fitted
            models.append(each)
        return models

    @property
    def needs_folds(self) -> bool:
        """Whether the estimator has something to choose in a search of a single point."""
        return getattr(self.estimator, "needs_folds", False)

    @available_if(lambda self: self._races)
    def cross_validate(
        self,
        points: list[dict[str, Any]],
        X: Any,
        Y: np.ndarray,
        parts: list[np.ndarray],
        costs: list[Cost],
    ) -> "list[list[Trial]]":
        """Try grid points of a net as `rethink.search` does, by the predictions of the rule."""
        model = clone(self)
        X, Y = model._check_fit(X, Y)
        model._check_options()
        model.empty_ = may_be_empty(self.empty, Y)
        inner = seeded(clone(self.estimator), self.random_state)
        if self._passes_cost:
            inner.set_params(cost=costs[0])
        own = [{name.removeprefix(INNER): v for name, v in point.items()} for point in points]
        rows = inner.cross_validate(own, X, Y, parts, costs, decide=model._labels)
        return [[replace(trial, params=_outer(trial.params)) for trial in row] for row in rows]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The estimator's probability of each label, calibrated if wanted, shape (n, K)."""
        X = self._check_predict(X)
        marginals = probabilities(self.estimator_, X)
        return marginals if self.calibration is None else self.calibrator_.transform(marginals)

    def predict(self, X: Any) -> np.ndarray:
        """The prediction for the cost, shape (n, K)."""
        return self.predict_costs(X, [self.cost])[0]

    def predict_costs(self, X: Any, costs: list[str | Cost]) -> list[np.ndarray]:
        """Predictions for several costs from the same probabilities, each of shape (n, K)."""
        marginals = self.predict_proba(X)
        return [self._as_labels(self._labels(marginals, get_cost(cost))) for cost in costs]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags

    @property
    def path_parameter(self) -> str:
        """What `fit_path` takes values of, as a search calls it."""
        return "estimator__C"

    @property
    def _passes_cost(self) -> bool:
        return self.pass_cost and is_cost_sensitive(type(self.estimator))

    @property
    def _has_path(self) -> bool:
        plain = self.calibration is None and not self.fit_uses_cost
        return plain and hasattr(self.estimator, "fit_path")

    @property
    def _races(self) -> bool:
        return (
            self.calibration is None
            and not self._searches
            and hasattr(self.estimator, "cross_validate")
        )

    @property
    def _searches(self) -> bool:
        if self.rule is not None:
            return self.rule == THRESHOLDS
        return isinstance(get_cost(self.cost), MatrixCost)

    def _check_options(self) -> None:
        get_cost(self.cost)
        if self.empty not in EMPTIES:
            raise unknown_name("empty", self.empty, EMPTIES)
        if self.calibration is not None and self.calibration not in CALIBRATIONS:
            raise unknown_name("calibration", self.calibration, CALIBRATIONS)
        if self.rule is not None and self.rule != THRESHOLDS and _top(self.rule) is None:
            try:
                get_cost(self.rule)
            except ValueError as error:
                raise ValueError(f"rule: {error}, {THRESHOLDS}, {TOP}<labels>") from None

    def _learn_from(self, held_out: np.ndarray, Y: np.ndarray) -> None:
        """Calibrate, and search thresholds, by probabilities of rows that were not trained on."""
        if self.calibration is not None:
            self.calibrator_ = Calibrator(self.calibration).fit(held_out, Y)
            held_out = self.calibrator_.transform(held_out)
        if self._searches:
            self.searched_for_ = get_cost(self.cost).name
            self.thresholds_ = search_thresholds(get_cost(self.cost), held_out, Y)

    def _labels(self, marginals: np.ndarray, cost: Cost) -> np.ndarray:
        if self.rule == THRESHOLDS or (self.rule is None and isinstance(cost, MatrixCost)):
            if getattr(self, "searched_for_", None) != cost.name:
                raise ValueError(
                    f"no thresholds were searched for the cost {cost.name!r}; "
                    "fit again after setting it"
                )
            return (marginals > self.thresholds_).astype(np.uint8)
        size = None if self.rule is None else _top(self.rule)
        if size is not None:
            return top_labels(marginals, np.full(len(marginals), size))
        return independent_rule(marginals, get_cost(self.rule or cost), self.empty_)


def may_be_empty(empty: str, Y: np.ndarray) -> bool:
    """Whether a prediction may have no label: as given, or if a row of Y, (n, K), has none."""
    if empty not in EMPTIES:
        raise unknown_name("empty", empty, EMPTIES)
    return bool((~Y.any(axis=1)).any()) if empty == "auto" else empty == "allowed"


def _outer(params: dict[str, Any]) -> dict[str, Any]:
    return {f"{INNER}{name}": value for name, value in params.items()}


def _top(rule: str | Cost) -> int | None:
    """The k of "top-k"; None for other rules."""
    if not isinstance(rule, str) or not rule.startswith(TOP):
        return None
    if not rule.removeprefix(TOP).isdigit():
        raise ValueError(f"rule is {rule!r}, but needs a number of labels, such as 'top-3'")
    return int(rule.removeprefix(TOP))
