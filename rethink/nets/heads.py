"""Heads: what follows a feature extractor in the image models, trained by autograd.

A head gets vectors of shape (n, d) or maps of shape (n, channels, h, w). All its weights lie in one
flat vector, those under the L2 penalty first, so that training and saving are those of other nets.
"""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rethink.nets import initial
from rethink.nets.gradient import by_autograd
from rethink.nets.precision import mixed_precision
from rethink.nets.rows import Rows
from rethink.nets.training import Model, Trainer

ROWS_AT_ONCE = 256  # in predictions: bounds the memory of paths and of cells


class HeadShape(ABC):
    """What fixes a head: a frozen dataclass of sizes and of settings for predictions."""

    @property
    @abstractmethod
    def kernels(self) -> dict[str, tuple[int, int]]:
        """Matrices, all under the L2 penalty."""

    @property
    @abstractmethod
    def biases(self) -> dict[str, tuple[int]]:
        """Vectors; those of an LSTM are called `lstm_bias`."""

    @abstractmethod
    def head(self, flat: Tensor) -> "Head":
        """The head of these weights."""

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """All weights by name, in the order of the flat vector."""
        return {**self.kernels, **self.biases}

    @property
    def size(self) -> int:
        """The number of all weights."""
        return sum(map(math.prod, self.weights.values()))

    @property
    def penalised(self) -> int:
        """How many of the flat vector's first entries are under the L2 penalty."""
        return sum(map(math.prod, self.kernels.values()))

    def split(self, flat: Tensor) -> dict[str, Tensor]:
        """Views of a flat vector, by name."""
        parts = flat.split([math.prod(shape) for shape in self.weights.values()])
        named = zip(self.weights.items(), parts, strict=True)
        return {name: part.view(shape) for (name, shape), part in named}


class Head(ABC):
    """Weights of one shape, their loss and their predictions."""

    def __init__(self, shape: Any, flat: Tensor):
        self.shape, self.flat = shape, flat
        self.weights = shape.split(flat)

    @abstractmethod
    def loss(self, features: Tensor, labels: Tensor) -> Tensor:
        """Mean loss of a batch, labels of shape (n, K)."""

    @abstractmethod
    def predict(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """The labels predicted, bool, and the probability of each: both of shape (n, K)."""


def new_head(shape: HeadShape, rng: np.random.Generator, device: torch.device) -> Head:
    """A head with Keras' initial weights: Glorot, orthogonal, zero biases, forget bias 1."""
    head = shape.head(torch.zeros(shape.size, device=device))
    for name, sizes in shape.kernels.items():
        draw = initial.orthogonal if name == "recurrent" else initial.glorot_uniform
        head.weights[name].copy_(torch.from_numpy(draw(sizes, rng)))
    if "lstm_bias" in head.weights:
        head.weights["lstm_bias"].view(4, -1)[1] = 1.0  # the gates: input, forget, output, new
    return head


class HeadModel(Model):
    """A head behind an optional extractor."""

    network: Any  # a Head, where a Model has a Network

    def __init__(self, network: Any, extractor: torch.nn.Module | None = None):
        super().__init__(network, extractor)

    def loss(self, rows: Rows, index: np.ndarray, labels: Tensor) -> Tensor:
        """Mean loss of some rows."""
        features = self._features(rows, index)
        with mixed_precision(rows.device):
            return self.network.loss(features, labels)

    @torch.no_grad()
    def predict(self, rows: Rows, index: np.ndarray) -> tuple[Tensor, Tensor]:
        """Predicted labels and probabilities of some rows, both of shape (n, K)."""
        if self.extractor is not None:
            self.extractor.eval()
        found = []
        for part in np.array_split(index, max(1, -(-len(index) // ROWS_AT_ONCE))):
            features = self._features(rows, part)
            with mixed_precision(rows.device):
                found.append(self.network.predict(features))
        labels, proba = zip(*found, strict=True)
        return torch.cat(labels), torch.cat(proba)

    def logits(self, rows: Rows, index: np.ndarray) -> Tensor:
        """Above zero where a label is predicted: all that a search asks, shape (1, n, K)."""
        labels, _ = self.predict(rows, index)
        return torch.where(labels, 1.0, -1.0).unsqueeze(0)

    def _features(self, rows: Rows, index: np.ndarray) -> Tensor:
        x = rows.take(index)
        assert isinstance(x, Tensor)
        return x if self.extractor is None else self.extractor(x)


class HeadTrainer(Trainer):
    """Trains a head, and the extractor before it, by autograd."""

    model: HeadModel

    def _step(self, index: np.ndarray) -> Tensor:
        head, device = self.model.network, self.data.labels.device
        labels = self.data.labels[torch.from_numpy(index).to(device)]
        flat = head.flat.requires_grad_()
        # a head anew: its weights are views, which autograd must see being taken
        model = HeadModel(head.shape.head(flat), self.model.extractor)
        loss = model.loss(self.data.rows, index, labels)
        gradients = by_autograd(loss, self.leaves)
        flat.requires_grad_(False)
        penalised = head.shape.penalised
        gradients[0][:penalised].add_(flat[:penalised], alpha=2 * self.recipe.l2)
        self.nadam.step(gradients)
        return loss.detach()


def lstm(v: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """h and c of an LSTM from the weighted inputs of its gates and the c before."""
    i, f, o, g = v.chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def longest_first(labels: Tensor) -> tuple[Tensor, list[int]]:
    """Rows by their number of labels, the most first; and how many have at least 0, 1, 2, … .

    Examples
    --------
    >>> rows, alive = longest_first(torch.tensor([[0, 0], [1, 1], [0, 1]]))
    >>> rows.tolist(), alive
    ([1, 2, 0], [3, 2, 1])
    """
    counts, rows = labels.sum(dim=1).long().sort(descending=True, stable=True)
    steps = torch.arange(int(counts[0]) + 1, device=labels.device)
    return rows, (counts >= steps.unsqueeze(1)).sum(dim=1).tolist()
