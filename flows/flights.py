"""A unit on its way: a run of the flow `train` that some worker has or will get."""

from dataclasses import dataclass
from math import inf
from typing import Any

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun, State
from prefect.deployments import run_deployment
from prefect.types._datetime import now

from flows.server import patiently
from flows.train import sign_of_life
from flows.units import Unit
from stages.cells.claims import Claims

SILENCE = {"PENDING": 120.0, "RUNNING": 30.0, "CANCELLING": 120.0}  # seconds without a sign of life


@dataclass
class Flight:
    """A unit on its way."""

    unit: Unit
    pool: str
    run: str
    state: str = "SCHEDULED"
    lives: bool = False  # by the sign of life in the store
    lived: bool = False

    def look(self, claims: Claims) -> None:
        """See whether there is a sign of life."""
        self.lives = claims.held(sign_of_life(self.run))
        self.lived |= self.lives

    @property
    def fell_silent(self) -> bool:
        """Whether it has ended, as far as the store can tell; how, the server knows."""
        return self.lived and not self.lives

    def is_lost(self, seconds: float) -> bool:
        """Whether a run that has been in its state for so long has died without a word."""
        return not self.lives and seconds > SILENCE.get(self.state, inf)  # paused: no limit


def launch(order: str, unit: Unit, pool: str, device: str) -> Flight:
    """Send a unit to a pool."""
    run: Any = patiently(
        run_deployment,
        f"train/{pool}",
        parameters={
            "order": order,
            "dataset": unit.dataset,
            "models": list(unit.models),
            "device": device,
        },
        flow_run_name=unit.name,
        tags=[f"dataset:{unit.dataset}", *(f"model:{model}" for model in unit.models)],
        timeout=0,
    )
    return Flight(unit, pool, str(run.id))


def runs_of(client: SyncPrefectClient, flights: dict[str, Flight]) -> list[FlowRun]:
    """What the server knows of some flights."""
    mine = FlowRunFilter(id=FlowRunFilterId(any_=list(flights)))  # type: ignore[arg-type]
    return patiently(client.read_flow_runs, flow_run_filter=mine) if flights else []


def declare(client: SyncPrefectClient, flight: Flight, state: State[Any]) -> None:
    """Set a flight's state by force, so that a dead worker's run keeps no slot of its pool."""
    patiently(client.set_flow_run_state, flight.run, state, force=True)


def age(state: State[Any]) -> float:
    """Seconds since a run came into a state."""
    return (now("UTC") - state.timestamp).total_seconds()
