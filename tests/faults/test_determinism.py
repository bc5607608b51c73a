"""The same inputs give the same bytes, however the work is spread."""

import os
import random
import shutil

import pytest


@pytest.fixture(scope="module")
def reference(prepared_project, tmp_path_factory):
    path = tmp_path_factory.mktemp("reference") / "project"
    shutil.copytree(prepared_project.path, path)
    project = type(prepared_project)(path)
    project.run("stages.train", "--workers", "1")
    return project


@pytest.mark.parametrize("workers", ["2", "4"])
def test_results_do_not_depend_on_the_number_of_workers(project, reference, workers):
    project.run("stages.train", "--workers", workers)
    assert project.cell_bytes() == reference.cell_bytes()
    name = "data/predictions/tiny.parquet"
    assert (project.path / name).read_bytes() == (reference.path / name).read_bytes()


def test_results_do_not_depend_on_the_order_of_the_cells(project, reference):
    params = project.params()
    for name in ("models", "costs"):
        random.Random(1).shuffle(params["experiments"]["algorithms"][name])
    project.write_params(params)
    project.run("stages.train", "--workers", "2")
    assert project.cell_bytes() == reference.cell_bytes()


def test_results_do_not_depend_on_locale_time_zone_or_hash_seed(project, reference):
    strange = {"LC_ALL": "C", "LANG": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "4321"}
    project.run("stages.train", "--workers", "2", **strange)
    assert project.cell_bytes() == reference.cell_bytes()


def test_results_do_not_depend_on_the_rights_of_new_files(project, reference):
    before = os.umask(0o077)
    try:
        project.run("stages.train", "--workers", "2")
    finally:
        os.umask(before)
    assert project.cell_bytes() == reference.cell_bytes()


def test_preparing_again_gives_the_same_bytes(project, prepared_project):
    for stage in ("fetch", "prepare", "split"):
        project.run(f"stages.{stage}", "--dataset", "tiny", PYTHONHASHSEED="99")
    for folder in ("raw/tiny", "prepared/tiny", "splits"):
        for path in (prepared_project.path / "data" / folder).iterdir():
            assert (project.path / "data" / folder / path.name).read_bytes() == path.read_bytes()
