"""The frozen network: from pixels to a vector and a map, on the GPU where there is one.

Its weights come from files that cannot hold code: JSON with raw numbers, or safetensors.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from rethink.models.resnet import ResNet50, SmallCNN, preprocess
from stages.common.errors import DataError
from stages.common.files import sha256_of
from stages.common.raw_files import problems
from stages.common.sources import Weights

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


def read_keras(folder: Path) -> dict[str, np.ndarray]:
    """Arrays by name from a tfjs folder: `model.json` and the shards its manifest names."""
    manifest = folder / "model.json"
    arrays: dict[str, np.ndarray] = {}
    for group in _groups(manifest):
        data = b"".join(_shard(manifest, folder, name) for name in group["paths"])
        start = 0
        for entry in group["weights"]:
            name, shape = str(entry["name"]), tuple(entry["shape"])
            if entry["dtype"] != "float32" or "quantization" in entry:
                raise DataError(f"{manifest}: {name!r:.100} is not plain float32")
            count = int(np.prod(shape, dtype=np.int64))
            if start + 4 * count > len(data):
                raise DataError(f"{manifest}: the shards end within {name!r:.100}")
            arrays[name] = np.frombuffer(data, "<f4", count, start).reshape(shape)
            start += 4 * count
        if start != len(data):
            raise DataError(f"{manifest}: the shards have {len(data)} bytes, it tells of {start}")
    return arrays


def _groups(manifest: Path) -> list[dict[str, Any]]:
    try:
        groups = json.loads(manifest.read_bytes())["weightsManifest"]
        for group in groups:
            named = all(isinstance(name, str) for name in group["paths"])
            sized = all(
                isinstance(size, int) and size > 0
                for entry in group["weights"]
                for size in (*entry["shape"], len(entry["name"]), len(entry["dtype"]))
            )
            if not named or not sized:
                raise ValueError("a name or a shape is not one")
    except FileNotFoundError:
        raise DataError(f"{manifest} is missing") from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"{manifest} is no manifest of weights: {error!s:.100}") from None
    return groups


def _shard(manifest: Path, folder: Path, name: str) -> bytes:
    if Path(name).name != name:
        raise DataError(f"{manifest}: the shard {name!r:.100} is not in its folder")
    try:
        return (folder / name).read_bytes()
    except FileNotFoundError:
        raise DataError(f"{folder / name} is missing, {manifest} names it") from None


def read_safetensors(path: Path) -> dict[str, Any]:
    """Tensors by name."""
    try:
        return load_file(path)
    except FileNotFoundError:
        raise DataError(f"{path} is missing; save the state_dict there with safetensors") from None
    except (SafetensorError, OSError, ValueError) as error:
        raise DataError(f"{path} is not a safetensors file: {error!s:.200}") from None
