"""Asking the Prefect server: is it there, who works for it; patient when it is away for a while."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.exceptions import ObjectNotFound, PrefectHTTPStatusError
from prefect.settings import PREFECT_API_URL

from stages.errors import UserError

LEAD, CPU, GPU = POOLS = ("lead", "cpu", "gpu")
START = "prefect worker start --pool"
AWAY_AT_MOST = 1800.0  # seconds that a run waits for the server to come back

Answer = TypeVar("Answer")


def patiently(ask: Callable[..., Answer], *args: Any, **options: Any) -> Answer:
    """Ask the server, and again while it is away: it may be starting anew."""
    deadline, pause = time.monotonic() + AWAY_AT_MOST, 1.0
    while True:
        try:
            return ask(*args, **options)
        except PrefectHTTPStatusError as error:
            if error.response.status_code < 500 or time.monotonic() > deadline:
                raise
        except httpx.TransportError:
            if time.monotonic() > deadline:
                raise
        time.sleep(pause)
        pause = min(2 * pause, 15.0)


def reachable_server() -> SyncPrefectClient:
    """A client of the server that PREFECT_API_URL names, which answers."""
    url = PREFECT_API_URL.value()
    if not url:
        raise UserError(
            "no Prefect server is named; start one and name it: prefect server start, "
            "export PREFECT_API_URL=http://127.0.0.1:4200/api"
        )
    client = get_client(sync_client=True, httpx_settings={"timeout": 5.0})
    problem = client.api_healthcheck()
    if problem:
        raise UserError(
            f"the Prefect server at {url} does not answer ({type(problem).__name__}: {problem}); "
            "start it: prefect server start, or correct PREFECT_API_URL"
        )
    return client


def live_workers(client: SyncPrefectClient) -> dict[str, int]:
    """How many workers of each pool have given a sign of life lately."""
    return {pool: _count(client, pool) for pool in POOLS}


def _count(client: SyncPrefectClient, pool: str) -> int:
    try:
        workers = client.read_workers_for_work_pool(pool)
    except ObjectNotFound:
        return 0
    return sum(worker.status is not None and worker.status.name == "ONLINE" for worker in workers)
