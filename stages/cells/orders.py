"""What a run asks of its workers, in the store: they may be in other folders or machines.

An order has the parameters, the key of every cell, and where the data is. A worker whose code or
libraries differ would compute something else under other keys: it refuses and says what differs.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stages.cells.inputs import HERE, share_inputs
from stages.cells.keys import keys, versions
from stages.cells.plan import Cell
from stages.cells.store import Store
from stages.config.closed import validated
from stages.config.params import Params
from stages.errors import UserError
from stages.io.files import json_text


@dataclass(frozen=True)
class Order:
    """The cells that a run needs, and all that a worker must know to compute them."""

    name: str
    params: Params
    keys: dict[Cell, str]
    data: dict[str, str]  # data set -> where its inputs are
    versions: dict[str, dict[str, str]]  # model -> versions of its code and libraries

    def cells_of(self, dataset: str, models: Iterable[str]) -> dict[Cell, str]:
        """The cells of some models on a data set, with their keys."""
        wanted = set(models)
        return {c: k for c, k in self.keys.items() if c.dataset == dataset and c.model in wanted}

    def part(self, dataset: str, models: Iterable[str]) -> dict[Cell, str]:
        """The cells of some models on a data set, checked against the code that is here."""
        wanted = self.cells_of(dataset, models)
        here = keys(wanted, self.params, self.data[dataset])
        for cell in wanted:
            if here[cell] != wanted[cell]:
                raise UserError(f"this worker would not compute what was ordered: "
                    f"{self._difference(cell)}; bring its folder and environment to the state of "
                    "the machine that gave the order: git pull && make environment")  # fmt: skip
        return here

    def _difference(self, cell: Cell) -> str:
        there = self.versions[cell.model]
        here = versions(self.params.models[cell.model].estimator, cell.cost)
        differing = sorted(n for n in here.keys() | there.keys() if here.get(n) != there.get(n))
        shown = [f"{n} is {here.get(n, 'absent')} here and {there.get(n, 'absent')} there"
                 for n in differing if n != "code"]  # fmt: skip
        return f"for {cell}, " + ("; ".join(shown) or "the code differs")


def place_order(params: Params, cells: list[Cell], store: Store, *, shared: bool) -> Order:
    """Put an order into the store, and the data too where the store is shared."""
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    costs = {cell.model: cell.cost for cell in reversed(cells)}
    content = {
        "params": params.model_dump(mode="json"),
        "cells": [[c.dataset, c.model, c.cost, c.seed, k] for c, k in keys(cells, params).items()],
        "data": {name: share_inputs(name, store.address) if shared else HERE for name in datasets},
        "versions": {m: versions(params.models[m].estimator, cost) for m, cost in costs.items()},
    }
    text = json_text(content)
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    store.place.write(_file(name), text.encode())
    return _order(name, content)


def read_order(name: str, store: Store) -> Order:
    """The order of this name."""
    try:
        content = json.loads(store.place.read(_file(name)))
    except FileNotFoundError:
        raise UserError(
            f"order {name} is not in the store {store.address!r} of this worker; start the worker "
            "in the folder that gave the order, or with the same RETHINK_STORE"
        ) from None
    return _order(name, content)


def _order(name: str, content: dict[str, Any]) -> Order:
    return Order(
        name=name,
        params=validated(content["params"], Params, Path(_file(name))),
        keys={Cell(*cell): key for *cell, key in content["cells"]},
        data=content["data"],
        versions=content["versions"],
    )


def _file(name: str) -> str:
    return f".orders/{name}.json"
