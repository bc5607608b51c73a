"""The flow `rethink`: the same pipeline as `dvc repro`, seen and steered through Prefect.

DVC brings the data of one data set after the other up to date. As soon as it is there, each of its
models is a task, which has the engine of `stages.train` compute its cells. At the end DVC assembles
and reports: every cell is then in the store, so both doors end in the same state by construction.
Prefect's own states are never trusted for what is done, only the manifests in the store.
"""

import argparse
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import httpx
from prefect import flow, get_run_logger, task
from prefect.artifacts import (
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.exceptions import PrefectHTTPStatusError
from prefect.futures import PrefectFuture
from prefect.runtime import flow_run
from prefect.settings import PREFECT_API_URL

from flows import ledger
from stages.common import paths
from stages.common.catalog import load_catalog
from stages.common.closed import nearest
from stages.common.errors import UserError, run_command
from stages.common.files import read_json, write_text
from stages.common.machine import worker_count
from stages.common.params import PARAMS, Params, load_params
from stages.common.profile import profile_names, switch
from stages.common.tables import read_table
from stages.train.engine import start_engine
from stages.train.lead import Lead
from stages.train.plan import Cell, plan
from stages.train.progress import Progress
from stages.train.store import Store

Profile = Literal["as-is", "smoke", "quick", "small", "paper", "images"]
PROJECT = Path(__file__).resolve().parents[1]
SHOW_EVERY = 2.0  # seconds, in the UI


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
        datasets = [dataset] if dataset else list(params.datasets)
        if dataset and dataset not in params.datasets:
            hint = nearest(dataset, params.datasets)
            raise UserError(f"data set {dataset!r} is not in `datasets` of params.yaml; {hint}")
        try:
            train_all(params, datasets, workers or worker_count())
            ledger.repro("results", [f"train@{dataset}"] if dataset else [])
        except BaseException:
            ledger.stop()
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
    cells = plan(params, load_catalog(), datasets)
    progress = Progress(len(cells), tell=get_run_logger().info)
    fresh = bool(os.environ.get("RETHINK_FRESH"))
    with Lead(params, Store(paths.store()), workers, progress, fresh=fresh) as lead:
        tasks: dict[PrefectFuture[Any], list[Cell]] = {}
        data: list[PrefectFuture[Any]] = []
        for name in datasets:
            what = f"data of {name}"
            data = [ledger.repro.submit(what, [f"split@{name}"], wait_for=data, return_state=False)]
            tasks[data[0]] = []
            for model in dict.fromkeys(cell.model for cell in cells if cell.dataset == name):
                mine = [cell for cell in cells if (cell.dataset, cell.model) == (name, model)]
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


@task(name="train", task_run_name="{dataset} / {model}", cache_policy=NO_CACHE)
def train_model(dataset: str, model: str, cells: list[Cell], lead: Lead) -> str:
    """Bring the cells of a model on a data set into the store."""
    key = "".join(letter if letter.isalnum() else "-" for letter in f"cells-{dataset}-{model}")
    found = lead.train(cells, Bar(key.lower(), len(cells)).show)
    failed = sum(manifest["status"] != "ok" for manifest in found.values())
    return f"{len(cells)} cells, {failed} without a result"


class Bar:
    """The progress of a task in the UI; a server that is away misses a step, not the run."""

    def __init__(self, key: str, total: int) -> None:
        self.total, self.shown = total, time.monotonic()
        self.artifact = self._try(create_progress_artifact, 0.0, key=key)

    def show(self, done: int) -> None:
        """So many cells have come to their end."""
        now = time.monotonic()
        if self.artifact and (done == self.total or now - self.shown > SHOW_EVERY):
            self.shown = now
            self._try(update_progress_artifact, self.artifact, 100.0 * done / self.total)

    def _try(self, call: Any, *args: Any, **options: Any) -> Any:
        with suppress(httpx.TransportError, PrefectHTTPStatusError):
            return call(*args, **options)


def publish(datasets: list[str], report: bool) -> str:
    """Show in the UI what came out, and say it in a line."""
    columns = ["dataset", "model", "cost", "seed", "status", "reason", "seconds"]
    rows = [row for name in datasets for row in read_table(paths.runs(name), columns).to_pylist()]
    failed = [row for row in rows if row["status"] != "ok"]
    if failed:
        table = [{name: row[name] for name in columns[:-1]} for row in failed]
        create_table_artifact(table, key="failed-cells",
                  description="cells without a result")  # fmt: skip
    text = f"{len(rows)} cells, {len(failed)} without a result"
    page = summary(rows, text) + (verdicts() if report else "")
    create_markdown_artifact(page, key="summary")
    return text


def summary(rows: list[dict[str, Any]], text: str) -> str:
    """A page of markdown: the cells of each data set and the CPU time they took."""
    lines = [f"# rethink\n\n{text}\n", "| data set | cells | without a result | CPU minutes |"]
    lines.append("|---|---:|---:|---:|")
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        mine = [row for row in rows if row["dataset"] == dataset]
        failed = sum(row["status"] != "ok" for row in mine)
        minutes = sum(row["seconds"] for row in mine) / 60
        lines.append(f"| {dataset} | {len(mine)} | {failed} | {minutes:.1f} |")
    return "\n".join(lines) + "\n"


def verdicts() -> str:
    """What the report says of the paper's claims, and where its file is."""
    claims = read_json(paths.REPORTS / "comparison.json")["claims"]
    lines = [f"| {claim['verdict']} | {claim['claim']} |" for claim in claims]
    where = f"The report is `{PROJECT / paths.REPORTS / 'report.html'}` on {platform.node()}.\n"
    return "\n".join([f"\n{where}", "| verdict | claim of the paper |", "|---|---|", *lines, ""])


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
