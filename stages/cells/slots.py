"""Limits of a machine: one job at a time may use a GPU, and one a large part of the memory.

A slot is a locked file, which the kernel frees when its holder dies, so no dead process keeps one.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stages.cells.plan import is_network
from stages.config.params import Model

COPIES = 6  # of the features, in a fit: scaled, folds, training part, as tensors
GPU_FILES = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # of NVIDIA, AMD, WSL
SPARSE_SHARE = 0.05  # of the entries are not zero, as a rule


def slots_needed(
    model: Model, card: dict[str, Any], *, gpu: bool, memory: float, cores: int
) -> list[str]:
    """The slots that a job must have while it runs."""
    needed = []
    if gpu and is_network(model):
        needed.append(f"gpu-{os.environ.get('CUDA_VISIBLE_DEVICES', 'all')}")
    if bytes_needed(card, model.input) > memory / cores:
        needed.append("memory")
    return needed


def bytes_needed(card: dict[str, Any], kind: str = "features") -> float:
    """About how much memory a job on this data set takes, given what its model looks at."""
    share = SPARSE_SHARE if card["storage"] == "sparse" else 1.0
    width = card["columns"] * (card["images"]["cells"] if kind == "map" else share)
    return 8.0 * card["instances"] * (width + card["labels"]) * COPIES


def machine_has_gpu() -> bool:
    """Whether this machine may have a GPU: asking torch takes seconds, which most never need."""
    return any(Path(name).exists() for name in GPU_FILES)


def machine_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def machine_memory() -> int:
    """All memory of this machine, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def take_slot(name: str, folder: Path | None = None) -> Callable[[], None] | None:
    """Take a slot of this machine, if it is free; returns what frees it."""
    safe = "".join(letter if letter.isalnum() else "-" for letter in name)
    folder = folder or Path(tempfile.gettempdir())
    handle = os.open(folder / f"rethink-{os.getuid()}-{safe}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return lambda: os.close(handle)
