"""A model of the report, trained on all rows and saved with its card."""

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest

import rethink
from rethink.scaling import UnitScaler
from stages.common.tables import write_table
from tests.conftest import ROOT, Project, run_stages

NET = {"estimator": "RethinkNet", "params": {"hidden": 4, "features": 4, "epochs": 2}}
NET["params"]["stopping"] = "loss"


@pytest.fixture(scope="module")
def reported(prepared_project, tmp_path_factory):
    """The tiny project after a comparison by two costs, one of them asymmetric."""
    path = tmp_path_factory.mktemp("export") / "project"
    shutil.copytree(prepared_project.path, path)
    project = Project(path)
    params = project.params()
    params["models"]["net"] = NET
    asked = {"models": ["top-k", "BR-LR", "net", "bayes"], "costs": ["f1", "asymmetric-4-1"]}
    params["experiments"] = {"algorithms": asked}
    params["train"]["seeds"] = 3
    project.write_params(params)
    (path / "data" / "paper").symlink_to(ROOT / "data" / "paper")
    later = [(stage,) for stage in ("evaluate", "compare", "report")]
    run_stages(path, [("train", "--dataset", "tiny"), *later])
    return project


def table(project):
    columns = pq.read_table(project.path / "data" / "raw" / "tiny" / "table.parquet").to_pandas()
    return columns.filter(like="x").to_numpy(), columns.filter(like="y").to_numpy()


def test_the_recommended_model_is_trained_on_all_rows_and_predicts_as_a_plain_fit(reported):
    output = reported.run("stages.export", "--dataset", "tiny", "--cost", "f1")
    folder = reported.path / "models" / "tiny-f1"
    card = json.loads((folder / "card.json").read_text())
    assert f"{card['model']}, trained on 150 rows" in output and card["model"] == "BR-LR"
    model = rethink.load(folder / "model")
    X, Y = table(reported)
    scaled = UnitScaler().fit_transform(X)
    plain = rethink.LogisticRelevance(**card["parameters"]).fit(scaled, Y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(scaled))
    assert model[-1].label_names_.tolist() == card["labels"] == ["y1", "y2", "y3"]


def test_the_card_has_the_hash_of_the_data_and_the_cost_to_expect(reported):
    reported.run("stages.export", "--dataset", "tiny", "--cost", "asymmetric-4-1")
    folder = reported.path / "models" / "tiny-asymmetric-4-1"
    card = json.loads((folder / "card.json").read_text())
    known = json.loads((reported.path / "data" / "prepared" / "tiny" / "card.json").read_text())
    answers = json.loads((reported.path / "reports" / "comparison.json").read_text())["answers"]
    answer = next(row for row in answers if row["cost"] == "asymmetric-4-1")
    best = next(row for row in answer["standings"] if row["model"] == answer["recommended"])
    assert card["data"]["content"] == known["content"]
    assert card["expected"] == {key: best[key] for key in ("mean", "low", "high")} | {"splits": 3}
    assert card["cost"]["title"] == "Asymmetric loss (missed 4, false alarm 1)"
    text = (folder / "card.md").read_text()
    assert "rethink.load(" in text and known["content"] in text and "95 % confidence" in text


def test_another_model_of_the_report_may_be_named_a_net_as_well(reported, tmp_path):
    to = tmp_path / "net"
    reported.run("stages.export", "--dataset", "tiny", "--cost", "f1", "--model", "net",
                 "--to", str(to))  # fmt: skip
    model = rethink.load(to / "model")
    assert type(model[-1]).__name__ == "RethinkNet"
    assert rethink.get_cost(model[-1].cost).name == "f1"
    assert model.predict(table(reported)[0]).shape == (150, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--dataset", "tiny", "--cost", "rank"), "has no answer for tiny by rank"),
        (("--dataset", "tinny", "--cost", "f1"), "did you mean 'tiny'"),
        (("--dataset", "tiny", "--cost", "f1", "--model", "bayes"), "'bayes' is not in the report"),
        (("--dataset", "tiny", "--cost", "f1", "--model", "net2"), "did you mean 'net'"),
    ],
)
def test_what_the_report_does_not_know_is_refused(reported, options, message):
    assert message in reported.run("stages.export", *options, code=1)


def test_data_that_changed_since_the_report_is_refused(reported, tmp_path):
    copy = Project(tmp_path / "changed")
    shutil.copytree(reported.path, copy.path, symlinks=True)
    file = copy.path / "data" / "raw" / "tiny" / "table.parquet"
    write_table(file, pq.read_table(file).slice(1))
    output = copy.run("stages.export", "--dataset", "tiny", "--cost", "f1", code=2)
    assert "have changed since the report; run: make report" in output


def test_without_a_report_it_is_said_what_to_run(project):
    output = project.run("stages.export", "--dataset", "tiny", "--cost", "f1", code=1)
    assert "comparison.json is missing; run: make report" in output
