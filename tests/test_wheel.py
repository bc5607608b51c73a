"""The wheel has the library alone, and works where nothing of the clone is."""

import email
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml

import rethink
from tests.readme import ROOT

PYTHON = os.environ.get("RETHINK_PYTHON", sys.executable)  # of the empty environment
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
QUICK = ("test_costs", "test_rules", "test_scaling", "test_seeds", "test_splits")
NEED_THE_CLONE = ("test_imports", "test_resnet_real", "test_datasets")
ORACLES = ("pytest", "hypothesis", "pandas", "baycomp", "scikit-posthocs", "statsmodels")
TELL = """
import rethink
try: rethink.RethinkNet().fit([[0.0], [1.0]], [[0], [1]])
except ImportError as error: print(error)
print(rethink.datasets.load("chain").Y.shape)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "rethink", source / "rethink")
    for package in ("stages", "flows"):  # they lie beside it and must stay out
        (source / package).mkdir()
        (source / package / "__init__.py").touch()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, str(source), "-w", str(folder)], check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def in_an_empty_environment(folder, wheel, requirements, files):
    """Install the wheel into a new environment and run tests of the library there."""
    subprocess.run([PYTHON, "-m", "venv", str(folder / "env")], check=True)
    python = str(folder / "env" / "bin" / "python")
    quick = ["--quiet", "--no-compile", "--timeout", "30", "--retries", "1"]
    install = [python, "-m", "pip", "install", *quick, str(wheel)]
    alone = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([*install, *requirements], env=alone, capture_output=True, text=True)
    if "No matching distribution found for pytest" in done.stderr:
        pytest.skip("no package index answers")
    assert done.returncode == 0, done.stderr
    tests = folder / "tests" / "rethink"
    tests.mkdir(parents=True)
    (folder / "tests" / "__init__.py").touch()
    for name in ("__init__", "own_cost", *files):
        shutil.copy(ROOT / "tests" / "rethink" / f"{name}.py", tests)
    for name in ("data/paper", "benchmarks"):  # an oracle of one test each
        shutil.copytree(ROOT / name, folder / name)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    command = [python, "-m", "pytest", "-q", "-m", "not slow", "tests"]
    tested = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout[-10_000:]
    return python


def library_tests():
    """The files of all tests of the library that need nothing but its wheel."""
    files = [path.stem for path in (ROOT / "tests" / "rethink").glob("test_*.py")]
    return [name for name in files if name not in NEED_THE_CLONE]


def test_the_wheel_has_the_library_alone(wheel):
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        text = packed.read(next(n for n in names if n.endswith("/METADATA"))).decode()
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "rethink").rglob("*.py")}
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == files | {"rethink/py.typed", "rethink/datasets/catalog.json"}
    facts = email.message_from_string(text)
    assert (facts["Name"], facts["Version"]) == ("rethinknet", rethink.__version__)
    needed = [line for line in facts.get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(re.split(r"\W", line)[0] for line in needed) == ["numpy", "scikit", "scipy"]
    assert facts["License-Expression"] == "BSD-3-Clause"


def test_the_tests_of_the_wheel_import_nothing_of_the_clone():
    for name in library_tests():
        text = (ROOT / "tests" / "rethink" / f"{name}.py").read_text()
        others = re.findall(r"^ *(?:from|import) ((?:stages|flows|tests)\b\S*)", text, re.M)
        assert [module for module in others if not module.startswith("tests.rethink.")] == [], name


def test_every_place_tells_the_same_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    changes = re.search(r"^## (\S+) \((\S+)\)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert rethink.__version__ == cited["version"] == changes[1]
    assert str(cited["date-released"]) == changes[2]
    assert PROJECT["dynamic"] == ["version"] and "version" not in PROJECT


@pytest.mark.slow
def test_the_wheel_works_with_the_newest_versions_and_without_torch(wheel, tmp_path):
    python = in_an_empty_environment(tmp_path, wheel, ["pytest", "hypothesis", "pandas"], QUICK)
    facts = subprocess.run([python, "-c", TELL], cwd=tmp_path, capture_output=True, text=True)
    advice = "RethinkNet is a network, needs torch: pip install 'rethinknet[nets]'"
    assert facts.stdout.splitlines() == [advice, "(800, 6)"]


@pytest.mark.wheel
@pytest.mark.timeout(7200)  # gigabytes are fetched first
@pytest.mark.parametrize("versions", ["lowest", "newest"])
def test_all_tests_of_the_library_pass_with_its_wheel(wheel, tmp_path, versions):
    ours = [*PROJECT["dependencies"], *EXTRAS["nets"]]
    pinned = [line.replace(">=", "==") if versions == "lowest" else line for line in ours]
    in_an_empty_environment(tmp_path, wheel, [*pinned, *ORACLES], library_tests())
