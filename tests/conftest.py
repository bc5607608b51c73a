"""A tiny project: the real code on a synthetic set of 150 rows, prepared once and copied."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.nursery import run_modules

# Workers of the tests share the cores, and threads that wait for one another burn them. It must be
# known before NumPy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[1]
MIRROR = Path(os.environ.get("RETHINK_MIRROR") or ROOT.parent / "shared" / "mirror")
NO_MIRROR = "needs the real data files: set RETHINK_MIRROR to a folder that has them"
needs_mirror = pytest.mark.skipif(not MIRROR.is_dir(), reason=NO_MIRROR)

CATALOG = {
    "datasets": {
        name: {
            "sources": [
                {
                    "format": "synthetic",
                    "recipe": {
                        "generator": generator,
                        "instances": 150,
                        "features": 5,
                        "labels": 3,
                    },
                }
            ]
        }
        for name, generator in (("tiny", "logistic-chain"), ("single", "exclusive"))
    }
}
PARAMS = {
    "profile": "tiny",
    "datasets": ["tiny"],
    "experiments": {
        "algorithms": {
            "models": ["all-zeros", "top-k", "BR-LR", "bayes"],
            "costs": ["hamming", "rank", "f1", "accuracy"],
        }
    },
    "train": {
        "seeds": 2,
        "folds": 3,
        "rescale": True,
        "time_limit": 60,
    },
    "grids": {"strengths": [0.01, 1.0, 100.0], "other": [0.5, 5.0]},
    "models": {
        "all-zeros": {"estimator": "AllZeros", "role": "trivial"},
        "top-k": {"estimator": "TopK", "role": "trivial"},
        "BR-LR": {"estimator": "LogisticRelevance", "grid": {"C": "strengths"}},
        "bayes": {"estimator": "BayesOptimal", "input": "joint", "role": "reference"},
    },
}


ONE_WORKER = {"RETHINK_WORKERS": "1"}  # a second one takes time to start
MODELS_OF_A_THIN_RUN = ["all-zeros", "BR-LR", "RethinkNet", "bayes"]


def pytest_xdist_make_scheduler(config, log):
    """The tests of a file stay on one worker, and the two files of tests/flows that share a lab;
    those of the pages share nothing and take long.

    By hand, as `--dist loadgroup` of pytest-xdist 3.8 groups nothing with pytest 9.2."""
    from xdist.scheduler import LoadFileScheduling

    class ByLab(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            if file == "tests/test_pages.py":
                return nodeid
            return file.replace("flows/test_refusals", "flows/test_failures")

    return ByLab(config, log)


def pytest_collection_modifyitems(items):
    """The slow tests first, so that no worker is left alone with one of them at the end; of these
    the longest: the commands of the pages, the flows, the kills."""
    longest = ("tests/test_pages.py", "tests/flows/", "tests/faults/test_kill.py")
    items.sort(key=lambda item: not item.nodeid.startswith(longest))
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def run_stages(folder, steps, **env):
    """Stages with their arguments in one process; what they printed."""
    modules = [(f"stages.{stage}", *arguments) for stage, *arguments in steps]
    code, output = run_modules(folder, modules, **ONE_WORKER | env)
    assert code == 0, output
    return output


def copy_of_the_project(target):
    """A clone of the working tree as it stands, with a Git history of its own."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        published = name.startswith("results/") and name.count("/") > 1  # nothing would be computed
        if (ROOT / name).is_file() and name != "dvc.lock" and not published:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    identity = ["-c", "user.name=rethink", "-c", "user.email=rethink@localhost"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "a copy"]):
        subprocess.run(["git", *command], cwd=target, check=True)
    return target


def thinned(clone, experiments=None):
    """The clone with profiles of seconds: fewer sets, rows, models, splits, fits, experiments."""
    catalog = yaml.safe_load((clone / "data" / "catalog.yaml").read_text())
    for source in [source for entry in catalog["datasets"].values() for source in entry["sources"]]:
        if source["format"] == "synthetic":
            source["recipe"]["instances"] = 150
    (clone / "data" / "catalog.yaml").write_text(yaml.safe_dump(catalog, sort_keys=False))
    params = yaml.safe_load((clone / "params.yaml").read_text())
    kept = experiments or list(params["experiments"])
    datasets = {"smoke": ["exclusive"], "quick": ["yeast"], "images": ["shapes"]}
    for name, sets in datasets.items():
        path = clone / "profiles" / f"{name}.yaml"
        thin = yaml.safe_load(path.read_text())
        thin["experiments"] = {k: v for k, v in thin["experiments"].items() if k in kept}
        if "algorithms" in thin["experiments"]:
            thin["experiments"]["algorithms"] = {"models": MODELS_OF_A_THIN_RUN}
        thin |= {"datasets": sets, "train": {"seeds": 1}}
        path.write_text(yaml.safe_dump(thin))
    params["experiments"] = {k: v for k, v in params["experiments"].items() if k in kept}
    params["experiments"]["algorithms"]["models"] = MODELS_OF_A_THIN_RUN
    params["grids"] |= {"strengths": [0.1, 1.0], "penalties": [1e-5], "paper-penalties": [1e-5]}
    for model in params["models"].values():
        if "estimator__n_estimators" in model.get("params", {}):
            model["params"]["estimator__n_estimators"] = 5
        for grid in (name for name in model.get("grid", {}) if name.endswith("l2")):
            few = {grid.replace("l2", name): 2 for name in ("epochs", "most_epochs")}
            model["params"] = model.get("params", {}) | few
    (clone / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))
    run_stages(clone, [("common.profile", "quick")])
    return clone


@dataclass(frozen=True)
class Project:
    """A project folder and the commands a user would run in it."""

    path: Path

    def start(self, module, *args, start_new_session=False, **env):
        return subprocess.Popen(
            [sys.executable, "-m", module, *args],
            cwd=self.path,
            env=os.environ | ONE_WORKER | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=start_new_session,
        )

    def run(self, module, *args, code=0, **env):
        ended, output = run_modules(self.path, [(module, *args)], **ONE_WORKER | env)
        assert ended == code, output
        return output

    def run_anew(self, module, *args, **env):
        """In a new interpreter, for what only its start reads, or the process of the test has."""
        process = self.start(module, *args, **env)
        output, _ = process.communicate(timeout=900)
        assert process.returncode == 0, output

    def params(self):
        return yaml.safe_load((self.path / "params.yaml").read_text())

    def write_params(self, params):
        (self.path / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False))

    def cells(self):
        """Manifest path -> time of writing, for every complete cell in the store."""
        paths = (self.path / "data" / "cells").glob("**/manifest.json")
        return {path.relative_to(self.path): path.stat().st_mtime_ns for path in paths}

    def cell_bytes(self):
        """Cell folder -> bytes of its predictions."""
        paths = (self.path / "data" / "cells").glob("**/predictions.parquet")
        return {path.parent.relative_to(self.path): path.read_bytes() for path in paths}


@pytest.fixture(scope="session")
def prepared_project(tmp_path_factory):
    path = tmp_path_factory.mktemp("prepared") / "project"
    (path / "data").mkdir(parents=True)
    (path / "data" / "catalog.yaml").write_text(yaml.safe_dump(CATALOG))
    project = Project(path)
    project.write_params(PARAMS)
    stages = ("fetch", "prepare", "split")
    run_stages(path, [(s, "--dataset", name) for name in CATALOG["datasets"] for s in stages])
    return project


@pytest.fixture(scope="session")
def trained_project(prepared_project, tmp_path_factory):
    """A copy whose cells are all computed, by one worker; not to be changed."""
    path = tmp_path_factory.mktemp("trained") / "project"
    shutil.copytree(prepared_project.path, path)
    project = Project(path)
    project.run("stages.train", "--workers", "1")
    return project


@pytest.fixture
def project(prepared_project, tmp_path):
    """A copy of the tiny project with fetched, prepared and split data and an empty store."""
    path = tmp_path / "project"
    shutil.copytree(prepared_project.path, path)
    return Project(path)


def copy_code(project):
    """Give a project a copy of the code that a test may change."""
    for package in ("rethink", "stages"):
        shutil.copytree(ROOT / package, project.path / package)
    return project


@pytest.fixture
def code(project):
    """The tiny project with a copy of the code that a test may change."""
    return copy_code(project)


@pytest.fixture(scope="session")
def mirror():
    if not MIRROR.is_dir():
        pytest.skip(NO_MIRROR)
    return MIRROR
