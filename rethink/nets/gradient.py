"""The loss of a batch and its gradient: by autograd for any net, by hand for nets on vectors.

Both compute the same. The hand-written one saves autograd's graph, and writes into one flat vector.
"""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from rethink.nets.network import Network
from rethink.nets.rows import Batch, product_gradient

BIAS = {"first": "first_bias", "input": "bias", "output": "output_bias"}


def batch_loss(logits: Tensor, targets: Tensor, weights: Tensor | None) -> Tensor:
    """Weighted cross-entropy, the mean over steps, instances and labels.

    Parameters
    ----------
    logits : Tensor of shape (steps, n, outputs)
    targets : Tensor that can be expanded to it
    weights : Tensor of the shape of `logits`, or None
    """
    targets = targets.expand_as(logits)
    return F.binary_cross_entropy_with_logits(logits, targets, weights)


def by_autograd(loss: Tensor, leaves: list[Tensor]) -> list[Tensor]:
    """The gradient by each leaf; zeros where the loss does not depend on it."""
    found = torch.autograd.grad(loss, leaves, allow_unused=True)
    return [
        torch.zeros_like(leaf) if grad is None else grad.contiguous()
        for leaf, grad in zip(leaves, found, strict=True)
    ]


@torch.no_grad()
def by_hand(
    network: Network,
    tape: Any,
    logits: Tensor,
    targets: Tensor,
    weights: Tensor | None,
    mask: Tensor | None,
    out: Tensor,
) -> None:
    """Write the gradient of `batch_loss` by the net's flat vector into `out`."""
    w, gradients = network.weights, network.shape.split(out)
    d_logits = torch.sigmoid(logits).sub_(targets).div_(logits.numel())
    if weights is not None:
        d_logits *= weights
    x, first = tape[:2]
    after, layer = d_logits.flatten(0, 1), "output"
    if network.cell is not None:
        h, kept = tape[2:]
        dh = _dense_layer(gradients, "output", h.flatten(0, 1), after) @ w["output"].T
        after, layer = _steps(network, gradients["recurrent"], dh.view_as(h), kept, mask), "input"
    _dense_layer(gradients, layer, first, after)
    if network.shape.features:  # else `first` is x, whose gradient nobody needs
        after = (after @ w[layer].T).mul_(first > 0)
        _dense_layer(gradients, "first", x, after)


def _dense_layer(gradients: dict[str, Tensor], name: str, x: Batch, after: Tensor) -> Tensor:
    """Gradients of a layer's kernel and bias from that of its result, which is returned."""
    product_gradient(x, after, gradients[name])
    torch.sum(after, dim=0, out=gradients[BIAS[name]])
    return after


def _steps(
    network: Network, dU: Tensor, dh: Tensor, kept: list[Any], mask: Tensor | None
) -> Tensor:
    """Back through the recurrent steps: fills dU, returns the gradient by the input's product."""
    assert network.cell is not None
    U = network.weights["recurrent"]
    dU.zero_()
    dz = U.new_zeros(dh.shape[1], U.shape[1])
    later: tuple[Tensor, ...] | None = None
    for step in reversed(range(len(dh))):
        now = (dh[step],) if later is None else (later[0].add_(dh[step]), *later[1:])
        dv, later = network.cell.backward(now, U, mask, kept[step], dU)
        dz.add_(dv)
    return dz
