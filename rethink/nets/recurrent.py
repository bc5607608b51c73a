"""The net on vectors: x -> Dense(ReLU) -> recurrent steps on the same input -> Dense.

Without a recurrent layer it is a feed-forward net with one step, and without the first dense layer,
too, logistic regression. Gradients are autograd's and steps those of torch.optim.NAdam: written by
hand, both together were only 1.06 (yeast) and 1.02 (bibtex) times as fast, see `benchmarks/nets`.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rethink.nets.layers import LAYERS, State
from rethink.nets.network import Net, Shape, Sizes, Weigh, as_vectors
from rethink.nets.rows import product

IRNN_SPREAD = 0.001  # Le et al. 2015: small input weights beside an identity


@dataclass(frozen=True)
class RecurrentShape(Shape):
    """Sizes and kinds of the layers.

    Attributes
    ----------
    inputs, labels : int
    features : int or None
        Units of the first dense layer; None leaves it out.
    rnn : str or None
        lstm, gru, srn, irnn, or None for a feed-forward net.
    hidden, steps : int
        Of the recurrent layer.
    dropout : float
        Share of the hidden units that are not passed on between steps in training.
    identity : bool
        The outputs are the hidden units of an SRN, without an output layer.
    hard_gates : bool
    chain : bool
        Step k has one output, that of label k; otherwise each step has all labels.
    penalised_output : bool
        The output layer is under the L2 penalty, too; not so in the authors' code.

    Examples
    --------
    >>> RecurrentShape(72, 6, 128, "lstm", 128, 3).size  # the authors' net for emotions
    141702
    """

    inputs: int
    labels: int
    features: int | None = None
    rnn: str | None = None
    hidden: int = 0
    steps: int = 1
    dropout: float = 0.0
    identity: bool = False
    hard_gates: bool = False
    chain: bool = False
    penalised_output: bool = False

    @property
    def kernels(self) -> Sizes:
        """Weights under the L2 penalty."""
        sizes: Sizes = {}
        if self.features:
            sizes["first"] = (self.inputs, self.features)
        if self.rnn:
            units = LAYERS[self.rnn].gates * self.hidden
            sizes["input"] = (self.features or self.inputs, units)
            sizes["recurrent"] = (self.hidden, units)
        return sizes | (self._output if self.penalised_output else {})

    @property
    def free(self) -> Sizes:
        """Biases, and as a rule the output layer."""
        sizes: Sizes = {} if self.penalised_output else self._output
        if self.features:
            sizes["first_bias"] = (self.features,)
        if self.rnn:
            sizes[f"{self.rnn}_bias"] = (LAYERS[self.rnn].gates * self.hidden,)
        return sizes if self.identity else sizes | {"output_bias": (self._outputs,)}

    @property
    def _output(self) -> Sizes:
        last = self.hidden if self.rnn else self.features or self.inputs
        return {} if self.identity else {"output": (last, self._outputs)}

    @property
    def _outputs(self) -> int:
        return 1 if self.chain else self.labels

    def net(self, extractor: nn.Module | None = None) -> "RecurrentNet":
        """A net of this shape, all its weights zero."""
        return RecurrentNet(self, extractor)

    def initial(self, name: str, rng: np.random.Generator) -> np.ndarray:
        """Keras' initial values, or those of an IRNN, which starts by remembering."""
        size = self.weights[name]
        if self.rnn == "irnn" and name == "input":
            return rng.normal(0, IRNN_SPREAD, size)
        if self.rnn == "irnn" and name == "recurrent":
            return np.eye(size[0])
        return super().initial(name, rng)

    def resized(self, size: int) -> "RecurrentShape":
        """The shape with both layers of one width, the one that comes nearest to `size` weights.

        Examples
        --------
        >>> RecurrentShape(72, 6, 128, "lstm", 128, 3).resized(200_000).hidden
        153
        """

        def of(width: int) -> RecurrentShape:
            return replace(self, features=width, hidden=width)

        above = bisect_left(range(1, size + 1), size, key=lambda width: of(width).size) + 1
        return min(map(of, (max(above - 1, 1), above)), key=lambda shape: abs(shape.size - size))


class RecurrentNet(Net):
    """Logits of all labels at each step, from dense or sparse vectors."""

    first: Tensor
    first_bias: Tensor
    input: Tensor
    recurrent: Tensor
    output: Tensor
    output_bias: Tensor

    def forward(self, features: Any) -> Tensor:
        """Logits of shape (steps, n, K); a chain is one step of all its labels."""
        layer = as_vectors(features)
        if self.shape.features:
            layer = torch.relu(product(layer, self.first) + self.first_bias)
        if self.shape.rnn is None:
            return (product(layer, self.output) + self.output_bias).unsqueeze(0)
        states = self._states(layer)
        if self.shape.identity:  # an SRN's h is the logistic function of the state's second part
            return torch.stack([state[1] for state in states])
        h = torch.stack([state[0] for state in states])
        logits = torch.addmm(self.output_bias, h.flatten(0, 1), self.output)
        logits = logits.view(*h.shape[:2], -1)
        return logits.permute(2, 1, 0) if self.shape.chain else logits

    def loss(self, features: Any, labels: Tensor, weigh: Weigh | None = None) -> Tensor:
        """Weighted cross-entropy, the mean over steps, instances and labels."""
        logits = self(features)
        weights = None if weigh is None else weigh(logits.detach())
        return F.binary_cross_entropy_with_logits(logits, labels.expand_as(logits), weights)

    def proba(self, features: Any) -> Tensor:
        """Probabilities at each step."""
        return torch.sigmoid(self(features).double())

    def _states(self, layer: Any) -> list[State]:
        step, rnn = LAYERS[self.shape.rnn].step, self.shape.rnn
        z = product(layer, self.input) + self.get_parameter(f"{rnn}_bias")
        mask, state, states = self._mask(z), None, []
        for _ in range(self.shape.steps):
            state = step(z, self.recurrent, state, mask, self.shape.hard_gates)
            states.append(state)
        return states

    def _mask(self, z: Tensor) -> Tensor | None:
        """Recurrent dropout: one mask for all steps of an instance, scaled to keep the mean."""
        if not (self.training and self.shape.dropout and self.shape.steps > 1):
            return None
        return F.dropout(z.new_ones(len(z), self.shape.hidden), self.shape.dropout)
