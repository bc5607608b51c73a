"""What benchmarks run is planned as they say: they are run by hand, and must not rot meanwhile."""

import numpy as np
import pytest

from benchmarks import orchestration, protocol
from tests.conftest import Project, copy_of_the_project

COUNT = """
from stages.common.catalog import load_catalog
from stages.common.params import load_params
from stages.common.plan import jobs, plan
params = load_params()
cells = plan(params, load_catalog(), params.datasets)
print(len(cells), sum(1 for _ in jobs(dict.fromkeys(cells), params)))
"""


def planned(folder):
    """How many cells and jobs the parameters in a folder plan."""
    (folder / "count.py").write_text(COUNT)
    return tuple(int(word) for word in Project(folder).run("count").split()[-2:])


def test_both_doors_have_two_hundred_cells_of_a_second(tmp_path):
    folder = copy_of_the_project(tmp_path)
    orchestration.write_busy(folder)
    assert planned(folder) == (orchestration.CELLS, orchestration.CELLS)


def test_every_job_of_the_published_run_is_replayed(tmp_path):
    groups = list(orchestration.reference_jobs())
    orchestration.write_replay(tmp_path)
    orchestration.write_sleeps(tmp_path / "params.yaml", groups, divisor=50)
    _, jobs = planned(tmp_path)
    assert jobs == sum(group["jobs"] for group in groups) > 1000


@pytest.mark.parametrize("settings", [{"stopping": "loss", "epochs": 3}, {"most_epochs": 11}])
def test_the_protocol_tells_the_epochs_that_were_given_or_chosen(settings):
    rng = np.random.default_rng(0)
    X = rng.random((60, 4))
    data = X, (X[:, :3] > 0.5).astype(np.uint8)
    value, seconds, chosen = protocol.score(
        "RethinkNet", settings | {"hidden": 4, "features": 4}, [1e-5], data, "emotions", "f1", 0
    )
    assert 0 <= value <= 1 and seconds > 0
    assert chosen["epochs"] == 3 if "epochs" in settings else chosen["epochs"] <= 11
