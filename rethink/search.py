"""Choice of parameters by cross-validation, with fits shared by all costs where they can be.

A cost-blind estimator is fitted once for all costs; only the choice among its fits differs.
An estimator may try a grid faster than point by point. Its method `fit_path(X, Y, Cs)` returns a
fitted model for each strength `C` (or the parameter its `path_parameter` names),
`predict_costs(X, costs)` its predictions for several costs, and
`before_grid(X, Y)` an estimator that has done what no point of the grid changes.
One that goes another way (pruning) has a method `cross_validate(points, X, Y, parts, costs)`, to be
called like the function here.
Grids are listed from the strongest regularisation to the weakest: ties go to the earlier point.

A `Pipeline` of scikit-learn is searched like its last step, which is told the cost; parameters are
then written `step__C`. Its points are tried one by one, so that the epochs of a net are not chosen
inside a pipeline (`scaling="unit"` scales without one).
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rethink.costs import Cost, get_cost
from rethink.labels import labels_from_names
from rethink.models.base import is_cost_sensitive, shares_fits

Grid = dict[str, list[Any]]
Costs = str | Cost | Iterable[str | Cost]
Folds: TypeAlias = Any  # a number, or a splitter of scikit-learn
Select = Literal["best", "max"]


@dataclass(frozen=True)
class Selection:
    """The parameters that won under one cost.

    Attributes
    ----------
    cost : Cost
    params : dict
        The chosen point of the grid.
    fold_scores : list of dict
        `params`, `fold` (from 0) and `value`, the mean cost on the rows of that fold; empty if
        there was nothing to search.

    Examples
    --------
    >>> from rethink.models import get_model
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]] * 6, [[0, 1], [0, 0], [1, 1], [1, 0]] * 6
    >>> grid = {"C": [0.01, 1.0]}
    >>> chosen = search(get_model("LogisticRelevance")(), grid, X, Y, ["f1", "rank"], seed=0)
    >>> chosen["f1"].params
    {'C': 1.0}
    >>> len(chosen["f1"].fold_scores)  # two points, three folds
    6
    """

    cost: Cost
    params: dict[str, Any]
    fold_scores: list[dict[str, Any]]


@dataclass(frozen=True)
class Trial:
    """A grid point under one cost: its value on each fold, None where it was given up before.

    `params` may say more than the point did, such as a number of epochs found on the folds.
    """

    params: dict[str, Any]
    values: list[float | None]


def search(
    estimator: Any,
    grid: Grid,
    X: Any,
    Y: Any,
    costs: Costs,
    *,
    folds: Folds = 3,
    select: Select = "best",
    seed: int = 0,
    verbose: int = 0,
) -> dict[str, Selection]:
    """Choose a grid point for each cost by cross-validation on X, shape (n, d), and Y, (n, K).

    The best mean over the folds wins, in the direction of the cost; ties go to the earlier point.
    A grid of one point is not searched, unless the estimator says with `needs_folds` that it has
    something to choose of its own, such as a number of epochs. With fewer rows than folds there is
    a fold for each row; with fewer than two rows the first point is taken.

    Parameters
    ----------
    estimator : scikit-learn estimator
        Never fitted itself, only its clones. A `Pipeline` passes the cost to its last step.
    grid : dict of lists
        Values to try; all combinations, the last name varying fastest.
    X, Y : array-like, sparse matrix or DataFrame
        The names of a frame's columns reach the estimator.
    costs : name or Cost, or several of them
    folds : int, or a splitter of scikit-learn such as `MultilabelStratifiedKFold`
    select : {"best", "max"}
        "max" takes the point of the largest mean even where a small one is better: the slip
        behind the rank losses that the paper prints for its baselines.
    seed : int
        Fixes the folds, together with n and `folds` only: give all models of a split the same.
    verbose : int
        1 prints the choice for each cost.

    Returns
    -------
    dict of cost name to Selection
    """
    if labels_from_names(Y)[1] is not None:
        raise ValueError(
            "Y has names of labels, but a search needs 0 and 1: give a DataFrame, which keeps the "
            "names, or scikit-learn's MultiLabelBinarizer().fit_transform(Y)"
        )
    X, Y = _rows_of(X), _rows_of(Y)
    points, chosen = grid_points(grid), listed_costs(costs)
    searched = len(points) > 1 or _needs_folds(estimator, points[0])
    parts = _parts(X, Y, folds, seed) if searched else []
    if not parts:
        return {cost.name: Selection(cost, points[0], []) for cost in chosen}
    trials = partial(cross_validate, estimator)
    if select == "best":  # a faster way may give up points, but only those that are not the best
        trials = getattr(estimator, "cross_validate", trials)
    selections = {
        cost.name: _select(cost, tried, select)
        for sharing in _sharing(estimator, chosen)
        for cost, tried in zip(sharing, trials(points, X, Y, parts, sharing), strict=True)
    }
    for selection in selections.values() if verbose else ():
        print(_described(selection, len(points)), flush=True)
    return selections


def cross_validate(
    estimator: Any,
    points: Sequence[dict[str, Any]],
    X: Any,
    Y: np.ndarray,
    parts: Sequence[np.ndarray],
    costs: Sequence[Cost],
) -> list[list[Trial]]:
    """Try every point on every fold: for each cost a trial for each point.

    A grid over `C` alone is fitted in one go by an estimator with a method `fit_path(X, Y, Cs)`.
    """
    trials = [[Trial(params, []) for params in points] for _ in costs]
    for held in parts:
        kept = np.setdiff1d(np.arange(Y.shape[0]), held)
        fits = _fits(estimator, points, costs[0], _take(X, kept), _take(Y, kept))
        for index, fitted in enumerate(fits):
            predictions = _predictions(fitted, costs, _take(X, held))
            for row, cost, predicted in zip(trials, costs, predictions, strict=True):
                row[index].values.append(cost.score(_take(Y, held), predicted))
    return trials


def fit_selected(
    estimator: Any, selections: dict[str, Selection], X: Any, Y: Any
) -> Iterator[tuple[Selection, Any]]:
    """Refit on all rows, lazily: yield each selection with its fitted estimator.

    Selections of equal parameters share one fit, the same object, if the estimator is cost-blind.
    """
    X, Y = _rows_of(X), _rows_of(Y)
    shared = shares_fits(_last(estimator))
    estimator = _before_grid(estimator, X, Y)
    done: list[tuple[dict[str, Any], Any]] = []
    for selection in selections.values():
        fitted = next((f for params, f in done if params == selection.params), None)
        if fitted is None:
            fitted = _fitted(estimator, selection.params, selection.cost, X, Y)
            if shared:
                done.append((selection.params, fitted))
        yield selection, _for_cost(fitted, selection.cost)


def search_and_fit(
    estimator: Any,
    grid: Grid,
    X: Any,
    Y: Any,
    costs: Costs,
    *,
    folds: Folds = 3,
    select: Select = "best",
    seed: int = 0,
    verbose: int = 0,
) -> Iterator[tuple[Selection, Any]]:
    """Search and refit, lazily: yield for each cost its selection and its fitted estimator.

    A cost-sensitive estimator is searched cost by cost, so that a result is there before the
    next search begins.

    Examples
    --------
    >>> from rethink.models import get_model
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [0, 0], [0, 1]]
    >>> for chosen, model in search_and_fit(get_model("TopK")(), {}, X, Y, ["f1", "rank"], seed=0):
    ...     print(chosen.cost.name, chosen.params, model.predict([[9.0]]))
    f1 {} [[0 1]]
    rank {} [[0 1]]
    """
    for sharing in _sharing(estimator, listed_costs(costs)):
        selections = search(
            estimator, grid, X, Y, sharing, folds=folds, select=select, seed=seed, verbose=verbose
        )
        yield from fit_selected(estimator, selections, X, Y)


def listed_costs(costs: Costs) -> list[Cost]:
    """One cost or several, by name or as they are.

    Examples
    --------
    >>> listed_costs("f1"), [cost.name for cost in listed_costs(["rank", "f1"])]
    ([F1()], ['rank', 'f1'])
    """
    several = costs if isinstance(costs, Iterable) and not isinstance(costs, str) else [costs]
    return [get_cost(cost) for cost in several]


def grid_points(grid: Grid) -> list[dict[str, Any]]:
    """All combinations of the grid's values, in its own order; one empty point for no names.

    Examples
    --------
    >>> grid_points({"C": [0.1, 1], "order": ["file"]})
    [{'C': 0.1, 'order': 'file'}, {'C': 1, 'order': 'file'}]
    """
    for name, values in grid.items():
        if not isinstance(values, list | tuple) or not values:
            raise ValueError(
                f"grid value {name} is {values!r}, but needs a list of at least one value to try"
            )
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def fold_rows(n: int, folds: int, seed: int) -> list[np.ndarray]:
    """Held-out rows of each fold, sorted: sizes differ by one at most; no fold below two rows."""
    if folds < 2:
        raise ValueError(f"folds is {folds}, but cross-validation needs at least 2")
    if n < 2:
        return []
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(rows) for rows in np.array_split(shuffled, min(folds, n))]


def _parts(X: Any, Y: Any, folds: Folds, seed: int) -> list[np.ndarray]:
    if isinstance(folds, int):
        return fold_rows(Y.shape[0], folds, seed)
    return [held for _, held in folds.split(X, Y)]


def _described(selection: Selection, points: int) -> str:
    """The choice for a cost, in a line."""
    chosen = [row["value"] for row in selection.fold_scores if row["params"] == selection.params]
    params = ", ".join(f"{name}={value}" for name, value in selection.params.items())
    mean = f"mean {np.mean(chosen):.4f} over {len(chosen)} folds"
    return f"{selection.cost.name}: {params or 'nothing to choose'} of {points} points, {mean}"


def _select(cost: Cost, trials: Sequence[Trial], select: Select) -> Selection:
    """The best mean among the points tried on every fold; the first if several tie."""
    finished = [trial for trial in trials if None not in trial.values]
    means = [np.mean(np.asarray(trial.values, dtype=float)) for trial in finished]
    upwards = cost.greater_is_better or select == "max"
    best = finished[np.argmax(means) if upwards else np.argmin(means)]
    scores = [
        {"params": trial.params, "fold": fold, "value": value}
        for trial in trials
        for fold, value in enumerate(trial.values)
    ]
    return Selection(cost, best.params, scores)


def _needs_folds(estimator: Any, point: dict[str, Any]) -> bool:
    return getattr(clone(estimator).set_params(**point), "needs_folds", False)


def _sharing(estimator: Any, costs: list[Cost]) -> list[list[Cost]]:
    """Costs in groups that one fit serves."""
    if shares_fits(_last(estimator)):
        return [costs] if costs else []
    return [[cost] for cost in costs]


def _fits(
    estimator: Any, points: Sequence[dict[str, Any]], cost: Cost, X: Any, Y: Any
) -> Iterator[Any]:
    """The estimator fitted with each point, one by one or along a path of strengths."""
    estimator = _before_grid(estimator, X, Y)
    strength = getattr(estimator, "path_parameter", "C")
    if hasattr(estimator, "fit_path") and all(set(point) == {strength} for point in points):
        model = _for_cost(clone(estimator), cost)
        yield from model.fit_path(X, Y, [point[strength] for point in points])
    else:
        yield from (_fitted(estimator, point, cost, X, Y) for point in points)


def _before_grid(estimator: Any, X: Any, Y: Any) -> Any:
    """The estimator after what no point of the grid changes, done once for all of them."""
    return estimator.before_grid(X, Y) if hasattr(estimator, "before_grid") else estimator


def _predictions(fitted: Any, costs: Sequence[Cost], X: Any) -> list[np.ndarray]:
    """Predictions for each cost, from as little work as the estimator needs for all."""
    if isinstance(fitted, Pipeline):
        return _predictions(_last(fitted), costs, fitted[:-1].transform(X))
    if hasattr(fitted, "predict_costs"):
        return fitted.predict_costs(X, costs)
    if not is_cost_sensitive(type(fitted)):
        return [fitted.predict(X)] * len(costs)
    return [_for_cost(fitted, cost).predict(X) for cost in costs]


def _fitted(estimator: Any, params: dict[str, Any], cost: Cost, X: Any, Y: Any) -> Any:
    return _for_cost(clone(estimator).set_params(**params), cost).fit(X, Y)


def _for_cost(model: Any, cost: Cost) -> Any:
    """The model, told the cost if it wants to know: to fit for it, or only to predict for it."""
    if isinstance(model, Pipeline):
        pipeline = copy(model)
        pipeline.steps = [*model.steps[:-1], (model.steps[-1][0], _for_cost(_last(model), cost))]
        return pipeline
    if not is_cost_sensitive(type(model)):
        return model
    return copy(model).set_params(cost=cost)  # a copy: other costs may share the fit


def _rows_of(matrix: Any) -> Any:
    """A matrix whose rows can be taken by index; a frame keeps its names."""
    if hasattr(matrix, "columns"):
        return matrix
    return matrix.tocsr() if sp.issparse(matrix) else np.asarray(matrix)


def _take(matrix: Any, rows: np.ndarray) -> Any:
    return matrix.iloc[rows] if hasattr(matrix, "iloc") else matrix[rows]


def _last(estimator: Any) -> Any:
    """What predicts: the estimator, or the last step of a pipeline."""
    return _last(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator
