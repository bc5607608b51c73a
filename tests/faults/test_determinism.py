"""The same inputs give the same bytes, however the work is spread."""

import os
import random
import shutil

import pytest

from tests.conftest import Project
from torture.bits import OLD_PROCESSOR, TOLERANCE, apart, scores_in


def test_results_do_not_depend_on_the_number_of_workers(project, trained_project):
    project.run("stages.train", "--workers", "4")
    assert project.cell_bytes() == trained_project.cell_bytes()
    name = "data/predictions/tiny.parquet"
    assert (project.path / name).read_bytes() == (trained_project.path / name).read_bytes()


def test_results_do_not_depend_on_the_order_of_the_cells(project, trained_project):
    params = project.params()
    for name in ("models", "costs"):
        random.Random(1).shuffle(params["experiments"]["algorithms"][name])
    project.write_params(params)
    project.run("stages.train", "--workers", "2")
    assert project.cell_bytes() == trained_project.cell_bytes()


def test_results_do_not_depend_on_locale_time_zone_hash_seed_or_rights_of_new_files(
    project, trained_project
):
    strange = {"LC_ALL": "C", "LANG": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "4321"}
    before = os.umask(0o077)
    try:
        project.run_anew("stages.train", "--workers", "2", **strange)
    finally:
        os.umask(before)
    assert project.cell_bytes() == trained_project.cell_bytes()


@pytest.mark.slow
def test_on_an_older_processor_scores_agree_within_the_tolerance(project, tmp_path):
    params = project.params()
    params["models"]["net"] = {"estimator": "RethinkNet", "params": {"epochs": 5}}
    params["train"]["time_limit"] = 600  # a busy machine is slow
    params["experiments"]["algorithms"] = {"models": ["BR-LR", "net"], "costs": ["f1"]}
    project.write_params(params)
    old = Project(shutil.copytree(project.path, tmp_path / "old"))
    project.run("stages.train")
    old.run_anew("stages.train", **OLD_PROCESSOR)  # read when a library is loaded
    scores = []
    for each in (project, old):
        each.run("stages.evaluate")
        scores.append(scores_in(each.path))
    assert len(scores[0]) == 2 * 2 * 4 * 2  # models, seeds, criteria, conventions
    assert apart(*scores) <= TOLERANCE


def test_scores_apart_are_told_relative_to_their_size():
    assert apart({"f1": 0.5, "rank": 200.0}, {"f1": 0.53, "rank": 210.0}) == pytest.approx(0.05)


def test_preparing_again_gives_the_same_bytes(project, prepared_project):
    for stage in ("fetch", "prepare", "split"):
        project.run_anew(f"stages.{stage}", "--dataset", "tiny", PYTHONHASHSEED="99")
    for folder in ("raw/tiny", "prepared/tiny", "splits"):
        for path in (prepared_project.path / "data" / folder).iterdir():
            assert (project.path / "data" / folder / path.name).read_bytes() == path.read_bytes()
