"""What benchmarks run is planned as they say: they are run by hand, and must not rot meanwhile."""

from benchmarks import orchestration
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
