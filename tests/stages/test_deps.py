"""dvc.yaml names all the code of a stage, so that a change of it is noticed."""

from pathlib import PurePosixPath

import pytest
import yaml

from stages.common.version import import_closure
from tests.readme import ROOT

STAGES = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
COMMANDS = {"export", "keep", "outlook", "own", "publish", "verify"}  # commands that are no stage
# what reads params.yaml checks its names of models and costs: that changes no output
CHECKED = {name for name in import_closure("stages.common.params") if name.startswith("rethink")}


def code_of(stage):
    """The modules that run when a stage is run, as files."""
    module = STAGES[stage]["cmd"].split()[2]
    folder = ROOT.joinpath(*module.split("."))
    # all of the folder: a module that is found by its name is imported, too
    files = [path.relative_to(ROOT).with_suffix("") for path in folder.rglob("*.py")]
    modules = [".".join(file.parts).removesuffix(".__init__") for file in files] or [module]
    for name in import_closure(*modules):
        path = ROOT.joinpath(*name.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        yield name, PurePosixPath(file.relative_to(ROOT).as_posix())


def named(stage, file):
    return any(file.is_relative_to(dep) for dep in STAGES[stage]["deps"])


@pytest.mark.parametrize("stage", STAGES)
def test_the_deps_of_a_stage_are_all_the_code_that_it_imports(stage):
    absent = {str(file) for name, file in code_of(stage) if not named(stage, file)}
    assert absent <= {str(file) for name, file in code_of(stage) if name in CHECKED}


@pytest.mark.parametrize("stage", STAGES)
def test_every_dep_of_a_stage_that_is_code_is_imported(stage):
    files = [file for _, file in code_of(stage)]
    code = [dep for dep in STAGES[stage]["deps"] if dep.startswith(("rethink", "stages"))]
    assert [dep for dep in code if not any(f.is_relative_to(dep) for f in files)] == []


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_imports_another(stage):
    homes = {name.split(".")[1] for name, _ in code_of(stage) if name.startswith("stages.")}
    assert homes - {"common"} == {stage}


def test_a_stage_is_a_folder_or_a_file_of_its_name():
    names = {path.stem for path in (ROOT / "stages").iterdir() if not path.name.startswith("__")}
    assert names == {*STAGES, "common", *COMMANDS}


def test_a_file_name_is_used_once_but_for_the_two_halves_of_an_experiment():
    files = [path for path in (ROOT / "stages").rglob("*.py") if not path.stem.startswith("__")]
    experiments = {path.stem for path in (ROOT / "stages/compare/experiments").glob("*.py")}
    names = [path.stem for path in files if path.stem not in experiments]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []
