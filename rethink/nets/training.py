"""Training of one net, in epochs that can be continued at any time."""

import math
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from inspect import unwrap
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rethink.nets.device import own_chance
from rethink.nets.network import Net
from rethink.nets.rows import Rows
from rethink.nets.weights import Reweighter
from rethink.seeds import derive_seed

JUMP = 2.0  # times the loss of the epoch before
LINE_EVERY = 10  # epochs, where training tells how it goes
FALL = 1000  # steps after which a falling rate has fallen by the root of two
MEMORY = 9  # an average of weights is over about the last ninth of all steps
BLOCK = 2**18  # weights of which an optimiser keeps all that it needs in the processor's cache


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
    schedule: str = "constant"
    average: bool = False
    shuffle: bool = True
    clip: float | None = None
    verbose: int = 0

    def rate(self, step: int) -> float:
        """The learning rate of a step, counted from 1."""
        falling = self.schedule == "falling"
        return self.learning_rate / math.sqrt(1 + step / FALL) if falling else self.learning_rate


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
        In training.
    trained : Net
        What to predict with: the net itself or, where the recipe averages, a mean of its past.
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
        seed: int,
        reweighter: Reweighter | None = None,
        rule: StoppingRule | None = None,
    ):
        self.net, self.data, self.index, self.recipe = net, data, index, recipe
        self.seed, self.reweighter, self.rule = seed, reweighter, rule
        self.order = np.random.default_rng(derive_seed("batches", seed))
        self.trained = deepcopy(net) if recipe.average else net
        values = (one.state_dict().values() for one in (self.trained, net))
        self.pairs = list(zip(*values, strict=True)) if recipe.average else []
        self.optimiser = BlockedNadam(net, recipe.l2)
        self.steps = 0
        self.history: list[float] = []
        self.finished = False

    @property
    def epochs(self) -> int:
        """How many epochs have been run."""
        return len(self.history)

    @property
    def jumps(self) -> list[int]:
        """The epochs, from 1, whose loss is a multiple of the one before: training went astray."""
        return [n for n, (a, b) in enumerate(pairwise(self.history), start=2) if b > JUMP * a]

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
            if self.recipe.verbose and (self.epochs % LINE_EVERY == 0 or self.epochs == epochs):
                print(f"epoch {self.epochs} of {epochs}: training loss {loss:.4f}", flush=True)

    @torch.no_grad()
    def held_out_loss(self, index: np.ndarray) -> float:
        """The mean loss of other rows, weighted as in training, without the penalty."""
        self.trained.eval()
        parts = np.array_split(index, -(-len(index) // self.trained.rows_at_once))
        losses = [float(self._loss(self.trained, part)) * len(part) for part in parts]
        return sum(losses) / len(index)

    def is_blind(self) -> bool:
        """Whether the prediction is the same for all rows, though their labels are not."""
        probabilities = self.trained.predict(self.data.rows, self.index)[-1]
        predicted, labels = probabilities > self.trained.threshold, self.data.labels_of(self.index)
        return bool((predicted == predicted[0]).all() and (labels != labels[0]).any())

    def _epoch(self) -> float:
        self._refresh()
        self.net.train()
        device = self.data.labels.device
        total = torch.zeros((), device=device)
        with own_chance(device, derive_seed("dropout", self.seed, self.epochs)):
            for index in self.batches():
                total += self.step(index) * (len(index) / len(self.index))
        penalty = sum(kernel.detach().square().sum() for kernel in self.net.penalised())
        return float(total + self.recipe.l2 * penalty)

    def _refresh(self) -> None:
        if self.reweighter is not None and self.reweighter.is_due(self.epochs):
            everything = np.arange(len(self.data.rows))
            self.reweighter.remember(self.net.predict(self.data.rows, everything) > 0.5)

    def batches(self) -> Iterator[np.ndarray]:
        """The rows of each batch of the next epoch."""
        order = self.order.permutation(self.index) if self.recipe.shuffle else self.index
        size = self.recipe.batch_size
        if self.recipe.even_batches:
            yield from np.array_split(order, -(-len(order) // size))
        else:
            yield from np.split(order, range(size, len(order), size))

    def step(self, index: np.ndarray) -> Tensor:
        """Train on one batch of rows; the loss before the step."""
        self.steps += 1
        loss = self._loss(self.net, index)
        self.net.zero_grad()
        loss.backward()
        if self.recipe.clip is not None:
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.recipe.clip)
        self.optimiser.step(self.recipe.rate(self.steps))
        self._average(MEMORY / (self.steps + MEMORY - 1))
        return loss.detach()

    @torch.no_grad()
    def _average(self, share: float) -> None:
        """Move averaged weights, and statistics of an extractor, towards those of the net."""
        for mean, now in self.pairs:
            if mean.is_floating_point():
                mean.lerp_(now, share)
            else:
                mean.copy_(now)

    def _loss(self, net: Net, index: np.ndarray) -> Tensor:
        labels, weigh = self.data.labels_of(index), None
        if reweighter := self.reweighter:

            def weigh(logits: Tensor) -> Tensor | None:
                return reweighter(logits, labels, index)

        return net.batch_loss(self.data.rows.take(index), labels, weigh)


class BlockedNadam:
    """Nadam with Keras' epsilon, which takes a large kernel block by block.

    Its steps are those of torch.optim.NAdam to the bit. That one goes over a kernel once for each
    operation, and one of millions of weights comes from memory each time; a block stays in the
    cache. Steps on 5,000 inputs and more take 0.4 times as long: see `benchmarks/nets`.
    """

    def __init__(self, net: Net, l2: float, block: int = BLOCK):
        kernels = net.penalised()
        penalised = {id(kernel) for kernel in kernels}
        others = [p for p in net.parameters() if p.requires_grad and id(p) not in penalised]
        decay = 2 * l2  # the penalty l2 Σw² has the gradient 2 l2 w
        large = [kernel for kernel in kernels if kernel.numel() > block]
        self.blocks = [(kernel, _split(kernel.detach(), block)) for kernel in large]
        small = [kernel for kernel in kernels if kernel.numel() <= block]
        groups: list[dict[str, Any]] = [
            *({"params": [part], "weight_decay": decay} for _, own in self.blocks for part in own),
            {"params": small, "weight_decay": decay},
            {"params": others},
        ]
        self.nadam = _Nadam(groups, eps=1e-7, foreach=True)

    def step(self, rate: float) -> None:
        """Move the weights by their gradients, at this learning rate."""
        for kernel, parts in self.blocks:
            if kernel.grad is not None:
                for part, grad in zip(parts, _split(kernel.grad, len(parts[0])), strict=True):
                    part.grad = grad
        for group in self.nadam.param_groups:
            group["lr"] = rate
        self.nadam.step()


class _Nadam(torch.optim.NAdam):
    """Torch's, without the wrappers that load `torch.compile`: that takes a second in each process,
    longer than many a training."""

    add_param_group = unwrap(torch.optim.NAdam.add_param_group)
    step = torch.no_grad()(unwrap(torch.optim.NAdam.step))


def _split(values: Tensor, block: int) -> tuple[Tensor, ...]:
    """Views of so many values each, the last one shorter."""
    return values.view(-1).split(block)
