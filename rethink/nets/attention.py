"""The head of Att-RNN: an LSTM that looks at the cells of a map for one label after the other."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from rethink.nets.beam import State, Step, beam_search
from rethink.nets.head_features import as_cells
from rethink.nets.heads import Head, HeadShape, longest_first, lstm


@dataclass(frozen=True)
class AttentionShape(HeadShape):
    """Sizes, and how labels are searched."""

    channels: int
    cells: int
    labels: int
    attention: int
    hidden: int
    beam: int
    threshold: float

    @property
    def kernels(self) -> dict[str, tuple[int, int]]:
        """Of the preliminary layer, the attention, the LSTM and the output."""
        units = 4 * self.hidden
        return {
            "preliminary": (self.channels, self.labels),
            "key": (self.channels, self.attention),
            "query": (self.hidden, self.attention),
            "relevance": (self.attention, 1),
            "context": (self.channels, units),
            "label": (self.labels, units),
            "recurrent": (self.hidden, units),
            "output": (self.hidden, self.labels),
        }

    @property
    def biases(self) -> dict[str, tuple[int]]:
        """Of the same layers."""
        return {
            "preliminary_bias": (self.labels,),
            "key_bias": (self.attention,),
            "lstm_bias": (4 * self.hidden,),
            "output_bias": (self.labels,),
        }

    def head(self, flat: Tensor) -> "Attention":
        """The head of these weights."""
        return Attention(self, flat)


class Attention(Head):
    """At each step all labels are predicted, and the surest of those left is fed on."""

    def loss(self, features: Tensor, labels: Tensor) -> Tensor:
        """Cross-entropy of the preliminary prediction plus that of the steps.

        An instance has as many steps as it has labels and one more, at which none is left. Which
        of its labels is fed on is not given: it is the one the net is most sure of.
        """
        rows, alive = longest_first(labels)
        cells, labels = as_cells(features, self.shape.cells)[rows], labels[rows]
        logits, keys = self._preliminary(cells), self.keys(cells)
        preliminary = F.binary_cross_entropy_with_logits(logits, labels)
        fed = torch.sigmoid(logits) @ self.weights["label"]
        h = c = cells.new_zeros(len(rows), 1, self.shape.hidden)
        left, total = labels, cells.new_zeros(())
        for count in alive:
            h, c = self._next(cells[:count], keys[:count], fed[:count, None], h[:count], c[:count])
            logits = self._logits(h)[:, 0]
            total = total + F.binary_cross_entropy_with_logits(
                logits, labels[:count], reduction="sum"
            )
            surest = logits.detach().masked_fill(left[:count] == 0, -torch.inf).argmax(dim=1)
            left = left[:count] * (1 - F.one_hot(surest, self.shape.labels))
            fed = self.weights["label"][surest]
        return preliminary + total / (sum(alive) * self.shape.labels)

    def predict(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """The labels on the path of the greatest confidence, and the probabilities it saw."""
        cells = as_cells(features, self.shape.cells)
        keys, guess = self.keys(cells), torch.sigmoid(self._preliminary(cells))

        def advance(state: State, last: Tensor | None, chosen: Tensor) -> Step:
            label = self.weights["label"]
            fed = (guess @ label).unsqueeze(1) if last is None else label[last]
            h, c = self._next(cells, keys, fed, *state)
            return Step(F.logsigmoid(self._logits(h)), None, (h, c))

        start = cells.new_zeros(len(cells), 1, self.shape.hidden)
        K, width, threshold = self.shape.labels, self.shape.beam, self.shape.threshold
        best = beam_search(advance, (start, start), K, width, threshold)
        return best.labels, best.proba

    def keys(self, cells: Tensor) -> Tensor:
        """What the attention sees of each cell, the same at every step: (n, cells, attention)."""
        return cells @ self.weights["key"] + self.weights["key_bias"]

    def attend(self, keys: Tensor, h: Tensor) -> Tensor:
        """How much each path of shape (n, paths, hidden) looks at each cell: (n, paths, cells)."""
        query = h @ self.weights["query"]
        seen = torch.tanh(keys.unsqueeze(1) + query.unsqueeze(2))
        return torch.softmax((seen @ self.weights["relevance"]).squeeze(-1).float(), dim=-1)

    def _next(
        self, cells: Tensor, keys: Tensor, fed: Tensor, h: Tensor, c: Tensor
    ) -> tuple[Tensor, Tensor]:
        w = self.weights
        context = self.attend(keys, h) @ cells
        return lstm(context @ w["context"] + fed + h @ w["recurrent"] + w["lstm_bias"], c)

    def _preliminary(self, cells: Tensor) -> Tensor:
        w = self.weights
        return (cells.mean(dim=1) @ w["preliminary"] + w["preliminary_bias"]).float()

    def _logits(self, h: Tensor) -> Tensor:
        return (h @ self.weights["output"] + self.weights["output_bias"]).float()
