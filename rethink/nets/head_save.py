"""A fitted head from disk, where `rethink.nets.save` wrote it as it does every net."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from rethink.nets.device import choose_device
from rethink.nets.heads import HeadModel, HeadShape
from rethink.nets.save import DESCRIPTION, EXTRACTOR, WEIGHTS, _read


def load_head(kind: Any, path: str | Path, **given: Any) -> Any:
    """Read an estimator of the class `kind`; `given` are constructor arguments not in the file."""
    folder = Path(path)
    told = _read(folder)
    if told["estimator"] != kind.__name__:
        raise ValueError(
            f"{folder} holds a {told['estimator']}, not a {kind.__name__}; "
            f"load it with {told['estimator']}.load"
        )
    missing = [name for name in told["not_saved"] if given.get(name) is None]
    if missing:
        raise ValueError(
            f"{folder} was saved without {', '.join(missing)}, which a file cannot hold; "
            f"give it: {kind.__name__}.load(path, {missing[0]}=…)"
        )
    estimator = kind(**(told["params"] | given))
    estimator.classes_ = [np.array([0, 1], dtype=told["label_type"])] * told["labels"]
    estimator.n_features_in_ = told["inputs"]
    estimator.input_shape_ = tuple(told["input_shape"])
    if told["names"] is not None:
        estimator.feature_names_in_ = np.array(told["names"], dtype=object)
    estimator.loss_history_ = told["loss_history"]
    estimator.epochs_ = len(estimator.loss_history_)
    estimator.model_ = _model(folder, kind.shape_type()(**told["shape"]), estimator)
    return estimator


def _model(folder: Path, shape: HeadShape, estimator: Any) -> HeadModel:
    device = choose_device(estimator.device)
    try:
        tensors = load_file(folder / WEIGHTS, device=str(device))
    except (SafetensorError, FileNotFoundError) as error:
        raise ValueError(f"{folder / WEIGHTS} cannot be read ({error}); save it again") from None
    head = shape.head(torch.zeros(shape.size, device=device))
    for name, weight in head.weights.items():
        if name not in tensors or tensors[name].shape != weight.shape:
            raise ValueError(f"{folder / WEIGHTS} does not fit its {DESCRIPTION}: {name} differs")
        weight.copy_(tensors[name])
    extractor = estimator.own_extractor(device)
    if extractor is not None:
        extractor.load_state_dict(
            {k.removeprefix(EXTRACTOR): v for k, v in tensors.items() if k.startswith(EXTRACTOR)}
        )
    return HeadModel(head, extractor)
