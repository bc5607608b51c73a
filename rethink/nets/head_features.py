"""What a head gets from X or from the extractor before it."""

import numpy as np
import torch
from torch import Tensor

from rethink.nets.rows import Rows


@torch.no_grad()
def feature_shape(extractor: torch.nn.Module | None, rows: Rows) -> tuple[int, ...]:
    """The shape of one instance's features: (d,) or (channels, h, w)."""
    if extractor is None:
        return tuple(rows.matrix.shape[1:])
    extractor.eval()
    features = extractor(rows.take(np.zeros(1, dtype=np.int64)))
    shape = tuple(getattr(features, "shape", ()))
    if not isinstance(features, Tensor) or features.ndim not in (2, 4) or len(features) != 1:
        raise ValueError(
            f"the extractor returned shape {shape} for one instance, but a vector of shape "
            "(1, features) or a map of shape (1, channels, h, w) is needed; end it accordingly"
        )
    return shape[1:]


def as_vectors(features: Tensor) -> Tensor:
    """Vectors as they are; of maps the mean over their cells."""
    return features.mean((2, 3)) if features.ndim == 4 else features


def as_cells(features: Tensor, cells: int) -> Tensor:
    """Shape (n, cells, channels), from maps or from vectors that hold cell after cell."""
    if features.ndim == 4:
        return features.flatten(2).transpose(1, 2)
    return features.view(len(features), cells, -1)
