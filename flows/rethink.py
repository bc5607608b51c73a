"""The flow `rethink`: the same pipeline as `dvc repro`, with training fanned out.

DVC stays the ledger and has one writer. The flow lets it bring the data up to date, fills the cell
store in parallel, and lets it assemble and report: every cell is then found cached, so both doors
end in the same state by construction. Prefect's own states and caches are never trusted for what
is done, only the manifests in the store.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from prefect import flow, get_run_logger, task
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed
from prefect.task_runners import ThreadPoolTaskRunner

from stages import paths
from stages.cells.plan import plan
from stages.cells.run import worker_count
from stages.config.catalog import load_catalog
from stages.config.names import nearest
from stages.config.params import load_params
from stages.config.profile import switch
from stages.errors import CELLS_FAILED, UserError
from stages.io.tables import read_table

Profile = Literal["as-is", "smoke", "quick", "small", "paper"]


def run(*command: str, allowed: tuple[int, ...] = (0,)) -> None:
    """Run a module of this environment, log what it says, and fail if it fails."""
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    output = f"{done.stdout}{done.stderr}".strip()
    get_run_logger().info(output)
    if done.returncode not in allowed:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{output}")


@task(name="dvc", task_run_name="dvc repro {what}", cache_policy=NO_CACHE)
def repro(what: str, targets: list[str]) -> None:
    """Let DVC bring stages up to date."""
    run("dvc", "repro", *targets)


@task(name="train", task_run_name="{dataset} / {model}", tags=["train"], cache_policy=NO_CACHE)
def train_unit(dataset: str, model: str) -> None:
    """Bring all cells of one data set and model into the store, in a process of its own."""
    unit = ("--dataset", dataset, "--model", model, "--workers", "1")
    run("stages.train", *unit, allowed=(0, CELLS_FAILED))  # a failed cell is a row, not a fault


def units(datasets: list[str]) -> list[tuple[str, str]]:
    """What can be trained side by side: the pairs of data set and model."""
    cells = plan(load_params(), load_catalog(), datasets)
    return list(dict.fromkeys((cell.dataset, cell.model) for cell in cells))


UNITS_AT_A_TIME: Any = ThreadPoolTaskRunner(max_workers=worker_count())


@flow(name="rethink", task_runner=UNITS_AT_A_TIME)
def rethink(profile: Profile = "as-is", dataset: str | None = None) -> str:
    """Run the benchmark.

    Args:
        profile: how much is run; written into params.yaml unless it is "as-is"
        dataset: only this data set, up to its predictions and without the report
    """
    if profile != "as-is":
        for change in switch(profile):
            get_run_logger().info("params.yaml: %s", change)
    params = load_params()
    if dataset and dataset not in params.datasets:
        hint = nearest(dataset, params.datasets)
        raise UserError(f"data set {dataset!r} is not in `datasets` of params.yaml; {hint}")
    datasets = [dataset] if dataset else list(params.datasets)
    repro("data", [f"split@{name}" for name in datasets])
    fan_out(datasets)
    repro("results", [f"train@{dataset}"] if dataset else [])
    return publish(datasets, report=dataset is None)


def fan_out(datasets: list[str]) -> None:
    """Train every unit, a few at a time, and show how far it is."""
    todo = units(datasets)
    progress: Any = create_progress_artifact(progress=0.0, key="cells", description="units trained")
    futures = [train_unit.submit(dataset, model) for dataset, model in todo]
    for done, future in enumerate(as_completed(futures), start=1):
        future.result()
        update_progress_artifact(progress, progress=100.0 * done / len(todo))


def publish(datasets: list[str], report: bool) -> str:
    """Show in the UI what came out, and say it in a line."""
    columns = ["dataset", "model", "cost", "seed", "status", "reason"]
    rows = [row for name in datasets for row in read_table(paths.runs(name), columns).to_pylist()]
    failed = [row for row in rows if row["status"] != "ok"]
    if failed:
        create_table_artifact(failed, key="failed-cells", description="cells without a result")
    if report:
        address = Path(paths.REPORTS / "report.html").resolve().as_uri()
        create_link_artifact(address, link_text="the report", key="report")
    text = f"{len(rows)} cells, {len(failed)} without a result"
    create_markdown_artifact(f"# rethink\n\n{text}\n", key="summary")
    return text
