"""Workers, servers, leads and disks fail, runs are cancelled: each ends, and nothing is lost."""

import random
import shutil
import signal
import subprocess
import sys

import pytest
import yaml

from tests.flows.conftest import ask_for
from tests.flows.lab import (
    KILLS,
    PATIENCE,
    dask_workers,
    family,
    gone,
    kill_workers,
    power_cut,
    until,
)

pytestmark = pytest.mark.slow
SLOW = [f"slow-{number}" for number in range(8)]  # with ten seeds, 80 jobs of 0.5 s


@pytest.fixture
def store(lab, tmp_path, monkeypatch):
    """An empty store for one test."""
    monkeypatch.setitem(lab.env, "RETHINK_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def worker(lab, store, monkeypatch):
    """A worker of the pool that uses the test's store; its runs compute in two processes."""
    monkeypatch.setitem(lab.env, "RETHINK_WORKERS", "2")
    process = lab.start("prefect worker start --pool rethink")
    yield process
    if process.poll() is None:
        power_cut(process)


@pytest.fixture
def held(lab):
    """A folder; all cells but the first wait until it is gone."""
    ask_for(lab.folder, ["held"], seeds=10)
    folder = lab.folder / "held"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def lead(lab, *options):
    return subprocess.Popen(
        [sys.executable, "-m", "flows.rethink", "--dataset", "exclusive", *options],
        cwd=lab.folder, env=lab.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def manifests(store):
    return {path: path.stat().st_mtime_ns for path in store.rglob("manifest.json")}


def a_first_cell(store):
    until(lambda: manifests(store), "a first cell")


def finish(lab, process):
    output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, output + lab.logs()
    return output


def test_workers_killed_at_random_moments_change_nothing(lab, store, monkeypatch, tmp_path):
    ask_for(lab.folder, SLOW, seeds=10)
    chance, killed = random.Random(11), 0
    while killed < KILLS:  # on a busy machine a run may end before
        shutil.rmtree(store, ignore_errors=True)
        process = lead(lab, "--workers", "4")
        a_first_cell(store)
        before = manifests(store)
        killed += kill_workers(process, KILLS - killed, chance)
        output = finish(lab, process)
        assert "80 cells, 0 without a result" in output
        assert before.items() <= manifests(store).items()
    predictions = lab.folder / "data" / "predictions" / "exclusive.parquet"
    disturbed = predictions.read_bytes()
    monkeypatch.setitem(lab.env, "RETHINK_STORE", str(tmp_path / "other"))
    lab.run("python -m stages.train --dataset exclusive --workers 4")
    assert predictions.read_bytes() == disturbed


def test_a_lead_that_is_killed_takes_all_along_the_next_goes_on_and_a_third_waits(
    lab, store, held, tmp_path
):
    process = lead(lab)
    a_first_cell(store)
    members = family(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    gone(members)
    before = manifests(store)
    assert 0 < len(before) < 10
    (held / "first").unlink()
    first = lead(lab)
    until(lambda: len(manifests(store)) > len(before), "a cell of the next")
    log = tmp_path / "second.log"
    command = [sys.executable, "-m", "stages.train", "--dataset", "exclusive"]
    second = subprocess.Popen(command, cwd=lab.folder, env=lab.env, stderr=log.open("w"))
    message = "another run is computing in this folder: waiting for its end"
    until(lambda: message in log.read_text(), "the second waits")
    shutil.rmtree(held)
    finish(lab, first)
    assert second.wait(PATIENCE) == 0
    assert "10 cells: 0 done, 10 cached" in log.read_text()
    assert before.items() <= manifests(store).items() and len(manifests(store)) == 10


def test_a_server_that_is_away_for_a_while_stops_nothing(lab, store, held):
    server = lab.started[0]
    process = lead(lab)
    a_first_cell(store)
    power_cut(server)
    shutil.rmtree(held)
    until(lambda: len(manifests(store)) == 10, "the other cells")
    lab.started[0] = lab.start(server.args.removeprefix("exec "))
    assert "10 cells, 0 without a result" in finish(lab, process)


def test_a_cancelled_run_ends_every_process_and_leaves_whole_cells_and_params(
    lab, store, held, worker
):
    params = (lab.folder / "params.yaml").read_text()
    lab.run("prefect deployment run rethink/one-dataset --param dataset=exclusive")
    a_first_cell(store)
    run = until(lambda: [r for r in lab.runs("rethink") if r["state"]["type"] == "RUNNING"], "runs")
    members = [p for p in family(worker.pid) if p.pid != worker.pid]
    assert len(dask_workers(worker.pid)) >= 2
    lab.run(f"prefect flow-run cancel {run[0]['id']}")
    gone(members)
    until(lambda: lab.runs("rethink")[0]["state"]["type"] == "CANCELLED", "the run is cancelled")
    assert not list(store.rglob("*.tmp"))
    assert (lab.folder / "params.yaml").read_text() == params
    before = manifests(store)
    assert 0 < len(before) < 10
    shutil.rmtree(held)
    lab.run("python -m stages.train --dataset exclusive")
    assert before.items() <= manifests(store).items() and len(manifests(store)) == 10


def test_a_run_that_fails_leaves_params_as_they_were(lab, store, monkeypatch):
    ask_for(lab.folder, ["slow"], seeds=1)
    before = (lab.folder / "params.yaml").read_text()
    catalog = lab.folder / "data" / "catalog.yaml"
    kept = catalog.read_text()
    broken = yaml.safe_load(kept)
    broken["datasets"]["exclusive"]["sources"][0]["recipe"]["generator"] = "nothing"
    try:
        catalog.write_text(yaml.safe_dump(broken))
        done = lab.try_to("python -m flows.rethink --profile smoke 2>&1")
        assert done.returncode != 0 and "profile: quick -> smoke" in done.stdout
        assert (lab.folder / "params.yaml").read_text() == before
    finally:
        catalog.write_text(kept)
