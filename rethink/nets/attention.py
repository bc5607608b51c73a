"""The net of Att-RNN: an LSTM that looks at the patches of a map for one label after the other."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rethink.nets.beam import State, Step, beam_search, longest_first
from rethink.nets.layers import lstm_of_gates
from rethink.nets.network import Net, Shape, Sizes, Weigh


@dataclass(frozen=True)
class AttentionShape(Shape):
    """Sizes, and how labels are searched."""

    channels: int
    patches: int
    labels: int
    attention: int
    hidden: int
    beam: int
    threshold: float

    @property
    def kernels(self) -> Sizes:
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
    def free(self) -> Sizes:
        """Of the same layers."""
        return {
            "preliminary_bias": (self.labels,),
            "key_bias": (self.attention,),
            "lstm_bias": (4 * self.hidden,),
            "output_bias": (self.labels,),
        }

    def net(self, extractor: nn.Module | None = None) -> "Attention":
        """A net of this shape, all its weights zero."""
        return Attention(self, extractor)


class Attention(Net):
    """At each step all labels are predicted, and the surest of those left is fed on."""

    rows_at_once = 256
    mixed = True
    preliminary: Tensor
    preliminary_bias: Tensor
    key: Tensor
    key_bias: Tensor
    query: Tensor
    relevance: Tensor
    context: Tensor
    label: Tensor
    recurrent: Tensor
    lstm_bias: Tensor
    output: Tensor
    output_bias: Tensor

    def __init__(self, shape: AttentionShape, extractor: nn.Module | None = None):
        super().__init__(shape, extractor)
        self.threshold = shape.threshold

    def loss(self, features: Tensor, labels: Tensor, weigh: Weigh | None = None) -> Tensor:
        """Cross-entropy of the preliminary prediction plus that of the steps.

        An instance has as many steps as it has labels and one more, at which none is left. Which
        of its labels is fed on is not given: it is the one the net is most sure of.
        """
        rows, alive = longest_first(labels)
        patches, labels = self._patches(features)[rows], labels[rows]
        logits, keys = self._preliminary(patches), self.keys(patches)
        preliminary = F.binary_cross_entropy_with_logits(logits, labels)
        fed = torch.sigmoid(logits) @ self.label
        h = c = patches.new_zeros(len(rows), 1, self.shape.hidden)
        left, total = labels, patches.new_zeros(())
        for count in alive:
            seen = patches[:count], keys[:count]
            h, c = self._next(*seen, fed[:count, None], h[:count], c[:count])
            logits = self._logits(h)[:, 0]
            total = total + F.binary_cross_entropy_with_logits(
                logits, labels[:count], reduction="sum"
            )
            surest = logits.detach().masked_fill(left[:count] == 0, -torch.inf).argmax(dim=1)
            left = left[:count] * (1 - F.one_hot(surest, self.shape.labels))
            fed = self.label[surest]
        return preliminary + total / (sum(alive) * self.shape.labels)

    def proba(self, features: Tensor) -> Tensor:
        """What the path of the greatest confidence saw: above the threshold for its labels."""
        patches = self._patches(features)
        keys, guess = self.keys(patches), torch.sigmoid(self._preliminary(patches))

        def advance(state: State, last: Tensor | None, chosen: Tensor) -> Step:
            fed = (guess @ self.label).unsqueeze(1) if last is None else self.label[last]
            h, c = self._next(patches, keys, fed, *state)
            return Step(F.logsigmoid(self._logits(h)), None, (h, c))

        start = patches.new_zeros(len(patches), 1, self.shape.hidden)
        K, width, threshold = self.shape.labels, self.shape.beam, self.shape.threshold
        best = beam_search(advance, (start, start), K, width, threshold)
        return best.proba.unsqueeze(0)

    def keys(self, patches: Tensor) -> Tensor:
        """What the attention sees of each patch at every step: (n, patches, attention)."""
        return patches @ self.key + self.key_bias

    def attend(self, keys: Tensor, h: Tensor) -> Tensor:
        """How much paths, h of shape (n, paths, hidden), look at patches: (n, paths, patches)."""
        query = h @ self.query
        seen = torch.tanh(keys.unsqueeze(1) + query.unsqueeze(2))
        return torch.softmax((seen @ self.relevance).squeeze(-1).float(), dim=-1)

    def _next(
        self, patches: Tensor, keys: Tensor, fed: Tensor, h: Tensor, c: Tensor
    ) -> tuple[Tensor, Tensor]:
        context = self.attend(keys, h) @ patches
        gates = context @ self.context + fed + h @ self.recurrent + self.lstm_bias
        return lstm_of_gates(gates, c)

    def _preliminary(self, patches: Tensor) -> Tensor:
        return (patches.mean(dim=1) @ self.preliminary + self.preliminary_bias).float()

    def _logits(self, h: Tensor) -> Tensor:
        return (h @ self.output + self.output_bias).float()

    def _patches(self, features: Tensor) -> Tensor:
        """Shape (n, patches, channels), from maps or from vectors that hold patch after patch."""
        if features.ndim == 4:
            return features.flatten(2).transpose(1, 2)
        return features.view(len(features), self.shape.patches, -1)
