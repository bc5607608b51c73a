"""Small drawings of shapes whose kinds, colours and backgrounds go together.

A stand-in for photographs: a scene decides which things are likely, so that labels depend on each
other as they do where a fork makes a knife likely.
"""

import numpy as np

KINDS = ("circle", "square", "triangle", "cross")
COLOURS = {"red": (214, 39, 40), "green": (44, 160, 44), "blue": (31, 90, 220)}
LABELS = (*KINDS, *COLOURS, "night")
NIGHT, DAY = (28, 30, 46), (232, 228, 218)

# of each scene: how likely the kinds, the colours and the night are
SCENES = (
    ((0.55, 0.05, 0.35, 0.05), (0.70, 0.25, 0.05), 0.10),
    ((0.10, 0.60, 0.05, 0.25), (0.05, 0.25, 0.70), 0.85),
    ((0.25, 0.25, 0.25, 0.25), (0.10, 0.80, 0.10), 0.35),
)
MOST_SHAPES = 4


def draw(instances: int, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw pictures and tell what is on them; equal arguments give equal pictures.

    Parameters
    ----------
    instances : int
    size : int
        Pixels of each side.
    seed : int

    Returns
    -------
    images : ndarray of shape (instances, size, size, 3), uint8, RGB
    labels : ndarray of shape (instances, 8), uint8
        A column for each of `LABELS`; the night is a dark background.

    Examples
    --------
    >>> images, labels = draw(instances=3, size=32, seed=0)
    >>> images.shape, labels.shape
    ((3, 32, 32, 3), (3, 8))
    """
    rng = np.random.default_rng(seed)
    images = np.empty((instances, size, size, 3), dtype=np.uint8)
    labels = np.zeros((instances, len(LABELS)), dtype=np.uint8)
    for image, row in zip(images, labels, strict=True):
        kinds, colours, night = SCENES[rng.integers(len(SCENES))]
        dark = rng.random() < night
        image[:] = NIGHT if dark else DAY
        row[-1] = dark
        for _ in range(rng.integers(0, MOST_SHAPES + 1)):  # an empty sheet has at most the night
            kind, colour = rng.choice(len(KINDS), p=kinds), rng.choice(len(COLOURS), p=colours)
            image[_mask(KINDS[kind], size, rng)] = list(COLOURS.values())[colour]
            row[kind] = row[len(KINDS) + colour] = 1
    grain = rng.normal(0, 6, images.shape)
    return np.clip(images + grain, 0, 255).astype(np.uint8), labels


def _mask(kind: str, size: int, rng: np.random.Generator) -> np.ndarray:
    """The pixels of one shape, at a random place and of a random size."""
    radius = rng.uniform(0.12, 0.24) * size
    y, x = rng.uniform(radius, size - radius, 2)
    rows, columns = np.mgrid[:size, :size]
    down, right = rows - y, columns - x
    if kind == "circle":
        return down**2 + right**2 <= radius**2
    if kind == "square":
        return np.maximum(abs(down), abs(right)) <= 0.85 * radius
    if kind == "triangle":
        return (abs(right) <= (down + radius) / 2) & (down <= radius)
    arm = 0.35 * radius
    inside = np.maximum(abs(down), abs(right)) <= radius
    return inside & (np.minimum(abs(down), abs(right)) <= arm)
