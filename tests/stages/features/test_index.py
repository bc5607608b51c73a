import json

import pytest

from stages.common.catalog import Entry, Source
from stages.common.errors import DataError
from stages.features.index import read_coco, read_index, read_labelled_csv
from tests.stages.features.pictures import coco, save

IMAGES = {"a.jpg": [2, 2, 1], "b.jpg": [], "c.jpg": [2]}
SPLIT = Source.model_validate(
    {
        "format": "coco",
        "parts": [
            {"part": "train", "images": "train", "labels": "train.json"},
            {"part": "test", "images": "val", "labels": "val.json"},
        ],
    }
)
TABLE = Source.model_validate(
    {"format": "image-csv", "parts": [{"images": "photos", "labels": "labels.csv"}]}
)


@pytest.fixture
def folder(tmp_path):
    coco(tmp_path / "train.json", {"z.jpg": [1], "y.jpg": [1, 2]})
    coco(tmp_path / "val.json", IMAGES)
    for name in ("train/z.jpg", "train/y.jpg", *(f"val/{name}" for name in IMAGES)):
        save(tmp_path / name)
    return tmp_path


def test_an_image_has_a_label_once_however_many_instances_are_on_it(tmp_path):
    tagged = read_coco(coco(tmp_path / "a.json", IMAGES))
    assert tagged.names == ("cat", "dog")
    assert dict(tagged.images) == {"a.jpg": (0, 1), "b.jpg": (), "c.jpg": (1,)}


def test_categories_are_in_the_order_of_their_ids_whatever_that_of_the_file(tmp_path):
    categories = [{"id": 90, "name": "zebra"}, {"id": 7, "name": "train"}]
    facts = json.loads(coco(tmp_path / "a.json", {"a.jpg": []}).read_text())
    (tmp_path / "a.json").write_text(json.dumps(facts | {"categories": categories}))
    tagged = read_coco(tmp_path / "a.json")
    assert tagged.names == ("train", "zebra")


def test_rows_are_the_training_images_by_name_then_the_test_images(folder):
    index = read_index(SPLIT, folder)
    assert index.files == ("train/y.jpg", "train/z.jpg", "val/a.jpg", "val/b.jpg", "val/c.jpg")
    assert index.parts == ("train", "train", "test", "test", "test")
    assert index.labels.tolist() == [[1, 1], [1, 0], [1, 1], [0, 0], [0, 1]]


def test_parts_with_other_categories_are_refused_with_the_files(folder):
    coco(folder / "val.json", IMAGES, categories=("cat", "cow"))
    with pytest.raises(
        DataError, match=r"val\.json: its categories are not those of .*train\.json"
    ):
        read_index(SPLIT, folder)


def test_a_csv_of_files_and_labels_is_read(tmp_path):
    (tmp_path / "labels.csv").write_text("file,labels\nb.png,sun; moon\na.png,\nc.png,sun\n")
    for name in "abc":
        save(tmp_path / "photos" / f"{name}.png", kind="PNG")
    index = read_index(TABLE, tmp_path)
    assert index.label_names == ("moon", "sun")
    assert index.files == ("photos/a.png", "photos/b.png", "photos/c.png")
    assert index.labels.tolist() == [[0, 0], [1, 1], [0, 1]]
    assert set(index.parts) == {"all"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("image,labels\na,b\n", r"needs \['file', 'labels'\]"),
        ("file,labels\na.png\n", r"labels\.csv:2: found 1 fields"),
        ("file,labels\n../a.png,x\n", "needs a name below its folder"),
        ("file,labels\na.png,x\na.png,y\n", "'a.png' is listed twice"),
        ("file,labels\n", "lists no image"),
        ("", "found the columns"),
    ],
)
def test_a_wrong_csv_is_refused_with_its_name(tmp_path, text, message):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=message) as error:
        read_labelled_csv(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("parts", [["train"], ["test", "test"], ["all", "train"]])
def test_half_a_split_is_no_split(parts):
    entry = {
        "images": {"weights": "small"},
        "sources": [
            {
                "format": "coco",
                "parts": [{"part": p, "images": "i", "labels": "l.json"} for p in parts],
            }
        ],
    }
    with pytest.raises(ValueError, match="needs one part called all, or train and test"):
        Entry.model_validate(entry)


def test_the_real_sample_has_eighty_labels_and_its_official_split(mirror):
    folder = mirror / "coco-sample"
    source = Source.model_validate(
        {
            "format": "coco",
            "parts": [
                {"part": part, "images": f"{name}2017", "labels": f"annotations/{file}"}
                for part, name, file in (
                    ("train", "train", "instances_train2017.json"),
                    ("test", "val", "instances_val2017.json"),
                )
            ],
        }
    )
    index = read_index(source, folder)
    assert index.labels.shape == (160, 80)
    assert (index.parts.count("train"), index.parts.count("test")) == (80, 80)
    facts = json.loads((folder / "annotations" / "instances_val2017.json").read_text())
    pairs = {(a["image_id"], a["category_id"]) for a in facts["annotations"]}
    assert index.labels[80:].sum() == len(pairs)
    assert (index.label_names[0], index.label_names[-1]) == ("person", "toothbrush")
