"""Nadam (Dozat 2016) with Keras' defaults, in place on a few long vectors."""

from collections.abc import Sequence

import torch

BLOCK = 1 << 16  # the update reads a value many times: in blocks, it stays in the cache


class Nadam:
    """One step at a time; `torch.optim.NAdam(eps=1e-7)` computes the same, less quickly.

    Examples
    --------
    >>> weights = torch.tensor([1.0, -1.0])
    >>> Nadam([weights], rate=0.1).step([torch.tensor([3.0, -3.0])])
    >>> weights.round(decimals=3)
    tensor([ 0.8940, -0.8940])
    """

    def __init__(
        self,
        weights: Sequence[torch.Tensor],
        rate: float = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-7,
        decay: float = 0.004,
    ):
        self.weights = [part for tensor in weights for part in _blocks(tensor)]
        self.first = [torch.zeros_like(part) for part in self.weights]
        self.second = [torch.zeros_like(part) for part in self.weights]
        self.rate, self.beta1, self.beta2 = rate, beta1, beta2
        self.epsilon, self.decay = epsilon, decay
        self.steps, self.schedule = 0, 1.0

    @torch.no_grad()
    def step(self, gradients: Sequence[torch.Tensor]) -> None:
        """Move the weights; `gradients` has a tensor for each tensor of weights."""
        self.steps += 1
        now, after = self._momentum(self.steps), self._momentum(self.steps + 1)
        self.schedule *= now
        by_gradient = (1 - now) / (1 - self.schedule)
        by_first = after / (1 - self.schedule * after)
        correction = (1 - self.beta2**self.steps) ** 0.5
        parts = (part for tensor in gradients for part in _blocks(tensor))
        for weight, g, m, v in zip(self.weights, parts, self.first, self.second, strict=True):
            m.lerp_(g, 1 - self.beta1)
            v.mul_(self.beta2).addcmul_(g, g, value=1 - self.beta2)
            below = v.sqrt().div_(correction).add_(self.epsilon)
            top = (m * by_first).add_(g, alpha=by_gradient)
            weight.addcdiv_(top, below, value=-self.rate)

    def _momentum(self, step: int) -> float:
        return self.beta1 * (1 - 0.5 * 0.96 ** (step * self.decay))


def _blocks(tensor: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tensor.detach().view(-1).chunk(-(-tensor.numel() // BLOCK))
