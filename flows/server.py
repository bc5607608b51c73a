"""Asking the Prefect server: is it there; patient when it is away for a while."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import httpx
from prefect.client.orchestration import get_client
from prefect.exceptions import PrefectHTTPStatusError
from prefect.settings import PREFECT_API_URL

from stages.errors import UserError

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


def check_server() -> None:
    """Refuse to begin without a server that answers at PREFECT_API_URL."""
    url = PREFECT_API_URL.value()
    if not url:
        raise UserError(
            "no Prefect server is named; start one and name it: prefect server start, "
            "export PREFECT_API_URL=http://127.0.0.1:4200/api"
        )
    with get_client(sync_client=True, httpx_settings={"timeout": 5.0}) as client:
        problem = client.api_healthcheck()
    if problem:
        raise UserError(
            f"the Prefect server at {url} does not answer ({type(problem).__name__}: {problem}); "
            "start it: prefect server start, or correct PREFECT_API_URL"
        )
