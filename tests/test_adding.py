"""Adding things: what the pages tell a user to add is added here, and works."""

import html
import os
import re
import subprocess
import sys

import pandas as pd
import pytest
import yaml

from stages.common.profile import yaml_editor
from tests.conftest import copy_of_the_project, run_stages
from tests.readme import ROOT, blocks


def entry(page, section):
    """The YAML that a section of a page tells the user to add."""
    (text,) = blocks(page, "yaml", section)
    return yaml.safe_load("\n".join(text))


def test_a_users_own_data_set_is_one_entry(project):
    catalog = yaml.safe_load((project.path / "data" / "catalog.yaml").read_text())
    catalog["datasets"] |= entry("docs/data.md", "One entry")
    (project.path / "data" / "catalog.yaml").write_text(yaml.safe_dump(catalog))
    folder = project.path / "data" / "raw" / "birdsong"
    folder.mkdir()
    rows = [f"{i % 7},{i % 5},{'wet' if i % 3 else 'dry'},{i % 2},{(i // 2) % 2},{int(i % 4 == 0)}"
            for i in range(60)]  # fmt: skip
    header = "pitch,length,weather,wren,robin,finch"
    (folder / "birdsong.csv").write_text("\n".join([header, *rows]) + "\n")
    params = project.params()
    params["datasets"] = ["birdsong"]
    project.write_params(params)
    stages = ("fetch", "prepare", "split", "train")
    run_stages(project.path, [(stage, "--dataset", "birdsong") for stage in stages])
    assert len(project.cells()) == 3 * 4 * 2  # no bayes: the distribution is not known


ADDED = re.compile(r"`((?:rethink|stages)/\S+\.py)`[^`]*?```python\n(.*?)```", re.S)
AFTER_ADDING = (  # the tests that look at all models, costs, data sets or stages
    "tests/rethink/test_costs.py",
    "tests/rethink/test_models.py",
    "tests/rethink/test_imports.py",
    "tests/stages/common",
    "tests/stages/test_deps.py",
)


def add_what_contributing_shows(folder):
    """Every file and entry of the page, in a project with params.yaml and data/catalog.yaml."""
    page = "CONTRIBUTING.md"
    files = dict(ADDED.findall((ROOT / page).read_text()))
    assert len(files) == 4
    (rule,) = blocks(page, "python", "A rule: one method")
    files["rethink/costs/zero_one.py"] += "\n" + "\n".join(rule) + "\n"
    for name, text in files.items():
        (folder / name).write_text(text)
    change = yaml_editor()
    for path in (folder / "params.yaml", *folder.glob("profiles/*.yaml")):
        params = change.load(path)
        params["experiments"]["algorithms"]["models"] += ["everything", "trees+rule"]
        if path.name == "params.yaml":
            params["models"] |= entry(page, "A model: one file and one entry")
            params["models"] |= entry(page, "A model of scikit-learn: one entry")
            params["grids"].setdefault("leaves", [5, 1])
            params["experiments"] |= entry(page, "An experiment: one entry, one file, one section")
            params["experiments"]["algorithms"]["costs"].append("zero-one")
        change.dump(params, path)
    path = folder / "data" / "catalog.yaml"
    catalog = change.load(path)
    catalog["datasets"] |= entry("docs/data.md", "One entry")
    change.dump(catalog, path)


def test_what_contributing_shows_is_computed_scored_and_reported(code):
    add_what_contributing_shows(code.path)
    (code.path / "data" / "paper").symlink_to(ROOT / "data" / "paper")
    later = [(stage,) for stage in ("evaluate", "compare", "report")]
    run_stages(code.path, [("train", "--dataset", "tiny"), *later])
    scores = pd.read_parquet(code.path / "data" / "scores.parquet")
    assert {"everything", "trees+rule"} <= set(scores["model"])
    assert "zero-one" in set(scores["criterion"])
    page = html.unescape((code.path / "reports" / "report.html").read_text())
    assert '<section id="side-by-side"' in page


def test_the_rule_that_contributing_shows_finds_the_most_probable_set(code):
    add_what_contributing_shows(code.path)
    (code.path / "same.py").write_text(
        "import numpy as np; from rethink import DecisionRule, LogisticRelevance\n"
        "rng = np.random.default_rng(0); X = rng.normal(size=(200, 4))\n"
        "Y = (X @ rng.normal(size=(4, 5)) > 1).astype(int)\n"
        "model = DecisionRule(LogisticRelevance(), cost='zero-one')\n"
        "for empty in ('allowed', 'never'):\n"
        "    P = model.set_params(cost='zero-one', empty=empty).fit(X, Y).predict(X)\n"
        "    print((P == model.set_params(cost='subset').predict(X)).all(), P.any(axis=1).all())\n"
    )
    assert code.run("same").split() == ["True", "False", "True", "True"]


@pytest.mark.slow
def test_the_tests_are_green_after_what_contributing_shows(tmp_path):
    clone = copy_of_the_project(tmp_path / "clone")
    add_what_contributing_shows(clone)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *AFTER_ADDING]
    alone = os.environ | {"PYTHONPATH": str(clone)}
    done = subprocess.run(command, cwd=clone, env=alone, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-10_000:]
