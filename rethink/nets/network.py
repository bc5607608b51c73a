"""The net of all neural models: x -> Dense(ReLU) -> recurrent steps on the same input -> Dense.

Without a cell it is a feed-forward net with one step. All weights lie in one flat vector, those
under the L2 penalty first, so that an optimiser's step is a few operations.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rethink.nets import initial
from rethink.nets.cells import make_cell
from rethink.nets.rows import Batch, product


@dataclass(frozen=True)
class Shape:
    """What fixes a net's weights: sizes and kinds of its layers.

    Attributes
    ----------
    inputs : int
        Columns of x, or of what an extractor makes of it.
    features : int or None
        Units of the first dense layer; None leaves it out.
    rnn : str or None
        lstm, gru, srn, irnn, or None for a feed-forward net.
    hidden, outputs, steps : int
    identity : bool
        The outputs are the hidden units of an SRN, without an output layer.
    hard_gates : bool
    chain : bool
        Step k has one output, that of label k; otherwise each step has all labels.

    Examples
    --------
    >>> Shape(72, 128, "lstm", 128, 6, 3).size  # the authors' net for emotions
    141702
    """

    inputs: int
    features: int | None
    rnn: str | None
    hidden: int
    outputs: int
    steps: int
    identity: bool = False
    hard_gates: bool = False
    chain: bool = False

    @property
    def gates(self) -> int:
        """Blocks of hidden units in the recurrent weights."""
        return {None: 0, "srn": 1, "irnn": 1, "gru": 3, "lstm": 4}[self.rnn]

    @property
    def kernels(self) -> dict[str, tuple[int, ...]]:
        """Weights under the L2 penalty, as in the authors' code: not biases, not the output."""
        units = self.gates * self.hidden
        found: dict[str, tuple[int, ...]] = {}
        if self.features:
            found["first"] = (self.inputs, self.features)
        if self.rnn:
            found["input"] = (self.features or self.inputs, units)
            found["recurrent"] = (self.hidden, units)
        return found

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """All weights by name, in the order of the flat vector."""
        found = self.kernels
        if self.features:
            found["first_bias"] = (self.features,)
        if self.rnn:
            found["bias"] = (self.gates * self.hidden,)
        if not self.identity:
            last = self.hidden if self.rnn else self.features or self.inputs
            found |= {"output": (last, self.outputs), "output_bias": (self.outputs,)}
        return found

    @property
    def size(self) -> int:
        """The number of all weights."""
        return sum(map(math.prod, self.weights.values()))

    def resized(self, size: int) -> "Shape":
        """The shape with both layers of one width, the one that comes nearest to `size` weights.

        Examples
        --------
        >>> Shape(72, 128, "lstm", 128, 6, 3).resized(200_000).hidden
        153
        """

        def of(width: int) -> Shape:
            return replace(self, features=width, hidden=width)

        above = bisect_left(range(1, size + 1), size, key=lambda width: of(width).size) + 1
        return min(map(of, (max(above - 1, 1), above)), key=lambda shape: abs(shape.size - size))

    @property
    def penalised(self) -> int:
        """How many of the flat vector's first entries are under the L2 penalty."""
        return sum(map(math.prod, self.kernels.values()))

    def split(self, flat: Tensor) -> dict[str, Tensor]:
        """Views of a flat vector, by name."""
        parts = flat.split([math.prod(shape) for shape in self.weights.values()])
        return {
            name: part.view(shape)
            for (name, shape), part in zip(self.weights.items(), parts, strict=True)
        }


class Network:
    """Weights of one shape, and the outputs they give."""

    def __init__(self, shape: Shape, flat: Tensor):
        self.shape, self.flat = shape, flat
        self.weights = shape.split(flat)
        self.cell = make_cell(shape.rnn, shape.hard_gates) if shape.rnn else None

    def forward(self, x: Batch, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Logits of shape (steps, n, outputs), and what the hand-written gradient needs."""
        w = self.weights
        first: Any = x
        if self.shape.features:
            first = torch.relu(product(x, w["first"]) + w["first_bias"])
        if self.cell is None:
            return (product(first, w["output"]) + w["output_bias"]).unsqueeze(0), (x, first)
        z = product(first, w["input"]) + w["bias"]
        state, states, kept = None, [], []
        for _ in range(self.shape.steps):
            state, saved = self.cell.forward(z, w["recurrent"], state, mask)
            states.append(state)
            kept.append(saved)
        if self.shape.identity:  # an SRN's h is the logistic function of the state's second part
            return torch.stack([state[1] for state in states]), None
        h = torch.stack([state[0] for state in states])
        logits = torch.addmm(w["output_bias"], h.flatten(0, 1), w["output"])
        return logits.view(len(h), h.shape[1], -1), (x, first, h, kept)


def new_network(
    shape: Shape,
    rng: np.random.Generator,
    device: torch.device,
    dtype: torch.dtype = torch.float32,
) -> Network:
    """A net with Keras' initial weights: Glorot, orthogonal, zero biases, forget bias 1."""
    flat = torch.zeros(shape.size, dtype=dtype, device=device)
    network = Network(shape, flat)
    irnn = shape.rnn == "irnn"
    draw = {
        "first": initial.glorot_uniform,
        "input": initial.small_normal if irnn else initial.glorot_uniform,
        "recurrent": initial.identity if irnn else initial.orthogonal,
        "output": initial.glorot_uniform,
    }
    for name, weight in network.weights.items():
        if name in draw:
            weight.copy_(torch.from_numpy(draw[name](tuple(weight.shape), rng)))
    if shape.rnn == "lstm":
        network.weights["bias"][shape.hidden : 2 * shape.hidden] = 1.0
    return network
