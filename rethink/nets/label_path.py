"""The net of CNN-RNN: an LSTM that names the labels of an instance one after the other."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from rethink.nets.beam import State, Step, beam_search, longest_first
from rethink.nets.layers import lstm_of_gates
from rethink.nets.network import Net, Shape, Sizes, Weigh, as_vectors


@dataclass(frozen=True)
class PathShape(Shape):
    """Sizes, the order in which labels are named in training, and the width of the beam."""

    inputs: int
    labels: int
    embedding: int
    hidden: int
    beam: int
    order: list[int]

    @property
    def kernels(self) -> Sizes:
        """One embedding for each label, and one for both the start and the end of a path."""
        units = 4 * self.hidden
        return {
            "embedding": (self.labels + 1, self.embedding),
            "input": (self.embedding, units),
            "recurrent": (self.hidden, units),
            "from_state": (self.hidden, self.embedding),
            "from_image": (self.inputs, self.embedding),
        }

    @property
    def free(self) -> Sizes:
        """Only the LSTM has one."""
        return {"lstm_bias": (4 * self.hidden,)}

    def net(self, extractor: nn.Module | None = None) -> "LabelPath":
        """A net of this shape, all its weights zero."""
        return LabelPath(self, extractor)


class LabelPath(Net):
    """The next label is the one whose embedding is most like what image and LSTM make together."""

    rows_at_once = 256
    mixed = True
    embedding: Tensor
    input: Tensor
    recurrent: Tensor
    from_state: Tensor
    from_image: Tensor
    lstm_bias: Tensor

    def loss(self, features: Tensor, labels: Tensor, weigh: Weigh | None = None) -> Tensor:
        """Cross-entropy of the next label, the mean over all steps of all paths, ends included."""
        rows, alive = longest_first(labels)
        image, table = self._image(features)[rows], self._inputs()
        targets = self._paths(labels[rows])[:, : len(alive)]
        before = torch.full_like(targets, self.shape.labels)
        before[:, 1:] = targets[:, :-1]
        h = c = image.new_zeros(len(rows), self.shape.hidden)
        taken = torch.zeros((len(rows), self.shape.labels + 1), device=h.device) > 0
        total = image.new_zeros(())
        for step, count in enumerate(alive):
            h, c = self._next(table[before[:count, step]], h[:count], c[:count])
            logits = self._logits(h, image[:count], taken[:count])
            total = total + F.cross_entropy(logits, targets[:count, step], reduction="sum")
            taken = taken[:count].scatter(1, targets[:count, step : step + 1], True)
        return total / sum(alive)

    def proba(self, features: Tensor) -> Tensor:
        """1 for the labels on the most probable path: of single labels it has no probabilities."""
        image, table = self._image(features).unsqueeze(1), self._inputs()

        def advance(state: State, last: Tensor | None, chosen: Tensor) -> Step:
            z = table[-1] if last is None else table[last]
            h, c = self._next(z, *state)
            logs = F.log_softmax(self._logits(h, image, F.pad(chosen, (0, 1))), dim=-1)
            return Step(logs[..., :-1], logs[..., -1], (h, c))

        start = image.new_zeros(len(image), 1, self.shape.hidden)
        best = beam_search(advance, (start, start), self.shape.labels, self.shape.beam)
        return best.labels.unsqueeze(0)

    def _image(self, features: Tensor) -> Tensor:
        return as_vectors(features) @ self.from_image

    def _inputs(self) -> Tensor:
        """What each label, and last the start, adds to the gates: a table instead of products."""
        return torch.addmm(self.lstm_bias, self.embedding, self.input)

    def _next(self, z: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        return lstm_of_gates(z + h @ self.recurrent, c)

    def _logits(self, h: Tensor, image: Tensor, taken: Tensor) -> Tensor:
        """Logits of all labels and, last, of the end; a label taken before cannot come again."""
        joint = torch.relu(h @ self.from_state + image)
        logits = (joint @ self.embedding.T).float()
        return logits.masked_fill(taken, -torch.inf)

    def _paths(self, labels: Tensor) -> Tensor:
        """Labels of each row in the order of training and then ends, shape (n, K + 1)."""
        order = torch.tensor(self.shape.order, device=labels.device)
        ranked, places = labels[:, order].sort(dim=1, descending=True, stable=True)
        paths = order[places].masked_fill(ranked == 0, self.shape.labels)
        return F.pad(paths, (0, 1), value=self.shape.labels)
