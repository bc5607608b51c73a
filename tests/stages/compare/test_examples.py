import base64
import io

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image

from stages.common import paths
from stages.common.files import write_json
from stages.common.predictions import PREDICTIONS, to_table
from stages.common.slices import Step
from stages.common.tables import matrix_to_table, table_writer, write_table
from stages.compare.examples import read_examples
from stages.features.index import ImageIndex
from stages.features.rows import write_thumbnails
from tests.stages.features.pictures import bomb, photo, save

NAMES = ("cup", "fork", "knife")
TRUTH = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0], [0, 0, 1]], np.uint8)
TRAIN = np.array([True, True, False, False, False, False])


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Six images, the first two to train, and the predictions of two cells at three iterations."""
    monkeypatch.chdir(tmp_path)
    files = tuple(f"photos/{n}.jpg" for n in range(6))
    for number, name in enumerate(files):
        save(paths.raw("mine") / name, photo(60, 40, seed=number))
    bomb(paths.raw("mine") / files[4])
    parts = tuple(np.where(TRAIN, "train", "test").tolist())
    index = ImageIndex(files, parts, TRUTH, NAMES)
    folder = paths.prepared("mine")
    write_thumbnails(folder, index, paths.raw("mine"), chosen=())
    write_table(folder / "images.parquet", pa.table({"file": files, "part": parts}))
    write_table(folder / "labels.parquet", matrix_to_table(TRUTH, NAMES))
    write_json(folder / "card.json", {"images": {"examples": []}})
    steps = np.stack([np.zeros_like(TRUTH), np.ones_like(TRUTH), TRUTH])
    with table_writer(paths.predictions("mine"), PREDICTIONS) as writer:
        for seed in (0, 1):
            for cost in ("rank", "f1"):
                table = to_table(steps if (cost, seed) == ("f1", 0) else 0 * steps, TRAIN)
                names = [["RethinkNet"] * len(table), [cost] * len(table), [seed] * len(table)]
                columns = [pa.array(c, t) for c, t in zip(names, PREDICTIONS.types, strict=False)]
                writer.write_table(pa.table([*columns, *table.columns], schema=PREDICTIONS))
    return tmp_path


def test_test_images_of_the_first_seed_are_shown_with_their_steps(run):
    result = read_examples("mine", "RethinkNet", "f1")
    assert [example.file for example in result] == [
        "photos/2.jpg",  # three labels come and go
        "photos/5.jpg",
        "photos/3.jpg",  # three come and stay; the fourth test image cannot be shown
    ]
    assert {example.seed for example in result} == {0}
    nothing, second, all_of_them = result
    assert nothing.truth == [] and nothing.steps[2].dropped == list(NAMES)
    assert second.steps[1].added == list(NAMES)
    assert second.steps[2] == Step(labels=["knife"], added=[], dropped=["cup", "fork"])
    assert all_of_them.steps[2].dropped == []


def test_the_picture_shown_is_that_of_the_row(run):
    example = read_examples("mine", "RethinkNet", "f1")[1]
    data = base64.b64decode(example.picture.removeprefix("data:image/jpeg;base64,"))
    shown = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), float)
    true = np.asarray(Image.open(paths.raw("mine") / example.file).convert("RGB"), float)
    assert shown.shape == true.shape == (example.height, example.width, 3)
    other = np.asarray(Image.open(paths.raw("mine") / "photos/3.jpg").convert("RGB"), float)
    assert abs(shown - true).mean() < abs(shown - other).mean() / 3


def test_a_chosen_image_comes_first(run):
    write_json(paths.prepared("mine") / "card.json", {"images": {"examples": ["photos/3.jpg"]}})
    assert read_examples("mine", "RethinkNet", "f1")[0].file == "photos/3.jpg"


def test_a_model_that_did_not_finish_has_no_examples(run):
    assert read_examples("mine", "RethinkNet", "accuracy") == []
