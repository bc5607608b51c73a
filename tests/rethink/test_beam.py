"""Beam search against looking at every path."""

import itertools

import numpy as np
import pytest
import torch

from rethink.nets.beam import Step, beam_search

K, ROWS = 4, 12
PATHS = [path for k in range(K + 1) for path in itertools.permutations(range(K), k)]
PREFIXES = {path: number for number, path in enumerate(PATHS)}
LOGITS = np.random.default_rng(0).normal(0, 2, (ROWS, len(PATHS), K + 1))


class Net:
    """A net that answers every prefix with random logits; its state is the prefix's number."""

    def __init__(self, rows=slice(None), scale=1.0, closes=True):
        self.logits = torch.from_numpy(scale * LOGITS[rows]).float()
        self.closes, self.calls = closes, 0

    def start(self):
        return (torch.zeros(len(self.logits), 1, 1),)

    def advance(self, state, last, chosen):
        self.calls += 1
        numbers = state[0][..., 0].long()
        if last is not None:
            numbers = torch.tensor(
                [
                    [_after(number, label) for number, label in zip(*row, strict=True)]
                    for row in zip(numbers.tolist(), last.tolist(), strict=True)
                ]
            )
        logits = self.logits.take_along_dim(numbers.unsqueeze(-1), dim=1)
        state = (numbers.unsqueeze(-1).float(),)
        if not self.closes:
            return Step(torch.nn.functional.logsigmoid(logits[..., :K]), None, state)
        logits[..., :K] = logits[..., :K].masked_fill(chosen, -torch.inf)
        logs = torch.log_softmax(logits, dim=-1)
        return Step(logs[..., :K], logs[..., K], state)


def _after(number, label):
    """The prefix with one label more; dead paths, which take one twice, may go anywhere."""
    return PREFIXES.get((*PATHS[number], label), 0)


def probabilities(row, scale):
    """Path -> probability, over all that close by themselves."""
    result = {}
    for path in PATHS:
        total = 1.0
        for step in range(len(path) + 1):
            logits = scale * LOGITS[row, PREFIXES[path[:step]]]
            odds = np.exp(logits) * [k not in path[:step] for k in range(K + 1)]
            total *= odds[path[step] if step < len(path) else K] / odds.sum()
        result[path] = total
    return result


def confidences(row, scale, threshold):
    """Path -> geometric mean of its labels' probabilities, over all that cannot go on."""
    result = {}
    for path in PATHS:
        proba = [1 / (1 + np.exp(-scale * LOGITS[row, PREFIXES[path[:i]]])) for i in range(K + 1)]
        taken = [proba[step][label] for step, label in enumerate(path)]
        left = [proba[len(path)][k] for k in range(K) if k not in path]
        if all(p > threshold for p in taken) and all(p <= threshold for p in left):
            result[path] = np.exp(np.mean(np.log(taken))) if taken else 1.0
    return result


def as_sets(labels):
    return [set(np.flatnonzero(row).tolist()) for row in labels.numpy()]


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_a_wide_beam_finds_the_most_probable_path(scale):
    net = Net(scale=scale)
    best = beam_search(net.advance, net.start(), K, width=len(PATHS))
    for row, labels in enumerate(as_sets(best.labels)):
        every = probabilities(row, scale)
        assert sum(every.values()) == pytest.approx(1)
        path = max(every, key=every.get)
        assert labels == set(path)
        assert best.score[row].exp() == pytest.approx(every[path], rel=1e-4)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_a_wide_beam_finds_the_surest_path_above_a_threshold(threshold):
    net = Net(closes=False)
    best = beam_search(net.advance, net.start(), K, width=len(PATHS), threshold=threshold)
    for row, labels in enumerate(as_sets(best.labels)):
        every = confidences(row, 1.0, threshold)
        path = max(every, key=every.get)
        assert labels == set(path)
        assert best.score[row].exp() == pytest.approx(every[path], rel=1e-4)
        np.testing.assert_array_equal(best.proba[row] > threshold, best.labels[row])


def test_a_beam_of_one_path_is_greedy():
    net = Net(closes=False)
    best = beam_search(net.advance, net.start(), K, width=1, threshold=0.5)
    for row, labels in enumerate(as_sets(best.labels)):
        path = ()
        while len(path) < K:
            logits = [LOGITS[row, PREFIXES[path], k] for k in range(K)]
            label = max((k for k in range(K) if k not in path), key=lambda k: logits[k])
            if logits[label] <= 0:
                break
            path = (*path, label)
        assert labels == set(path)


def test_a_narrow_beam_never_beats_a_wide_one_and_sometimes_loses():
    def score(width):
        return beam_search(Net(scale=0.8).advance, Net().start(), K, width).score

    assert (score(1) <= score(len(PATHS)) + 1e-6).all()
    assert (score(1) < score(len(PATHS)) - 1e-3).any()


@pytest.mark.parametrize("threshold", [None, 0.5])
def test_an_instance_does_not_depend_on_the_others(threshold):
    net = Net(closes=threshold is None)
    together = beam_search(net.advance, net.start(), K, 3, threshold)
    for row in range(ROWS):
        alone = Net(slice(row, row + 1), closes=threshold is None)
        result = beam_search(alone.advance, alone.start(), K, 3, threshold)
        assert torch.equal(result.labels[0], together.labels[row])
        assert torch.equal(result.proba[0], together.proba[row])


def test_the_search_ends_when_no_open_path_can_win():
    net = Net()
    net.logits[..., K] = 20.0  # closing is all but certain
    best = beam_search(net.advance, net.start(), K, width=3)
    assert net.calls == 1 and not best.labels.any()
