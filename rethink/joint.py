"""Distributions of label vectors, one for each row: enumerated, or sampled along a chain."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, logit

from rethink.costs import Cost
from rethink.costs.base import CountCost
from rethink.inference import (
    best_expected,
    first_best,
    most_probable_sets,
    pair_costs,
    row_blocks,
    size_joint,
    size_joint_of_samples,
)

LABELS_AT_ONCE = 32  # sampled from one product with the labels before


@dataclass(frozen=True)
class Enumerated:
    """All vectors in `support`, shape (m, K), with their `probabilities`, shape (n, m)."""

    support: np.ndarray
    probabilities: np.ndarray

    @cached_property
    def marginals(self) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        return self.probabilities @ self.support.astype(float)

    @cached_property
    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """D and p_empty for `rethink.inference.gfm`."""
        return size_joint(self.support, self.probabilities)

    def never_empty(self) -> "Enumerated":
        """The distribution given that there is a label; of rows where there is none, as it is."""
        some = self.probabilities * self.support.any(axis=1)
        total = some.sum(axis=1, keepdims=True)
        given = np.divide(some, total, out=self.probabilities.copy(), where=total > 0)
        return Enumerated(self.support, given)

    def best(self, cost: Cost) -> np.ndarray:
        """The vector of the best expected cost for each row, among all in `support`."""
        return self.support[best_expected(cost, self.support, self.support, self.probabilities)]


@dataclass(frozen=True)
class Sampled:
    """Equally probable `samples` of shape (n, S, K)."""

    samples: np.ndarray

    @cached_property
    def marginals(self) -> np.ndarray:
        """Share of the samples that have each label, shape (n, K)."""
        drawn = self.samples.shape[1]
        counts = np.ones(drawn, dtype=np.float32) @ self.samples.astype(np.float32)  # exact
        return counts.astype(float) / drawn

    @cached_property
    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """D and p_empty for `rethink.inference.gfm`."""
        return size_joint_of_samples(self.samples)

    def best(self, cost: Cost) -> np.ndarray:
        """The best expected cost for each row, among its samples and its most probable labels."""
        n, drawn, K = self.samples.shape
        find = _best_by_counts if isinstance(cost, CountCost) else _best_row_by_row
        result = np.empty((n, K), dtype=np.uint8)
        for rows in row_blocks(n, drawn * (drawn + K)):
            result[rows] = find(cost, self.samples[rows], most_probable_sets(self.marginals[rows]))
        return result


def _best_by_counts(cost: Cost, samples: np.ndarray, likely: np.ndarray) -> np.ndarray:
    candidates = np.concatenate([likely, samples], axis=1)
    best = first_best(pair_costs(cost, samples, candidates).mean(axis=1), cost)
    return np.take_along_axis(candidates, best[:, None, None], axis=1)[:, 0]


def _best_row_by_row(cost: Cost, samples: np.ndarray, likely: np.ndarray) -> np.ndarray:
    """For costs whose pairs are dear: equal samples are tried once."""
    result = np.empty(samples[:, 0].shape, dtype=np.uint8)
    for row, drawn in enumerate(samples):
        support, counts = np.unique(drawn, axis=0, return_counts=True)
        candidates = np.unique(np.vstack([likely[row], support]), axis=0)
        shares = counts[None] / len(drawn)
        result[row] = candidates[best_expected(cost, candidates, support, shares)[0]]
    return result


def enumerate_chain(logits: np.ndarray, effects: np.ndarray, order: np.ndarray) -> Enumerated:
    """The joint of a chain: `logits`, shape (n, K), from the features; `effects` of labels."""
    vectors = np.zeros((1, logits.shape[1]), dtype=np.uint8)
    probabilities = np.ones((len(logits), 1))
    for label in order:
        on = expit(logits[:, label, None] + vectors @ effects[label])
        probabilities = np.hstack([probabilities * (1 - on), probabilities * on])
        vectors = np.vstack([vectors, vectors])
        vectors[len(vectors) // 2 :, label] = 1
    return Enumerated(vectors, probabilities)


def sample_chain(
    logits: np.ndarray,
    effects: np.ndarray,
    order: np.ndarray,
    draws: np.ndarray,
    empty: bool = True,
) -> Sampled:
    """Vectors drawn label by label along a chain; `draws`, shape (S, K), decide for every row.

    Without `empty` they are drawn given that there is a label.
    """
    thresholds = logit(draws)
    effects = effects[np.ix_(order, order)].astype(np.float32)
    drawn = np.empty((len(order), len(logits) * len(draws)), dtype=np.float32)
    nothing = None if empty else _logits_of_the_first(logits, order)
    none_yet = np.ones((len(logits), len(draws)), dtype=bool)
    for first in range(0, len(order), LABELS_AT_ONCE):
        block = slice(first, first + LABELS_AT_ONCE)
        before = effects[block, :first] @ drawn[:first]  # one product for the labels of a block
        for place, label in enumerate(order[block], start=first):
            earlier = before[place - first] + effects[place, first:place] @ drawn[first:place]
            score = logits[:, label, None] + earlier.reshape(-1, len(draws))
            if nothing is not None:
                score = np.where(none_yet, nothing[:, label, None], score)
            on = score > thresholds[:, label]
            none_yet &= ~on
            drawn[place] = on.ravel()
    samples = np.empty((len(logits), len(draws), len(order)), dtype=np.uint8)
    samples[:, :, order] = drawn.T.reshape(samples.shape)
    return Sampled(samples)


def _logits_of_the_first(logits: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Logits of the labels where no label is on before, given that one is on in the end.

    The probability is p_k / (1 - Π (1 - p_i)) over the labels i from k on: earlier labels that are
    off have no effect.
    """
    off = -np.logaddexp(0, logits[:, order])  # log(1 - p)
    all_off = np.cumsum(off[:, ::-1], axis=1)[:, ::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        on = np.log(-np.expm1(off)) - np.log(-np.expm1(all_off))
        scores = on - np.log(-np.expm1(on))
    result = np.empty(logits.shape)
    result[:, order] = np.where(np.isnan(scores), -np.inf, scores)  # no label is possible
    return result


def sample_independent(marginals: np.ndarray, draws: np.ndarray, empty: bool = True) -> Sampled:
    """Vectors of independent labels; `draws`, shape (S, K), decide for every row."""
    if empty:
        return Sampled((draws < marginals[:, None, :]).astype(np.uint8))
    labels = marginals.shape[1]
    with np.errstate(divide="ignore"):
        logits = logit(marginals)
    return sample_chain(logits, np.zeros((labels, labels)), np.arange(labels), draws, empty=False)


def spread_draws(samples: int, labels: int, chance: np.random.RandomState) -> np.ndarray:
    """Numbers in (0, 1), shape (samples, labels): for each label one in each of equal parts."""
    parts = np.array([chance.permutation(samples) for _ in range(labels)]).T
    inside = np.clip(chance.uniform(size=parts.shape), 1e-9, 1 - 1e-9)
    return (parts + inside) / samples
