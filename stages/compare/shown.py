"""The examples of the report: pictures with what a model said of them, step by step."""

import base64
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from stages.common import paths
from stages.common.files import read_json
from stages.common.images import IMAGES, THUMBNAILS
from stages.common.predictions import label_matrix, read_cells
from stages.common.tables import read_table, table_to_matrix
from stages.compare.examples import pick, story

Json = dict[str, Any]


def read_examples(dataset: str, model: str, cost: str) -> list[Json]:
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
    found = []
    for place in pick(predicted, rows, chosen):
        row = rows[place]
        picture = {
            "file": files[row],
            "picture": _address(pictures[row]["jpeg"]),
            **{side: pictures[row][side] for side in ("width", "height")},
        }
        found.append(picture | story(predicted[:, place], truth[row], names))
    return [example | {"seed": cell["seed"][0].as_py()} for example in found]


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
    found = tested["row"].to_pylist()[: len(tested) // max(iterations, 1)]
    matrix = label_matrix(tested["labels"], labels).toarray()
    return found, matrix.reshape(iterations, len(found), labels)


def _address(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()
