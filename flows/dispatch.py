"""Send units to the pools, a few at a time, and see to it that every one comes to its end.

What is done is judged by the store alone. A unit that ended without all its cells, or gave no sign
of life for too long, is sent again: its machine died, its disk was full, its network was away. A
model's own error is a row in the store, so it is not repeated. The longest of those that wait goes
first, so that no long one is left at the end; then workers that are free join the longest.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from prefect import get_run_logger
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.objects import FlowRun
from prefect.states import Cancelled, Cancelling, Crashed

from flows.flights import Flight, age, declare, launch, runs_of
from flows.server import CPU, GPU, START, live_workers, patiently
from flows.supply import Supply
from flows.train import REFUSED
from flows.units import Unit, pool_for
from stages.cells.claims import Claims
from stages.cells.plan import Cell, jobs
from stages.errors import UserError

POLL = 0.5  # seconds between two looks at the signs of life
LOOK_ROUND = 10.0  # seconds between two looks at everything else
NO_WORKER_AT_MOST = 300.0  # seconds to wait for a worker to come back
WORTH_SHARING = 20.0  # seconds that a unit has left, for another worker to join: it starts in five
TRIES = 3


@dataclass
class Dispatcher:
    """Brings all units of a supply to their end."""

    client: SyncPrefectClient
    supply: Supply
    lanes: int  # units that the workers compute at a time; more would only share their cores
    in_flight: int
    show: Callable[["Dispatcher"], None]
    waiting: list[Unit] = field(default_factory=list)
    flying: dict[str, Flight] = field(default_factory=dict)  # by run
    over: dict[Unit, str] = field(default_factory=dict)  # in which pool
    tries: Counter[Unit] = field(default_factory=Counter)
    done: set[Cell] = field(default_factory=set)  # when last looked at
    begun: dict[Unit, tuple[float, int]] = field(default_factory=dict)  # when, with so many jobs
    live: dict[str, int] = field(default_factory=dict)
    next_round: float = 0.0
    workers_seen: float = 0.0

    def run(self) -> None:
        """Send the units, the longest first, and return when all have come to an end."""
        claims = Claims(self.supply.store.address)
        try:
            self._look_round()
            self._restock()
            self._send()
            while self.waiting or self.flying or not self.supply.complete:
                time.sleep(POLL)
                for flight in self.flying.values():
                    flight.look(claims)
                self._restock()
                if time.monotonic() > self.next_round:
                    self._look_round()
                elif any(flight.fell_silent for flight in self.flying.values()):
                    self._follow_all()
                self._send()
            self._count()
        except BaseException:  # cancelled, killed or failed: no unit goes on without its lead
            for flight in self.flying.values():
                declare(self.client, flight, Cancelling())
            raise

    def _restock(self) -> None:
        if self.supply.complete:
            return
        free = max(1, self.lanes - len(self.flying) - len(self.waiting))
        device = self.supply.params.train.device
        gpu = device == "cuda" or (device == "auto" and self.live[GPU] > 0)
        if new := self.supply.new_units(free, gpu=gpu):
            self.workers_seen = time.monotonic()
            self.waiting = sorted([*self.waiting, *new], key=lambda unit: -unit.seconds)

    def _look_round(self) -> None:
        self.next_round = time.monotonic() + LOOK_ROUND
        self.live = patiently(live_workers, self.client)
        self._follow_all()
        self._count()
        self._share()

    def _count(self) -> None:
        self.done = self.supply.store.present(self.supply.keys)
        self.show(self)

    def _send(self) -> None:
        for unit in list(self.waiting):
            if len(self.flying) >= self.in_flight:
                return
            if pool := self._pool(unit):
                self.workers_seen = time.monotonic()
                self.waiting.remove(unit)
                self.tries[unit] += 1
                self.begun.pop(unit, None)
                self._launch(unit, pool)
            else:
                self._wait_for_a_worker(unit)

    def _pool(self, unit: Unit) -> str | None:
        return pool_for(unit, self.supply.params.train.device, self.live)

    def _launch(self, unit: Unit, pool: str) -> None:
        device = self.supply.params.train.device if pool == GPU else "cpu"
        flight = launch(self.supply.orders[unit.dataset].name, unit, pool, device)
        self.flying[flight.run] = flight

    def _wait_for_a_worker(self, unit: Unit) -> None:
        if time.monotonic() - self.workers_seen > NO_WORKER_AT_MOST and not self.flying:
            raise UserError(
                f"no worker has come back for {unit.name} in {NO_WORKER_AT_MOST:.0f} s; what is "
                f"finished is kept: start one ({START} {CPU}) and run the same command"
            )

    def _share(self) -> None:
        """Let free workers join the units that will take longest; claims keep their work apart."""
        while not self.waiting and len(self.flying) < self.lanes:
            left = {flight.unit: self._seconds_left(flight.unit) for flight in self.flying.values()}
            unit = max(left, key=lambda unit: left[unit], default=None)
            if unit is None or left[unit] < WORTH_SHARING or not (pool := self._pool(unit)):
                return
            get_run_logger().info("%s is shared: about %.0f s are left", unit.name, left[unit])
            self._launch(unit, pool)

    def _seconds_left(self, unit: Unit) -> float:
        """How long a unit will still take, from what it did; 0 if no worker could join it."""
        flights = self._flights(unit)
        missing = [cell for cell in self.supply.cells_of(unit) if cell not in self.done]
        todo = len(jobs(missing, self.supply.keys, self.supply.params))
        if todo <= len(flights) or all(flight.state == "SCHEDULED" for flight in flights):
            return 0.0
        since, at_first = self.begun.setdefault(unit, (time.monotonic(), todo))
        if todo == at_first:
            return unit.seconds / len(flights)
        return todo * (time.monotonic() - since) / (at_first - todo) / len(flights)

    def _flights(self, unit: Unit) -> list[Flight]:
        return [flight for flight in self.flying.values() if flight.unit == unit]

    def _follow_all(self) -> None:
        for run in runs_of(self.client, self.flying):
            if flight := self.flying.get(str(run.id)):  # unless another's end was its end, too
                self._follow(flight, run)

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
        elif flight.is_lost(age(state)):
            self._give_up(flight, "no sign of life")

    def _give_up(self, flight: Flight, reason: str) -> None:
        declare(self.client, flight, Crashed(message=reason))
        self._land(flight, reason)

    def _land(self, flight: Flight, how: str) -> None:
        del self.flying[flight.run]
        self.next_round = 0.0  # a worker is free now
        unit = flight.unit
        if all(self.supply.store.find_all(self.supply.cells_of(unit)).values()):
            self.over[unit] = flight.pool
            for helper in [other for other in self._flights(unit) if not other.lived]:
                declare(self.client, helper, Cancelled(message="nothing is left to share"))
                del self.flying[helper.run]
        elif self._flights(unit):
            get_run_logger().warning("%s goes on with one worker less: %s", unit.name, how)
        elif self.tries[unit] < TRIES:
            get_run_logger().warning("%s is sent again: %s", unit.name, how)
            self.waiting.insert(0, unit)
        else:
            raise UserError(
                f"{unit.name} did not come to its end in {TRIES} tries, at last: {how}; "
                "what is finished is kept: run the same command when the cause is gone"
            )
