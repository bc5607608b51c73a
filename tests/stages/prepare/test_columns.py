"""A user's table: dates, text, truth values, missing values and ids."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rethink.scaling import UnitScaler
from rethink.tables import TableEncoder
from stages.common.catalog import Entry
from stages.common.errors import DataError
from stages.prepare.dataset import prepare
from stages.prepare.readers import read_dataset

ROWS = 60


def frame():
    rng = np.random.default_rng(5)
    days = pd.date_range("2024-01-01", periods=ROWS, freq="D").strftime("%Y-%m-%d")
    age = [f"{value}" for value in rng.integers(18, 80, ROWS)]
    for row, word in zip((3, 9, 11, 40), ("NA", "NaN", "null", ""), strict=True):
        age[row] = word
    return pd.DataFrame(
        {
            "customer": np.arange(1000, 1000 + ROWS),
            "signup": rng.permutation(days),
            "comment": [f"ticket {number} please" for number in range(ROWS)],
            "plan": rng.choice(["free", "team", "firm"], ROWS),
            "city": np.where(rng.random(ROWS) < 0.1, "", rng.choice(["Bonn", "Ulm"], ROWS)),
            "active": rng.choice(["true", "false"], ROWS),
            "age": age,
            "tag_refund": rng.integers(0, 2, ROWS),
            "tag_bug": rng.integers(0, 2, ROWS),
        }
    )


def entry(labels="tag_*", **more):
    source = {"format": "csv", "files": [{"name": "mine.csv"}], "labels": labels}
    return Entry.model_validate({"sources": [source], **more})


@pytest.fixture
def folder(tmp_path):
    frame().to_csv(tmp_path / "mine.csv", index=False)
    return tmp_path


def prepared(folder, known):
    return prepare(read_dataset(known.sources[0], folder), known)


def test_what_became_of_each_column_is_told(folder):
    known = entry(ignore=["comment"], missing="impute")
    assert prepared(folder, known).cleaned.story() == [
        "7 features -> 11 columns: plan 3, city 3",
        "ignored: comment",
        "dates, as days since 1970: signup",
        "truth values, as 0 and 1: active",
        f"missing values, filled in and marked: city {(frame().city == '').sum()}, age 4",
        "a different whole number in every row, like an id (leave it out with `ignore`): customer",
    ]


def test_too_many_columns_are_refused_with_their_names_and_the_way_out(folder):
    with pytest.raises(DataError) as error:
        prepared(folder, entry(missing="impute", most_columns=50))
    text = str(error.value)
    assert text.startswith("7 features -> 71 columns: comment 60, plan 3, city 3")
    assert "ignore: [comment]" in text and "most_columns: 66" in text
    assert prepared(folder, entry(missing="impute", most_columns=66)).features.shape == (ROWS, 71)
    assert "Missing values" not in text
    with pytest.raises(DataError, match=r"refused, too \(missing: impute\): city \d+, age 4"):
        prepared(folder, entry(most_columns=50))  # both faults at once


def test_missing_cells_are_refused_with_the_ways_out(folder):
    with pytest.raises(DataError) as error:
        prepared(folder, entry(ignore=["comment"]))
    assert "break this: city, age" in str(error.value)
    assert "missing: impute" in str(error.value) and "ignore: [...]" in str(error.value)


def test_the_median_stands_in_for_a_missing_number_and_a_column_says_where(folder):
    known = entry(ignore=["comment", "c*"], missing="impute")
    result = prepared(folder, known)
    assert result.names == ("signup", "plan=firm", "plan=free", "plan=team", "active", "age",
                            "age=missing")  # fmt: skip
    ages = pd.to_numeric(frame().age, errors="coerce")
    filled = ages.fillna(ages.median())
    expected = (filled - filled.min()) / (filled.max() - filled.min())
    np.testing.assert_allclose(result.features[:, 5], expected)
    np.testing.assert_array_equal(result.features[:, 6], ages.isna())


@pytest.mark.parametrize("kind", ["csv", "text", "parquet"])
def test_a_model_sees_a_new_table_as_it_saw_the_one_of_its_training(folder, kind):
    known = entry(ignore=["comment"], missing="impute")
    result = prepared(folder, known)
    encoder = TableEncoder([list(row) for row in result.cleaned.recipes])
    table = pd.read_csv(folder / "mine.csv", dtype=str if kind == "text" else None)
    if kind == "parquet":
        table["signup"] = pd.to_datetime(table.signup)
        pq.write_table(pa.Table.from_pandas(table), folder / "mine.parquet")
        table = pq.read_table(folder / "mine.parquet")
    scaled = UnitScaler().fit_transform(encoder.transform(table))
    np.testing.assert_allclose(scaled, result.features, rtol=0, atol=1e-12)
    assert tuple(encoder.get_feature_names_out()) == result.names


def test_labels_are_given_by_list_by_pattern_or_by_file(folder):
    (folder / "labels.txt").write_text("tag_bug\n\n  tag_refund \n")
    listed = {"format": "csv", "files": [{"name": "mine.csv"}], "labels_file": "labels.txt"}
    by_file = Entry.model_validate({"sources": [listed]})
    for known in (entry(["tag_refund", "tag_bug"]), entry("tag_*"), entry(["tag_[br]*"]), by_file):
        assert read_dataset(known.sources[0], folder).label_names == ("tag_refund", "tag_bug")


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (entry("tags_*"), r"labels: no column is called 'tags_\*'; .*tag_bug"),
        (entry(ignore=["coment"]), "ignore: no column is called 'coment'; did you mean 'comment'"),
    ],
)
def test_a_name_that_no_column_has_is_refused_with_the_nearest(folder, known, message):
    with pytest.raises(DataError, match=message):
        prepared(folder, known)


def test_a_file_of_labels_that_is_absent_or_empty_is_named(folder):
    source = {"format": "csv", "files": [{"name": "mine.csv"}], "labels_file": "labels.txt"}
    known = Entry.model_validate({"sources": [source]})
    with pytest.raises(DataError, match=r"labels.txt cannot be read"):
        prepared(folder, known)
    (folder / "labels.txt").write_text("\n")
    with pytest.raises(DataError, match=r"labels.txt is empty"):
        prepared(folder, known)
