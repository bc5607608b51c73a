"""Where a net computes, in which precision and with how many threads."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

DEVICES = ("auto", "cpu", "cuda")


def choose_device(name: str) -> torch.device:
    """The device of this name; `auto` is the GPU where there is one."""
    if name not in DEVICES:
        raise ValueError(f"device is {name!r}, but must be one of {', '.join(DEVICES)}")
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError(
            "device is 'cuda', but torch finds no CUDA device here; "
            "use device='auto' or 'cpu', or install a CUDA build of torch"
        )
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def mixed_precision(device: torch.device) -> torch.autocast:
    """A context in which a GPU multiplies in bfloat16 and adds up in single precision.

    bfloat16 has the range of single precision, so that no loss has to be scaled. On a CPU the
    context changes nothing: results there stay those of single precision, bit by bit.
    """
    on_gpu = device.type == "cuda"
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=on_gpu)


@contextmanager
def torch_threads(count: int | None) -> Iterator[None]:
    """A context in which torch computes with so many threads; None changes nothing."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def own_chance(device: torch.device, seed: int) -> Iterator[None]:
    """A context whose torch random numbers come from the seed and leave no trace outside."""
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield
