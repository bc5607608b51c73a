"""A change recomputes exactly the cells that depend on it."""

import json
import shutil

import pytest
import yaml

from tests.conftest import Project, copy_code, run_stages

KEYS = """
import json
from stages.common.keys import keys
from stages.common.plan import plan
from stages.common.catalog import load_catalog
from stages.common.params import load_params
params = load_params()
cells = keys(plan(params, load_catalog(), params.datasets), params)
print(json.dumps({str(cell): key for cell, key in cells.items()}))
"""


def ask_for_two_data_sets(project):
    params = project.params()
    params["datasets"] = ["tiny", "single"]
    project.write_params(params)


@pytest.fixture(autouse=True)
def two_data_sets(code):
    ask_for_two_data_sets(code)


@pytest.fixture(scope="module")
def before(prepared_project, tmp_path_factory):
    """The keys before any change."""
    unchanged = Project(tmp_path_factory.mktemp("unchanged") / "project")
    shutil.copytree(prepared_project.path, unchanged.path)
    ask_for_two_data_sets(copy_code(unchanged))
    return keys(unchanged)


def keys(project):
    (project.path / "asked.py").write_text(KEYS)
    return json.loads(project.run("asked").splitlines()[-1])


def changed(before, after):
    """Cells that are new or have another key."""
    return {cell for cell, key in after.items() if before.get(cell) != key}


def test_a_comment_in_the_code_recomputes_nothing(code, before):
    path = code.path / "rethink" / "models" / "logistic.py"
    path.write_text(path.read_text() + "\n# a thought\n")
    assert keys(code) == before


def test_a_line_of_one_model_recomputes_that_model_alone(code, before):
    path = code.path / "rethink" / "models" / "logistic.py"
    path.write_text(path.read_text() + "\nunused = 1\n")
    after = keys(code)
    assert changed(before, after) == {cell for cell in after if "/BR-LR/" in cell}


def test_a_parameter_of_one_model_recomputes_that_model_alone(code, before):
    params = code.params()
    params["models"]["BR-LR"]["grid"]["C"] = "other"
    code.write_params(params)
    after = keys(code)
    assert changed(before, after) == {cell for cell in after if "/BR-LR/" in cell}


def test_a_time_limit_recomputes_nothing(code, before):
    params = code.params()
    params["train"]["time_limit"] = 5
    code.write_params(params)
    assert keys(code) == before


def test_other_data_recomputes_that_data_set_alone(code, before):
    catalog = yaml.safe_load((code.path / "data" / "catalog.yaml").read_text())
    catalog["datasets"]["tiny"]["sources"][0]["recipe"]["features"] = 6
    (code.path / "data" / "catalog.yaml").write_text(yaml.safe_dump(catalog))
    shutil.rmtree(code.path / "data" / "raw" / "tiny")
    run_stages(code.path, [(s, "--dataset", "tiny") for s in ("fetch", "prepare", "split")])
    after = keys(code)
    assert changed(before, after) == {cell for cell in after if cell.startswith("tiny/")}


def test_a_new_cost_computes_its_own_cells_alone(code, before):
    accuracy = (code.path / "rethink" / "costs" / "accuracy.py").read_text()
    renamed = accuracy.replace('name = "accuracy"', 'name = "overlap"').replace(
        "Accuracy", "Overlap"
    )
    (code.path / "rethink" / "costs" / "overlap.py").write_text(renamed)
    params = code.params()
    params["experiments"]["algorithms"]["costs"].append("overlap")
    code.write_params(params)
    after = keys(code)
    assert changed(before, after) == {cell for cell in after if "/overlap/" in cell}
    assert len(after) > len(before)


def test_a_new_seed_computes_its_own_cells_alone(code, before):
    params = code.params()
    params["train"]["seeds"] = 3
    code.write_params(params)
    after = keys(code)
    assert changed(before, after) == {cell for cell in after if cell.endswith("/2")}
    assert before.items() <= after.items()
