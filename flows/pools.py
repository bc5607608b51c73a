"""Set up a server for the benchmark: pools, their limits, deployments. May be run again."""

import argparse
import subprocess
import sys

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import WorkPoolCreate, WorkPoolUpdate
from prefect.exceptions import ObjectNotFound

from flows.server import CPU, GPU, LEAD, START, live_workers, reachable_server
from stages.errors import UserError, run_command

PURPOSE = {
    LEAD: "Leads runs: keeps the DVC project and the report; start its worker in one folder only",
    CPU: "Trains models that want a core each",
    GPU: "Trains networks, one at a time on each GPU",
}


def set_up(client: SyncPrefectClient, limits: dict[str, int | None]) -> None:
    """Create the pools that are missing and set the limits of all."""
    for pool, purpose in PURPOSE.items():
        try:
            client.read_work_pool(pool)
        except ObjectNotFound:
            create = WorkPoolCreate(name=pool, type="process", description=purpose)
            client.create_work_pool(create)
        client.update_work_pool(
            pool, WorkPoolUpdate(description=purpose, concurrency_limit=limits[pool])
        )


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, epilog="example: make workers")
    parser.add_argument("--cpu-limit", type=int, help="units at a time in the whole pool cpu")
    parser.add_argument("--gpu-limit", type=int, help="units at a time in the whole pool gpu")
    args = parser.parse_args()
    client = reachable_server()
    set_up(client, {LEAD: None, CPU: args.cpu_limit, GPU: args.gpu_limit})
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    deployed = subprocess.run(command, capture_output=True, text=True)
    if deployed.returncode:
        raise UserError(f"prefect deploy --all failed:\n{deployed.stdout}{deployed.stderr}")
    for pool, count in live_workers(client).items():
        hint = "" if count or pool == GPU else f"; start one: {START} {pool}"
        print(f"pool {pool}: {count} workers{hint}")
    return 0


if __name__ == "__main__":
    run_command(main)
