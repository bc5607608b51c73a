"""Foreign weights of a ResNet-50: their names, their axes, and a check of every entry."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

COUNTER = "num_batches_tracked"
CONVOLUTION = {"kernel": "weight", "bias": "bias"}
NORM = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}
BRANCHES = {  # of a Keras block -> convolution and norm of ours
    "branch1": ("downsample.0", "downsample.1"),
    "branch2a": ("conv1", "bn1"),
    "branch2b": ("conv2", "bn2"),
    "branch2c": ("conv3", "bn3"),
}


def check_entries(
    entries: Mapping[str, Any], needed: Mapping[str, tuple[int, ...]], source: str
) -> None:
    """Refuse weights with an entry too few, too many, of a wrong shape or not finite.

    `entries` are arrays or tensors; `source` tells in the message what would have fitted.
    """
    missing = [name for name in needed if name not in entries]
    unexpected = [name for name in entries if name not in needed]
    if missing or unexpected:
        raise ValueError(
            f"{_told('missing', missing)}{_told('unexpected', unexpected)}"
            f"got {len(entries)} entries, but {len(needed)} are needed; give {source}"
        )
    for name, shape in needed.items():
        got = tuple(entries[name].shape)
        if got != shape:
            raise ValueError(f"{name} has shape {got}, but {shape} is needed; give {source}")
        if not np.isfinite(np.asarray(entries[name])).all():
            raise ValueError(f"{name} holds NaN or infinity, but weights are finite; give {source}")


def keras_names(depths: Sequence[int]) -> dict[str, str]:
    """Keras' name of each entry -> ours.

    Examples
    --------
    >>> keras_names([3])["bn2a_branch1/gamma"]
    'layer1.0.downsample.1.weight'
    """
    layers = {"conv1": "conv1", "bn_conv1": "bn1", "fc1000": "fc"}
    for stage, depth in enumerate(depths, start=2):
        for number in range(depth):
            block, ours = f"{stage}{chr(ord('a') + number)}", f"layer{stage - 1}.{number}"
            for branch, (convolution, norm) in BRANCHES.items():
                if branch != "branch1" or number == 0:
                    layers[f"res{block}_{branch}"] = f"{ours}.{convolution}"
                    layers[f"bn{block}_{branch}"] = f"{ours}.{norm}"
    return {
        f"{theirs}/{part}": f"{ours}.{name}"
        for theirs, ours in layers.items()
        for part, name in (NORM if theirs.startswith("bn") else CONVOLUTION).items()
    }


def keras_shape(ours: Sequence[int]) -> tuple[int, ...]:
    """The shape of one of our entries with the axes in Keras' order.

    Examples
    --------
    >>> keras_shape((64, 3, 7, 7))
    (7, 7, 3, 64)
    """
    return (*ours[2:], *reversed(ours[:2]))


def from_keras_axes(array: np.ndarray) -> Tensor:
    """(height, width, inputs, outputs) or (inputs, outputs) with the outputs first."""
    if array.ndim > 1:
        array = np.moveaxis(array, (-1, -2), (0, 1))
    return torch.from_numpy(np.array(array, dtype=np.float32, order="C"))


def _told(kind: str, names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{kind}: {names[0]}{more}; " if names else ""
