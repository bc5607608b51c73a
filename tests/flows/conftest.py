"""Labs in which the tests of this folder work."""

import shutil
import sys

import pytest
import yaml

from tests.conftest import ROOT, copy_of_the_project, thinned
from tests.flows.lab import Shell, free_port


def make_clone(folder):
    """A clean clone with profiles of seconds and models that go wrong, in this environment."""
    clone = thinned(copy_of_the_project(folder), experiments=("datasets", "algorithms"))
    (clone / ".venv").symlink_to(sys.prefix)
    shutil.copy(ROOT / "tests" / "broken_models.py", clone / "rethink" / "models")
    return clone


def ask_for(folder, models, seeds=2, costs=("f1",), **train):
    """Write cells of one small data set into the parameters of a clone."""
    path = folder / "params.yaml"
    params = yaml.safe_load(path.read_text())
    params["datasets"] = ["exclusive"]
    slow = ["slow", *(f"slow-{number}" for number in range(8))]
    params["models"] |= {name: {"estimator": "Slow"} for name in slow}
    params["experiments"] = {"algorithms": {"models": models, "costs": list(costs)}}
    params["train"] |= {"seeds": seeds, "time_limit": 60, "device": "auto", **train}
    path.write_text(yaml.safe_dump(params, sort_keys=False))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A clone with a server, the deployments, and a worker of the pool."""
    base = tmp_path_factory.mktemp("lab")
    shell = Shell(make_clone(base / "clone"), base / "prefect", free_port())
    try:
        shell.start("prefect server start --host 127.0.0.1 --port " + shell.port)
        shell.run("make deployments")
        yield shell
    finally:
        shell.stop()
