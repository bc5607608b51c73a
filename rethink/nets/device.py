"""Where a net is trained."""

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
