"""The flow `rethink`: the same pipeline as `dvc repro`, with training fanned out to workers.

DVC stays the ledger and has one writer, the machine that leads the run. The flow lets it bring the
data up to date, has workers fill the cell store as the data comes, and lets it assemble and report:
every cell is then found cached, so both doors end in the same state by construction. Prefect's own
states and caches are never trusted for what is done, only the manifests in the store.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from prefect import flow, get_run_logger
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_table_artifact,
)
from prefect.client.orchestration import SyncPrefectClient
from prefect.runtime import flow_run

from flows import ledger
from flows.board import Board
from flows.dispatch import Dispatcher
from flows.server import CPU, GPU, START, live_workers, patiently, reachable_server
from flows.supply import Supply
from stages import paths
from stages.cells.claims import Claims
from stages.cells.plan import plan
from stages.cells.store import Store
from stages.config.catalog import load_catalog
from stages.config.names import nearest
from stages.config.params import Params, load_params
from stages.config.profile import profile_names, switch
from stages.errors import UserError, run_command
from stages.io.places import check_writable
from stages.io.tables import read_table

Profile = Literal["as-is", "smoke", "quick", "small", "paper", "images"]
PROJECT = Path(__file__).resolve().parents[1]
LANES_FOR_EACH_WORKER = 2  # units that it runs at a time, unless told otherwise; one more waits


def run_name() -> str:
    """What a run is called in the UI: its data set, or else its profile."""
    given = flow_run.parameters
    return str(given["dataset"] or given["profile"].replace("as-is", "params.yaml as it is"))


@flow(name="rethink", flow_run_name=run_name, persist_result=False)
def rethink(
    profile: Profile = "as-is", dataset: str | None = None, in_flight: int | None = None
) -> str:
    """Run the benchmark.

    Args:
        profile: how much is run; written into params.yaml unless it is "as-is"
        dataset: only this data set, up to its predictions and without the report
        in_flight: units that are with the workers at a time (default: three for each worker)
    """
    os.chdir(PROJECT)
    client, store = reachable_server(), Store(paths.store())
    check_writable(store.place)
    if profile != "as-is":
        for change in switch(profile):
            get_run_logger().info("params.yaml: %s", change)
    params = load_params()
    if dataset and dataset not in params.datasets:
        hint = nearest(dataset, params.datasets)
        raise UserError(f"data set {dataset!r} is not in `datasets` of params.yaml; {hint}")
    check_workers(live_workers(client), params.train.device)
    datasets = [dataset] if dataset else list(params.datasets)
    try:
        fan_out(client, params, datasets, store, in_flight, ledger.bring_data(datasets))
        ledger.repro("results", [f"train@{dataset}"] if dataset else [])
    except BaseException:
        ledger.stop()
        raise
    return publish(datasets, report=dataset is None)


def check_workers(live: dict[str, int], device: str) -> None:
    """Refuse to begin what no worker would go on with."""
    if not live[CPU]:
        raise UserError(f"pool {CPU!r} has no worker; start one: {START} {CPU}")
    if device == "cuda" and not live[GPU]:
        raise UserError(
            f"train.device is cuda, but pool {GPU!r} has no worker; start one on a machine with a "
            f"GPU ({START} {GPU}), or set train.device to auto"
        )


def fan_out(
    client: SyncPrefectClient,
    params: Params,
    datasets: list[str],
    store: Store,
    in_flight: int | None = None,
    ready: Callable[[str], bool] = lambda name: True,
) -> None:
    """Have workers compute every cell that is missing, as soon as the data is there."""
    live, catalog = live_workers(client), load_catalog()
    if params.train.device == "auto" and not live[GPU]:
        get_run_logger().info("pool %r has no worker: networks go to pool %r", GPU, CPU)
    workers = live[CPU] + live[GPU]
    lanes = in_flight or LANES_FOR_EACH_WORKER * workers
    Claims(store.address).sweep()
    supply = Supply(params, catalog, datasets, store, ready)
    with Board(len(plan(params, catalog, datasets))) as board:
        Dispatcher(client, supply, lanes, in_flight or lanes + workers, board.show).run()


def publish(datasets: list[str], report: bool) -> str:
    """Show in the UI what came out, and say it in a line."""
    columns = ["dataset", "model", "cost", "seed", "status", "reason", "seconds"]
    rows = [row for name in datasets for row in read_table(paths.runs(name), columns).to_pylist()]
    failed = [row for row in rows if row["status"] != "ok"]
    if failed:
        table = [{name: row[name] for name in columns[:-1]} for row in failed]
        patiently(create_table_artifact, table, key="failed-cells",
                  description="cells without a result")  # fmt: skip
    if report:
        address = (PROJECT / paths.REPORTS / "report.html").as_uri()
        patiently(create_link_artifact, address, link_text="the report", key="report")
    text = f"{len(rows)} cells, {len(failed)} without a result"
    patiently(create_markdown_artifact, summary(rows, text), key="summary")
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


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description="Lead a run from this terminal, with the workers of the server.",
        epilog="example: python -m flows.rethink --profile quick",
    )
    parser.add_argument("--profile", choices=["as-is", *profile_names()], default="as-is")
    parser.add_argument("--dataset", help="only this one, up to its predictions")
    parser.add_argument("--in-flight", type=int, help="units with the workers at a time")
    args = parser.parse_args()
    client, params = reachable_server(), load_params()
    check_writable(Store(paths.store()).place)
    check_workers(live_workers(client), params.train.device)
    print(rethink(args.profile, args.dataset, args.in_flight))
    return 0


if __name__ == "__main__":
    run_command(main)
