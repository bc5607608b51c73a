"""Labs in which the tests of this folder work."""

import secrets
import shutil
import sys

import pytest
import yaml

from tests.conftest import ROOT, copy_of_the_project, thinned
from tests.flows.lab import Shell, free_port
from tests.readme import blocks

WORKER = "prefect worker start"


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
    params["models"]["held"] = {"estimator": "Held"}
    params["experiments"] = {"algorithms": {"models": models, "costs": list(costs)}}
    params["train"] |= {"seeds": seeds, "time_limit": 60, "device": "auto", **train}
    path.write_text(yaml.safe_dump(params, sort_keys=False))


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A clone with a server and the deployments, set up as the documentation says; the server has
    a password, which everything that is started here knows."""
    base = tmp_path_factory.mktemp("lab")
    login = f"someone:{secrets.token_hex(16)}"
    shell = Shell(make_clone(base / "clone"), base / "prefect", free_port(),
                  PREFECT_SERVER_API_AUTH_STRING=login, PREFECT_API_AUTH_STRING=login)  # fmt: skip
    *setting_up, _ = blocks("docs/pipeline.md", section="With Prefect")
    try:
        for line in [line for block in setting_up for line in block]:
            if WORKER not in line:  # tests start one where they need it
                shell.follow(line)
        yield shell
    finally:
        shell.stop()
