"""The other door: a real server and workers on loopback, set up with the README's own words."""

import json
import shutil
import sys

import pytest

from tests.conftest import copy_of_the_project, thinned
from tests.flows.lab import Shell, free_port
from tests.readme import blocks

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A clone with a server, the deployments, and workers of the three pools."""
    base = tmp_path_factory.mktemp("door")
    clone = thinned(copy_of_the_project(base / "clone"), experiments=("datasets", "algorithms"))
    (clone / ".venv").symlink_to(sys.prefix)
    shell = Shell(clone, base / "prefect", free_port())
    *setting_up, _ = blocks("README.md", section="With Prefect")
    try:
        for line in [line for block in setting_up for line in block]:
            shell.follow(line)
        shell.start("prefect worker start --pool gpu --limit 1")  # a pretended one
        yield shell
    finally:
        shell.stop()


@pytest.fixture(scope="module")
def after_the_commands(lab):
    """What the README runs through the deployments, one after the other."""
    *_, commands = blocks("README.md", section="With Prefect")
    for line in commands:
        lab.follow(line)
    return lab


def test_after_the_deployments_dvc_is_up_to_date_and_has_nothing_to_run(after_the_commands):
    assert "up to date" in after_the_commands.run("dvc status")
    output = after_the_commands.run("dvc repro")
    assert "Running stage" not in output and "up to date" in output
    assert (after_the_commands.folder / "reports" / "report.html").exists()
    assert (after_the_commands.folder / "data" / "predictions" / "yeast.parquet").exists()


def test_setting_up_again_changes_nothing(after_the_commands):
    before = after_the_commands.ask("deployments/filter")
    output = after_the_commands.run("make workers")
    assert "pool cpu: 1 workers\npool gpu: 1 workers" in output
    after = after_the_commands.ask("deployments/filter")
    assert [d["id"] for d in before] == [d["id"] for d in after]
    names = {"full-benchmark", "smoke", "one-dataset", "cpu", "gpu"}
    assert {d["name"] for d in after} == names
    assert all(d["path"] in (None, ".") and not d["pull_steps"] for d in after)


def test_networks_went_to_the_gpu_pool_under_the_names_of_their_models(after_the_commands):
    runs = after_the_commands.runs("train")
    pools = {run["name"]: run["work_pool_name"] for run in runs}
    assert pools["exclusive / RethinkNet"] == "gpu"
    assert {pool for name, pool in pools.items() if "BR-LR" in name} == {"cpu"}
    assert all("dataset:exclusive" in run["tags"] for run in runs if "exclusive" in run["name"])


def test_the_ui_shows_progress_a_summary_and_the_way_to_the_report(after_the_commands):
    found = after_the_commands.ask("artifacts/latest/filter")
    shown = {artifact["key"]: artifact["data"] for artifact in found}
    assert shown["cells"] == 100.0
    assert "cells, 0 without a result" in shown["summary"] and "| yeast |" in shown["summary"]
    assert "/reports/report.html" in shown["report"]


def test_after_dvc_repro_the_deployment_finds_every_cell_and_both_doors_agree(after_the_commands):
    lab = after_the_commands
    flow_results = results(lab.folder)
    store = lab.folder / "data" / "cells"
    shutil.rmtree(lab.folder / "data" / "predictions")
    shutil.rmtree(store)
    lab.run("dvc repro --force --single-item train@exclusive train@yeast evaluate compare report")
    assert results(lab.folder) == flow_results
    before = {path: path.stat().st_mtime_ns for path in store.glob("**/manifest.json")}
    sent = len(lab.runs("train"))
    lab.run("prefect deployment run rethink/full-benchmark --watch")
    after = {path: path.stat().st_mtime_ns for path in store.glob("**/manifest.json")}
    assert (before, sent) == (after, len(lab.runs("train")))
    assert "up to date" in lab.run("dvc status")


def results(folder):
    """All that must not depend on the door; the advice weighs CPU times, which vary."""
    tables = ("data/predictions/yeast.parquet", "data/scores.parquet")
    comparison = json.loads((folder / "reports" / "comparison.json").read_text())
    del comparison["advice"]
    return [(folder / name).read_bytes() for name in tables] + [comparison]


def test_a_data_set_that_is_not_in_params_fails_with_a_message(after_the_commands):
    command = "prefect deployment run rethink/one-dataset --param dataset=yaest --watch"
    assert after_the_commands.try_to(command).returncode != 0
    message = after_the_commands.runs("rethink")[0]["state"]["message"]
    assert "'yaest' is not in `datasets` of params.yaml; did you mean" in message
