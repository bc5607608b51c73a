"""Weights of networks, from files that cannot hold code: JSON with raw numbers, or safetensors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.torch import load_file

from stages.common.errors import DataError


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
