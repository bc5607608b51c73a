"""How a cell is computed: scale on the training rows, search, refit, predict every row."""

import inspect
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import get_tags

from rethink.calibration import reliability
from rethink.models import build_model, get_model
from rethink.models.probabilities import probabilities
from rethink.scaling import UnitScaler
from rethink.search import Select, search_and_fit


@dataclass(frozen=True)
class Inputs:
    """One data set in memory, and what its estimator must know of X.

    X is features; for `input: joint` probabilities over `support`; for `input: map` maps of images,
    `patches` one after the other.
    """

    X: Any  # a dense array or a CSR array
    Y: np.ndarray
    known: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """Cells of one data set, model and seed that share their fits: all but the data itself."""

    train: np.ndarray
    estimator: str
    params: dict[str, Any]
    grid: dict[str, list[Any]]
    costs: tuple[str, ...]
    folds: int
    select: Select
    rescale: bool
    fold_seed: int
    model_seed: int


@dataclass(frozen=True)
class Result:
    """What became of a cell, and how: `ok`, `failed`, `timeout` or `died`."""

    cost: str
    status: str = "ok"
    reason: str = ""
    seconds: float = 0.0
    chosen: dict[str, Any] = field(default_factory=dict)
    search: list[dict[str, Any]] = field(default_factory=list)
    memory: list[list[float]] | None = None  # a net's memory matrix, where labels are its units
    reliability: list[list[float]] | None = None  # of its probabilities, on the test rows
    predictions: Any = None  # an array (iterations, rows, labels); as it is sent, a table's bytes
    device: str = "cpu"
    host: str | None = None  # of a timeout or death: which machine,
    limit: float | None = None  # and how many seconds, or bytes, it had


def compute(task: Task, inputs: Inputs) -> Iterator[Result]:
    """Yield each cost's result as soon as it is there; its CPU time is its share of the search."""
    started = time.process_time()
    X, Y = inputs.X, inputs.Y
    X = UnitScaler().fit(X[task.train]).transform(X) if task.rescale else X
    estimator = _estimator(task, inputs.known)
    if issparse(X) and not get_tags(estimator).input_tags.sparse:
        X = X.toarray()
    fitted = search_and_fit(
        estimator,
        task.grid,
        X[task.train],
        Y[task.train],
        task.costs,
        folds=task.folds,
        select=task.select,
        seed=task.fold_seed,
    )
    shared = 0.0
    for number, (selection, model) in enumerate(fitted):
        if number == 0:  # what comes before the first result serves all costs
            shared = (time.process_time() - started) / len(task.costs)
            started = time.process_time()
        predictions = _checked(_predict(model, X), Y.shape)
        seconds = shared + time.process_time() - started
        memory = getattr(model, "memory_matrix_", None)
        yield Result(
            selection.cost.name,
            seconds=seconds,
            chosen=selection.params,
            search=selection.fold_scores,
            memory=None if memory is None else np.round(memory, 6).astype(float).tolist(),
            reliability=_reliability(model, X[~task.train], Y[~task.train]),
            predictions=predictions,
        )
        started = time.process_time()


def _estimator(task: Task, known: dict[str, Any]) -> Any:
    kind = get_model(task.estimator)
    chance = {"random_state": task.model_seed}
    accepted = inspect.signature(kind).parameters
    more = known | (chance if "random_state" in accepted else {})
    return build_model(task.estimator, task.params | more)


def _predict(model: Any, X: Any) -> np.ndarray:
    """Predictions at each iteration; a model that predicts once has one."""
    if hasattr(model, "predict_iterations"):
        return np.asarray(model.predict_iterations(X))
    return np.asarray(model.predict(X))[np.newaxis]


def _reliability(model: Any, X: Any, Y: np.ndarray) -> list[list[float]] | None:
    """How far probabilities are frequencies; None for a model that has none."""
    if not hasattr(model, "predict_proba"):
        return None
    return np.round(reliability(probabilities(model, X), Y), 6).tolist()


def _checked(predictions: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if predictions.ndim != 3 or predictions.shape[1:] != shape:
        raise ValueError(f"predicted shape {predictions.shape[1:]}, but {shape} is needed")
    if not np.isin(predictions, (0, 1)).all():
        raise ValueError("predicted values other than 0 and 1")
    return predictions.astype(np.uint8)
