"""The Dask cluster of a run: one that is already there, or one of this machine's cores.

The local one is started and ended by the run. It listens on loopback only, and only to those who
have the certificate that is made for this run. It does not care what the time of day is: Dask and
Tornado wait until one, for hours when the clock is set back by hours, so importing this lets them
count on, in this process.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dask
import distributed.batched
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from distributed import Client, Nanny, Scheduler, Security, SpecCluster, Worker, WorkerPlugin
from distributed.utils import get_mp_context
from tornado.ioloop import IOLoop

from stages.common import paths
from stages.common.errors import UserError
from stages.common.machine import memory_share
from stages.common.words import LOGIN

GPU_FILES = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of NVIDIA, AMD, WSL
ANSWER_WITHIN = 5  # seconds
STARTS = 5
# Workers come from one process that has imported what all of them need; so does a dead one's
# successor. The number of threads must be known before that.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SETTINGS: dict[str, Any] = {
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.scheduler.worker-ttl": None,  # a job may keep the interpreter lock for minutes
    "distributed.scheduler.http.routes": [],  # no page over HTTP, unless the dashboard is wanted
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # takes CPU time of each worker, all the time
    "distributed.admin.system-monitor.interval": "10s",
    # of each worker: Dask would keep a thousand messages, with all that a job needs to know
    "distributed.admin.low-level-log-length": 50,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "1h",
    # Dask's own has a worker give back all that a job frees, and ask for it again: arrays of a few
    # megabytes then cost up to 2.5 times the CPU time (benchmarks/memory.py)
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None,
    "distributed.worker.memory.target": False,  # nothing is spilled to disk,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,  # but a worker above its limit is ended
}
STARTED = time.time() - time.monotonic()


def steady_time() -> float:
    """The time of day when this process started, counted on."""
    return STARTED + time.monotonic()


distributed.batched.time = steady_time
IOLoop.time = lambda _: steady_time()  # type: ignore[method-assign, assignment]


@contextmanager
def connect(address: str | None, workers: int, device: str = "cpu") -> Iterator[Client]:
    """A client of the cluster at this address, or of a new one of so many local workers."""
    dashboard = dashboard_address()
    routes = "distributed.scheduler.http.routes"
    settings = {k: v for k, v in SETTINGS.items() if not (dashboard and k == routes)}
    settings["distributed.worker.memory.monitor-interval"] = f"{max(100, 10 * workers)}ms"
    log_to(paths.LOG)
    with dask.config.set(settings):
        if address:
            with closing(_client(address)) as client:
                yield client
            return
        gpus = 0 if device == "cpu" else count_gpus()
        # not "with Client": it may be closed by another thread than the one that opened it
        with _local(workers, gpus, dashboard) as cluster, closing(Client(cluster)) as client:
            yield client


def _client(address: str) -> Client:
    if LOGIN.search(address):
        raise UserError(
            f"the address of the Dask cluster, {address!r}, came with a name or password, but Dask "
            "knows none: give tls://host:port, and a certificate as docs/machines.md shows"
        )
    try:
        return Client(address, timeout=ANSWER_WITHIN)
    except (OSError, ValueError, TypeError) as error:
        raise UserError(
            f"the Dask cluster at {address!r} does not answer ({' '.join(str(error).split())}); "
            "start it (dask scheduler), or correct RETHINK_CLUSTER or `cluster` in params.yaml"
        ) from None


def _local(workers: int, gpus: int, dashboard: str | None) -> SpecCluster:
    os.environ.update(ONE_THREAD)
    get_mp_context().set_forkserver_preload(["stages.train.cluster", "stages.train.work"])
    security = lasting_security()
    common = {"host": "127.0.0.1", "protocol": "tls://", "security": security}
    options: dict[str, Any] = {
        **common, "nthreads": 1, "memory_limit": memory_share(workers), "dashboard": False,
        "silence_logs": logging.WARNING, "plugins": [Output(str(paths.LOG.absolute()))],
    }  # fmt: skip
    spec: dict[str, Any] = {f"cpu-{n}": {"cls": Nanny, "options": options} for n in range(workers)}
    for n in range(gpus):
        alone = {"resources": {"GPU": 1}, "env": {"CUDA_VISIBLE_DEVICES": str(n)}}
        spec[f"gpu-{n}"] = {"cls": Nanny, "options": options | alone}
    page = {"dashboard": bool(dashboard), "dashboard_address": dashboard or "127.0.0.1:0"}
    scheduler = {"cls": Scheduler, "options": common | page}
    for _ in range(STARTS):
        with suppress(RuntimeError):  # a worker was killed before it had started
            return SpecCluster(spec, scheduler, security=security, silence_logs=False)
    raise UserError(f"the local Dask cluster did not start in {STARTS} tries; see {paths.LOG}")


def lasting_security() -> Security:
    """Key and certificate of one run, in memory only, so that they need not expire; Dask's would
    not be valid yet after the clock was set back."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "rethink")])
    first, last = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    number = x509.random_serial_number()
    builder = x509.CertificateBuilder(name, name, key.public_key(), number, first, last)
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    both = builder.sign(key, hashes.SHA256()).public_bytes(pem)
    both += key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    roles = ("ca_file", "client_cert", "scheduler_cert", "worker_cert")
    return Security(require_encryption=True, **{f"tls_{role}": both.decode() for role in roles})


def dashboard_address() -> str | None:
    """Where RETHINK_DASHBOARD wants Dask's own page about what it is doing."""
    address = os.environ.get("RETHINK_DASHBOARD")
    if address and find_spec("bokeh") is None:
        raise UserError("RETHINK_DASHBOARD needs bokeh, which is not installed: pip install bokeh")
    return address


def count_gpus() -> int:
    """GPUs of this machine. Asking torch takes seconds, so first see whether there may be one."""
    if not any(Path(name).exists() for name in GPU_FILES):
        return 0
    import torch

    return torch.cuda.device_count()


class Output(WorkerPlugin):
    """Sends all that the process of a worker prints, and where it hung, to a file."""

    name = "rethink-output"

    def __init__(self, log: str) -> None:
        self.log = log

    def setup(self, worker: Worker) -> None:
        """Replace standard output and error."""
        handle = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        for standard in (1, 2):
            os.dup2(handle, standard)
        os.close(handle)


def log_to(path: Path) -> None:
    """Send what Dask logs in this process to a file; for good, as it goes on after the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    for name in ("distributed", "distributed.client", "tornado", "asyncio", "bokeh"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
