"""Batches of images through the network, in order, with a few in flight: memory stays flat.

Each thread decodes a batch and sends it through the network, one thread of arithmetic each, so
that what comes out depends neither on how many there are nor on where a run was stopped.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TypeVar

import numpy as np
import torch

from stages.features.decode import Decoded, decode
from stages.features.network import Network

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Seen:
    """What the network made of a batch; rows of images that cannot be decoded are zeros."""

    pooled: np.ndarray
    maps: np.ndarray
    decoded: list[Decoded]  # without their pixels
    forward: float  # seconds in the network


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
