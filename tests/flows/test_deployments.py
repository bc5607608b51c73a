"""The other door: a real server and workers on loopback, set up as the documentation says."""

import json
import re
import shutil
import urllib.error

import pytest

from tests.flows.conftest import WORKER
from tests.flows.lab import Shell, power_cut
from tests.readme import blocks

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def after_the_commands(lab):
    """What the documentation runs with Prefect, one after the other; before the last command, which
    leads a run from the terminal, the other door computes all anew."""
    *setting_up, commands = blocks("docs/pipeline.md", section="With Prefect")
    (worker,) = [line for block in setting_up for line in block if WORKER in line]
    process = lab.start(worker)
    *through_deployments, from_the_terminal = commands
    lab.printed = "".join(lab.follow(line) or "" for line in through_deployments)
    lab.by_prefect = results(lab.folder)
    for folder in ("predictions", "cells"):
        shutil.rmtree(lab.folder / "data" / folder)
    lab.run("dvc repro --force --single-item train@yeast evaluate compare report")
    lab.by_dvc, lab.cells_of_dvc = results(lab.folder), cells(lab.folder)
    lab.printed += lab.follow(from_the_terminal)
    yield lab
    power_cut(process)


def cells(folder):
    return {path: path.stat().st_mtime_ns for path in folder.glob("data/cells/**/manifest.json")}


def results(folder):
    """All that must not depend on the door; advice and answers weigh CPU times, which vary."""
    tables = ("data/predictions/yeast.parquet", "data/scores.parquet")
    comparison = json.loads((folder / "reports" / "comparison.json").read_text())
    del comparison["advice"], comparison["chosen"], comparison["answers"]
    return [(folder / name).read_bytes() for name in tables] + [comparison]


def test_both_doors_agree_and_after_dvc_repro_the_flow_finds_every_cell(after_the_commands):
    lab = after_the_commands
    assert lab.by_dvc == lab.by_prefect
    assert lab.cells_of_dvc and cells(lab.folder) == lab.cells_of_dvc


def test_after_the_flow_dvc_is_up_to_date_and_has_nothing_to_run(after_the_commands):
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


@pytest.mark.parametrize("login", ["", "someone:wrong"])
def test_a_server_with_a_password_answers_nobody_else(after_the_commands, tmp_path, login):
    lab = after_the_commands
    stranger = Shell(lab.folder, tmp_path, lab.port, PREFECT_API_AUTH_STRING=login)
    with pytest.raises(urllib.error.HTTPError, match="401"):
        stranger.ask("flows/filter")


def test_a_password_is_neither_printed_nor_written(after_the_commands, tmp_path):
    lab = after_the_commands
    login = lab.env["PREFECT_API_AUTH_STRING"]
    stranger = Shell(lab.folder, tmp_path, lab.port, PREFECT_API_AUTH_STRING="someone:wrong")
    refused = stranger.try_to("prefect flow ls")
    assert refused.returncode != 0 and "rethink" not in refused.stdout
    password = login.removeprefix("someone:")
    assert password not in lab.printed + lab.logs() + refused.stdout + refused.stderr
    written = {path: path.read_bytes() for path in lab.folder.parent.rglob("*") if path.is_file()}
    kept = b"".join(written[path] for path in written if path.name.startswith("prefect.db"))
    assert b"cells-yeast-rethinknet" in kept  # the artifact of a run
    assert not [path for path in written if password.encode() in written[path]]
