"""Data sets whose label distribution is known, so that the best possible scores are known too."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit, log_softmax

from rethink.discovery import unknown_name

MOST_LABELS = 12  # a joint distribution has 2**K columns


@dataclass(frozen=True)
class Sample:
    """Instances and the distribution that their labels were drawn from.

    Attributes
    ----------
    X : ndarray of shape (n, d), float64
        Features, uniform in [-1, 1].
    Y : ndarray of shape (n, K), uint8
    support : ndarray of shape (m, K), uint8
        The label vectors that can occur.
    joint : ndarray of shape (n, m), float64
        P(y|x) of each vector in `support`; each row sums to 1.

    Examples
    --------
    >>> sample = generate("exclusive", instances=4, features=3, labels=5, seed=0)
    >>> sample.X.shape, sample.Y.shape, sample.support.shape, sample.joint.shape
    ((4, 3), (4, 5), (6, 5), (4, 6))
    """

    X: np.ndarray
    Y: np.ndarray
    support: np.ndarray
    joint: np.ndarray


def generate(generator: str, *, instances: int, features: int, labels: int, seed: int) -> Sample:
    """Draw a data set; equal arguments give equal data.

    Parameters
    ----------
    generator : str
        A key of `GENERATORS`.
    instances, features, labels : int
        n, d and K, each at least 1.
    seed : int
        Fixes the coefficients of the distribution and the draw.
    """
    if generator not in GENERATORS:
        raise unknown_name("generator", generator, GENERATORS)
    for name, size in {"instances": instances, "features": features, "labels": labels}.items():
        if size < 1:
            raise ValueError(f"{name} is {size}, but a data set needs at least 1")
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (instances, features))
    support, joint = GENERATORS[generator](X, labels, rng)
    # inverse of the distribution function; clipped because a row may sum to 1 - 1e-16
    above = rng.random(instances)[:, None] > joint.cumsum(axis=1)
    drawn = above.sum(axis=1).clip(max=len(support) - 1)
    return Sample(X, support[drawn], support, joint)


def logistic_chain(
    X: np.ndarray, labels: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Support and joint where a label is logistic in x and in all labels before it.

    Earlier labels push strongly up or down, so labels depend on each other given x, and marginals
    are no longer logistic in x. The intercept makes labels rare (about 3 in 10): then the best
    predictions of the four costs differ, and one half is a poor threshold for three of them.
    """
    if labels > MOST_LABELS:
        raise ValueError(
            f"labels is {labels}, but the joint has 2**K columns; give at most {MOST_LABELS}"
        )
    support = all_label_vectors(labels)
    slopes = _slopes(X.shape[1], labels, rng, spread=2.0)
    effects = rng.choice([-1, 1], (labels, labels)) * rng.uniform(2.0, 4.0, (labels, labels))
    log_joint = np.zeros((len(X), len(support)))
    for label in range(labels):
        earlier = support[:, :label] - 0.5  # centred: the pushes do not shift the frequency
        logits = (X @ slopes[:, label] - 2.5)[:, None] + earlier @ effects[label, :label]
        log_joint += log_expit(np.where(support[:, label] == 1, logits, -logits))
    return support, np.exp(log_joint)


def exclusive(
    X: np.ndarray, labels: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Support and joint where at most one label is on: a softmax over the labels and "none"."""
    support = np.vstack([np.zeros(labels), np.eye(labels)]).astype(np.uint8)
    slopes = _slopes(X.shape[1], labels + 1, rng, spread=2.0)
    return support, np.exp(log_softmax(X @ slopes, axis=1))


def _slopes(features: int, outputs: int, rng: np.random.Generator, spread: float) -> np.ndarray:
    """Random directions, shape (d, outputs), whose products with x have this standard deviation."""
    directions = rng.standard_normal((features, outputs))
    directions /= np.linalg.norm(directions, axis=0)
    return directions * spread * np.sqrt(3)  # a uniform in [-1, 1] has variance 1/3


Generator = Callable[[np.ndarray, int, np.random.Generator], tuple[np.ndarray, np.ndarray]]
GENERATORS: dict[str, Generator] = {"logistic-chain": logistic_chain, "exclusive": exclusive}


def all_label_vectors(labels: int) -> np.ndarray:
    """All 0/1 vectors, shape (2**K, K), uint8, in the order of binary numbers.

    Examples
    --------
    >>> all_label_vectors(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    bits = np.arange(2**labels)[:, None] >> np.arange(labels)[::-1]
    return (bits & 1).astype(np.uint8)
