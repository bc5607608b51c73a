"""The pages are true: their commands are run here, in tests/flows, test_adding or test_own_data."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import copy_of_the_project, thinned
from tests.readme import ROOT, blocks

DOCS = ROOT / "docs"
PREFIX = Path(sys.prefix)
THIS_RUN = {"make test", "make test-fast", "make lint"}  # they run this test, or would wait for it
# the sections of the pages that a newcomer follows, in this order, each tuple in a clone
FIRST_REPORT = (
    ("README.md", "Two commands"),
    ("README.md", "Run it at scale"),
    ("docs/pipeline.md", "What is run"),
    ("docs/pipeline.md", "With DVC"),
)
FURTHER = (
    ("docs/images.md", None),
    ("docs/right_prediction.md", None),
    ("docs/check_a_claim.md", None),
)
BY_FLOWS = (("docs/pipeline.md", "With Prefect"), ("docs/machines.md", None))
BY_AN_ENGINEER = (("docs/own-data.md", None),)  # tests/test_own_data.py
MOST_LINES = 150  # of the README
made_by_make = pytest.mark.skipif(
    not (PREFIX / ".installed").exists(), reason="the environment was not made by `make`"
)


@pytest.fixture
def clone(tmp_path):
    """A clean clone whose environment is the one of this run."""
    folder = thinned(copy_of_the_project(tmp_path / "clone"))
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
    assert words == {*lines(*FIRST_REPORT, *FURTHER, *BY_FLOWS, *BY_AN_ENGINEER), *THIS_RUN}


def test_the_readme_is_short_and_its_links_lead_to_files():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= MOST_LINES
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 10 and [t for t in targets if not (ROOT / t).is_file()] == []


def follow(clone, sections, mirror):
    """What each command of the sections printed."""
    activated = False
    outputs = {}
    for line in lines(*sections):
        activated |= "activate" in line
        if line in THIS_RUN or (line in outputs and line.startswith("make plan")):
            continue  # two pages show the plan, which changes nothing
        if "RETHINK_MIRROR" in line:
            line = line.replace("/path/to/mirror", str(mirror))
        outputs[line] = run(clone, f". .venv/bin/activate && {line}" if activated else line)
    return outputs


@pytest.mark.slow
@made_by_make
def test_the_commands_from_a_clean_clone_to_the_report(clone, mirror_or_nothing):
    outputs = follow(clone, FIRST_REPORT, mirror_or_nothing)
    assert outputs["make report"].endswith("the report is at reports/report.html\n")
    assert "yeast" in outputs["make plan"]
    assert "up to date" in outputs["dvc status"]
    assert "Running stage" not in outputs["dvc repro"]


@pytest.mark.slow
@made_by_make
def test_the_commands_for_images_and_those_of_the_worked_examples(clone, mirror_or_nothing):
    outputs = follow(clone, FURTHER, mirror_or_nothing)
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
