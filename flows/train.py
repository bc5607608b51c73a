"""The flow `train`: one unit of an order, on the machine of whichever worker took it."""

import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from prefect import flow, get_run_logger
from prefect.runtime import flow_run
from prefect.states import Completed, Failed

from stages import paths
from stages.cells.claims import Claims
from stages.errors import CELLS_FAILED, INVALID_DATA, USAGE
from stages.io.places import is_remote

PROJECT = Path(__file__).resolve().parents[1]
REFUSED = "Refused"  # a state: the same worker would refuse again, so nothing is retried


def sign_of_life(run: str) -> str:
    """The claim that a unit's run holds while it lives, by which its lead knows that it does."""
    return f"run-{run}"


@flow(name="train", persist_result=False)
def train(
    order: str, dataset: str, models: list[str], device: Literal["auto", "cpu", "cuda"] = "cpu"
) -> Any:
    """Compute a part of an order.

    Args:
        order: its name in the store
        dataset: the data set
        models: the models of params.yaml to compute, one after the other
        device: where networks are trained
    """
    store = paths.store() if is_remote(paths.store()) else str(PROJECT / paths.store())
    chosen = [part for model in models for part in ("--model", model)]
    command = ["--order", order, "--dataset", dataset, *chosen, "--device", device]
    with Claims(store).hold(sign_of_life(str(flow_run.id))):
        code, last = _run("stages.cells.unit", *command)
    if code in (0, CELLS_FAILED):  # a failed cell is a row, not a fault
        return Completed(message=last)
    if code in (USAGE, INVALID_DATA):
        return Failed(name=REFUSED, message=last)
    raise RuntimeError(f"the unit's process ended with {code}: {last}")


def _run(*command: str) -> tuple[int, str]:
    """Run a module of this environment in the project, log what it says; its code and last line."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    last = ""
    try:
        for line in process.stdout:
            last = line.strip() or last
            get_run_logger().info(line.rstrip())
        return process.wait(), last
    finally:
        process.kill()  # when the run is cancelled; its own processes die with it
        process.wait()
