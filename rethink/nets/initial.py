"""Initial values of weights as in Keras, drawn with NumPy so that they are equal on all devices."""

import numpy as np

IRNN_SPREAD = 0.001  # Le et al. 2015: small input weights beside an identity


def glorot_uniform(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Uniform within the square root of 6 / (inputs + outputs); all gates are one matrix."""
    limit = np.sqrt(6 / sum(shape))
    return rng.uniform(-limit, limit, shape)


def orthogonal(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Orthonormal rows (or columns, where they are fewer), for all gates together."""
    tall = (max(shape), min(shape))
    q, r = np.linalg.qr(rng.standard_normal(tall))
    q *= np.where(np.diag(r) < 0, -1.0, 1.0)  # without the signs of r, q is uniformly distributed
    return q if shape == tall else q.T


def identity(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """The identity: an IRNN starts by remembering."""
    return np.eye(shape[0])


def small_normal(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Normal with the spread of the IRNN's input weights."""
    return rng.normal(0, IRNN_SPREAD, shape)
