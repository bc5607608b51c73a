"""Features of all images of a set, part by part; what an earlier run finished is kept.

Batches go through the network in order, with a few in flight, so memory stays flat. Each thread
decodes a batch and sends it through the network, with one thread of arithmetic: the result depends
neither on the number of threads nor on where a run was stopped.
"""

import hashlib
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from math import ceil
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch

from stages.common.errors import DataError
from stages.common.files import sha256_of
from stages.common.image_features import KEY, PATCHES, SHOWN, parts
from stages.common.sources import Pictures
from stages.common.tables import write_table
from stages.common.version import code_version
from stages.features.decode import Decoded, decode
from stages.features.network import Network

PART_BATCHES = 16  # a kill loses no more than these
LINE_EVERY = 15  # seconds
# what determines a feature besides the weights and the image; libraries are among it
CODE = (
    "stages.features.decode",
    "rethink.nets.images",
    "rethink.nets.resnet",
)

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Seen:
    """What the network made of a batch; rows of images that cannot be decoded are zeros."""

    pooled: np.ndarray
    maps: np.ndarray
    decoded: list[Decoded]  # without their pixels
    forward: float  # seconds in the network


@dataclass(frozen=True)
class Speed:
    """How fast images went through, and how much of the time was the network itself."""

    images: int
    seconds: float
    forward: float  # seconds in the network, of all workers together
    workers: int

    @property
    def rate(self) -> float:
        """Images a second."""
        return self.images / self.seconds

    @property
    def share(self) -> float:
        """Of the rate that the bare forward pass would have on as many workers."""
        return self.forward / (self.seconds * self.workers)


def extract(
    files: Sequence[Path], folder: Path, network: Network, pictures: Pictures, workers: int
) -> Speed | None:
    """Bring every missing part to `folder`; None if none was missing."""
    step = PART_BATCHES * pictures.batch
    spans = [files[start : start + step] for start in range(0, len(files), step)]
    shown = [pictures_of(span, network, pictures) for span in spans]
    keys = [part_key(name, network, pictures) for name in shown]
    for stale in parts(folder)[len(spans) :]:
        stale.unlink()
    missing = [n for n, key in enumerate(keys) if not has_part(part_path(folder, n), key)]
    if not missing:
        return None
    batches = (batch for n in missing for batch in _chunks(spans[n], pictures.batch))
    seen = see(batches, network, workers)
    started = last_line = time.perf_counter()
    images, forward = 0, 0.0
    for n in missing:
        group = list(islice(seen, ceil(len(spans[n]) / pictures.batch)))
        names = {KEY: keys[n], SHOWN: shown[n]}
        _write(part_path(folder, n), names, group, pictures)
        images += len(spans[n])
        forward += sum(batch.forward for batch in group)
        if time.perf_counter() - last_line > LINE_EVERY:
            last_line = time.perf_counter()
            rate = images / (last_line - started)
            left = sum(len(spans[m]) for m in missing) - images
            print(f"{images} images, {rate:.1f}/s, {left} left", file=sys.stderr, flush=True)
    used = min(workers, sum(ceil(len(spans[n]) / pictures.batch) for n in missing))
    return Speed(images, time.perf_counter() - started, forward, used)


def pictures_of(files: Sequence[Path], network: Network, pictures: Pictures) -> str:
    """A name for what a part shows: the same on every processor, whose last bits may differ."""
    images = [sha256_of(path) for path in files]
    return _hash({"images": images, "weights": network.weights, "size": network.size,
                  "map": pictures.map})  # fmt: skip


def part_key(shown: str, network: Network, pictures: Pictures) -> str:
    """A name for all that determines a part: what it shows, and what computes it."""
    return _hash({"pictures": shown, "device": network.device, "batch": pictures.batch,
                  "code": code_version(*CODE)})  # fmt: skip


def _hash(made_of: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


def _chunks(files: Sequence[Path], size: int) -> list[list[Path]]:
    return [list(files[start : start + size]) for start in range(0, len(files), size)]


def _write(path: Path, names: dict[bytes, str], group: list[Seen], pictures: Pictures) -> None:
    with np.errstate(over="ignore"):  # what does not fit into half precision is refused below
        maps = np.concatenate([batch.maps.astype(pictures.map) for batch in group])
    pooled = np.concatenate([batch.pooled for batch in group])
    write_part(path, names, pooled, maps, [image for batch in group for image in batch.decoded])


def part_path(folder: Path, number: int) -> Path:
    """Where a part is."""
    return folder / "parts" / f"{number:06d}.parquet"


def write_part(
    path: Path,
    names: dict[bytes, str],
    pooled: np.ndarray,
    maps: np.ndarray,
    decoded: list[Decoded],
) -> None:
    """One row an image: the vector, the map patch by patch, and what was odd about the file."""
    for name, values in (("vector", pooled), ("map", maps)):
        if not np.isfinite(values).all():
            raise DataError(f"{path}: a {name} is not finite; try `map: float32`, or other weights")
    table = pa.table(
        {
            "pooled": _lists(pooled),
            "map": _lists(maps.reshape(len(maps), -1)),
            "problem": [image.problem for image in decoded],
            "detail": [image.detail for image in decoded],
        }
    )
    write_table(path, table.replace_schema_metadata(names | {PATCHES: str(maps.shape[1])}))


def _lists(matrix: np.ndarray) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])


def has_part(path: Path, key: str) -> bool:
    """Whether a part is there, whole, and made of just this."""
    try:
        return (pq.read_schema(path).metadata or {}).get(KEY) == key.encode()
    except (FileNotFoundError, pa.ArrowException, OSError):
        return False


def see(batches: Iterable[list[Path]], network: Network, workers: int) -> Iterator[Seen]:
    """Decode and extract every batch, as many at a time as there are workers."""
    one_at_a_time = Lock() if network.device != "cpu" else nullcontext()

    def work(paths: list[Path]) -> Seen:
        decoded = [decode(path, network.size) for path in paths]
        pixels = np.stack([_or_black(image, network.size) for image in decoded])
        with one_at_a_time:
            started = time.perf_counter()
            pooled, maps = network(pixels)
            forward = time.perf_counter() - started
        blank = [image.pixels is None for image in decoded]
        pooled[blank], maps[blank] = 0.0, 0.0
        problems = [Decoded(None, image.problem, image.detail) for image in decoded]
        return Seen(pooled, maps, problems, forward)

    with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        yield from _in_order(pool, work, batches, ahead=workers + 1)


def _or_black(image: Decoded, size: int) -> np.ndarray:
    return np.zeros((size, size, 3), np.uint8) if image.pixels is None else image.pixels


def _in_order(
    pool: ThreadPoolExecutor, work: Callable[[Item], Result], items: Iterable[Item], ahead: int
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
