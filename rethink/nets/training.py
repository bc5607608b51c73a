"""Training of one net, in epochs that can be continued at any time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from rethink.nets.gradient import batch_loss, by_autograd, by_hand
from rethink.nets.nadam import Nadam
from rethink.nets.network import Network
from rethink.nets.rows import Rows
from rethink.nets.stopping import StoppingRule
from rethink.nets.weights import Reweighter

ROWS_AT_ONCE = 2048  # in predictions; bounds their memory


@dataclass(frozen=True)
class Data:
    """What a net is trained on: features, and labels of shape (n, K) on the same device."""

    rows: Rows
    labels: Tensor


@dataclass(frozen=True)
class Recipe:
    """How a net is trained; the estimators explain the settings."""

    l2: float
    dropout: float
    batch_size: int
    learning_rate: float
    shuffle: bool
    refresh: int = 10
    even_batches: bool = True


class Model:
    """A net behind an optional extractor, and the logits they give."""

    def __init__(self, network: Network, extractor: torch.nn.Module | None = None):
        self.network, self.extractor = network, extractor

    @torch.no_grad()
    def logits(self, rows: Rows, index: np.ndarray) -> Tensor:
        """Logits of some rows without dropout, shape (iterations, n, K)."""
        if self.extractor is not None:
            self.extractor.eval()
        count = max(1, -(-len(index) // ROWS_AT_ONCE))
        parts = [self.forward(rows, part)[0] for part in np.array_split(index, count)]
        logits = torch.cat(parts, dim=1)
        return logits.permute(2, 1, 0) if self.network.shape.chain else logits

    def forward(
        self, rows: Rows, index: np.ndarray, mask: Tensor | None = None
    ) -> tuple[Tensor, object]:
        """Logits and what the gradient needs."""
        x = rows.take(index)
        return self.network.forward(x if self.extractor is None else self.extractor(x), mask)


class Trainer:
    """Trains a model on the rows `index` of some data.

    Attributes
    ----------
    history : list of float
        Mean training loss of each epoch, with the L2 penalty at its end.
    finished : bool
        The stopping rule has spoken.
    """

    def __init__(
        self,
        model: Model,
        data: Data,
        index: np.ndarray,
        recipe: Recipe,
        rng: np.random.Generator,
        reweighter: Reweighter | None = None,
        rule: StoppingRule | None = None,
    ):
        self.model, self.data, self.index, self.recipe = model, data, index, recipe
        self.rng, self.reweighter, self.rule = rng, reweighter, rule
        self.leaves = [model.network.flat]
        if model.extractor is not None:
            self.leaves += [p for p in model.extractor.parameters() if p.requires_grad]
        self.nadam = Nadam(self.leaves, recipe.learning_rate)
        self.history: list[float] = []
        self.finished = False

    @property
    def epochs(self) -> int:
        """How many epochs have been run."""
        return len(self.history)

    def run(self, epochs: int) -> None:
        """Train up to this number of epochs in all, or until the stopping rule speaks."""
        while self.epochs < epochs and not self.finished:
            self._refresh()
            with _repeatable(self.model.extractor, self.rng):
                loss = self._epoch()
            if not np.isfinite(loss):
                raise ValueError(
                    f"training diverged in epoch {self.epochs + 1}: the loss is {loss}; "
                    "scale the features to [0, 1] or lower learning_rate"
                )
            self.history.append(loss)
            self.finished = self.rule is not None and self.rule.converged(loss)

    def _refresh(self) -> None:
        if self.reweighter is None or self.reweighter.mode != "period":
            return
        if self.epochs and self.epochs % self.recipe.refresh == 0:
            everything = np.arange(len(self.data.rows))
            self.reweighter.remember(self.model.logits(self.data.rows, everything))

    def _epoch(self) -> float:
        total = torch.zeros((), device=self.data.labels.device)
        for index in self._batches():
            total += self._step(index) * (len(index) / len(self.index))
        return float(total + self._penalty())

    def _batches(self) -> list[np.ndarray]:
        order = self.rng.permutation(self.index) if self.recipe.shuffle else self.index
        size = self.recipe.batch_size
        if self.recipe.even_batches:
            return np.array_split(order, -(-len(order) // size))
        return np.split(order, range(size, len(order), size))

    def _step(self, index: np.ndarray) -> Tensor:
        shape = self.model.network.shape
        labels = self.data.labels[torch.from_numpy(index).to(self.data.labels.device)]
        by_graph = self.model.extractor is not None or shape.identity
        loss, gradients = (self._by_graph if by_graph else self._by_hand)(index, labels)
        kernels = self.model.network.flat[: shape.penalised]
        gradients[0][: shape.penalised].add_(kernels, alpha=2 * self.recipe.l2)
        self.nadam.step(gradients)
        return loss

    @torch.no_grad()
    def _by_hand(self, index: np.ndarray, labels: Tensor) -> tuple[Tensor, list[Tensor]]:
        network, mask = self.model.network, self._mask(len(index))
        logits, tape = self.model.forward(self.data.rows, index, mask)
        targets, weights = self._goal(logits, labels, index)
        gradient = torch.empty_like(network.flat)
        by_hand(network, tape, logits, targets, weights, mask, out=gradient)
        return batch_loss(logits, targets, weights), [gradient]

    def _by_graph(self, index: np.ndarray, labels: Tensor) -> tuple[Tensor, list[Tensor]]:
        flat = self.model.network.flat.requires_grad_()
        model = Model(Network(self.model.network.shape, flat), self.model.extractor)
        logits, _ = model.forward(self.data.rows, index, self._mask(len(index)))
        loss = batch_loss(logits, *self._goal(logits, labels, index))
        gradients = by_autograd(loss, self.leaves)
        flat.requires_grad_(False)
        return loss.detach(), gradients

    def _goal(
        self, logits: Tensor, labels: Tensor, index: np.ndarray
    ) -> tuple[Tensor, Tensor | None]:
        """Targets and weights of a batch; a chain's step k is label k."""
        targets = labels.T.unsqueeze(-1) if self.model.network.shape.chain else labels
        return targets, self.reweighter(logits, labels, index) if self.reweighter else None

    def _mask(self, n: int) -> Tensor | None:
        """Recurrent dropout: one mask for all steps of an instance, scaled to keep the mean."""
        shape = self.model.network.shape
        if not self.recipe.dropout or shape.rnn is None or shape.steps == 1:
            return None
        keep = self.rng.random((n, shape.hidden), dtype=np.float32) >= self.recipe.dropout
        mask = torch.from_numpy(keep).to(self.model.network.flat)
        return mask.div_(1 - self.recipe.dropout)

    def _penalty(self) -> Tensor:
        kernels = self.model.network.flat[: self.model.network.shape.penalised]
        return self.recipe.l2 * kernels.dot(kernels)


@contextmanager
def _repeatable(extractor: torch.nn.Module | None, rng: np.random.Generator) -> Iterator[None]:
    """An extractor may have dropout of its own, which takes torch's global random numbers."""
    if extractor is None:
        yield
        return
    with torch.random.fork_rng():
        torch.manual_seed(int(rng.integers(2**31)))
        extractor.train()
        yield
