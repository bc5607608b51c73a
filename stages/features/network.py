"""The frozen network: from pixels to a vector and a map, on the GPU where there is one."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rethink.models.resnet import ResNet50, SmallCNN, preprocess
from stages.common.errors import DataError
from stages.common.files import sha256_of
from stages.common.raw_files import problems
from stages.common.sources import Weights
from stages.features.weights import read_keras, read_safetensors

SIZES = {"resnet50": 224, "small-cnn": 32}  # pixels of each side


@dataclass(frozen=True)
class Network:
    """A network with its weights, and the layout of pixels that these expect."""

    module: Any
    layout: str
    size: int
    device: str
    weights: str  # a hash of the weights

    def __call__(self, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Vectors (n, channels) and maps (n, patches, channels) from uint8 (n, size, size, 3)."""
        images = np.stack([preprocess(image, self.layout, self.size) for image in pixels])
        with torch.inference_mode():
            seen = self.module(torch.from_numpy(images).to(self.device))
            pooled = self.module.pooled(seen)
            patches = seen.flatten(2).transpose(1, 2)
            return pooled.cpu().numpy(), patches.contiguous().cpu().numpy()


def load_network(weights: Weights, folder: Path, device: str | None = None) -> Network:
    """The network of an entry under `weights`; wrong files are refused with their names."""
    if wrong := problems(weights, folder):
        raise DataError(f"{wrong[0]}; remove it and run the fetch stage again")
    try:
        module = _module(weights, folder)
    except ValueError as error:
        raise DataError(f"{_main_file(weights, folder)} does not fit: {error}") from None
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    return Network(
        module.eval().to(device),
        "torchvision" if weights.layout == "seeded" else weights.layout,
        SIZES[weights.network],
        device,
        _hash(weights, folder),
    )


def _module(weights: Weights, folder: Path) -> Any:
    if weights.layout == "keras":
        return ResNet50.from_keras(read_keras(folder))
    if weights.layout == "torchvision":
        return ResNet50.from_torchvision(read_safetensors(_main_file(weights, folder)))
    return SmallCNN()


def _main_file(weights: Weights, folder: Path) -> Path:
    return folder / weights.files[0].name if weights.files else folder


def _hash(weights: Weights, folder: Path) -> str:
    """Equal for equal weights, whatever their files are called in the catalogue."""
    files = {file.name: file.sha256 or sha256_of(folder / file.name) for file in weights.files}
    parts = [weights.network, weights.layout, files]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
