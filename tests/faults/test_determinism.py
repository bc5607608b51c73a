"""The same inputs give the same bytes, however the work is spread."""

import os
import random

import pytest


@pytest.mark.parametrize("workers", ["2", "4"])
def test_results_do_not_depend_on_the_number_of_workers(project, trained_project, workers):
    project.run("stages.train", "--workers", workers)
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


def test_results_do_not_depend_on_locale_time_zone_or_hash_seed(project, trained_project):
    strange = {"LC_ALL": "C", "LANG": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "4321"}
    project.run_anew("stages.train", "--workers", "2", **strange)
    assert project.cell_bytes() == trained_project.cell_bytes()


def test_results_do_not_depend_on_the_rights_of_new_files(project, trained_project):
    before = os.umask(0o077)
    try:
        project.run_anew("stages.train", "--workers", "2")
    finally:
        os.umask(before)
    assert project.cell_bytes() == trained_project.cell_bytes()


def test_preparing_again_gives_the_same_bytes(project, prepared_project):
    for stage in ("fetch", "prepare", "split"):
        project.run_anew(f"stages.{stage}", "--dataset", "tiny", PYTHONHASHSEED="99")
    for folder in ("raw/tiny", "prepared/tiny", "splits"):
        for path in (prepared_project.path / "data" / folder).iterdir():
            assert (project.path / "data" / folder / path.name).read_bytes() == path.read_bytes()
