"""Training of one net, in epochs that can be continued at any time."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rethink.nets.device import own_chance
from rethink.nets.network import Net
from rethink.nets.rows import Rows
from rethink.nets.weights import Reweighter


@dataclass(frozen=True)
class Data:
    """What a net is trained on: features, and labels of shape (n, K) on the same device."""

    rows: Rows
    labels: Tensor

    def labels_of(self, index: np.ndarray) -> Tensor:
        """The labels of some rows."""
        return self.labels[torch.from_numpy(index).to(self.labels.device)]


@dataclass(frozen=True)
class Recipe:
    """How a net is trained; the estimators, whose parameters these are, explain them."""

    l2: float = 0.0
    batch_size: int = 256
    even_batches: bool = True
    learning_rate: float = 0.002
    shuffle: bool = True


class StoppingRule:
    """Stop when the loss has not improved by `tolerance`, relatively, for `patience` epochs.

    Losses are compared as means over blocks of epochs, because weights that are refreshed now and
    then make single epochs incomparable.

    Examples
    --------
    >>> rule = StoppingRule(tolerance=0.01, patience=2)
    >>> [rule.converged(loss) for loss in (1.0, 0.5, 0.499, 0.498)]
    [False, False, False, True]
    """

    def __init__(self, tolerance: float, patience: int, block: int = 1):
        self.tolerance, self.patience, self.block = tolerance, patience, block
        self.best, self.since = math.inf, 0
        self.collected: list[float] = []

    def converged(self, loss: float) -> bool:
        """Take the loss of one epoch."""
        self.collected.append(loss)
        if len(self.collected) < self.block:
            return False
        mean = sum(self.collected) / self.block
        self.collected = []
        improved = mean < self.best - self.tolerance * abs(self.best) or math.isinf(self.best)
        self.best = min(mean, self.best) if improved else self.best
        self.since = 0 if improved else self.since + self.block
        return self.since >= self.patience


class Trainer:
    """Trains a net on the rows `index` of some data by Nadam with Keras' settings.

    Attributes
    ----------
    net : Net
    history : list of float
        Mean training loss of each epoch, with the L2 penalty at its end.
    finished : bool
        The stopping rule has spoken.
    """

    def __init__(
        self,
        net: Net,
        data: Data,
        index: np.ndarray,
        recipe: Recipe,
        rng: np.random.Generator,
        reweighter: Reweighter | None = None,
        rule: StoppingRule | None = None,
    ):
        self.net, self.data, self.index, self.recipe = net, data, index, recipe
        self.rng, self.reweighter, self.rule = rng, reweighter, rule
        self.optimiser = _nadam(net, recipe)
        self.history: list[float] = []
        self.finished = False

    @property
    def epochs(self) -> int:
        """How many epochs have been run."""
        return len(self.history)

    def run(self, epochs: int) -> None:
        """Train up to this number of epochs in all, or until the stopping rule speaks."""
        while self.epochs < epochs and not self.finished:
            loss = self._epoch()
            if not np.isfinite(loss):
                raise ValueError(
                    f"training diverged in epoch {self.epochs + 1}: the loss is {loss}; "
                    "scale the features to [0, 1] or lower learning_rate"
                )
            self.history.append(loss)
            self.finished = self.rule is not None and self.rule.converged(loss)

    def _epoch(self) -> float:
        self._refresh()
        self.net.train()
        device = self.data.labels.device
        total = torch.zeros((), device=device)
        with own_chance(device, int(self.rng.integers(2**31))):  # of dropout
            for index in self._batches():
                total += self._step(index) * (len(index) / len(self.index))
        penalty = sum(kernel.detach().square().sum() for kernel in self.net.penalised())
        return float(total + self.recipe.l2 * penalty)

    def _refresh(self) -> None:
        if self.reweighter is not None and self.reweighter.is_due(self.epochs):
            everything = np.arange(len(self.data.rows))
            self.reweighter.remember(self.net.predict(self.data.rows, everything) > 0.5)

    def _batches(self) -> Iterator[np.ndarray]:
        order = self.rng.permutation(self.index) if self.recipe.shuffle else self.index
        size = self.recipe.batch_size
        if self.recipe.even_batches:
            yield from np.array_split(order, -(-len(order) // size))
        else:
            yield from np.split(order, range(size, len(order), size))

    def _step(self, index: np.ndarray) -> Tensor:
        loss = self._loss(index)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return loss.detach()

    def _loss(self, index: np.ndarray) -> Tensor:
        labels, weigh = self.data.labels_of(index), None
        if reweighter := self.reweighter:

            def weigh(logits: Tensor) -> Tensor | None:
                return reweighter(logits, labels, index)

        return self.net.batch_loss(self.data.rows.take(index), labels, weigh)


def _nadam(net: Net, recipe: Recipe) -> torch.optim.NAdam:
    """Nadam with Keras' epsilon; the penalty l2 Σw² has the gradient 2 l2 w."""
    kernels = net.penalised()
    penalised = {id(kernel) for kernel in kernels}
    others = [p for p in net.parameters() if p.requires_grad and id(p) not in penalised]
    groups: list[dict[str, Any]] = [
        {"params": kernels, "weight_decay": 2 * recipe.l2},
        {"params": others},
    ]
    return torch.optim.NAdam(groups, lr=recipe.learning_rate, eps=1e-7, foreach=True)
