"""T7, T9, T12, T13: machines, servers, disks and models fail; the run ends, and nothing is lost."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pyarrow.parquet as pq
import pytest

from tests.flows.lab import power_cut, until

pytestmark = pytest.mark.slow
WORKER = "prefect worker start --pool cpu --limit 1 --name"


@pytest.fixture
def store(lab, tmp_path, monkeypatch):
    """An empty store for one test."""
    monkeypatch.setitem(lab.env, "RETHINK_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def workers(lab, store):
    """Two workers that use the test's store; those that are left are stopped."""
    mine = [lab.start(f"{WORKER} {name}-{store.parent.name}") for name in ("one", "two")]
    yield mine
    for process in mine:
        if process.poll() is None:
            power_cut(process)


def ask_for(lab, models, seeds=2, costs=("f1",), **train):
    params = lab.project.params()
    params["experiments"] = {"algorithms": {"models": models, "costs": list(costs)}}
    params["train"] |= {"seeds": seeds, **train}
    lab.project.write_params(params)


def lead(lab, *in_flight):
    return subprocess.Popen(
        [sys.executable, "lead.py", *in_flight], cwd=lab.folder, env=lab.env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def results(lab, store):
    """What came of each cell, by way of the other door, which must find them all."""
    output = lab.run("python -m stages.train --tolerate-failures 2>&1")
    rows = pq.read_table(lab.folder / "data" / "runs" / "tiny.parquet").to_pylist()
    assert f"{len(rows)} cells, {len(rows)} cached, 0 to compute" in output
    return {(row["model"], row["seed"]): row["status"] for row in rows}


def manifests(store):
    return {path: path.stat().st_mtime_ns for path in store.rglob("manifest.json")}


def test_a_machine_that_dies_in_a_unit_is_replaced_and_finished_cells_stay(lab, store, workers):
    ask_for(lab, ["slow", "BR-LR"], seeds=6)
    process = lead(lab, "1")  # nobody shares the unit
    until(lambda: len(list(store.glob("tiny/slow/*/*/*/manifest.json"))) >= 2, "two cells")
    busy = next(w for w in workers if "tiny / slow" in w.log.read_text())
    before = manifests(store)
    power_cut(busy)
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output + lab.logs()
    assert "is sent again" in output
    assert before.items() <= manifests(store).items()
    assert set(results(lab, store).values()) == {"ok"}
    states = {run["state"]["type"] for run in lab.runs("train")}
    assert states <= {"COMPLETED", "CRASHED", "CANCELLED"}  # no zombie is left in a slot


def test_each_model_that_goes_wrong_is_a_row_and_a_second_run_has_nothing_to_do(
    lab, store, workers
):
    ask_for(lab, ["raises", "hangs", "hungry", "BR-LR"], seeds=1, time_limit=5)
    process = lead(lab)
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output + lab.logs()
    assert results(lab, store) == {
        ("raises", 0): "failed", ("hangs", 0): "timeout", ("hungry", 0): "oom", ("BR-LR", 0): "ok"
    }  # fmt: skip
    before, sent = manifests(store), len(lab.runs("train"))
    again = lab.run("python lead.py 2>&1")
    assert "tiny: 4 of 4 cells are in the store" in again
    assert (manifests(store), len(lab.runs("train"))) == (before, sent)


def test_a_plan_without_cells_ends_at_once(lab, store, workers):
    ask_for(lab, [])
    assert "tiny: 0 of 0 cells are in the store" in lab.run("python lead.py 2>&1")


def test_a_server_that_is_away_for_a_while_stops_nothing(lab, store, workers):
    ask_for(lab, ["slow"], seeds=10)
    server = lab.started[0]
    process = lead(lab)
    until(lambda: list(store.glob("tiny/slow/*/*/*/manifest.json")), "a first cell")
    power_cut(server)
    time.sleep(60)
    lab.started[0] = lab.start(server.args.removeprefix("exec "))
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output + lab.logs()
    assert set(results(lab, store).values()) == {"ok"} and len(manifests(store)) == 10


def test_a_cancelled_run_stops_its_workers_processes_and_leaves_whole_cells(lab, store, workers):
    ask_for(lab, ["slow"], seeds=10)
    process = lead(lab)
    until(lambda: list(store.glob("tiny/slow/*/*/*/manifest.json")), "a first cell")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    until(lambda: lab.runs("train")[0]["state"]["type"] == "CANCELLED", "the unit is cancelled")
    until(lambda: not computing(lab.folder), "its processes are gone")
    before = manifests(store)
    assert 0 < len(before) < 10
    lab.run("python lead.py")
    assert before.items() <= manifests(store).items()
    assert set(results(lab, store).values()) == {"ok"}


def computing(folder):
    import psutil

    names = ("stages.cells.unit", "multiprocessing.forkserver")
    return [
        p for p in psutil.process_iter(["cmdline", "cwd"])
        if p.info["cwd"] == str(folder) and any(n in " ".join(p.info["cmdline"]) for n in names)
    ]  # fmt: skip


def test_a_worker_that_is_free_joins_the_unit_that_is_left(lab, store, workers):
    ask_for(lab, ["slow", "slow-too"], seeds=10)
    at_once = "import flows.dispatch as d; d.LOOK_ROUND = 1.0; d.WORTH_SHARING = 5.0\n"
    script = lab.folder / "share.py"
    script.write_text(at_once + (lab.folder / "lead.py").read_text())
    output = lab.run("python share.py 2>&1")
    assert "tiny / slow, slow-too is shared" in output
    assert all("tiny / slow, slow-too" in worker.log.read_text() for worker in workers)
    assert set(results(lab, store).values()) == {"ok"} and len(manifests(store)) == 20


def test_a_full_disk_ends_the_run_with_its_reason_and_room_lets_it_go_on(lab, store, request):
    store.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(store)]
    if os.getuid() or shutil.which("mount") is None or subprocess.run(mount).returncode:
        pytest.skip("needs the right to mount a small file system")
    request.addfinalizer(lambda: subprocess.run(["umount", "-l", str(store)], check=True))
    worker = lab.start(f"{WORKER} small-{store.parent.name}")
    request.addfinalizer(lambda: power_cut(worker))
    ask_for(lab, ["BR-LR"], seeds=10, costs=("hamming", "rank", "f1", "accuracy"))
    done = lab.try_to("python lead.py 2>&1")
    assert done.returncode != 0 and "disk is full" in done.stdout + done.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", str(store)], check=True)
    before = manifests(store)
    lab.run("python lead.py")
    assert before.items() <= manifests(store).items()
    assert set(results(lab, store).values()) == {"ok"}


def test_two_doors_at_once_share_the_work(lab, store, workers):
    ask_for(lab, ["slow"], seeds=10, costs=("hamming", "f1"))
    process = lead(lab)
    outputs = []
    until(lambda: list(store.glob("tiny/slow/*/*/*/manifest.json")), "a first cell")
    other = threading.Thread(
        target=lambda: outputs.append(lab.run("python -m stages.train --workers 1 2>&1"))
    )
    other.start()
    output, _ = process.communicate(timeout=600)
    other.join()
    assert process.returncode == 0, output + lab.logs()
    assert len(manifests(store)) == 20 and "20 cells: 20 ok" in outputs[0]
    assert set(results(lab, store).values()) == {"ok"}
