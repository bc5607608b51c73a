"""What a newcomer types in the first minutes, too early or with a slip: one line of advice."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import copy_of_the_project
from tests.nursery import run_modules

pytestmark = pytest.mark.slow

PREFIX = Path(sys.prefix)
MAKE = "make -o .venv/.installed"  # the environment is that of this run: nothing is installed
BARE = "make VENV=none"  # there is no environment, and for a slip none is installed
SLIPS = {
    f"{BARE} profile": "which profile? run: make profile NAME=quick; there are images paper",
    f"{MAKE} profile NAME=qick": "unknown profile 'qick'; did you mean 'quick'?",
    f"{MAKE} plan NAME=qick": "unknown profile 'qick'; did you mean 'quick'?",
    f"{BARE} own": "which table, and which columns are labels? run: make own TABLE=",
    f"{MAKE} own TABLE=none.csv LABELS=a": "none.csv is no file; give the path of your table",
    f"{BARE} model": "for which data set and cost of the report? run: make model DATASET=",
    f"{MAKE} model DATASET=yeast COST=f1": "comparison.json is missing; run: make report",
    f"{BARE} keep": "there is no report to keep; run: make report",
    f"{MAKE} publish": "no cell of params.yaml was computed here; run: make report",
    f"{MAKE} deployments": "no Prefect server is named; start one and name it: prefect server",
    f"{BARE} PYTHON=nopython report": "run: make PYTHON=/path/to/python3.11",
    f"{BARE} PYTHON=./python3.12 report": "Python 3.11 is needed, ./python3.12 is 3.12",
    "python -m stages.train --dataset emotions": "make profile NAME=paper",
    "python -m stages.train --dataset yeast": "yeast is not prepared; run: dvc repro split@yeast",
    "python -m stages.evaluate": "run `dvc repro`",
    "python -m stages.report --where": "run `make report`",
    "python -m flows.rethink": "no Prefect server is named; start one and name it: prefect server",
}
SAYS_3_12 = """#!/bin/bash
exec python -c "import sys; sys.version_info = (3, 12); $2"
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    folder = copy_of_the_project(tmp_path_factory.mktemp("first") / "clone")
    (folder / ".venv").symlink_to(PREFIX)
    (folder / "python3.12").write_text(SAYS_3_12)
    (folder / "python3.12").chmod(0o755)
    return folder


def try_to(folder, command):
    outside = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "PREFECT"))
    }
    inside = {"PATH": f"{PREFIX / 'bin'}:{outside['PATH']}", "PYTHONPATH": str(folder)}
    return subprocess.run(
        command, shell=True, cwd=folder, env=outside | inside, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize("command", SLIPS)
def test_a_slip_is_told_in_one_line_with_what_to_do(clone, command):
    if command.startswith("python -m stages."):
        code, output = run_modules(clone, [command.split()[2:]])
    else:
        done = try_to(clone, command)
        code, output = done.returncode, done.stdout + done.stderr
    facts = [line for line in output.splitlines() if "***" not in line]
    assert code != 0
    assert SLIPS[command] in facts[-1]
    assert len(facts) == 1 or (len(facts) == 2 and " left" in facts[0])  # a line of progress


def test_a_name_is_text_to_make_and_to_the_shell(clone):
    name = """a; touch forged "; touch forged; " $(shell touch forged) `touch forged`"""
    given = shlex.quote(name)
    done = try_to(clone, f"{MAKE} own TABLE={given} LABELS={given}")
    assert f"error: {name} is no table that can be read" in done.stderr
    done = try_to(clone, f"{MAKE} profile NAME={given}")
    assert f"unknown profile {name!r}" in done.stderr
    assert not (clone / "forged").exists()


def test_a_plan_and_the_stages_are_shown_before_anything_was_run(clone):
    plan = try_to(clone, f"{MAKE} plan")
    assert plan.returncode == 0 and "CPU h" in plan.stdout.splitlines()[-1]
    stages = try_to(clone, "dvc repro --dry --force")
    assert stages.returncode == 0 and "python -m stages.report" in stages.stdout
    assert not (clone / "data" / "raw" / "yeast").exists()
