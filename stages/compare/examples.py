"""The examples of the report: pictures with what a model said of them, step by step."""

import base64
from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stages.common import paths
from stages.common.files import read_json
from stages.common.image_features import IMAGES, THUMBNAILS
from stages.common.predictions import label_matrix, read_cells
from stages.common.slices import Example, Step
from stages.common.tables import read_table, table_to_matrix

SHOWN = 4  # of each data set


def read_examples(dataset: str, model: str, cost: str) -> list[Example]:
    """Test images of the first seed that finished; none if no seed did."""
    folder = paths.prepared(dataset)
    cell = _first_cell(dataset, model, cost)
    if cell is None:
        return []
    pictures = {row["row"]: row for row in read_table(folder / THUMBNAILS).to_pylist()}
    labels = read_table(folder / "labels.parquet")
    truth, names = table_to_matrix(labels), labels.column_names
    rows, predicted = _predicted(cell, sorted(pictures), len(names))
    files = read_table(folder / IMAGES, ["file"])["file"].to_pylist()
    wanted = set(read_json(folder / "card.json")["images"]["examples"])
    chosen = {row for row in rows if files[row] in wanted}
    return [
        Example(
            file=files[rows[place]],
            picture=_address(pictures[rows[place]]["jpeg"]),
            width=pictures[rows[place]]["width"],
            height=pictures[rows[place]]["height"],
            seed=cell["seed"][0].as_py(),
            truth=_names(truth[rows[place]] == 1, names),
            steps=story(predicted[:, place], names),
        )
        for place in pick(predicted, rows, chosen)
    ]


def _first_cell(dataset: str, model: str, cost: str) -> pa.Table | None:
    for cell in read_cells(paths.predictions(dataset)):
        if (cell["model"][0].as_py(), cell["cost"][0].as_py()) == (model, cost):
            return cell
    return None


def _predicted(cell: pa.Table, rows: list[int], labels: int) -> tuple[list[int], np.ndarray]:
    """Which of `rows` are test rows of the cell, and their predictions at each iteration."""
    here = pc.is_in(cell["row"], pa.array(rows, pa.int32()))
    tested = cell.filter(pc.and_(here, pc.equal(cell["part"], "test")))
    tested = tested.sort_by([("iteration", "ascending"), ("row", "ascending")])
    iterations = len(pc.unique(tested["iteration"]))
    test_rows = tested["row"].to_pylist()[: len(tested) // max(iterations, 1)]
    matrix = label_matrix(tested["labels"], labels).toarray()
    return test_rows, matrix.reshape(iterations, len(test_rows), labels)


def _address(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()


def pick(predicted: np.ndarray, rows: Sequence[int], chosen: Collection[int] = ()) -> list[int]:
    """Places of the images to show: those somebody chose, then those that changed most.

    `predicted` has the shape (iterations, rows, labels), `rows` the number of each instance.
    """
    changes = np.abs(np.diff(predicted.astype(np.int8), axis=0)).sum(axis=(0, 2))
    wanted = np.array([row not in chosen for row in rows])
    return np.lexsort((-changes, wanted))[:SHOWN].tolist()


def story(predicted: np.ndarray, names: Sequence[str]) -> list[Step]:
    """The labels of one image at each iteration, with those added and those dropped."""
    on = predicted == 1
    before = np.concatenate([on[:1], on[:-1]])  # the first iteration changes nothing
    return [
        Step(_names(now, names), _names(now & ~last, names), _names(last & ~now, names))
        for now, last in zip(on, before, strict=True)
    ]


def _names(on: np.ndarray, names: Sequence[str]) -> list[str]:
    return [names[index] for index in np.flatnonzero(on).tolist()]
