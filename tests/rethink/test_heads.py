"""The nets of the image models against one path at a time, with torch's own LSTM cell."""

import itertools

import numpy as np
import pytest
import torch

from rethink.nets.attention import AttentionShape
from rethink.nets.label_path import PathShape

K, HIDDEN = 3, 5
PATHS = [path for k in range(K + 1) for path in itertools.permutations(range(K), k)]
LABELS = torch.tensor([[1.0, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0], [0, 1, 1]])


def head_of(shape):
    """A head with weights that are not near zero, so that probabilities differ."""
    rng, head = np.random.default_rng(1), shape.net().requires_grad_(False)
    for weight in head.parameters():
        weight.copy_(torch.from_numpy(rng.normal(0, 1.5, weight.shape)))
    return head


def torch_cell(input_kernel, head):
    """torch's cell of the same weights; its gates are input, forget, new, output."""
    order = [0, 1, 3, 2]

    def rows(kernel):
        return torch.cat([kernel.chunk(4, dim=-1)[gate].t() for gate in order])

    cell = torch.nn.LSTMCell(len(input_kernel), HIDDEN)
    with torch.no_grad():
        cell.weight_ih.copy_(rows(input_kernel))
        cell.weight_hh.copy_(rows(head.recurrent))
        cell.bias_ih.copy_(rows(head.lstm_bias))
        cell.bias_hh.zero_()
    return cell


@pytest.fixture
def paths():
    return head_of(PathShape(4, K, embedding=6, hidden=HIDDEN, beam=99, order=[1, 2, 0]))


def path_probability(head, image, path):
    """The probability that the net names these labels in this order and then ends."""
    w, cell = dict(head.named_parameters()), torch_cell(head.input, head)
    state, last, total = None, K, 1.0
    for step, label in enumerate([*path, K]):
        state = cell(w["embedding"][last : last + 1], state)
        joint = torch.relu(image @ w["from_image"] + state[0][0] @ w["from_state"])
        odds = (w["embedding"] @ joint).exp()
        odds[list(path[:step])] = 0
        total, last = total * float(odds[label] / odds.sum()), label
    return total


@torch.no_grad()
def test_a_path_is_as_probable_as_its_steps(paths):
    images = torch.randn(20, 4, generator=torch.Generator().manual_seed(0))
    predicted = paths.proba(images)[0]
    assert len(predicted.unique(dim=0)) > 2
    for image, result in zip(images, predicted, strict=True):
        every = {path: path_probability(paths, image, path) for path in PATHS}
        assert sum(every.values()) == pytest.approx(1, abs=1e-5)
        assert set(max(every, key=every.get)) == set(result.nonzero()[:, 0].tolist())


@torch.no_grad()
def test_training_names_the_true_labels_in_the_order_given(paths):
    images = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
    truth = [(2, 0), (), (1, 2, 0), (1,), (1, 2)]  # the order is 1, 2, 0
    logs = [np.log(path_probability(paths, *pair)) for pair in zip(images, truth, strict=True)]
    steps = sum(len(path) + 1 for path in truth)
    assert float(paths.loss(images, LABELS)) == pytest.approx(-sum(logs) / steps, rel=1e-4)


@torch.no_grad()
def test_of_a_map_the_label_paths_see_the_mean(paths):
    maps = torch.randn(5, 4, 2, 3)
    means = maps.mean((2, 3))
    assert torch.allclose(paths.loss(maps, LABELS), paths.loss(means, LABELS))
    assert torch.equal(paths.proba(maps), paths.proba(means))


@pytest.fixture
def attention():
    return head_of(AttentionShape(4, 6, K, attention=7, hidden=HIDDEN, beam=99, threshold=0.4))


class Looker:
    """The net on one instance, patches of shape (patches, channels), a label at a time."""

    def __init__(self, head, patches):
        self.w, self.patches = dict(head.named_parameters()), patches
        kernels = torch.cat([self.w["context"], self.w["label"]])
        self.cell = torch_cell(kernels, head)
        logits = patches.mean(0) @ self.w["preliminary"] + self.w["preliminary_bias"]
        self.preliminary = torch.sigmoid(logits)

    def attention(self, h):
        scores = [
            torch.tanh(v @ self.w["key"] + self.w["key_bias"] + h @ self.w["query"])
            @ self.w["relevance"]
            for v in self.patches
        ]
        return torch.softmax(torch.cat(scores), dim=0)

    def probabilities(self, path):
        """The net's probabilities at each step, the labels of `path` being fed on."""
        state, fed, result = (torch.zeros(1, HIDDEN), torch.zeros(1, HIDDEN)), self.preliminary, []
        for label in [*path, None]:
            context = (self.attention(state[0][0]).unsqueeze(1) * self.patches).sum(0)
            state = self.cell(torch.cat([context, fed]).unsqueeze(0), state)
            result.append(torch.sigmoid(state[0][0] @ self.w["output"] + self.w["output_bias"]))
            if label is not None:
                fed = torch.eye(K)[label]
        return result


@torch.no_grad()
def test_attention_prefers_the_surest_path(attention):
    maps = 2 * torch.randn(9, 4, 2, 3, generator=torch.Generator().manual_seed(0))
    proba = attention.proba(maps)[0]
    predicted = proba > 0.4
    assert len(predicted.unique(dim=0)) > 2
    for number, result in enumerate(predicted):
        looker = Looker(attention, maps[number].flatten(1).T)
        every = {}
        for path in PATHS:
            *taken, last = looker.probabilities(path)
            chosen = [float(p[label]) for p, label in zip(taken, path, strict=True)]
            left = [float(last[k]) for k in range(K) if k not in path]
            if all(p > 0.4 for p in chosen) and all(p <= 0.4 for p in left):
                every[path] = np.exp(np.mean(np.log(chosen))) if chosen else 1.0
        best = max(every, key=every.get)
        assert set(best) == set(result.nonzero()[:, 0].tolist())
        steps = looker.probabilities(best)
        for label in range(K):
            step = best.index(label) if label in best else -1
            assert float(proba[number, label]) == pytest.approx(float(steps[step][label]), abs=1e-4)


@torch.no_grad()
def test_training_feeds_on_the_surest_true_label(attention):
    maps = torch.randn(5, 4, 2, 3, generator=torch.Generator().manual_seed(0))
    preliminary, steps = [], []
    for patches, labels in zip(maps.flatten(2).transpose(1, 2), LABELS, strict=True):
        looker, path = Looker(attention, patches), []
        preliminary.append(cross_entropy(looker.preliminary, labels))
        while len(path) < labels.sum():
            last = looker.probabilities(path)[-1]
            left = [k for k in range(K) if labels[k] and k not in path]
            path.append(max(left, key=lambda k: last[k]))
        steps += [cross_entropy(p, labels) for p in looker.probabilities(path)]
    expected = np.mean(preliminary) + np.mean(steps)
    assert float(attention.loss(maps, LABELS)) == pytest.approx(expected, rel=1e-4)


def cross_entropy(proba, labels):
    return float(-(labels * proba.log() + (1 - labels) * (1 - proba).log()).mean())


@torch.no_grad()
def test_attention_weights_are_shares_of_the_patches(attention):
    patches, h = torch.randn(5, 6, 4), torch.randn(5, 2, HIDDEN)
    weights = attention.attend(attention.keys(patches), h)
    assert weights.shape == (5, 2, 6) and (weights >= 0).all()
    assert torch.allclose(weights.sum(-1), torch.ones(5, 2))
    expected = Looker(attention, patches[3]).attention(h[3, 1])
    assert torch.allclose(weights[3, 1], expected, atol=1e-5)


@torch.no_grad()
def test_rows_hold_patch_after_patch(attention):
    maps = torch.randn(5, 4, 2, 3)
    rows = maps.permute(0, 2, 3, 1).flatten(1)
    assert torch.allclose(attention.loss(maps, LABELS), attention.loss(rows, LABELS))
    assert torch.allclose(attention.proba(maps), attention.proba(rows), atol=1e-5)


def test_initial_weights_are_those_of_keras():
    shape = PathShape(40, 30, embedding=20, hidden=16, beam=1, order=list(range(30)))
    net = shape.net().requires_grad_(False)
    net.draw(0)
    w = dict(net.named_parameters())
    assert w["lstm_bias"].view(4, 16).sum(dim=1).tolist() == [0, 16, 0, 0]
    assert torch.allclose(w["recurrent"] @ w["recurrent"].T, torch.eye(16), atol=1e-5)
    limit = np.sqrt(6 / 60)
    assert 0.9 * limit < w["from_image"].abs().max() <= limit
