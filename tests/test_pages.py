"""The pages are true: what they say is run here, in tests/flows or in test_own_data.py."""

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from stages.common.profile import yaml_editor
from tests.conftest import copy_of_the_project, run_stages, thinned
from tests.readme import ROOT, blocks

DOCS = ROOT / "docs"
PREFIX = Path(sys.prefix)
THIS_RUN = {"make test", "make test-fast", "make lint"}  # they run this test, or would wait for it
# in this order, in one clone: the sections of the pages that a newcomer follows
FOLLOWED = (
    ("README.md", "Two commands"),
    ("README.md", "Run it at scale"),
    ("docs/pipeline.md", "What is run"),
    ("docs/pipeline.md", "With DVC"),
    ("docs/images.md", None),
    ("docs/right_prediction.md", None),
    ("docs/check_a_claim.md", None),
)
BY_FLOWS = (("docs/pipeline.md", "With Prefect"), ("docs/machines.md", None))
BY_AN_ENGINEER = (("docs/own-data.md", None),)  # tests/test_own_data.py
MOST_LINES = 150  # of the README


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A clean clone whose environment is the one of this run."""
    folder = thinned(copy_of_the_project(tmp_path_factory.mktemp("pages") / "clone"))
    (folder / ".venv").symlink_to(PREFIX)
    return folder


def run(folder, command, **env):
    # run below `make`, these would make the inner one chatty
    outside = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=outside | env, capture_output=True, text=True,
        timeout=1800, executable="/bin/bash",
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def lines(*sections):
    return [line for page, name in sections for b in blocks(page, section=name) for line in b]


def test_every_command_of_the_pages_is_run_by_a_test():
    pages = ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in DOCS.glob("*.md"))]
    words = {line for page in pages for line in lines((page, None))}
    assert words == {*lines(*FOLLOWED, *BY_FLOWS, *BY_AN_ENGINEER), *THIS_RUN}


def test_the_readme_is_short_and_its_links_lead_to_files():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= MOST_LINES
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 10 and [t for t in targets if not (ROOT / t).is_file()] == []


@pytest.mark.slow
@pytest.mark.skipif(
    not (PREFIX / ".installed").exists(), reason="the environment was not made by `make`"
)
def test_the_commands_from_a_clean_clone_to_the_report(clone, mirror_or_nothing):
    activated = False
    outputs = {}
    for line in lines(*FOLLOWED):
        activated |= "activate" in line
        if line in THIS_RUN or (line in outputs and line.startswith("make plan")):
            continue  # two pages show the plan, which changes nothing
        if "RETHINK_MIRROR" in line:
            line = line.replace("/path/to/mirror", str(mirror_or_nothing))
        outputs[line] = run(clone, f". .venv/bin/activate && {line}" if activated else line)
    assert outputs["make report"].endswith("the report is at reports/report.html\n")
    assert "yeast" in outputs["make plan"]
    assert "up to date" in outputs["dvc status"]
    assert "Running stage" not in outputs["dvc repro"]
    assert "-> ['shapes']" in outputs["make profile NAME=images"]
    assert 'src="data:image/jpeg;base64,' in (clone / "reports" / "report.html").read_text()


def test_the_library_example_prints_an_f1_score():
    (code,) = blocks("README.md", "python", "Use it on my arrays")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, check=True
    )
    assert 0.5 < float(done.stdout) <= 1


@pytest.fixture
def mirror_or_nothing(tmp_path):
    """Any folder is a mirror: what it lacks comes from elsewhere."""
    return tmp_path


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
