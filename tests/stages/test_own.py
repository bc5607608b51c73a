"""A table of one's own, from a command line to the catalogue and params.yaml."""

import difflib
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from stages import own
from stages.common.catalog import load_catalog
from stages.common.errors import DataError, UserError
from stages.common.params import load_params
from tests.conftest import ROOT

FILES = ("params.yaml", "data/catalog.yaml", "data/listings")


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    for name in FILES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    rows = range(40)
    table = {"x": [f"{row % 7}" if row != 3 else "NA" for row in rows], "id": list(rows)}
    table |= {"tag_a": [row % 2 for row in rows], "tag_b": [row // 20 for row in rows]}
    pd.DataFrame(table).to_csv("my tickets.csv", index=False)
    return tmp_path


def call(monkeypatch, *options):
    monkeypatch.setattr(sys, "argv", ["stages.own", *options])
    return own.main()


def test_it_becomes_an_entry_and_what_to_run(place, monkeypatch, capsys):
    before = {name: Path(name).read_text() for name in FILES[:2]}
    call(monkeypatch, "my tickets.csv", "--labels", "tag_*", "--cost", "asymmetric-5-1", "f1",
         "--impute", "--ignore", "id", "--stratified", "--seeds", "4")  # fmt: skip
    assert capsys.readouterr().out.splitlines() == [
        "40 rows, 2 labels",
        "2 features -> 2 columns",
        "ignored: id",
        "missing values, filled in and marked: x 1",
    ]
    entry = load_catalog().entry("my-tickets")
    assert entry.own and entry.ignore == ("id",) and entry.missing == "impute"
    params = load_params()
    assert params.datasets == ("my-tickets",) and params.splits == "stratified"
    assert params.train.seeds == 4 and not params.train.fewer_seeds
    assert params.criteria()["asymmetric-5-1"].missed == 5
    assert params.experiments["algorithms"].costs == ("asymmetric-5-1", "f1")
    assert [name for name in params.experiments if params.datasets_of(name)] == [
        "algorithms", "datasets",
    ]  # fmt: skip
    assert Path("data/raw/my-tickets/my-tickets.csv").is_file()
    for name, text in before.items():  # all else is as it was, comments included
        changes = difflib.ndiff(text.splitlines(), Path(name).read_text().splitlines())
        gone = [line for line in changes if line.startswith("- ")]
        assert len(gone) <= 8 and not any("#" in line for line in gone), gone


def test_a_second_call_takes_the_place_of_the_first(place, monkeypatch):
    for title in ("One", "Two"):
        call(monkeypatch, "my tickets.csv", "--labels", "tag_*", "--impute", "--title", title)
    assert load_catalog().entry("my-tickets").title == "Two"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("tickets.xlsx", "--labels", "tag_*"), r"give one of .csv, .csv.gz, .parquet"),
        (("none.csv", "--labels", "tag_*"), "none.csv is no file"),
        (("my tickets.csv", "--labels", "tag_*", "--name", "yeast"), "give another --name"),
        (("my tickets.csv", "--labels", "tag_*", "--cost", "f2"), "unknown name 'f2'; valid"),
        (("my tickets.csv", "--labels", "tag_*", "--models", "PPC"), "did you mean 'PCC'"),
        (("my tickets.csv", "--labels", "tag_*", "--seeds", "11"), "train.seeds"),
    ],
)
def test_a_mistake_is_refused_and_leaves_the_files_as_they_were(
    place, monkeypatch, options, message
):
    before = [Path(name).read_text() for name in FILES[:2]]
    with pytest.raises(UserError, match=message):
        call(monkeypatch, *options)
    assert [Path(name).read_text() for name in FILES[:2]] == before


def test_a_table_that_cannot_be_used_says_what_to_do(place, monkeypatch):
    with pytest.raises(DataError, match=r"(?s)break this: x.*with make: OPTIONS="):
        call(monkeypatch, "my tickets.csv", "--labels", "tag_*")
    with pytest.raises(DataError, match="labels: no column is called 'tags_"):
        call(monkeypatch, "my tickets.csv", "--labels", "tags_*")


def test_costs_with_numbers_are_checked_in_params(place):
    params = yaml.safe_load(Path("params.yaml").read_text())
    params["experiments"]["algorithms"]["costs"] = ["macro-f1", "asymmetric-0-1"]
    Path("params.yaml").write_text(yaml.safe_dump(params))
    with pytest.raises(UserError, match="macro-f1 has no value for a row") as error:
        load_params()
    assert "unknown name 'asymmetric-0-1'" in str(error.value)
