"""Stage `evaluate`: predictions -> scores by every criterion, on both parts, at every iteration."""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from rethink.costs import Cost
from stages.common import paths
from stages.common.errors import DataError, run_command
from stages.common.params import load_params
from stages.common.predictions import CELL, cell_of, label_matrix, read_cells
from stages.common.published import published_scores
from stages.common.tables import read_table, table_to_matrix, table_writer

PARTS = ("train", "test")
EMPTY = (0.0, 1.0)  # what predicting nothing is worth where nothing was to be predicted
FEW_LABELS = 64  # up to here dense matrices are faster: a sparse one costs many small steps
RUN = ("dataset", *CELL, "status", "reason")
SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("model", pa.string()),
        ("cost", pa.string()),
        ("seed", pa.int16()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("part", pa.string()),
        ("iteration", pa.int16()),
        ("last", pa.bool_()),
        ("criterion", pa.string()),
        ("empty", pa.float64()),
        ("value", pa.float64()),
        ("rows", pa.int32()),
    ]
)

Costs = Mapping[str, Cost]
Row = dict[str, Any]
CellKey = tuple[str, str, int]  # model, cost, seed


def score(predictions: pa.Table, truth: sparse.csr_array, costs: Costs) -> list[Row]:
    """The mean of every criterion over the instances of one cell, part by part."""
    predicted = label_matrix(predictions["labels"], truth.shape[1])
    instance = predictions["row"].to_numpy()
    iteration = predictions["iteration"].to_numpy()
    scores: list[Row] = []
    for step, part in product(np.unique(iteration), PARTS):
        chosen = np.flatnonzero(
            (iteration == step) & pc.equal(predictions["part"], part).to_numpy()
        )
        if not chosen.size:
            continue
        _check_instances(instance[chosen], truth.shape[0])
        means = _means(truth[instance[chosen]], predicted[chosen], costs)
        place = {"part": part, "iteration": int(step), "last": bool(step == iteration.max())}
        scores += [{**place, **mean, "rows": chosen.size} for mean in means]
    return scores


def _means(truth: Any, predicted: Any, costs: Costs) -> Iterator[Row]:
    if truth.shape[1] <= FEW_LABELS:
        truth, predicted = truth.toarray(), predicted.toarray()
    nothing = (truth.sum(axis=1) + predicted.sum(axis=1) == 0).any()
    for name, cost in costs.items():
        value = float(np.mean(cost(truth, predicted, empty=EMPTY[0])))
        for empty in EMPTY:
            if (
                nothing and empty != EMPTY[0]
            ):  # without such a row both conventions give the same value
                value = float(np.mean(cost(truth, predicted, empty=empty)))
            yield {"criterion": name, "empty": empty, "value": value}


def _check_instances(instance: np.ndarray, rows: int) -> None:
    wrong = instance[(instance < 0) | (instance >= rows)]
    if wrong.size:
        raise DataError(f"row {wrong[0]} is predicted, but there are {rows}")
    if np.unique(instance).size < instance.size:
        raise DataError("a row is predicted twice")


def score_dataset(
    runs: Iterable[Row],
    cells: Iterable[pa.Table],
    truth: sparse.csr_array,
    costs: Costs,
    published: Mapping[CellKey, list[Row]] = MappingProxyType({}),
) -> pa.Table:
    """A table with rows for every planned cell, in the order of `runs`; failed ones hold nulls.

    The scores of published cells are taken as they are: their predictions are not here.
    """
    runs = list(runs)
    finished = {_cell(run) for run in runs if run["status"] == "ok" and not run.get("published")}
    scores = {
        key: score(cell, truth, costs) for cell in cells if (key := cell_of(cell)) in finished
    }
    missing = sorted(finished - scores.keys())
    if missing:
        name = "/".join(str(part) for part in missing[0])
        raise DataError(
            f"{len(missing)} finished cells have no predictions, the first is {name}; "
            "run `dvc repro --force --single-item` for the train stage of this data set"
        )
    scores |= published
    rows = []
    for run in runs:
        values = scores.get(_cell(run)) or unscored(costs)
        rows += [{**{name: run[name] for name in RUN}, **value} for value in values]
    return pa.Table.from_pylist(rows, SCHEMA)


def unscored(costs: Costs) -> list[Row]:
    """The rows of a cell without predictions: there under every filter, without a value."""
    blank = {"iteration": None, "last": True, "value": None, "rows": 0}
    return [
        {**blank, "part": part, "criterion": criterion, "empty": empty}
        for part, criterion, empty in product(PARTS, costs, EMPTY)
    ]


def _cell(run: Row) -> CellKey:
    return run["model"], run["cost"], run["seed"]


def _published(dataset: str, runs: list[Row], costs: Costs) -> dict[CellKey, list[Row]]:
    """The scores of published cells; a cost that is newer than them has none."""
    scores: dict[CellKey, list[Row]] = {}
    for name in {run["published"] for run in runs if run["published"]}:
        cells = {_cell(run) for run in runs if run["published"] == name and run["status"] == "ok"}
        for row in published_scores(name, dataset, SCHEMA).to_pylist():
            if _cell(row) in cells and row["criterion"] in costs:
                place = {key: row[key] for key in SCHEMA.names if key not in RUN}
                scores.setdefault(_cell(row), []).append(place)
    for rows in scores.values():
        newer = {name: cost for name, cost in costs.items() if name not in _criteria(rows)}
        rows += unscored(newer)
    return scores


def _criteria(rows: list[Row]) -> set[str]:
    return {row["criterion"] for row in rows}


def main() -> int:
    """Command line."""
    argparse.ArgumentParser(
        description=__doc__, epilog="example: python -m stages.evaluate"
    ).parse_args()
    params = load_params(estimators=False)
    costs = params.criteria()
    with table_writer(paths.SCORES, SCHEMA) as writer:
        for dataset in params.datasets:
            writer.write_table(_score_files(dataset, costs))
    return 0


def _score_files(dataset: str, costs: Costs) -> pa.Table:
    try:
        runs = read_table(paths.runs(dataset), columns=[*RUN, "published"]).to_pylist()
        labels = table_to_matrix(read_table(paths.prepared(dataset) / "labels.parquet"))
        cells = read_cells(paths.predictions(dataset))
        published = _published(dataset, runs, costs)
        return score_dataset(runs, cells, sparse.csr_array(labels), costs, published)
    except FileNotFoundError as error:
        raise DataError(f"{error.filename or error} is missing; run `dvc repro`") from None
    except DataError as error:
        raise DataError(f"data set {dataset}: {error}") from None


if __name__ == "__main__":
    run_command(main)
