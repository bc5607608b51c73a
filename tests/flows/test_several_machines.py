"""Workers in folders of their own, a store behind a real S3 API: one result, each cell once."""

import re
import sys
from pathlib import Path

import pytest

from tests.conftest import copy_of_the_project, thinned
from tests.flows.lab import Shell, free_port
from tests.readme import blocks

pytestmark = pytest.mark.slow
LEAD, WORKER, ANYWHERE = blocks("README.md", section="On several machines")


@pytest.fixture(scope="module")
def machines(s3, tmp_path_factory):
    """The lead and another machine, set up with the README's words; that one has no data at all."""
    base, port = tmp_path_factory.mktemp("machines"), free_port()
    shells = []
    for name in ("lead", "other"):
        clone = thinned(copy_of_the_project(base / name), experiments=("datasets", "algorithms"))
        (clone / ".venv").symlink_to(sys.prefix)
        shells.append(Shell(clone, base / "prefect", port))
    lead, other = shells
    try:
        lead.start(f"prefect server start --host 127.0.0.1 --port {port}")
        lead.run("make profile NAME=smoke")
        for shell, lines in ((lead, LEAD), (other, WORKER)):
            for line in lines:
                shell.follow(line.replace("lead:4200", "127.0.0.1:4200").replace("s3://lab", s3))
        other.start("prefect worker start --pool cpu --limit 1 --name second")
        yield lead, other
    finally:
        other.stop()
        lead.stop()


def computed(shell):
    """How many cells the units say they had to compute."""
    said = "".join(Path(process.log).read_text() for process in shell.started)
    return [int(number) for number in re.findall(r"cells, \d+ cached, (\d+) to compute", said)]


def test_workers_elsewhere_compute_each_cell_once_and_give_the_bytes_of_one_machine(machines):
    lead, other = machines
    for line in ANYWHERE:
        lead.follow(line)
    cells = 4 * 4
    assert sum(computed(other)) == cells
    assert not list((lead.folder / "data").glob("cells/**/manifest.json"))
    assert "up to date" in lead.run("dvc status")
    predictions = lead.folder / "data" / "predictions" / "exclusive.parquet"
    together = predictions.read_bytes()
    lead.run("env -u RETHINK_STORE python -m stages.train")
    assert len(list((lead.folder / "data").glob("cells/**/manifest.json"))) == cells
    assert predictions.read_bytes() == together


def test_a_machine_with_other_code_refuses_and_the_run_says_so(machines):
    lead, other = machines
    model = other.folder / "rethink" / "models" / "constant.py"
    model.write_text(model.read_text() + "\n\nSTRAY = 1\n")
    params = lead.folder / "params.yaml"
    params.write_text(params.read_text().replace("folds: 3", "folds: 2"))
    done = lead.try_to("python -m flows.rethink --dataset exclusive 2>&1")
    assert done.returncode == 1, done.stdout
    assert "was refused: " in done.stdout and "the code differs" in done.stdout
