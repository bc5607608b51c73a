"""README.md and CONTRIBUTING.md are true: what they say is run here or in tests/flows."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import copy_of_the_project, thinned
from tests.readme import ROOT, blocks

PREFIX = Path(sys.prefix)
THIS_RUN = {"make test", "make test-fast", "make lint"}  # they run this test, or would wait for it
README = ROOT / "README.md"
OWN_ROWS = " (all-zeros, top-k, BR-LR, BR-LR+rule and PCC-as-published)"
REPORT = ("Two commands", "What is run", "With DVC", "Images")


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


def test_every_command_of_the_pages_is_run_by_a_test():
    said = {line for page in ("README.md", "CONTRIBUTING.md") for b in blocks(page) for line in b}
    run_here = {line for s in REPORT for b in blocks("README.md", section=s) for line in b}
    flows = ("With Prefect", "On several machines")
    run_by_flows = {line for s in flows for b in blocks("README.md", section=s) for line in b}
    assert said == run_here | run_by_flows | THIS_RUN


@pytest.mark.slow
@pytest.mark.skipif(
    not (PREFIX / ".installed").exists(), reason="the environment was not made by `make`"
)
def test_the_commands_from_a_clean_clone_to_the_report(clone, mirror_or_nothing):
    lines = [line for section in REPORT for b in blocks("README.md", section=section) for line in b]
    activated = False
    outputs = {}
    for line in lines:
        activated |= "activate" in line
        if line in THIS_RUN:
            continue
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
    (lines,) = blocks("README.md", "python", "On your own arrays")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert 0.5 < float(done.stdout) <= 1


@pytest.fixture
def mirror_or_nothing(tmp_path):
    """Any folder is a mirror: what it lacks comes from elsewhere."""
    return tmp_path


def test_the_verdicts_that_the_readme_quotes_are_those_of_the_reference_run():
    page = html.unescape((ROOT / "reports" / "small" / "report.html").read_text())
    shown = re.findall(r"> (holds|does not hold)</td><th[^>]*>([^<]*)</th>", page)
    ours = {text.replace(OWN_ROWS, ""): verdict for verdict, text in shown}
    table = re.findall(r"^\| \**(holds|does not hold)\** \| (.*) \|$", README.read_text(), re.M)
    assert {text: verdict for verdict, text in table} == ours
    assert len(ours) == 23


def entry(page, section):
    """The YAML that a section of a page tells the user to add."""
    (text,) = blocks(page, "yaml", section)
    return yaml.safe_load("\n".join(text))


def test_a_users_own_data_set_is_one_entry(project):
    catalog = yaml.safe_load((project.path / "data" / "catalog.yaml").read_text())
    catalog["datasets"] |= entry("README.md", "Your own data set")
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
    for stage in ("fetch", "prepare", "split", "train"):
        project.run(f"stages.{stage}", "--dataset", "birdsong")
    assert len(project.cells()) == 3 * 4 * 2  # no bayes: the distribution is not known


def test_a_model_is_one_file_and_one_entry_and_a_cost_one_file(code):
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    for text in re.findall(r"`(rethink/\S+\.py)`[^`]*?```python\n(.*?)```", contributing, re.S):
        (code.path / text[0]).write_text(text[1])
    params = code.params()
    params["models"] |= entry("CONTRIBUTING.md", "A model: one file and one entry")
    params["experiments"]["algorithms"]["models"] = ["everything", "top-k"]
    params["experiments"]["algorithms"]["costs"] = ["f1", "zero-one"]
    code.write_params(params)
    code.run("stages.train", "--dataset", "tiny")
    code.run("stages.evaluate")
    query = (
        "import pandas as pd; s = pd.read_parquet('data/scores.parquet');"
        "print(sorted(s['criterion'].unique()), sorted(s['model'].unique()))"
    )
    output = subprocess.run(
        [sys.executable, "-c", query], cwd=code.path, capture_output=True, text=True, check=True
    ).stdout
    assert "zero-one" in output and "everything" in output


def test_an_experiment_is_one_entry_one_file_and_one_section(code):
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    files = re.findall(r"`(stages/\S+\.py)`[^`]*?```python\n(.*?)```", contributing, re.S)
    assert len(files) == 2
    for name, text in files:
        (code.path / name).write_text(text)
    params = code.params()
    rule = {"estimator": "LogisticRule", "grid": {"C": "strengths"}}
    params["models"]["BR-LR+rule"] = rule | {"variant_of": "BR-LR", "variant": "rule"}
    params["experiments"] = entry(
        "CONTRIBUTING.md", "An experiment: one entry, one file, one section"
    )
    params["train"]["seeds"] = 3
    code.write_params(params)
    (code.path / "data" / "paper").symlink_to(ROOT / "data" / "paper")
    code.run("stages.train", "--dataset", "tiny")
    for stage in ("evaluate", "compare", "report"):
        code.run(f"stages.{stage}")
    page = html.unescape((code.path / "reports" / "report.html").read_text())
    assert "By F1 score, a decision rule for the cost pays." in page
    assert '<section id="rules"' in page and page.count(">Evidence</a>") == 2
    metrics = json.loads((code.path / "reports" / "metrics.json").read_text())
    assert metrics["claims"] == {"rules-f1": "not enough runs", "rules-rank": "not enough runs"}
