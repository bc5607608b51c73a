"""Published results stand in for computed ones, and can be checked."""

import shutil
import subprocess

import pandas as pd
import pyarrow as pa
import pytest

from stages.common.catalog import load_catalog
from stages.common.plan import plan
from stages.common.profile import params_under
from stages.common.tables import write_table
from stages.publish import COLUMNS, is_shown, read_run
from tests.conftest import Project, run_stages

CELLS = 4 * 4 * 2


@pytest.fixture(scope="module")
def published_once(trained_project, tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "project"
    shutil.copytree(trained_project.path, path)
    identity = ["-c", "user.name=rethink", "-c", "user.email=rethink@localhost"]
    for command in (["init", "-q"], ["add", "params.yaml"], [*identity, "commit", "-qm", "code"]):
        subprocess.run(["git", *command], cwd=path, check=True)
    run_stages(path, [("evaluate",), ("publish",)])
    scores = pd.read_parquet(path / "data" / "scores.parquet")
    scores.to_parquet(path / "before.parquet")
    shutil.rmtree(path / "data" / "cells")
    return path


@pytest.fixture
def published(published_once, tmp_path):
    """A project whose results are published and whose store is empty."""
    shutil.copytree(published_once, tmp_path / "published")
    return Project(tmp_path / "published")


def scores(project, name="data/scores.parquet"):
    return pd.read_parquet(project.path / name)


def test_published_cells_are_not_computed_again_and_have_the_same_scores(published):
    output = run_stages(published.path, [("train",), ("evaluate",)])
    assert f"{CELLS} cells: 0 done, 0 cached, 0 failed, 0 left, {CELLS} published" in output
    assert not published.cells()
    runs = pd.read_parquet(published.path / "data" / "runs" / "tiny.parquet")
    assert runs.set_index("model")["reliability"]["BR-LR"].notna().all()
    assert set(runs["published"]) == {"tiny"} and runs["commit"].str.len().eq(40).all()
    pd.testing.assert_frame_equal(scores(published), scores(published, "before.parquet"))


def test_what_the_report_shows_beside_images_is_not_published():
    params, catalog = params_under("quick"), load_catalog()
    shown = [
        cell for cell in plan(params, catalog, params.datasets) if is_shown(cell, params, catalog)
    ]
    assert {(cell.dataset, cell.model) for cell in shown} == {("shapes", "RethinkNet")}


def test_a_new_model_and_what_is_asked_for_otherwise_are_computed_alone(published):
    params = published.params()
    params["models"]["mine"] = {"estimator": "LogisticRelevance"}
    params["experiments"]["algorithms"]["models"].append("mine")
    params["grids"]["strengths"] = [0.01, 1.0]  # of BR-LR
    published.write_params(params)
    output = run_stages(published.path, [("train",), ("evaluate",)])
    assert "16 done, 0 cached, 0 failed, 0 left, 24 published" in output
    assert {path.parts[3] for path in published.cells()} == {"mine", "BR-LR"}
    assert scores(published).groupby("model")["value"].count().nunique() == 1


def test_a_run_of_published_cells_alone_computes_nothing_and_leaves_out_the_rest(published):
    params = published.params()
    params["train"] |= {"seeds": 3, "cells": "published"}
    published.write_params(params)
    output = published.run("stages.train")
    assert f"{CELLS} cells: {CELLS} ok" in output and "0 done" in output
    assert not published.cells()
    published.run("stages.evaluate")
    pd.testing.assert_frame_equal(scores(published), scores(published, "before.parquet"))
    assert f"{CELLS + 16} done, 0 cached" in published.run("stages.train", RETHINK_FRESH="1")
    output = published.run("stages.verify", "--cells", "8")
    assert "8 of 8 published cells have the same scores" in output


def test_the_plan_tells_what_is_computed_published_and_missing(published):
    published.run("stages.train", "--model", "top-k", RETHINK_FRESH="1")
    params = published.params()
    params["train"]["seeds"] = 3
    published.write_params(params)
    output = published.run("stages.outlook")
    lines = [line.replace("|", "").split() for line in output.splitlines() if "tiny" in line]
    rows = {model: counts[:4] for _, model, *counts in lines}
    assert rows["BR-LR"] == ["12", "0", "8", "4"] and rows["top-k"] == ["12", "8", "0", "4"]
    assert "48 cells, 8 computed, 24 published, 16 to compute" in output


def test_the_plan_of_a_fresh_clone_knows_published_cells_by_their_names(published):
    shutil.rmtree(published.path / "data" / "prepared")
    output = published.run("stages.outlook")
    assert f"{CELLS} cells, 0 computed, {CELLS} published, 0 to compute" in output
    assert "published?: the data is not here yet" in output


def test_publishing_again_adds_what_is_new_and_keeps_the_rest(published):
    before = (published.path / "results" / "tiny" / "scores.parquet").read_bytes()
    published.run("stages.publish")
    assert (published.path / "results" / "tiny" / "scores.parquet").read_bytes() == before
    params = published.params()
    params["train"]["seeds"] = 3
    published.write_params(params)
    published.run("stages.train")
    assert f"{CELLS + 16} cells, {CELLS} before" in published.run("stages.publish")


def test_a_run_that_was_published_before_a_column_was_there_has_nulls_in_it(tmp_path):
    older = pa.schema([field for field in COLUMNS if field.name != "reliability"])
    row = {"dataset": "yeast", "model": "BR", "cost": "f1", "seed": 0, "seconds": 1.5}
    write_table(tmp_path / "runs.parquet", pa.Table.from_pylist([row], older))
    result = read_run(tmp_path).runs
    assert result.schema == COLUMNS
    assert result.to_pylist()[0] == dict.fromkeys(COLUMNS.names) | row


def test_verifying_finds_a_score_that_was_changed(published):
    path = published.path / "results" / "tiny" / "scores.parquet"
    table = pd.read_parquet(path)
    table["value"] += 0.001
    table.to_parquet(path)
    output = published.run("stages.verify", "--cells", "8", code=3)
    assert "0.001 apart" in output and "0 of 8 published cells have the same scores" in output


def test_without_a_history_nothing_is_published(published):
    shutil.rmtree(published.path / ".git")
    output = published.run(
        "stages.publish", code=1, GIT_CEILING_DIRECTORIES=str(published.path.parent)
    )
    assert output.count("error:") == 1 and "run: git init" in output


def test_a_damaged_file_of_results_is_named(published):
    path = published.path / "results" / "tiny" / "runs.parquet"
    path.write_bytes(path.read_bytes()[:100])
    output = published.run("stages.train", code=2)
    assert "results/tiny/runs.parquet cannot be read" in output
    assert "git checkout -- results/tiny/runs.parquet" in output
