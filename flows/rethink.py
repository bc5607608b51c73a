"""The flow `rethink`: the same pipeline as `dvc repro`, seen and steered through Prefect.

DVC brings the data of one data set after the other up to date. As soon as it is there, each of its
models is a task, which has the engine of `stages.train` compute its cells. At the end DVC assembles
and reports: every cell is then in the store, so both doors end in the same state by construction.
Prefect's own states are never trusted for what is done, only the manifests in the store.
"""

import argparse
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from prefect import flow, get_run_logger, task
from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.futures import PrefectFuture
from prefect.runtime import flow_run
from prefect.settings import PREFECT_API_URL

from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.errors import UserError, run_command
from stages.common.files import read_json, write_text
from stages.common.machine import worker_count
from stages.common.params import PARAMS, Params, load_params
from stages.common.plan import Cell, plan
from stages.common.profile import profile_names, switch
from stages.common.store import Store
from stages.common.tables import read_table
from stages.common.words import text_table
from stages.train.engine import start_engine
from stages.train.lead import Lead
from stages.train.progress import Progress

Profile = Literal["as-is", "smoke", "quick", "paper", "wide", "images"]
PROJECT = Path(__file__).resolve().parents[1]
SHOW_EVERY = 2.0  # seconds, in the UI
BUSY = ("is busy", "Unable to acquire lock")  # what DVC says while another command runs
PAUSE = 5.0  # seconds between two attempts to get hold of DVC

_stopped = threading.Event()
_commands: list[subprocess.Popen[str]] = []  # of DVC, which run


def run_name() -> str:
    """What a run is called in the UI: its data set, or else its profile."""
    given = flow_run.parameters
    return str(given["dataset"] or given["profile"].replace("as-is", "params.yaml as it is"))


@flow(name="rethink", flow_run_name=run_name, persist_result=False)
def rethink(
    profile: Profile = "as-is", dataset: str | None = None, workers: int | None = None
) -> str:
    """Run the benchmark.

    Args:
        profile: how much is run; written into params.yaml unless it is "as-is"
        dataset: only this data set, up to its predictions and without the report
        workers: processes of the local cluster (default: one for each core)
    """
    os.chdir(PROJECT)
    with params_of(profile) as params:
        datasets = params.chosen(dataset)
        try:
            train_all(params, datasets, workers or worker_count())
            repro("results", [f"train@{dataset}"] if dataset else [])
        except BaseException:
            stop_dvc()
            raise
    return publish(datasets, report=dataset is None)


@contextmanager
def params_of(profile: Profile) -> Iterator[Params]:
    """The parameters of a profile; a run that fails leaves params.yaml as it was."""
    before = PARAMS.read_text(encoding="utf-8")
    try:
        for change in switch(profile) if profile != "as-is" else ():
            get_run_logger().info("params.yaml: %s", change)
        yield load_params()
    except BaseException:
        if PARAMS.read_text(encoding="utf-8") != before:
            write_text(PARAMS, before)
        raise


def train_all(params: Params, datasets: list[str], workers: int) -> None:
    """Have every missing cell computed, each data set's as soon as its data is there."""
    cells: dict[str, dict[str, list[Cell]]] = {name: defaultdict(list) for name in datasets}
    planned = plan(params, load_catalog(), datasets)
    for cell in planned:
        cells[cell.dataset][cell.model].append(cell)
    progress = Progress(len(planned), tell=get_run_logger().info)
    with Lead(params, Store(paths.store()), workers, progress) as lead:
        tasks: dict[PrefectFuture[Any], list[Cell]] = {}
        data: list[PrefectFuture[Any]] = []
        for name, models in cells.items():
            what, target = f"data of {name}", [f"split@{name}"]
            data = [repro.submit(what, target, wait_for=data, return_state=False)]
            tasks[data[0]] = []
            for model, mine in models.items():
                tagged = train_model.with_options(tags=[f"dataset:{name}", f"model:{model}"])
                future = tagged.submit(name, model, mine, lead, wait_for=data, return_state=False)
                tasks[future] = mine
        for future, mine in tasks.items():
            try:
                future.result()
            except (UserError, OSError, RuntimeError):
                raise
            except Exception as error:  # Prefect's own: a task cannot start without its server
                get_run_logger().warning("computing without a task: %s", error)
                lead.train(mine)


@task(name="dvc", task_run_name="dvc repro {what}", cache_policy=NO_CACHE)
def repro(what: str, targets: list[str]) -> None:
    """Let DVC bring stages up to date, after whatever it is doing now."""
    while not _stopped.is_set():
        command = subprocess.Popen(
            [sys.executable, "-m", "dvc", "repro", *targets], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        _commands.append(command)
        output = command.communicate()[0].strip()
        _commands.remove(command)
        if command.returncode and any(sign in output for sign in BUSY):
            get_run_logger().info("waiting for another dvc command to end")
            _stopped.wait(PAUSE)
            continue
        get_run_logger().info(output)
        if command.returncode:
            raise RuntimeError(f"dvc repro ended with {command.returncode}:\n{output}")
        return


def stop_dvc() -> None:
    """End what DVC is doing for this run, with its stages: a command is a group of processes."""
    _stopped.set()
    for command in list(_commands):
        with suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)


@task(name="train", task_run_name="{dataset} / {model}", cache_policy=NO_CACHE)
def train_model(dataset: str, model: str, cells: list[Cell], lead: Lead) -> str:
    """Bring the cells of a model on a data set into the store."""
    key = "".join(letter if letter.isalnum() else "-" for letter in f"cells-{dataset}-{model}")
    with ThreadPoolExecutor(1) as painter:
        trained = lead.train(cells, progress_bar(key.lower(), len(cells), painter))
    failed = sum(manifest["status"] != "ok" for manifest in trained.values())
    return f"{len(cells)} cells, {failed} without a result"


def progress_bar(key: str, total: int, painter: Executor) -> Callable[[int], None]:
    """Shows how many cells are done in the UI; by another thread, as Prefect waits for a server
    that is away, and results must not. Nobody asks whether it could be shown."""
    artifact: Any = create_progress_artifact(0.0, key=key)
    shown = 0.0

    def show(done: int) -> None:
        nonlocal shown
        if done == total or time.monotonic() - shown > SHOW_EVERY:
            shown = time.monotonic()
            painter.submit(update_progress_artifact, artifact, 100.0 * done / total)

    return show


def publish(datasets: list[str], report: bool) -> str:
    """Show in the UI what came out, and say it in a line."""
    columns = ["dataset", "model", "cost", "seed", "status", "reason", "seconds"]
    runs = {name: read_table(paths.runs(name), columns).to_pylist() for name in datasets}
    bad = {name: [row for row in rows if row["status"] != "ok"] for name, rows in runs.items()}
    if failed := [row for rows in bad.values() for row in rows]:
        create_table_artifact(failed, key="failed-cells", description="cells without a result")
    text = f"{sum(map(len, runs.values()))} cells, {len(failed)} without a result"
    lines = [
        (name, len(rows), len(bad[name]), f"{sum(row['seconds'] for row in rows) / 60:.1f}")
        for name, rows in runs.items()
    ]
    table = text_table(("data set", "cells", "without a result", "CPU minutes"), lines)
    page = f"# rethink\n\n{text}\n\n{table}" + (verdicts() if report else "")
    create_markdown_artifact(page, key="summary")
    return text


def verdicts() -> str:
    """What the report says of the paper's claims, and where its file is."""
    page = read_json(paths.REPORTS / "claims.json")
    counts = ", ".join(f"{number} {outcome}" for outcome, number in page["counts"].items())
    answers = [f"**{row['question']}** {row['answer']}\n" for row in page["questions"]]
    claims = [claim for claim in page["claims"] if claim["of_the_paper"]]
    where = f"The report is `{PROJECT / paths.REPORTS / 'report.html'}` on {platform.node()}.\n"
    head = [f"\n{where}", f"Of {len(claims)} claims of the paper: {counts}.\n", *answers, ""]
    rows = [(claim["outcome"], claim["claim"]) for claim in claims]
    return "\n".join(head) + text_table(("outcome", "claim of the paper"), rows)


def check_server() -> None:
    """Refuse to begin without a server that answers at PREFECT_API_URL."""
    url = PREFECT_API_URL.value()
    start = "start one and name it: prefect server start, export PREFECT_API_URL=http://.../api"
    if not url:
        raise UserError(f"no Prefect server is named; {start}")
    with get_client(sync_client=True, httpx_settings={"timeout": 5.0}) as client:
        if problem := client.api_healthcheck():
            name = type(problem).__name__
            raise UserError(f"the Prefect server at {url} does not answer ({name}); {start}")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description="Lead a run from this terminal, with a live line; the server shows it, too.",
        epilog="example: python -m flows.rethink --profile quick",
    )
    parser.add_argument("--profile", choices=["as-is", *profile_names()], default="as-is")
    parser.add_argument("--dataset", help="only this one, up to its predictions")
    parser.add_argument("--workers", type=int, help="processes (default: one for each core)")
    args = parser.parse_args()
    check_server()
    params = load_params()
    if params.cluster_address or params.train.device == "cuda":  # fail here, with one message
        with start_engine(params.cluster_address, 1, params.train.device):
            pass
    print(rethink(args.profile, args.dataset, args.workers))
    return 0


if __name__ == "__main__":
    run_command(main)
