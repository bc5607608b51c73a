"""Bring jobs to their end on a Dask cluster, the longest first.

Each worker has one job at a time, or a pack of short ones. When it dies, every job of the pack is
tried again alone.
"""

import threading
import time
from bisect import insort
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, chain, islice
from typing import Any

from distributed import Client, KilledWorker

from stages.common.errors import DataError, UserError
from stages.common.machine import host_name
from stages.common.version import code_version
from stages.train.cluster import connect
from stages.train.compute import Result
from stages.train.inputs import Source, input_files, make_inputs
from stages.train.work import Place, Refused, Work, refuse_difference, run_jobs

SHORT = 0.4  # seconds: such jobs are sent in packs; one that was never timed counts as longer
PACK, PACK_SECONDS = 64, (0.2, 1.0)  # most jobs of a pack, and its seconds: few when little is left
TRIES = 3  # a worker may be killed from outside
LOOK_EVERY = 1.0  # seconds between two looks at the workers
NO_WORKER_AT_MOST = 300.0  # seconds to wait for one
KEPT = "what is finished is kept: run the same command when the cause is gone"


@dataclass(eq=False)
class Request:
    """A job on its way to its end."""

    work: Work
    promise: Future[list[Result]] = field(default_factory=Future)
    deaths: int = 0

    @property
    def turn(self) -> tuple[bool, float]:
        """The longest is first; the last try is for the end, when the others are done."""
        return self.deaths == TRIES - 1, -self.work.seconds


@dataclass(eq=False)
class Flight:
    """Jobs that a worker has, one after the other."""

    requests: list[Request]
    place: Place
    sent: float = field(default_factory=time.monotonic)
    landed: bool = False  # the worker has ended them, the results are on their way
    future: Any = None  # Dask's


class Engine:
    """Computes jobs on the workers of a client; `submit` may be called from any thread."""

    def __init__(self, client: Client, device: str, modules: Sequence[str] = ()) -> None:
        self.client, self.device = client, device
        self.modules = () if client.cluster else modules  # local workers come from this process
        self.waiting: list[Request] = []  # in their order
        self.flying: set[Flight] = set()
        self.data: dict[Source, Any] = {}  # Dask's future of each data set
        self.lock = threading.RLock()
        self.over = threading.Event()
        self.error: BaseException | None = None
        self.workers: dict[str, dict[str, Any]] = {}  # by address
        self.memory = 0  # bytes of the largest worker
        self.seen = time.monotonic()  # when there was a worker
        client.run_on_scheduler(_leave_deaths_to_us)
        self._use(self._look())
        if device == "cuda" and not self._fitting(network=True):
            raise UserError(
                "train.device is cuda, but no worker has a GPU; start one on a machine that has: "
                "dask worker <address> --nthreads 1 --resources GPU=1; or set train.device to auto"
            )
        threading.Thread(target=self._watch, name="engine", daemon=True).start()

    def submit(self, work: Work) -> Future[list[Result]]:
        """Have a job computed; the future has the result of each of its cells."""
        request = Request(work)
        with self._turn():
            self._wait([request])
        return request.promise

    @property
    def hosts(self) -> set[str]:
        """The machines of the cluster."""
        return {host_name(worker["host"]) for worker in self.workers.values()}

    def close(self, error: BaseException | None = None) -> None:
        """Give up what has not ended."""
        with self.lock:
            self.error = self.error or error or UserError(f"the run was stopped; {KEPT}")
            left = [*self.waiting, *(r for flight in self.flying for r in flight.requests)]
            self.waiting, self.flying = [], set()
        self.over.set()
        for request in left:
            request.promise.set_exception(self.error)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One thread at a time changes what there is to do, then idle workers get some of it; what
        goes wrong ends the run."""
        with self.lock:
            try:
                yield
                if self.error:
                    raise self.error
                self._send()
            except BaseException as error:
                self.close(error)

    def _watch(self) -> None:
        """Keep up with the workers; looking is no part of a turn, as a new one may be slow."""
        while not self.over.wait(LOOK_EVERY):
            try:
                workers = self._look()
            except BaseException as error:
                self.close(error)
            else:
                with self._turn():
                    self._use(workers)

    def _look(self) -> dict[str, dict[str, Any]]:
        """See which workers there are; one whose code differs ends the run."""
        try:
            workers = self.client.scheduler_info()["workers"]
            new = [address for address in workers if address not in self.workers]
            if self.modules and new:
                # not a part of the jobs: one that a worker cannot read costs it its connection
                answers = self.client.run(
                    refuse_difference, self.modules, code_version(*self.modules),
                    workers=new, on_error="return",
                )  # fmt: skip
                for address, answer in answers.items():
                    if isinstance(answer, OSError):
                        del workers[address]  # it has just gone, or is asked again
                    elif answer is not None:
                        raise failure(answer)
        except (OSError, RuntimeError, KeyError) as error:  # no "workers": the client has given up
            raise UserError(f"the Dask cluster has gone away ({error!r}); {KEPT}") from None
        local = self.client.cluster
        if local and len(workers) < len(local.worker_spec):
            local.scale(len(local.worker_spec))  # replaces what was killed while it started
        return workers

    def _use(self, workers: dict[str, dict[str, Any]]) -> None:
        """Compute on these workers from now on."""
        self.workers = workers
        for address, worker in workers.items():
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

    def _wait(self, requests: list[Request]) -> None:
        for request in requests:
            insort(self.waiting, request, key=lambda one: one.turn)

    def _send(self) -> None:
        """Give each idle worker the longest job that it may have."""
        idle = self.workers.keys() - {one.place.address for one in self.flying if not one.landed}
        if idle and self.waiting:
            fitting = {network: self._fitting(network) for network in (True, False)}
            left = sum(request.work.seconds for request in self.waiting) / len(self.workers)
            seconds = sorted((left / 2, *PACK_SECONDS))[1]
            for worker in sorted(idle):
                mine = (r for r in self.waiting if worker in fitting[r.work.network])
                if first := list(islice(mine, PACK)):
                    self._launch(pack_requests(first, seconds), worker)

    def _launch(self, requests: list[Request], address: str) -> None:
        for request in requests:
            self.waiting.remove(request)
        worker, works = self.workers[address], [request.work for request in requests]
        device = self.device if worker["resources"].get("GPU") else "cpu"
        place = Place(address, host_name(worker["host"]), device, self.memory)
        flight = Flight(requests, place)
        self.flying.add(flight)
        flight.future = self.client.submit(  # goes elsewhere if the worker has just gone
            run_jobs, works, self._data(works[0].source), place,
            workers=address, allow_other_workers=True, pure=False,
        )  # fmt: skip
        flight.future.add_done_callback(partial(self._land, flight))

    def _data(self, source: Source) -> Any:
        """A data set on the workers: a task, which Dask can run again when a worker is lost."""
        if source not in self.data or self.data[source].status == "error":
            files = input_files(*source)
            self.data[source] = self.client.submit(make_inputs, files, source[1], pure=False)
        return self.data[source]

    def _forget(self, source: Source) -> None:
        """Free a data set on scheduler and workers when no job is left that needs it."""
        sent = (request for flight in self.flying for request in flight.requests)
        if all(request.work.source != source for request in chain(sent, self.waiting)):
            self.data.pop(source, None)

    def _land(self, flight: Flight, future: Any) -> None:
        """Runs in a thread of Dask's when a worker has ended a flight in some way."""
        with self._turn():
            flight.landed = True  # the worker gets its next job before the results come
            if future.status == "error":  # it has died; a successor has another address
                self.workers = {a: w for a, w in self.workers.items() if a != flight.place.address}
        try:
            answer = future.result()
        except BaseException as error:
            answer = error
        with self._turn():
            if flight in self.flying:  # else all was given up
                self._settle(flight, answer)
                self.flying.remove(flight)
                self._forget(flight.requests[0].work.source)

    def _settle(self, flight: Flight, answer: Any) -> None:
        """Keep the promises of a flight, or have its jobs tried again."""
        if isinstance(answer, KilledWorker):
            self._bury(flight, answer.last_worker.address)
        elif isinstance(answer, BaseException):
            raise failure(answer)
        else:
            for request, results in zip(flight.requests, answer, strict=True):
                request.promise.set_result(results)

    def _bury(self, flight: Flight, where: str) -> None:
        """Decide what becomes of the jobs of a worker that died."""
        for request in flight.requests:
            request.deaths += 1
        first, *others = flight.requests
        seconds, here = time.monotonic() - flight.sent, where == flight.place.address
        late = here and seconds >= first.work.limit  # elsewhere it may have had to wait
        results = after_death(first.work, first.deaths, late, seconds, flight.place)
        if others or results is None:
            self._wait(flight.requests)
        else:
            first.promise.set_result(results)


def pack_requests(requests: list[Request], seconds: float) -> list[Request]:
    """The first request; if it is short, with others on the same data, for so many seconds."""
    first = requests[0].work
    like = [r for r in requests if not r.deaths and r.work.seconds < SHORT
            and (r.work.source, r.work.network) == (first.source, first.network)]  # fmt: skip
    ends = accumulate(r.work.seconds for r in like)
    pack = [r for r, end in zip(like, ends, strict=True) if end <= seconds]
    return pack if requests[0] in pack else requests[:1]


def after_death(
    work: Work, deaths: int, late: bool, seconds: float, place: Place
) -> list[Result] | None:
    """What becomes of a job that was alone on a worker when the worker died; None: try it again.

    One that was late is a `timeout`; else it has died when it has killed its worker every time.
    """
    costs = work.task.costs
    if late:
        limit = work.limit / len(costs)
        status, reason = "timeout", f"stopped after the limit of {limit:g} s a cell"
    elif deaths >= TRIES:
        limit, status = place.memory, "died"
        reason = (
            "its process was killed again and again, most likely for want of memory: "
            f"it may have {limit / 2**30:.1f} GiB"
        )
    else:
        return None
    each, device = seconds / len(costs), place.device if work.network else "cpu"
    return [Result(cost, status, reason, each, device=device, host=place.host, limit=limit)
            for cost in costs]  # fmt: skip


def failure(answer: BaseException) -> BaseException:
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


def _leave_deaths_to_us(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = 0


@contextmanager
def start_engine(
    address: str | None, workers: int, device: str, modules: Sequence[str] = ()
) -> Iterator[Engine]:
    """An engine on the cluster at this address, or on a new one of so many local workers; they must
    have the lead's code of these modules."""
    starting = connect(address, workers, device)
    with starting as client, closing(Engine(client, device, modules)) as engine:
        yield engine
