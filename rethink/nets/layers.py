"""Recurrent layers, one step at a time.

The input is the same at every step, so its product `z` (bias included) is computed once, outside.
`U` holds the recurrent weights of all gates side by side, shape (H, gates * H). Activations are
logistic everywhere, as in the authors' code; only an IRNN uses ReLU. A state is a tuple whose first
entry is h; None before the first step, where h = 0. The dropout mask multiplies h before the
recurrent product.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

State = tuple[Tensor, ...]
Step = Callable[[Tensor, Tensor, State | None, Tensor | None, bool], State]


def srn(z: Tensor, U: Tensor, state: State | None, mask: Tensor | None, hard: bool) -> State:
    """Simple recurrent network: h = logistic(z + U h); the state also holds what h is made of."""
    v = _product(z, U, state, mask)
    return torch.sigmoid(v), v


def irnn(z: Tensor, U: Tensor, state: State | None, mask: Tensor | None, hard: bool) -> State:
    """Simple recurrent network with ReLU that starts from an identity (Le et al. 2015)."""
    return (torch.relu(_product(z, U, state, mask)),)


def lstm(z: Tensor, U: Tensor, state: State | None, mask: Tensor | None, hard: bool) -> State:
    """Long short-term memory: the state is h and c."""
    v = _product(z, U, state, mask)
    gates = torch.sigmoid(v)
    i, f, o, g = gates.chunk(4, dim=1)
    if hard:
        i, f, o = _hard(v[:, : 3 * len(U)]).chunk(3, dim=1)
    c = i * g if state is None else torch.addcmul(i * g, f, state[1])
    return o * torch.sigmoid(c), c


def gru(z: Tensor, U: Tensor, state: State | None, mask: Tensor | None, hard: bool) -> State:
    """Gated recurrent unit, reset before the product; dropout does not touch the h carried over."""
    gate = _hard if hard else torch.sigmoid
    H = len(U)
    both, new = z[:, : 2 * H], z[:, 2 * H :]
    if state is None:
        candidate = torch.sigmoid(new)
        return (candidate - gate(both[:, :H]) * candidate,)
    h = state[0]
    masked = h if mask is None else h * mask
    update, reset = gate(torch.addmm(both, masked, U[:, : 2 * H])).chunk(2, dim=1)
    candidate = torch.sigmoid(torch.addmm(new, reset * masked, U[:, 2 * H :]))
    return (torch.lerp(candidate, h, update),)


def lstm_of_gates(v: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """h and c of an LSTM with tanh, from the weighted inputs of its gates and the c before."""
    i, f, o, g = v.chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


class Layer(NamedTuple):
    """A kind of layer: its blocks of hidden units in the recurrent weights, and its step."""

    gates: int
    step: Step


LAYERS = {
    "lstm": Layer(4, lstm),
    "gru": Layer(3, gru),
    "srn": Layer(1, srn),
    "irnn": Layer(1, irnn),
}


def _product(z: Tensor, U: Tensor, state: State | None, mask: Tensor | None) -> Tensor:
    if state is None:
        return z
    return torch.addmm(z, state[0] if mask is None else state[0] * mask, U)


def _hard(v: Tensor) -> Tensor:
    """The piecewise linear gates of Keras before 2.3."""
    return (0.2 * v + 0.5).clamp(0, 1)
