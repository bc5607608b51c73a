"""After a kill, a cut or damage finished cells stay and the rest is redone."""

import os
import random
import re
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import psutil
import pytest

from tests.conftest import ROOT, Project, copy_code
from tests.flows.lab import KILLS, PATIENCE, dask_workers, gone, kill_workers, until
from tests.nursery import nursery, run_modules

TRAIN = ("stages.train", "--workers", "2")
CELLS = 9 * 10  # of a project that was grown


def grow(project):
    """Enough cells for kills to fall into the middle of the work; most take time, but no CPU."""
    shutil.copy(ROOT / "tests" / "broken_models.py", project.path / "rethink" / "models")
    params = project.params()
    slow = {f"slow-{number}": {"estimator": "Slow"} for number in range(8)}
    params["models"] |= slow
    params["experiments"]["algorithms"] = {"models": ["BR-LR", *slow], "costs": ["f1"]}
    params["train"]["seeds"] = 10
    project.write_params(params)
    return project


def cached(output):
    return int(re.search(r"cells: \d+ done, (\d+) cached", output)[1])


@pytest.fixture
def grown(code):
    return grow(code)


@pytest.fixture(scope="module")
def undisturbed(prepared_project, tmp_path_factory):
    """The predictions of a run in peace."""
    other = Project(tmp_path_factory.mktemp("undisturbed") / "project")
    shutil.copytree(prepared_project.path, other.path)
    copy_code(other)
    grow(other).run("stages.train", "--workers", "4")
    return (other.path / "data" / "predictions" / "tiny.parquet").read_bytes()


@pytest.mark.slow
def test_a_lead_killed_again_and_again_loses_nothing_and_leaves_no_process(grown, undisturbed):
    chance, before, killed = random.Random(7), {}, 0
    while killed < KILLS:
        if len(before) == CELLS:
            shutil.rmtree(grown.path / "data" / "cells")
            before = {}
        with ThreadPoolExecutor(1) as thread:
            run = thread.submit(run_modules, grown.path, [TRAIN], leads_group=True)
            (lead,) = until(psutil.Process(nursery().pid).children, "the lead starts")
            if killed % 4 == 3:  # on a slow machine the others may all fall into the start
                until(partial(has_moved_on, grown, before, run), "a cell")
            time.sleep(chance.uniform(0.2, 3.0))
            with suppress(psutil.NoSuchProcess):  # it may have ended before
                lead.kill()
        killed += run.result()[0] == -signal.SIGKILL
        group_is_gone(lead.pid)
        after = grown.cells()
        assert before.items() <= after.items()
        before = after
    output = grown.run("stages.train", "--workers", "4")
    assert before and cached(output) == len(before)
    assert (grown.path / "data" / "predictions" / "tiny.parquet").read_bytes() == undisturbed
    assert not list((grown.path / "data").glob("**/*.tmp"))


def has_moved_on(project, before, run):
    """Whether a run has computed a cell, or has ended."""
    return len(project.cells()) > len(before) or run.done()


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
def test_workers_killed_at_random_moments_change_nothing(grown, undisturbed):
    chance, killed = random.Random(8), 0
    while killed < KILLS:  # a run may end before
        shutil.rmtree(grown.path / "data" / "cells", ignore_errors=True)
        process = grown.start("stages.train", "--workers", "4", start_new_session=True)
        until(grown.cells, "a first cell")
        killed += kill_workers(process, KILLS - killed, chance)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, output
        group_is_gone(process.pid)
    assert (grown.path / "data" / "predictions" / "tiny.parquet").read_bytes() == undisturbed


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


def test_damaged_cells_are_recomputed_alone_with_one_warning_each(finished):
    before = finished.cells()
    cells = sorted((finished.path / "data" / "cells").glob("tiny/BR-LR/*/*/*/predictions.parquet"))
    good = {path: path.read_bytes() for path in cells}
    header, middle, footer, short, absent, manifest, unfinished, _ = cells
    for path, place in ((header, 1), (middle, len(good[middle]) // 2), (footer, -20)):
        flipped = bytearray(good[path])
        flipped[place] ^= 1
        path.write_bytes(flipped)
    short.write_bytes(good[short][:-40])
    absent.unlink()
    (manifest.parent / "manifest.json").write_text('{"status": "ok", "predi')
    (unfinished.parent / "manifest.json").unlink()  # it is written last: there was no cell yet
    unfinished.write_bytes(b"PAR1half")
    (unfinished.parent / ".predictions.parquet.x.tmp").write_bytes(b"PAR1half")
    output = finished.run("stages.train", "--workers", "1")
    damaged = {header, middle, footer, short, absent, manifest}
    for path in damaged:
        name = path.parents[1].relative_to(finished.path / "data" / "cells")
        assert output.count(f"warning: cell {name} is damaged in the store, recomputing it") == 1
    assert output.count("warning:") == len(damaged) and cached(output) == len(before) - 7
    assert {path: path.read_bytes() for path in cells} == good
    after = {path: when for path, when in finished.cells().items() if before[path] != when}
    changed = {path.parent / "manifest.json" for path in {*damaged, unfinished}}
    assert {finished.path / path for path in after} == changed
