"""Recurrent cells: one step forward, which autograd can follow, and its gradient by hand.

The input is the same at every step, so its product `z` (bias included) is computed once, outside.
`U` holds the recurrent weights of all gates side by side, shape (H, gates * H). Activations are
logistic everywhere, as in the authors' code; only an IRNN uses ReLU.

forward(z, U, state, mask) -> state, kept
    A state is a tuple whose first entry is h; None at the first step, where h = 0. The dropout
    mask multiplies h before the recurrent product.
backward(d_state, U, mask, kept, dU) -> dz, d_state of the step before
    Adds to dU. The second result is None at the first step.
"""

from typing import Any

import torch
from torch import Tensor

State = tuple[Tensor, ...]
logistic_gradient = torch.ops.aten.sigmoid_backward  # (gradient, output) in one pass


class Srn:
    """Simple recurrent network: h = logistic(z + U h)."""

    gates = 1

    def forward(
        self, z: Tensor, U: Tensor, state: State | None, mask: Tensor | None
    ) -> tuple[State, Any]:
        """One step; the state also holds what h is the activation of."""
        masked = None if state is None else _masked(state[0], mask)
        v = z if masked is None else torch.addmm(z, masked, U)
        h = self.activate(v)
        return (h, v), (masked, h)

    def backward(
        self, d_state: State, U: Tensor, mask: Tensor | None, kept: Any, dU: Tensor
    ) -> tuple[Tensor, State | None]:
        """Gradient of one step."""
        masked, h = kept
        dv = self.gradient(d_state[0], h)
        if masked is None:
            return dv, None
        dU.addmm_(masked.T, dv)
        return dv, (_masked(dv @ U.T, mask),)

    def activate(self, v: Tensor) -> Tensor:
        """The cell's activation."""
        return torch.sigmoid(v)

    def gradient(self, dh: Tensor, h: Tensor) -> Tensor:
        """Gradient of the activation, from its output."""
        return logistic_gradient(dh, h)


class Irnn(Srn):
    """Simple recurrent network with ReLU that starts from an identity (Le et al. 2015)."""

    def activate(self, v: Tensor) -> Tensor:
        """ReLU."""
        return torch.relu(v)

    def gradient(self, dh: Tensor, h: Tensor) -> Tensor:
        """Gradient of ReLU."""
        return dh * (h > 0)


class Lstm:
    """Long short-term memory; the gates stand in the order input, forget, output, candidate."""

    gates = 4

    def __init__(self, hard: bool = False):
        self.hard = hard

    def forward(
        self, z: Tensor, U: Tensor, state: State | None, mask: Tensor | None
    ) -> tuple[State, Any]:
        """One step; the state is h and c."""
        H = U.shape[0]
        masked = None if state is None else _masked(state[0], mask)
        v = z if masked is None else torch.addmm(z, masked, U)
        gates = _gates(v, 3 * H, self.hard)
        i, f, o, g = gates.chunk(4, dim=1)
        before = None if state is None else state[1]
        c = i * g if before is None else torch.addcmul(i * g, f, before)
        squashed = torch.sigmoid(c)
        return (o * squashed, c), (masked, gates, before, squashed)

    def backward(
        self, d_state: State, U: Tensor, mask: Tensor | None, kept: Any, dU: Tensor
    ) -> tuple[Tensor, State | None]:
        """Gradient of one step."""
        H = U.shape[0]
        masked, gates, before, squashed = kept
        i, f, o, g = gates.chunk(4, dim=1)
        dh = d_state[0]
        dc = logistic_gradient(dh * o, squashed)
        if len(d_state) > 1:
            dc += d_state[1]
        d_gates = torch.empty_like(gates)
        di, df, do, dg = d_gates.chunk(4, dim=1)
        torch.mul(dc, g, out=di)
        torch.mul(dh, squashed, out=do)
        torch.mul(dc, i, out=dg)
        if before is None:
            df.zero_()
            return _gates_gradient(d_gates, gates, 3 * H, self.hard), None
        torch.mul(dc, before, out=df)
        dv = _gates_gradient(d_gates, gates, 3 * H, self.hard)
        dU.addmm_(masked.T, dv)
        return dv, (_masked(dv @ U.T, mask), dc.mul_(f))


class Gru:
    """Gated recurrent unit, reset before the product; the gates are update, reset, candidate."""

    gates = 3

    def __init__(self, hard: bool = False):
        self.hard = hard

    def forward(
        self, z: Tensor, U: Tensor, state: State | None, mask: Tensor | None
    ) -> tuple[State, Any]:
        """One step; dropout does not touch the h that is carried over."""
        H = U.shape[0]
        if state is None:
            gates = _gates(z[:, : 2 * H], 2 * H, self.hard)
            candidate = torch.sigmoid(z[:, 2 * H :])
            u = gates[:, :H]
            return (candidate - u * candidate,), (None, None, None, gates, candidate)
        h = state[0]
        masked = _masked(h, mask)
        gates = _gates(torch.addmm(z[:, : 2 * H], masked, U[:, : 2 * H]), 2 * H, self.hard)
        u, r = gates.chunk(2, dim=1)
        reset = r * masked
        candidate = torch.sigmoid(torch.addmm(z[:, 2 * H :], reset, U[:, 2 * H :]))
        return (torch.lerp(candidate, h, u),), (h, masked, reset, gates, candidate)

    def backward(
        self, d_state: State, U: Tensor, mask: Tensor | None, kept: Any, dU: Tensor
    ) -> tuple[Tensor, State | None]:
        """Gradient of one step."""
        H = U.shape[0]
        h, masked, reset, gates, candidate = kept
        u, r = gates.chunk(2, dim=1)
        dh = d_state[0]
        dz = torch.zeros((len(dh), 3 * H), dtype=dh.dtype, device=dh.device)
        du, dr, dg = dz.chunk(3, dim=1)
        dg.copy_(logistic_gradient(dh - dh * u, candidate))
        torch.mul(dh, -candidate if h is None else h - candidate, out=du)
        if h is None:
            dz[:, : 2 * H] = _gates_gradient(dz[:, : 2 * H], gates, 2 * H, self.hard)
            return dz, None
        d_reset = dg @ U[:, 2 * H :].T
        torch.mul(d_reset, masked, out=dr)
        dz[:, : 2 * H] = _gates_gradient(dz[:, : 2 * H], gates, 2 * H, self.hard)
        dU[:, : 2 * H].addmm_(masked.T, dz[:, : 2 * H])
        dU[:, 2 * H :].addmm_(reset.T, dg)
        d_masked = torch.addcmul(dz[:, : 2 * H] @ U[:, : 2 * H].T, d_reset, r)
        return dz, (torch.addcmul(_masked(d_masked, mask), dh, u),)


Cell = Srn | Lstm | Gru


def make_cell(name: str, hard: bool) -> Cell:
    """The cell of this name; `hard` gates are the piecewise linear ones of Keras before 2.3."""
    if name in ("lstm", "gru"):
        return Lstm(hard) if name == "lstm" else Gru(hard)
    return Srn() if name == "srn" else Irnn()


def _masked(h: Tensor, mask: Tensor | None) -> Tensor:
    return h if mask is None else h * mask


def _gates(v: Tensor, count: int, hard: bool) -> Tensor:
    """Gate activations of the first `count` columns; the rest is logistic in any case."""
    if not hard:
        return torch.sigmoid(v)
    return torch.cat([(0.2 * v[:, :count] + 0.5).clamp(0, 1), torch.sigmoid(v[:, count:])], dim=1)


def _gates_gradient(d_gates: Tensor, gates: Tensor, count: int, hard: bool) -> Tensor:
    if not hard:
        return logistic_gradient(d_gates, gates)
    linear, rest = gates[:, :count], gates[:, count:]
    inside = (linear > 0) & (linear < 1)
    return torch.cat(
        [0.2 * d_gates[:, :count] * inside, logistic_gradient(d_gates[:, count:], rest)], dim=1
    )
