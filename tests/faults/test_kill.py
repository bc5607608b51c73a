"""T7, T8, T10, T11: after a kill, a cut or damage finished cells stay and the rest is redone."""

import random
import signal
import subprocess
import sys
import time

import pytest


def grow(project):
    """Enough cells, each with enough fits, for a kill to fall into the middle of the work."""
    params = project.params()
    params["train"]["seeds"] = 6
    params["grids"]["strengths"] = [10.0**power for power in range(-6, 7)]
    project.write_params(params)


def cached(output):
    return int(output.split(" cells, ")[1].split(" cached")[0])


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_change_nothing(project, tmp_path, prepared_project):
    grow(project)
    chance = random.Random(7)
    for _ in range(20):
        before = project.cells()
        process = project.start("stages.train", "--workers", "2")
        time.sleep(chance.uniform(1.5, 4.5))
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate()
        if "cached" in output:
            assert cached(output) == len(before)
        after = project.cells()
        assert {path: after.get(path) for path in before} == before
    finished = project.cells()
    output = project.run("stages.train", "--workers", "2")
    assert cached(output) == len(finished)
    disturbed = (project.path / "data" / "predictions" / "tiny.parquet").read_bytes()

    other = type(project)(tmp_path / "undisturbed")
    subprocess.run(["cp", "-r", prepared_project.path, other.path], check=True)
    grow(other)
    other.run("stages.train", "--workers", "2")
    assert (other.path / "data" / "predictions" / "tiny.parquet").read_bytes() == disturbed


def test_workers_die_with_a_killed_run(project):
    psutil = pytest.importorskip("psutil")
    grow(project)
    process = project.start("stages.train", "--workers", "2")
    deadline = time.monotonic() + 200
    children = []
    while time.monotonic() < deadline and not project.cells():
        time.sleep(0.05)
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    process.send_signal(signal.SIGKILL)
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive


@pytest.fixture
def finished(project):
    project.run("stages.train", "--workers", "1")
    return project


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


@pytest.mark.slow
def test_two_runs_at_once_agree_and_leave_one_result(project):
    runs = [project.start("stages.train", "--workers", "1") for _ in range(2)]
    for process in runs:
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output
    cells = project.cells()
    assert len(cells) == 4 * 4 * 2
    assert cached(project.run("stages.train")) == len(cells)
    assert not list((project.path / "data").glob("**/*.tmp"))


def test_fifty_rounds_of_two_writers_of_one_cell_leave_one_intact_cell(tmp_path):
    code = """
import sys, numpy as np
from stages.cells.plan import Cell
from stages.cells.results import to_table
from stages.cells.store import Store
store = Store(sys.argv[1])
table = to_table(np.ones((1, 50, 3), dtype=np.uint8), np.ones(50, bool))
sys.stdin.readline()
for number in range(50):
    store.put(Cell("d", "m", "f1", number), "k" * 32, {"status": "ok", "seconds": 0.0}, table)
print(sum(store.find(Cell("d", "m", "f1", n), "k" * 32) is not None for n in range(50)))
"""
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]  # fmt: skip
    time.sleep(3)  # both have imported: let them start together
    for writer in writers:
        writer.stdin.write("\n")
        writer.stdin.flush()
    results = [writer.communicate(timeout=300) for writer in writers]
    assert [output for output, _ in results] == ["50\n", "50\n"]
    assert [error for _, error in results] == ["", ""]
    assert not list(tmp_path.glob("**/*.tmp"))
