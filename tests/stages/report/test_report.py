"""The stage itself: what it reads, what it writes, and what it says at the end."""

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stages.common.errors import CELLS_FAILED, DataError
from stages.common.params import Params
from stages.common.schema import to_json
from stages.report import __main__ as report
from stages.report.page_inputs import behind
from stages.report.render import render, reproduce
from tests.stages.report.made_up_report import Page, made_up


@pytest.fixture
def project(tmp_path, monkeypatch):
    context = made_up(("yeast",), failed={("yeast", "BR-LR", "rank", 0): "it broke"})
    params = Params.model_validate(
        {
            "profile": "quick",
            "datasets": ["yeast"],
            "experiments": {"algorithms": {}},
            "train": {"seeds": 3, "folds": 3, "rescale": True, "time_limit": 60},
            "grids": {"strengths": [0.1, 1.0]},
            "models": {},
        }
    )
    monkeypatch.setattr(report, "load_params", lambda **_: params)
    monkeypatch.chdir(tmp_path)
    for folder in ("data/runs", "data/prepared/yeast", "reports"):
        (tmp_path / folder).mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(context.runs), "data/runs/yeast.parquet")
    for path, value in (
        ("reports/comparison.json", to_json(context.comparison)),
        ("data/prepared/yeast/card.json", context.cards["yeast"]),
        ("data/prepared/yeast/validation.json", context.validations["yeast"]),
    ):
        (tmp_path / path).write_text(json.dumps(value, sort_keys=True))
    source = {"format": "csv", "files": [{"name": "a.csv"}], "labels": ["a"]}
    entry = {"licence": "CC0", "cite": "A. Yeast", "sources": [source]}
    (tmp_path / "data/catalog.yaml").write_text(json.dumps({"datasets": {"yeast": entry}}))
    return tmp_path


def test_the_stage_writes_the_page_and_then_says_where_it_is_and_what_failed(
    project, capsys, monkeypatch
):
    monkeypatch.setattr("sys.argv", ["report"])
    assert report.main() == 0
    page = (project / "reports" / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<bdi>CC0</bdi>" in page and "<bdi>A. Yeast</bdi>" in page
    monkeypatch.setattr("sys.argv", ["report", "--where"])
    assert report.main() == CELLS_FAILED
    output = capsys.readouterr()
    assert output.out == "the report is at reports/report.html\n"
    assert output.err.splitlines() == [
        "yeast · BR-LR · rank · seed 0: failed – it broke",
        "1 of 36 cells have no result",
    ]


def test_a_missing_card_is_named(project, monkeypatch):
    monkeypatch.setattr("sys.argv", ["report"])
    (project / "data/prepared/yeast/card.json").unlink()
    with pytest.raises(DataError, match=r"card\.json is missing; run `dvc repro`"):
        report.main()


def test_the_lines_that_recompute_a_table_give_the_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    row = {"dataset": "yeast", "model": "BR", "cost": "hamming", "status": "ok", "part": "test"}
    row |= {"last": True, "criterion": "hamming", "empty": 1.0}
    other = row | {"criterion": "f1", "value": 9.0}
    values = (0.20, 0.22, 0.24)
    rows = [row | {"seed": seed, "value": value} for seed, value in enumerate(values)]
    pd.DataFrame([*rows, other, row | {"part": "train", "value": 9.0}]).to_parquet(
        "data/scores.parquet"
    )
    lines = reproduce(made_up())["recompute"]
    assert len(lines.splitlines()) <= 10
    names = {}
    exec(lines, names)
    assert names["table"].loc["BR", ("mean", "yeast")] == pytest.approx(0.22)
    assert names["table"].loc["BR", ("sem", "yeast")] == pytest.approx(0.02 / 3**0.5)
    assert "BR" in capsys.readouterr().out


def test_versions_of_the_cells_are_listed_while_they_are_few():
    runs = [{"versions": json.dumps({"torch": "2", "code": str(n)})} for n in range(5)]
    assert behind(runs) == {
        "code": "5 different ones; the runs table has that of each cell",
        "torch": "2",
    }
    assert behind(runs[:2])["code"] == "0, 1"
    assert behind([{"versions": None}]) == {}


def test_published_cells_are_named_with_their_commit_and_their_scores():
    context = made_up()
    for run in context.runs:
        run["published"], run["commit"] = "paper", "0123456789abcdef"
    view = reproduce(context)
    assert f"{len(context.runs)} cells from results/paper" in view["origin"]
    assert "computed by 0123456789ab" in view["origin"]
    assert view["commit"] == "0123456789abcdef"
    assert 'read_parquet("results/paper/scores.parquet")' in view["recompute"]
    assert "make keep PUBLISHED=quick" in Page(render(context)).text()
    context.runs[0]["published"] = None
    assert "make keep" not in Page(render(context)).text()
    assert "1 cell computed for this page" in reproduce(context)["origin"]
    assert 'read_parquet("data/scores.parquet")' in reproduce(context)["recompute"]
