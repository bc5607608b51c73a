"""Feature extractors: any `torch.nn.Module` before the net, trained with it end to end."""

import numpy as np
import torch

from rethink.nets.rows import Rows


@torch.no_grad()
def width(extractor: torch.nn.Module | None, rows: Rows) -> int:
    """How many inputs the net gets: the columns of X, or of what the extractor makes of it."""
    if extractor is None:
        return rows.matrix.shape[1]
    extractor.eval()
    features = extractor(rows.take(np.zeros(1, dtype=np.int64)))
    if not isinstance(features, torch.Tensor) or features.ndim != 2 or len(features) != 1:
        shape = tuple(getattr(features, "shape", ()))
        raise ValueError(
            f"the extractor returned shape {shape} for one instance, but a net needs a vector "
            "for each: shape (1, features); end it with torch.nn.Flatten()"
        )
    return features.shape[1]
