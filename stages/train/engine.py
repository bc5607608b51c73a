"""Bring jobs to their end on a Dask cluster, the longest first.

Each worker has one job at a time, so that a job which kills its worker takes no other along. What
a death means is decided here: after the time limit it is a `timeout`; else the job is tried again,
and is `died` when it has killed its worker every time.
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

from stages.errors import DataError, UserError
from stages.machine import host_name
from stages.train.cluster import connect
from stages.train.compute import Result
from stages.train.inputs import input_files
from stages.train.work import Refused, Work, data_versions, read_data, run_job

TRIES = 3  # a worker may be killed from outside
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
    tries: int = 0
    sent: float = 0.0  # when,
    worker: str = ""  # and to which
    future: Any = None  # Dask's
    missed: int = 0  # looks in a row at which its worker was gone

    def __lt__(self, other: "Request") -> bool:
        return (-self.seconds, self.number) < (-other.seconds, other.number)


class Engine:
    """Computes jobs on the workers of a client; `submit` may be called from any thread."""

    def __init__(self, client: Client, device: str) -> None:
        self.client, self.device = client, device
        self.waiting: dict[bool, list[Request]] = {True: [], False: []}  # networks, and others
        self.flying: set[Request] = set()
        self.data: dict[Source, Any] = {}  # Dask's future of each data set
        self.events: queue.Queue[tuple[Request, Any, Any] | None] = queue.Queue()
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
            left = [*self.flying, *self.waiting[True], *self.waiting[False]]
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
            idle = self.workers.keys() - {request.worker for request in self.flying}
            fitting = {network: self._fitting(network) for network in self.waiting}
            while True:
                heads = [
                    r[0] for network, r in self.waiting.items() if r and idle & fitting[network]
                ]
                if not heads:
                    return
                request = heappop(self.waiting[min(heads).network])
                worker = min(idle & fitting[request.network])
                idle = idle - {worker}
                self.flying.add(request)
                self._launch(request, worker)

    def _launch(self, request: Request, worker: str) -> None:
        request.tries, request.missed = request.tries + 1, 0
        request.sent, request.worker = time.monotonic(), worker
        if request.network:
            gpu = self.workers[worker]["resources"].get("GPU")
            device = {"device": self.device if gpu else "cpu"}
            task = replace(request.work.task, params=request.work.task.params | device)
            request.work = replace(request.work, task=task)
        data = self._data(request.source)
        request.future = self.client.submit(run_job, request.work, data, workers=worker, pure=False)
        request.future.add_done_callback(partial(self._answer, request))

    def _data(self, source: Source) -> Any:
        """A data set on the workers: a task, which Dask can run again when a worker is lost."""
        if source not in self.data or self.data[source].status == "error":
            files, key = input_files(*source), f"{'-'.join(source)}-{next(self.numbers)}"
            self.data[source] = self.client.submit(
                read_data, files, source[1], data_versions(), key=key
            )
        return self.data[source]

    def _answer(self, request: Request, future: Any) -> None:
        """Runs in a thread of Dask's when a job has ended in some way."""
        try:
            self.events.put((request, future, future.result()))
        except BaseException as error:
            self.events.put((request, future, error))

    def _recall(self) -> None:
        """Take back jobs whose worker was gone before they began, or before their result came:
        Dask would wait for its return. A job that was running has failed by the second look."""
        with self.lock:
            for request in [one for one in self.flying if one.worker not in self.workers]:
                request.missed += 1
                if request.missed > 1 and request.future.status != "error":
                    self.flying.remove(request)
                    request.future.cancel()
                    heappush(self.waiting[request.network], request)

    def _land(self, request: Request, future: Any, answer: Any) -> None:
        with self.lock:
            if request not in self.flying or request.future is not future:  # taken back, or closed
                return
            future.release()  # or Dask would compute it again when its worker dies
            if isinstance(answer, KilledWorker):
                self._look()
                answer = self._results_of_death(request, answer)
            if not isinstance(answer, list | None):
                raise _failure(answer)
            self.flying.remove(request)
            if answer is None:
                heappush(self.waiting[request.network], request)
                return
        died = [replace(o, limit=self.memory) if o.status == "died" else o for o in answer]
        request.promise.set_result(died)

    def _results_of_death(self, request: Request, death: KilledWorker) -> list[Result] | None:
        """What a job has come to that killed its worker; None if it is to be tried again."""
        work, seconds = request.work, time.monotonic() - request.sent
        cells, limit = len(work.task.costs), None
        if seconds >= work.limit:
            status, limit = "timeout", work.limit / cells
            reason = f"stopped after the limit of {limit:g} s a cell"
        elif request.tries < TRIES:
            if request.tries > 1:
                request.seconds = 0.0  # the last try is for the end, when the others are done
            return None
        else:
            status = "died"
            reason = (
                "its process was killed again and again, most likely for want of memory: "
                f"it may have {self.memory / 2**30:.1f} GiB"
            )
        device, host = work.task.params.get("device", "cpu"), host_name(death.last_worker.host)
        each = Result("", status, reason, seconds / cells, device=device, host=host, limit=limit)
        return [replace(each, cost=cost) for cost in work.task.costs]


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
