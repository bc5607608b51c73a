"""Send units to the pools, a few at a time, and see to it that every one comes to its end.

What is done is judged by the store alone. A unit that ended without all its cells, or gave no sign
of life for too long, is sent again: its machine died, its disk was full, its network was away. A
model's own error is a row in the store, so it is not repeated.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from prefect import get_run_logger
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import FlowRun
from prefect.deployments import run_deployment
from prefect.states import Cancelling, Crashed
from prefect.types._datetime import now

from flows.server import CPU, GPU, START, live_workers, patiently
from flows.train import REFUSED, sign_of_life
from flows.units import Unit, pool_for
from stages.cells.claims import Claims
from stages.cells.orders import Order
from stages.cells.store import Store
from stages.errors import UserError

POLL = 3.0  # seconds between two looks at the runs
LOOK_ROUND = 10.0  # seconds between two looks at the workers and at the store
NO_WORKER_AT_MOST = 300.0  # seconds to wait for a worker to come back
SILENCE = {"PENDING": 120.0, "RUNNING": 30.0, "CANCELLING": 120.0}  # seconds without a sign of life
TRIES = 3


@dataclass
class Flight:
    """A unit on its way."""

    unit: Unit
    pool: str
    run: str
    state: str = "SCHEDULED"


@dataclass
class Dispatcher:
    """Brings all units of an order to their end."""

    client: SyncPrefectClient
    name: str
    order: Order
    store: Store
    in_flight: int
    show: Callable[["Dispatcher"], None]
    waiting: list[Unit] = field(default_factory=list)
    flying: dict[str, Flight] = field(default_factory=dict)
    ended: Counter[str] = field(default_factory=Counter)  # by pool
    tries: Counter[Unit] = field(default_factory=Counter)
    live: dict[str, int] = field(default_factory=dict)
    looked_round: float = 0.0
    workers_seen: float = 0.0

    def run(self, units: list[Unit]) -> None:
        """Send the units, the first ones first, and return when all have come to an end."""
        self.waiting = list(units)
        self.workers_seen = time.monotonic()
        try:
            while self.waiting or self.flying:
                self._look_round()
                self._send()
                time.sleep(POLL)
                for run in self._runs():
                    self._follow(self.flying[str(run.id)], run)
            self.show(self)
        except BaseException:  # cancelled, killed or failed: no unit goes on without its lead
            self._recall()
            raise

    def _look_round(self) -> None:
        if time.monotonic() - self.looked_round < LOOK_ROUND:
            return
        self.looked_round = time.monotonic()
        self.live = patiently(live_workers, self.client)
        self.show(self)

    def _send(self) -> None:
        for unit in list(self.waiting):
            if len(self.flying) >= self.in_flight:
                return
            pool = pool_for(unit, self.order.params.train.device, self.live)
            if pool is None:
                self._wait_for_a_worker(unit)
                continue
            self.workers_seen = time.monotonic()
            self.waiting.remove(unit)
            self.tries[unit] += 1
            run: Any = patiently(
                run_deployment,
                f"train/{pool}",
                parameters={
                    "order": self.name,
                    "dataset": unit.dataset,
                    "models": list(unit.models),
                    "device": self.order.params.train.device if pool == GPU else "cpu",
                },
                flow_run_name=unit.name,
                tags=[f"dataset:{unit.dataset}", *(f"model:{model}" for model in unit.models)],
                timeout=0,
            )
            self.flying[str(run.id)] = Flight(unit, pool, str(run.id))

    def _wait_for_a_worker(self, unit: Unit) -> None:
        if time.monotonic() - self.workers_seen > NO_WORKER_AT_MOST and not self.flying:
            raise UserError(
                f"no worker has come back for {unit.name} in {NO_WORKER_AT_MOST:.0f} s; what is "
                f"finished is kept: start one ({START} {CPU}) and run the same command"
            )

    def _runs(self) -> list[FlowRun]:
        wanted = FlowRunFilter(id=FlowRunFilterId(any_=list(self.flying)))  # type: ignore[arg-type]
        return patiently(self.client.read_flow_runs, flow_run_filter=wanted) if self.flying else []

    def _follow(self, flight: Flight, run: FlowRun) -> None:
        state = run.state
        assert state is not None
        flight.state = state.type.name
        if state.is_final():
            if state.name == REFUSED:
                raise UserError(f"{flight.unit.name} was refused: {state.message}")
            self._land(flight, f"{state.name}: {state.message or 'no message'}")
        elif flight.state == "SCHEDULED":
            if not self.live.get(flight.pool):
                self._give_up(flight, "its pool has no worker any more")
        elif self._is_lost(flight, (now("UTC") - state.timestamp).total_seconds()):
            self._give_up(flight, "no sign of life")

    def _is_lost(self, flight: Flight, seconds: float) -> bool:
        """Whether a run that has been in its state for so long has died without a word."""
        silent = seconds > SILENCE.get(flight.state, inf)  # one that is paused may be silent
        return silent and not Claims(self.store.address).held(sign_of_life(flight.run))

    def _give_up(self, flight: Flight, reason: str) -> None:
        # by force, so that a dead worker's run keeps no slot of its pool
        lost: Any = Crashed(message=reason)
        patiently(self.client.set_flow_run_state, flight.run, lost, force=True)
        self._land(flight, reason)

    def _land(self, flight: Flight, how: str) -> None:
        del self.flying[flight.run]
        unit = flight.unit
        mine = {
            cell: key
            for cell, key in self.order.keys.items()
            if cell.dataset == unit.dataset and cell.model in unit.models
        }
        if all(self.store.find_all(mine).values()):
            self.ended[flight.pool] += 1
        elif self.tries[unit] < TRIES:
            get_run_logger().warning("%s is sent again: %s", unit.name, how)
            self.waiting.insert(0, unit)
        else:
            raise UserError(
                f"{unit.name} did not come to its end in {TRIES} tries, at last: {how}; "
                "what is finished is kept: run the same command when the cause is gone"
            )

    def _recall(self) -> None:
        for run in self.flying:
            patiently(self.client.set_flow_run_state, run, Cancelling(), force=True)
