"""Beam search for the best path of labels, for many instances at once.

A path takes labels one by one, each at most once, and then closes. Everything about the paths of
n instances has shape (n, paths, ...); there is one path at the start, and `width` of them at most.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

State = tuple[Tensor, ...]  # of a net after the labels taken, each of shape (n, paths, ...)


@dataclass(frozen=True)
class Step:
    """How paths can go on.

    Attributes
    ----------
    labels : Tensor of shape (n, paths, K)
        Logarithm of the probability of each label.
    close : Tensor of shape (n, paths), or None
        Logarithm of the probability to close; None where the net does not choose when to close.
    state : tuple of Tensor
    """

    labels: Tensor
    close: Tensor | None
    state: State


# (state, label taken last of shape (n, paths) or None at the start, labels on the paths)
Advance = Callable[[State, Tensor | None, Tensor], Step]


class Best:
    """The best closed path of each instance so far.

    Attributes
    ----------
    score : Tensor of shape (n,)
    labels : Tensor of shape (n, K), bool
        Those on the path.
    proba : Tensor of shape (n, K)
        The probability with which the path took a label, or could have taken it at its end.
    """

    def __init__(self, n: int, labels: int, device: torch.device):
        self.score = torch.full((n,), -torch.inf, device=device)
        self.labels = torch.zeros((n, labels), dtype=torch.bool, device=device)
        self.proba = torch.zeros((n, labels), device=device)

    def offer(self, score: Tensor, labels: Tensor, proba: Tensor) -> None:
        """Keep the best of some closed paths where it is better than all before."""
        top, path = score.max(dim=1)
        better = top > self.score
        rows = better.nonzero()[:, 0]
        self.score[rows] = top[rows]
        self.labels[rows] = labels[rows, path[rows]]
        self.proba[rows] = proba[rows, path[rows]]


@torch.no_grad()
def beam_search(
    advance: Advance, state: State, labels: int, width: int, threshold: float | None = None
) -> Best:
    """The best path of each instance.

    Without a threshold a path's score is the logarithm of its probability, closing included.
    With one, only labels of a greater probability are taken, and a path closes where there is none
    left; its score is the mean over its labels, because by their product a path that soon runs out
    of labels would win over a longer one of surer labels.
    """
    n, device = len(state[0]), state[0].device
    chosen = torch.zeros((n, 1, labels), dtype=torch.bool, device=device)
    score, shown = torch.zeros((n, 1), device=device), torch.zeros((n, 1, labels), device=device)
    best, last = Best(n, labels, device), None
    for length in range(labels + 1):
        step = advance(state, last, chosen)
        proba = step.labels.float().exp()
        shown = torch.where(chosen, shown, proba)
        logs = step.labels.float().masked_fill(chosen, -torch.inf)
        if threshold is not None:
            logs = logs.masked_fill(proba <= threshold, -torch.inf)
        best.offer(_closed(score, logs, step.close, length), chosen, shown)
        score, place = _widest(score.unsqueeze(-1) + logs, width)
        # a probability only falls: a path that is behind stays behind
        bound = best.score.unsqueeze(1) if threshold is None else score.new_tensor(-torch.inf)
        if not (score > bound).any():
            break
        parent, last = place // labels, place % labels
        chosen, shown = _children(chosen, parent), _children(shown, parent)
        chosen.scatter_(2, last.unsqueeze(-1), True)
        state = tuple(_children(part, parent) for part in step.state)
    return best


def _closed(score: Tensor, logs: Tensor, close: Tensor | None, length: int) -> Tensor:
    """Scores of the paths if they close now, minus infinity for those that do not."""
    if close is not None:
        return score + close.float()
    ended = torch.isneginf(logs).all(dim=-1)
    return torch.where(ended, score / max(length, 1), -torch.inf)


def _widest(score: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """The best scores of shape (n, paths, K), and their places when flattened."""
    flat = score.flatten(1)
    return flat.topk(min(width, flat.shape[1]), dim=1)


def _children(parents: Tensor, parent: Tensor) -> Tensor:
    """For each path what its parent has, of shape (n, paths, ...)."""
    return parents.take_along_dim(parent.unsqueeze(-1), dim=1)


def longest_first(labels: Tensor) -> tuple[Tensor, list[int]]:
    """Rows by their number of labels, the most first; and how many have at least 0, 1, 2, … .

    Examples
    --------
    >>> rows, alive = longest_first(torch.tensor([[0, 0], [1, 1], [0, 1]]))
    >>> rows.tolist(), alive
    ([1, 2, 0], [3, 2, 1])
    """
    counts, rows = labels.sum(dim=1).long().sort(descending=True, stable=True)
    steps = torch.arange(int(counts[0]) + 1, device=labels.device)
    return rows, (counts >= steps.unsqueeze(1)).sum(dim=1).tolist()
