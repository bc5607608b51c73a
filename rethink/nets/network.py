"""What all nets share: a shape, named weights, the loss of a batch and predictions.

A net gets vectors of shape (n, d) or maps of shape (n, channels, h, w), from X itself or from an
extractor before it, which is trained with it end to end. Gradients are autograd's.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from rethink.nets.device import mixed_precision
from rethink.nets.rows import Batch, Rows
from rethink.seeds import derive_seed

Sizes = dict[str, tuple[int, ...]]
Weigh = Callable[[Tensor], Tensor | None]  # logits -> weights of their losses


class Shape(ABC):
    """What fixes a net: a frozen dataclass of sizes and of settings for predictions."""

    @property
    @abstractmethod
    def kernels(self) -> Sizes:
        """Weights under the L2 penalty."""

    @property
    @abstractmethod
    def free(self) -> Sizes:
        """Weights without a penalty, such as biases; those of an LSTM are called `lstm_bias`."""

    @abstractmethod
    def net(self, extractor: nn.Module | None = None) -> "Net":
        """A net of this shape, all its weights zero."""

    @property
    def weights(self) -> Sizes:
        """All weights by name."""
        return {**self.kernels, **self.free}

    @property
    def size(self) -> int:
        """The number of all weights."""
        return sum(map(math.prod, self.weights.values()))

    def initial(self, name: str, rng: np.random.Generator) -> np.ndarray:
        """Keras' initial values: Glorot, orthogonal, zero biases, forget bias 1.

        They are drawn with NumPy, so that they are equal on all devices.
        """
        size = self.weights[name]
        if name == "lstm_bias":  # the gates: input, forget, output, new
            return np.repeat([0.0, 1.0, 0.0, 0.0], size[0] // 4)
        if len(size) == 1:
            return np.zeros(size)
        return orthogonal(size, rng) if name == "recurrent" else glorot_uniform(size, rng)


class Net(nn.Module, ABC):
    """Weights of one shape behind an optional extractor.

    Attributes
    ----------
    threshold : float
        Labels of a greater probability are predicted.
    rows_at_once : int
        In predictions: bounds their memory.
    mixed : bool
        Whether a GPU computes the net in mixed precision.
    """

    threshold: float = 0.5
    rows_at_once: ClassVar[int] = 2048
    mixed: ClassVar[bool] = False

    def __init__(self, shape: Any, extractor: nn.Module | None = None):
        super().__init__()
        self.shape, self.extractor = shape, extractor
        for name, size in shape.weights.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(size)))

    @abstractmethod
    def loss(self, features: Any, labels: Tensor, weigh: Weigh | None = None) -> Tensor:
        """Mean loss of a batch, labels of shape (n, K); only nets with weights are given any."""

    @abstractmethod
    def proba(self, features: Any) -> Tensor:
        """Probabilities at each step, the last one the prediction: shape (steps, n, K)."""

    @torch.no_grad()
    def draw(self, seed: int) -> None:
        """Take initial weights, each from a stream of its own.

        So nets that differ in a layer, such as kinds of recurrent ones, share the other weights.
        """
        for name in self.shape.weights:
            rng = np.random.default_rng(derive_seed("weights", name, seed))
            self.get_parameter(name).copy_(torch.from_numpy(self.shape.initial(name, rng)))

    def penalised(self) -> list[Tensor]:
        """The weights under the L2 penalty."""
        return [self.get_parameter(name) for name in self.shape.kernels]

    def batch_loss(self, x: Batch, labels: Tensor, weigh: Weigh | None = None) -> Tensor:
        """Mean loss of a batch of X."""
        features = self._features(x)
        with self._precision(labels.device):
            return self.loss(features, labels, weigh)

    @torch.no_grad()
    def predict(self, rows: Rows, index: np.ndarray) -> Tensor:
        """Probabilities of some rows, in double precision: shape (steps, n, K)."""
        self.eval()
        blocks = []
        for part in np.array_split(index, max(1, -(-len(index) // self.rows_at_once))):
            features = self._features(rows.take(part))
            with self._precision(rows.device):
                blocks.append(self.proba(features).double())
        return torch.cat(blocks, dim=1)

    def _features(self, x: Batch) -> Any:
        return x if self.extractor is None else self.extractor(x)

    def _precision(self, device: torch.device) -> torch.autocast:
        return mixed_precision(device if self.mixed else torch.device("cpu"))


@torch.no_grad()
def feature_shape(extractor: nn.Module | None, rows: Rows) -> tuple[int, ...]:
    """The shape of what a net gets of one instance: (d,) or (channels, h, w)."""
    if extractor is None:
        return tuple(rows.matrix.shape[1:])
    extractor.to(rows.device).eval()
    features = extractor(rows.take(np.zeros(1, dtype=np.int64)))
    shape = tuple(getattr(features, "shape", ()))
    if not isinstance(features, Tensor) or features.ndim not in (2, 4) or len(features) != 1:
        raise ValueError(
            f"the extractor returned shape {shape} for one instance, but a vector of shape "
            "(1, features) or a map of shape (1, channels, h, w) is needed; end it accordingly"
        )
    return shape[1:]


def as_vectors(features: Any) -> Any:
    """Vectors as they are; of maps the mean over their patches."""
    is_map = isinstance(features, Tensor) and features.ndim == 4
    return features.mean((2, 3)) if is_map else features


def glorot_uniform(size: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Uniform within the square root of 6 / (inputs + outputs); all gates are one matrix."""
    limit = np.sqrt(6 / sum(size))
    return rng.uniform(-limit, limit, size)


def orthogonal(size: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Orthonormal rows (or columns, where they are fewer), for all gates together."""
    tall = (max(size), min(size))
    q, r = np.linalg.qr(rng.standard_normal(tall))
    q *= np.where(np.diag(r) < 0, -1.0, 1.0)  # without the signs of r, q is uniformly distributed
    return q if size == tall else q.T
