"""What names a cell: a hash of all that determines its result, or of what was asked for alone."""

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from rethink.costs import get_cost
from rethink.models import get_model
from rethink.models.named import modules_of
from stages.common.params import Params
from stages.common.plan import Cell
from stages.common.prepared import load_card, load_splits
from stages.common.version import code_version

CONTENT = {"features": "content", "joint": "joint_content", "map": "map_content"}  # in the card


class Names(NamedTuple):
    """Two names of a cell, both hashes."""

    key: str  # all that determines the result: its name in the store
    # the same without the code and libraries, and with pictures in place of the features that these
    # make of them, whose last bits differ between processors: its name among published results
    asked: str


def names(cells: Iterable[Cell], params: Params) -> dict[Cell, Names]:
    """The names of each cell; reads each data set's card and splits once."""
    both = {}
    for dataset, group in groupby(cells, key=lambda cell: cell.dataset):
        card, splits = load_card(dataset), load_splits(dataset)
        for cell in group:
            parts = ingredients(cell, params, card, splits)
            asked = {name: part for name, part in parts.items() if name != "versions"}
            asked["data"] = card.get("pictures", parts["data"])
            both[cell] = Names(key(parts), key(asked))
    return both


def keys(cells: Iterable[Cell], params: Params) -> dict[Cell, str]:
    """The name of each cell in the store."""
    return {cell: both.key for cell, both in names(cells, params).items()}


def key(parts: dict[str, Any]) -> str:
    """A short name for a set of ingredients."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def ingredients(
    cell: Cell, params: Params, card: dict[str, Any], splits: np.ndarray
) -> dict[str, Any]:
    """All that determines a cell's result, by name."""
    model = params.models[cell.model]
    return {
        "cell": [cell.dataset, cell.model, cell.cost, cell.seed],
        "data": card[CONTENT[model.input]],
        "split": hashlib.sha256(np.packbits(splits[cell.seed]).tobytes()).hexdigest(),
        "model": model.recipe() | {"grid": params.grid_of(cell.model)},
        "folds": params.train.folds,
        "rescale": params.train.rescale,
        "versions": versions(model.estimator, cell.cost, modules_of(model.params)),
    }


@cache
def versions(estimator: str, cost: str, parts: tuple[str, ...] = ()) -> dict[str, str]:
    """The code and libraries that compute a cell; `parts` are the modules of a model's parts."""
    return code_version("stages.train.compute", *_modules(estimator, cost, parts))


def worker_modules(params: Params) -> tuple[str, ...]:
    """The modules that a worker needs for the cells of these parameters."""
    models = [params.models[name] for name in params.models_used()]
    needed = {
        module
        for model in models
        for cost in params.criteria()
        for module in _modules(model.estimator, cost, modules_of(model.params))
    }
    return ("stages.train.work", *sorted(needed))


def _modules(estimator: str, cost: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    return (get_model(estimator).__module__, type(get_cost(cost)).__module__, *parts)
