"""After a kill, a cut or damage finished cells stay and the rest is redone."""

import os
import random
import re
import shutil
import signal
import time
from contextlib import suppress
from functools import partial

import psutil
import pytest

from tests.conftest import Project
from tests.flows.lab import KILLS, PATIENCE, dask_workers, gone, kill_workers, until


def grow(project):
    """Enough cells, each with enough fits, for a kill to fall into the middle of the work."""
    params = project.params()
    params["train"]["seeds"] = 6
    params["grids"]["strengths"] = [10.0**power for power in range(-6, 7)]
    project.write_params(params)


def cached(output):
    return int(re.search(r"cells: \d+ done, (\d+) cached", output)[1])


@pytest.fixture(scope="module")
def undisturbed(prepared_project, tmp_path_factory):
    """The predictions of a run in peace."""
    other = Project(tmp_path_factory.mktemp("undisturbed") / "project")
    shutil.copytree(prepared_project.path, other.path)
    grow(other)
    other.run("stages.train", "--workers", "2")
    return (other.path / "data" / "predictions" / "tiny.parquet").read_bytes()


@pytest.mark.slow
def test_a_lead_killed_again_and_again_loses_nothing_and_leaves_no_process(project, undisturbed):
    grow(project)
    chance = random.Random(7)
    for number in range(KILLS):
        before = project.cells()
        process = project.start("stages.train", "--workers", "2", start_new_session=True)
        if number % 4 == 3:  # on a slow machine the others may all fall into the start
            until(partial(has_moved_on, project, before, process), "a cell")
        time.sleep(chance.uniform(1.0, 5.0))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        group_is_gone(process.pid)
        after = project.cells()
        assert {path: after.get(path) for path in before} == before
    finished = project.cells()
    assert finished
    output = project.run("stages.train", "--workers", "2")
    assert cached(output) == len(finished)
    assert (project.path / "data" / "predictions" / "tiny.parquet").read_bytes() == undisturbed
    assert not list((project.path / "data").glob("**/*.tmp"))


def has_moved_on(project, before, process):
    """Whether a run has computed a cell, or has ended."""
    return len(project.cells()) > len(before) or process.poll() is not None


def group_is_gone(leader):
    """Wait until a group of processes has no living member; one may start another before."""
    while members := list(group(leader)):
        gone(members)


def group(leader):
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getpgid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                yield process


@pytest.mark.slow
def test_workers_killed_at_random_moments_change_nothing(project, undisturbed):
    grow(project)
    chance, killed = random.Random(8), 0
    while killed < KILLS:  # a run may end before
        shutil.rmtree(project.path / "data" / "cells", ignore_errors=True)
        process = project.start("stages.train", "--workers", "4", start_new_session=True)
        until(project.cells, "a first cell")
        killed += kill_workers(process, KILLS - killed, 0.5, chance)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, output
        group_is_gone(process.pid)
    assert (project.path / "data" / "predictions" / "tiny.parquet").read_bytes() == undisturbed


def test_a_worker_killed_while_the_cluster_starts_is_replaced(project):
    process = project.start("stages.train", "--workers", "2")
    until(lambda: dask_workers(process.pid), "a worker starts")[0].kill()
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, output
    assert len(project.cells()) == 4 * 4 * 2


@pytest.fixture
def finished(trained_project, tmp_path):
    """A project whose cells are all computed."""
    shutil.copytree(trained_project.path, tmp_path / "finished")
    return Project(tmp_path / "finished")


def test_a_manifest_whose_file_is_short_or_gone_is_no_cell(finished):
    cells = sorted((finished.path / "data" / "cells").glob("tiny/BR-LR/*/*/*/predictions.parquet"))
    good = {path: path.read_bytes() for path in cells}
    cells[0].write_bytes(good[cells[0]][:-40])
    cells[1].unlink()
    (cells[2].parent / "manifest.json").write_text('{"status": "ok", "predi')
    output = finished.run("stages.train", "--workers", "1")
    assert output.count("is damaged in the store, recomputing it") == 3
    assert {path: path.read_bytes() for path in cells} == good


@pytest.mark.parametrize("where", ["header", "middle", "footer"])
def test_a_damaged_cell_is_recomputed_alone_with_one_warning(finished, where):
    before = finished.cells()
    path = next((finished.path / "data" / "cells").glob("tiny/BR-LR/f1/1/*/predictions.parquet"))
    good = path.read_bytes()
    position = {"header": 1, "middle": len(good) // 2, "footer": len(good) - 20}[where]
    path.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
    output = finished.run("stages.train", "--workers", "1")
    assert output.count("warning:") == 1 and "cell tiny/BR-LR/f1/1 is damaged" in output
    assert path.read_bytes() == good
    changed = {cell for cell, when in finished.cells().items() if before[cell] != when}
    assert changed == {path.relative_to(finished.path).parent / "manifest.json"}


def test_an_unfinished_write_is_never_taken_for_a_cell(project):
    folder = project.path / "data" / "cells" / "tiny" / "BR-LR" / "f1" / "0" / ("0" * 32)
    folder.mkdir(parents=True)
    (folder / ".predictions.parquet.x.tmp").write_bytes(b"PAR1half")
    (folder / "predictions.parquet").write_bytes(b"PAR1half")
    assert cached(project.run("stages.train", "--workers", "1")) == 0
