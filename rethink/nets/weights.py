"""Reweighting: how much each label decides, given the prediction of the step before.

The closed forms of the built-in costs are here once more, on tensors; any other cost is asked
itself, on NumPy arrays.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from rethink.costs import Cost
from rethink.costs.accuracy import Accuracy
from rethink.costs.f1 import F1
from rethink.costs.hamming import Hamming
from rethink.costs.rank import Rank

Weights = Callable[[Tensor, Tensor], Tensor]  # (y, predicted) -> weights


def f1_weights(y: Tensor, predicted: Tensor) -> Tensor:
    """`F1().weights` on tensors of shape (..., n, K)."""
    both = y * predicted
    hits = both.sum(-1, keepdim=True) - both
    size = y.sum(-1, keepdim=True) + predicted.sum(-1, keepdim=True) - predicted
    top = 2 * torch.where(y > 0, size - hits, hits)
    return torch.where(size > 0, top / (size * (size + 1)).clamp(min=1), 1.0)


def accuracy_weights(y: Tensor, predicted: Tensor) -> Tensor:
    """`Accuracy().weights` on tensors of shape (..., n, K)."""
    hits = (y * predicted).sum(-1, keepdim=True)
    union = torch.maximum(y, predicted).sum(-1, keepdim=True) - predicted * (1 - y)
    irrelevant = torch.where(union > 0, hits / (union * (union + 1)).clamp(min=1), 1.0)
    return torch.where(y > 0, 1 / union.clamp(min=1), irrelevant)


def rank_weights(y: Tensor, predicted: Tensor) -> Tensor:
    """`Rank().weights` on tensors; the prediction plays no part."""
    relevant = y.sum(-1, keepdim=True)
    return torch.where(y > 0, y.shape[-1] - relevant, relevant) / 2


def label_weights(cost: Cost) -> Weights:
    """The function (y, predicted) -> weights on tensors of one cost."""
    closed: dict[type[Cost], Weights] = {
        F1: f1_weights,
        Accuracy: accuracy_weights,
        Rank: rank_weights,
    }
    return closed.get(type(cost), lambda y, predicted: _asked(cost, y, predicted))


def normalised(weights: Tensor) -> Tensor:
    """Weights of shape (..., n, K) scaled to a mean of 1 over the batch; all zero stays zero."""
    mean = weights.mean((-2, -1), keepdim=True)
    return weights / torch.where(mean > 0, mean, 1.0)


class Reweighter:
    """Weights of a batch, for each step from the prediction of the step before.

    Parameters
    ----------
    cost : Cost
    mode : str or None
        `step`: from the predictions of the batch itself, one step earlier. `period`: from
        predictions of all rows that `remember` was given, no label at all before. None: off.
    refresh : int
        With `period`: after how many epochs there shall be new predictions.
    first : int
        The first step, from 1, that has weights; the losses of those before weigh 1. As nothing
        comes before step 1, its weights are from its own prediction.
    """

    def __init__(self, cost: Cost, mode: str | None, refresh: int = 10, first: int = 2):
        # Hamming weights are all equal: normalised, they change nothing
        self.mode = None if isinstance(cost, Hamming) else mode
        self.refresh = refresh if self.mode == "period" else 1
        self.first = first
        self.of_labels = label_weights(cost)
        self.remembered: Tensor | None = None

    def is_due(self, epochs: int) -> bool:
        """Whether predictions of all rows are wanted after so many epochs."""
        return self.mode == "period" and epochs > 0 and epochs % self.refresh == 0

    def remember(self, predicted: Tensor) -> None:
        """Take the predictions of all rows, of shape (steps, n, K)."""
        self.remembered = predicted

    def __call__(self, logits: Tensor, y: Tensor, index: np.ndarray) -> Tensor | None:
        """Weights of the shape of `logits` for the rows `index` of those remembered."""
        if self.mode is None or len(logits) < self.first:
            return None
        predicted = self._predicted(logits, index)
        before = torch.cat([predicted[:1], predicted[:-1]])[self.first - 1 :]
        weights = torch.ones_like(logits)
        weights[self.first - 1 :] = normalised(self.of_labels(y, before.to(y.dtype)))
        return weights

    def _predicted(self, logits: Tensor, index: np.ndarray) -> Tensor:
        if self.mode == "step":
            return logits > 0
        if self.remembered is None:
            return torch.zeros_like(logits, dtype=torch.bool)
        return self.remembered[:, torch.from_numpy(index).to(logits.device)]


def _asked(cost: Cost, y: Tensor, predicted: Tensor) -> Tensor:
    truth = y.cpu().numpy().astype(np.uint8)
    steps = [cost.weights(truth, step.cpu().numpy().astype(np.uint8)) for step in predicted]
    return torch.from_numpy(np.stack(steps)).to(y)
