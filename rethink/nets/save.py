"""A fitted net on disk: `weights.safetensors`, and `model.json` with all the rest.

The only place where the library touches files. Both are plain data: loading runs no code.
"""

import json
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from rethink.costs import COSTS, Cost
from rethink.nets.device import choose_device
from rethink.nets.network import Net, Shape
from rethink.objects import Reader, Writer, own_cost
from rethink.scaling import UnitScaler

VERSION = 2
WEIGHTS, DESCRIPTION = "weights.safetensors", "model.json"
SCALER = ("minimum_", "span_")
MOST_LABELS = 1_000_000
DAMAGE = (LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, ImportError)


def save(estimator: Any, path: str | Path) -> None:
    """Write a fitted estimator to a folder; the description, written last, completes it."""
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DESCRIPTION).unlink(missing_ok=True)
    # copies: safetensors refuses views of one vector
    tensors = {
        k: v.detach().cpu().clone()
        for k, v in torch.nn.ModuleList(estimator.nets_).state_dict().items()
    }
    save_file(tensors, folder / WEIGHTS)
    description = json.dumps(_description(estimator), indent=2, default=lambda value: value.item())
    unfinished = folder / f".{DESCRIPTION}.tmp"
    unfinished.write_text(description + "\n", encoding="utf-8")
    unfinished.replace(folder / DESCRIPTION)


def load(kind: Any, path: str | Path, **given: Any) -> Any:
    """Read an estimator of the class `kind` from the folder `path`.

    `given` are constructor arguments that a file cannot hold (a cost of one's own, an extractor),
    or that shall differ, such as the device.
    """
    folder = Path(path)
    description = _read(folder)
    if description["estimator"] != kind.__name__:
        raise ValueError(
            f"{folder} holds a {description['estimator']}, not a {kind.__name__}; "
            f"load it with {description['estimator']}.load"
        )
    missing = [name for name in description.get("not_saved") or () if given.get(name) is None]
    if missing:
        raise ValueError(
            f"{folder} was saved without {', '.join(missing)}, which a file cannot hold; "
            f"give it: {kind.__name__}.load(path, {missing[0]}=…)"
        )
    try:
        return _filled(kind, folder, description, given)
    except DAMAGE as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{folder} cannot be read ({reason:.300}); save the model again") from None


def _filled(kind: Any, folder: Path, description: dict[str, Any], given: dict[str, Any]) -> Any:
    reader = Reader(folder, {})
    params = {name: reader.value(value) for name, value in description["params"].items()}
    estimator = kind(**(params | given))
    labels = description["labels"]
    if not (isinstance(labels, int) and 0 < labels <= MOST_LABELS):
        raise ValueError(f"{folder} has {labels!r:.100} labels, needs 1 to {MOST_LABELS:,}")
    estimator.classes_ = [np.array([0, 1], dtype=description["label_type"])] * labels
    estimator.n_features_in_ = description["inputs"]
    estimator.input_shape_ = tuple(description["input_shape"])
    if description["names"] is not None:
        estimator.feature_names_in_ = np.array(description["names"], dtype=object)
    if description.get("label_names") is not None:
        estimator.label_names_ = np.array(description["label_names"], dtype=object)
    if description.get("scaler") is not None:
        estimator.scaler_ = _scaler(description["scaler"])
    estimator.loss_history_ = description["loss_history"]
    estimator.loss_jumps_ = description["loss_jumps"]
    estimator.epochs_ = len(estimator.loss_history_)
    shape = kind.shape_type()(**description["shape"])
    estimator.nets_ = _nets(folder, shape, description["nets"], estimator)
    return estimator


def _description(estimator: Any) -> dict[str, Any]:
    params = estimator.get_params(deep=False)
    not_saved = [name for name, value in params.items() if not _plain(value)]
    names, label_names, scaler = (
        getattr(estimator, name, None) for name in ("feature_names_in_", "label_names_", "scaler_")
    )
    return {
        "version": VERSION,
        "estimator": type(estimator).__name__,
        "params": {
            name: _as_json(value) for name, value in params.items() if name not in not_saved
        },
        "not_saved": [name for name in not_saved if name != "random_state"],
        "shape": vars(estimator.nets_[0].shape),
        "nets": len(estimator.nets_),
        "labels": len(estimator.classes_),
        "label_type": estimator.classes_[0].dtype.str,
        "inputs": estimator.n_features_in_,
        "input_shape": list(estimator.input_shape_),
        "names": None if names is None else list(names),
        "label_names": None if label_names is None else list(label_names),
        "scaler": scaler and {name: vars(scaler)[name].tolist() for name in SCALER},
        "loss_history": estimator.loss_history_,
        "loss_jumps": estimator.loss_jumps_,
    }


def _as_json(value: Any) -> Any:
    """A parameter as JSON: a cost of the benchmark is its name, another one of ours an object."""
    if not isinstance(value, Cost):
        return value
    return value.name if value.name in COSTS else Writer(Path()).plain(value, "cost")


def _plain(value: Any) -> bool:
    """Whether a file can hold a parameter: not an extractor, nor a cost of one's own."""
    if isinstance(value, Cost):
        known = COSTS.get(value.name)
        return type(value) is type(known) if known else not (own_cost(value) or _has_arrays(value))
    return value is None or isinstance(value, str | bool | Real)


def _has_arrays(cost: Cost) -> bool:
    writer = Writer(Path())
    writer.plain(cost, "cost")
    return bool(writer.arrays)


def _scaler(values: dict[str, list[float]]) -> UnitScaler:
    scaler = UnitScaler()
    for name in SCALER:
        setattr(scaler, name, np.array(values[name]))
    scaler.n_features_in_ = len(values[SCALER[0]])
    return scaler


def _read(folder: Path) -> dict[str, Any]:
    file = folder / DESCRIPTION
    if not file.is_file():
        raise FileNotFoundError(f"{file} is missing: {folder} holds no completely saved model")
    try:
        description = json.loads(file.read_text(encoding="utf-8"))
        version = description["version"]
        assert all(isinstance(name, str) for name in description.get("not_saved") or ())
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError):
        raise ValueError(f"{file} is not a model's description; save the model again") from None
    if version != VERSION:
        raise ValueError(f"{file} has version {version}, but this program reads {VERSION}")
    return description


def _nets(folder: Path, shape: Shape, count: int, estimator: Any) -> list[Net]:
    device = choose_device(estimator.device)
    try:
        tensors = load_file(folder / WEIGHTS)
    except (SafetensorError, FileNotFoundError) as error:
        raise ValueError(f"{folder / WEIGHTS} cannot be read ({error}); save it again") from None
    if not isinstance(count, int) or not 0 < count <= len(tensors):
        raise ValueError(f"{folder / WEIGHTS} does not fit its {DESCRIPTION}: {count!r:.100} nets")
    for name, size in shape.weights.items():  # before room is made for a net that is a lie
        _check_fit(folder, tensors, f"0.{name}", size)
    nets = [shape.net(estimator.own_extractor()).to(device) for _ in range(count)]
    both = torch.nn.ModuleList(nets)
    for name, weight in both.state_dict().items():
        _check_fit(folder, tensors, name, tuple(weight.shape))
    both.load_state_dict(tensors)
    return nets


def _check_fit(
    folder: Path, tensors: dict[str, torch.Tensor], name: str, size: tuple[int, ...]
) -> None:
    if name not in tensors or tuple(tensors[name].shape) != tuple(size):
        raise ValueError(f"{folder / WEIGHTS} does not fit its {DESCRIPTION}: {name} differs")
