"""The other door: a real server and workers on loopback, set up as the documentation says."""

import json
import re
import shutil

import pytest

from tests.flows.conftest import WORKER
from tests.flows.lab import power_cut
from tests.readme import blocks

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def after_the_commands(lab):
    """What the documentation runs through the deployments, one after the other."""
    *setting_up, commands = blocks("docs/pipeline.md", section="With Prefect")
    (worker,) = [line for block in setting_up for line in block if WORKER in line]
    process = lab.start(worker)
    for line in commands:
        lab.follow(line)
    yield lab
    power_cut(process)


def test_after_the_deployments_dvc_is_up_to_date_and_has_nothing_to_run(after_the_commands):
    assert "up to date" in after_the_commands.run("dvc status")
    output = after_the_commands.run("dvc repro")
    assert "Running stage" not in output and "up to date" in output
    assert (after_the_commands.folder / "reports" / "report.html").exists()
    assert (after_the_commands.folder / "data" / "predictions" / "yeast.parquet").exists()


def test_setting_up_again_changes_nothing(after_the_commands):
    before = after_the_commands.ask("deployments/filter")
    after_the_commands.run("make deployments")
    after = after_the_commands.ask("deployments/filter")
    assert [d["id"] for d in before] == [d["id"] for d in after]
    assert {d["name"] for d in after} == {"full-benchmark", "smoke", "one-dataset"}
    assert all(d["path"] in (None, ".") and not d["pull_steps"] for d in after)


def test_each_model_on_a_data_set_is_a_task_with_its_name_tags_and_progress(after_the_commands):
    tasks = after_the_commands.ask("task_runs/filter", {"limit": 200})
    tags = {task["name"]: set(task["tags"]) for task in tasks}
    assert {"dataset:yeast", "model:RethinkNet"} <= tags["yeast / RethinkNet"]
    assert {"dvc repro data of yeast", "dvc repro results"} <= tags.keys()
    assert {task["state"]["type"] for task in tasks} == {"COMPLETED"}
    shown = artifacts(after_the_commands)
    assert shown["cells-yeast-rethinknet"] == 100.0


def artifacts(lab):
    return {a["key"]: a["data"] for a in lab.ask("artifacts/latest/filter")}


def test_the_ui_shows_a_summary_with_verdicts_and_where_the_report_is(after_the_commands):
    summary = artifacts(after_the_commands)["summary"]
    assert "cells, 0 without a result" in summary and re.search(r"\| yeast +\|", summary)
    claim = "RethinkNet has the best average rank of the paper's seven"
    assert re.search(rf"\| not tested +\| {claim}", summary)
    assert f"{after_the_commands.folder}/reports/report.html" in summary
    assert "file://" not in summary


def test_after_dvc_repro_the_deployment_finds_every_cell_and_both_doors_agree(after_the_commands):
    lab = after_the_commands
    flow_results = results(lab.folder)
    store = lab.folder / "data" / "cells"
    shutil.rmtree(lab.folder / "data" / "predictions")
    shutil.rmtree(store)
    lab.run("dvc repro --force --single-item train@yeast evaluate compare report")
    assert results(lab.folder) == flow_results
    before = {path: path.stat().st_mtime_ns for path in store.glob("**/manifest.json")}
    lab.run("prefect deployment run rethink/full-benchmark --watch")
    after = {path: path.stat().st_mtime_ns for path in store.glob("**/manifest.json")}
    assert before == after
    assert "up to date" in lab.run("dvc status")


def results(folder):
    """All that must not depend on the door; advice and answers weigh CPU times, which vary."""
    tables = ("data/predictions/yeast.parquet", "data/scores.parquet")
    comparison = json.loads((folder / "reports" / "comparison.json").read_text())
    del comparison["advice"], comparison["chosen"], comparison["answers"]
    return [(folder / name).read_bytes() for name in tables] + [comparison]


def test_a_data_set_that_is_not_in_params_fails_with_a_message(after_the_commands):
    command = "prefect deployment run rethink/one-dataset --param dataset=yaest --watch"
    assert after_the_commands.try_to(command).returncode != 0
    message = after_the_commands.runs("rethink")[0]["state"]["message"]
    assert "'yaest' is not in `datasets` of params.yaml; did you mean" in message
