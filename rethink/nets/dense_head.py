"""The head of the paper's baseline: one dense layer of logistic outputs."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from rethink.nets.head_features import as_vectors
from rethink.nets.heads import Head, HeadShape


@dataclass(frozen=True)
class DenseShape(HeadShape):
    """Sizes of the layer."""

    inputs: int
    labels: int

    @property
    def kernels(self) -> dict[str, tuple[int, int]]:
        """The layer's."""
        return {"output": (self.inputs, self.labels)}

    @property
    def biases(self) -> dict[str, tuple[int]]:
        """The layer's."""
        return {"output_bias": (self.labels,)}

    def head(self, flat: Tensor) -> "DenseHead":
        """The head of these weights."""
        return DenseHead(self, flat)


class DenseHead(Head):
    """Logistic regression of all labels at once."""

    def loss(self, features: Tensor, labels: Tensor) -> Tensor:
        """Cross-entropy, the mean over instances and labels."""
        return F.binary_cross_entropy_with_logits(self._logits(features), labels)

    def predict(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Labels with a probability above one half, and all probabilities."""
        logits = self._logits(features)
        return logits > 0, torch.sigmoid(logits)

    def _logits(self, features: Tensor) -> Tensor:
        w = self.weights
        return (as_vectors(features) @ w["output"] + w["output_bias"]).float()
