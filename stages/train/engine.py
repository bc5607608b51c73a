"""Bring jobs to their end on a Dask cluster, the longest first.

Each worker has one job at a time, or a pack of jobs that take next to no time. What a death means
is decided here. Of a pack, every job is tried again alone. A job that was alone is a `timeout`
after its limit; else it is tried again, and is `died` when it has killed its worker every time.
"""

import queue
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any

from distributed import Client, KilledWorker

from stages.common.errors import DataError, UserError
from stages.common.machine import host_name
from stages.train.cluster import connect
from stages.train.compute import Result
from stages.train.inputs import input_files
from stages.train.work import Refused, Work, data_versions, read_data, run_jobs

TRIES = 3  # a worker may be killed from outside
PACK, PACK_SECONDS = 16, 0.2  # so many jobs that take so long in all are sent together
LOOK_EVERY = 1.0  # seconds between two looks at the workers
NO_WORKER_AT_MOST = 300.0  # seconds to wait for one
KEPT = "what is finished is kept: run the same command when the cause is gone"

Source = tuple[str, str]  # a data set and which input of it


@dataclass(eq=False)
class Request:
    """A job on its way to its end."""

    work: Work
    source: Source
    network: bool
    seconds: float  # expected, to send the longest first
    number: int
    promise: Future[list[Result]] = field(default_factory=Future)
    deaths: int = 0

    def __lt__(self, other: "Request") -> bool:
        return (-self.seconds, self.number) < (-other.seconds, other.number)


@dataclass(eq=False)
class Flight:
    """Jobs that a worker has, one after the other."""

    requests: list[Request]
    worker: str
    sent: float
    future: Any = None  # Dask's
    missed: int = 0  # looks in a row at which its worker was gone


class Engine:
    """Computes jobs on the workers of a client; `submit` may be called from any thread."""

    def __init__(self, client: Client, device: str) -> None:
        self.client, self.device = client, device
        self.waiting: dict[bool, list[Request]] = {True: [], False: []}  # networks, and others
        self.flying: set[Flight] = set()
        self.data: dict[Source, Any] = {}  # Dask's future of each data set
        self.events: queue.Queue[tuple[Flight, Any] | None] = queue.Queue()
        self.lock = threading.RLock()
        self.numbers = count()
        self.error: BaseException | None = None
        self.memory = 0  # bytes of the largest worker
        self.seen = time.monotonic()  # when there was a worker
        self.workers: dict[str, dict[str, Any]] = {}  # by address
        self._look()
        client.run_on_scheduler(_leave_deaths_to_us)
        if device == "cuda" and not self._fitting(network=True):
            raise UserError(
                "train.device is cuda, but no worker has a GPU; start one on a machine that has: "
                "dask worker <address> --nthreads 1 --resources GPU=1; or set train.device to auto"
            )
        self.loop = threading.Thread(target=self._run, name="engine", daemon=True)
        self.loop.start()

    def submit(
        self, work: Work, source: Source, *, network: bool, seconds: float
    ) -> Future[list[Result]]:
        """Have a job computed; the future has the result of each of its cells."""
        with self.lock:
            if self.error:
                raise self.error
            request = Request(work, source, network, seconds, next(self.numbers))
            heappush(self.waiting[network], request)
        self.events.put(None)
        return request.promise

    @property
    def hosts(self) -> set[str]:
        """The machines of the cluster."""
        return {host_name(worker["host"]) for worker in self.workers.values()}

    def close(self, error: BaseException | None = None) -> None:
        """Give up what has not ended."""
        with self.lock:
            self.error = self.error or error or UserError(f"the run was stopped; {KEPT}")
            left = [request for flight in self.flying for request in flight.requests]
            left += [*self.waiting[True], *self.waiting[False]]
            self.flying, self.waiting = set(), {True: [], False: []}
        for request in left:
            request.promise.set_exception(self.error)
        self.events.put(None)

    def _run(self) -> None:
        looked = time.monotonic()
        while not self.error:
            try:
                with suppress(queue.Empty):
                    if event := self.events.get(timeout=LOOK_EVERY):
                        self._land(*event)
                if time.monotonic() - looked > LOOK_EVERY:
                    self._look()
                    self._recall()
                    looked = time.monotonic()
                self._send()
            except BaseException as error:
                self.close(error)

    def _look(self) -> None:
        """See which workers there are."""
        try:
            self.workers = self.client.scheduler_info()["workers"]
        except (OSError, RuntimeError) as error:
            raise UserError(f"the Dask cluster has gone away ({error}); {KEPT}") from None
        local = self.client.cluster
        if local and len(self.workers) < len(local.worker_spec):
            local.scale(len(local.worker_spec))  # replaces what was killed while it started
        for address, worker in self.workers.items():
            self.memory = max(self.memory, worker["memory_limit"])
            if worker["nthreads"] != 1:
                raise UserError(
                    f"worker {address} would compute {worker['nthreads']} jobs in one process; "
                    "start it with --nthreads 1, and as many --nworkers as it has cores"
                )
        now = time.monotonic()
        self.seen = now if self._fitting(network=True) else self.seen
        if now - self.seen > NO_WORKER_AT_MOST:
            raise UserError(
                f"the Dask cluster has had no worker for {NO_WORKER_AT_MOST:.0f} s; start one "
                f"(dask worker <address> --nthreads 1); {KEPT}"
            )

    def _fitting(self, network: bool) -> set[str]:
        """The workers for such a job: networks go to GPUs where there are some, and alone."""
        gpu = {a for a, w in self.workers.items() if w["resources"].get("GPU")}
        if self.device == "cpu" or not gpu:
            return set() if network and self.device == "cuda" else set(self.workers)
        return gpu if network else self.workers.keys() - gpu or gpu

    def _send(self) -> None:
        with self.lock:
            idle = self.workers.keys() - {flight.worker for flight in self.flying}
            fitting = {network: self._fitting(network) for network in self.waiting}
            while heads := [r[0] for net, r in self.waiting.items() if r and idle & fitting[net]]:
                network = min(heads).network
                worker = min(idle & fitting[network])
                idle = idle - {worker}
                self._launch(self._pack(self.waiting[network]), worker)

    def _pack(self, waiting: list[Request]) -> list[Request]:
        """The longest job; if it takes next to no time, others that need the same data, too."""
        pack, seconds = [heappop(waiting)], 0.0
        while waiting and not pack[-1].deaths and len(pack) < PACK:
            seconds += pack[-1].seconds
            fits = waiting[0].source == pack[0].source and not waiting[0].deaths
            if not fits or seconds + waiting[0].seconds > PACK_SECONDS:
                break
            pack.append(heappop(waiting))
        return pack

    def _launch(self, requests: list[Request], worker: str) -> None:
        gpu = self.workers[worker]["resources"].get("GPU")
        for request in requests:
            task = request.work.task
            if request.network:
                device = {"device": self.device if gpu else "cpu"}
                task = replace(task, params=task.params | device)
            # local workers come from this process: nothing can differ
            expected = {} if self.client.cluster else request.work.versions
            request.work = replace(request.work, task=task, versions=expected)
        flight = Flight(requests, worker, time.monotonic())
        works, data = [request.work for request in requests], self._data(requests[0].source)
        flight.future = self.client.submit(run_jobs, works, data, workers=worker, pure=False)
        self.flying.add(flight)
        flight.future.add_done_callback(partial(self._answer, flight))

    def _data(self, source: Source) -> Any:
        """A data set on the workers: a task, which Dask can run again when a worker is lost."""
        if source not in self.data or self.data[source].status == "error":
            files, key = input_files(*source), f"{'-'.join(source)}-{next(self.numbers)}"
            self.data[source] = self.client.submit(
                read_data, files, source[1], data_versions(), key=key
            )
        return self.data[source]

    def _answer(self, flight: Flight, future: Any) -> None:
        """Runs in a thread of Dask's when a flight has ended in some way."""
        try:
            self.events.put((flight, future.result()))
        except BaseException as error:
            self.events.put((flight, error))

    def _recall(self) -> None:
        """Take back jobs whose worker was gone before they began, or before their result came:
        Dask would wait for its return. A job that was running has failed by the second look."""
        with self.lock:
            for flight in [one for one in self.flying if one.worker not in self.workers]:
                flight.missed += 1
                if flight.missed > 1 and flight.future.status != "error":
                    flight.future.cancel()
                    self._end(flight, again=flight.requests)

    def _end(self, flight: Flight, again: list[Request]) -> None:
        """A flight is over; some of its jobs are to be sent again."""
        self.flying.remove(flight)
        for request in again:
            heappush(self.waiting[request.network], request)

    def _land(self, flight: Flight, answer: Any) -> None:
        with self.lock:
            if flight not in self.flying:  # it was taken back, or all was given up
                return
            flight.future.release()  # or Dask would compute it again when its worker dies
            if isinstance(answer, KilledWorker):
                self._look()
                self._bury(flight, host_name(answer.last_worker.host))
                return
            if not isinstance(answer, list):
                raise _failure(answer)
            self._end(flight, again=[])
        for request, results in zip(flight.requests, answer, strict=True):
            died = [replace(r, limit=self.memory) if r.status == "died" else r for r in results]
            request.promise.set_result(died)

    def _bury(self, flight: Flight, host: str) -> None:
        """Decide what becomes of the jobs of a worker that died."""
        for request in flight.requests:
            request.deaths += 1
        first, alone = flight.requests[0], len(flight.requests) == 1
        seconds, work = time.monotonic() - flight.sent, first.work
        if alone and seconds >= work.limit:
            limit = work.limit / len(work.task.costs)
            status, reason = "timeout", f"stopped after the limit of {limit:g} s a cell"
        elif alone and first.deaths >= TRIES:
            limit, status = self.memory, "died"
            reason = (
                "its process was killed again and again, most likely for want of memory: "
                f"it may have {limit / 2**30:.1f} GiB"
            )
        else:
            if first.deaths > 1:
                first.seconds = 0.0  # the last try is for the end, when the others are done
            self._end(flight, again=flight.requests)
            return
        self._end(flight, again=[])
        device, cells = work.task.params.get("device", "cpu"), len(work.task.costs)
        each = Result("", status, reason, seconds / cells, device=device, host=host, limit=limit)
        first.promise.set_result([replace(each, cost=cost) for cost in work.task.costs])


def _leave_deaths_to_us(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = 0


def _failure(answer: BaseException) -> BaseException:
    """Why the run cannot go on, from what came in place of a result."""
    if isinstance(answer, DataError):
        return answer
    if isinstance(answer, CancelledError | OSError):
        return UserError(f"the Dask cluster has gone away ({type(answer).__name__}); {KEPT}")
    what = str(answer) if isinstance(answer, Refused) else f"{type(answer).__name__}: {answer}"
    return UserError(
        f"a worker would not compute what was asked for ({what}); bring its folder and "
        "environment to the lead's state: git pull && make environment"
    )


@contextmanager
def start_engine(address: str | None, workers: int, device: str) -> Iterator[Engine]:
    """An engine on the cluster at this address, or on a new one of so many local workers."""
    with connect(address, workers, device) as client:
        engine = Engine(client, device)
        try:
            yield engine
        finally:
            engine.close()
            engine.loop.join()
