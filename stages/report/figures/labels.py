"""Names beside points, each where it covers least."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from stages.report.figures.svg import SMALL, text_width

ROUNDS = 3  # a name placed early may move once the others have a place


class Box(NamedTuple):
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        """The area in common."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)

    def outside(self, frame: "Box") -> float:
        """The area that lies outside of a frame."""
        return (self.right - self.left) * (self.bottom - self.top) - self.overlap(frame)


class Dot(NamedTuple):
    """A round mark with a name."""

    name: str
    x: float
    y: float
    radius: float


def place_labels(
    dots: Sequence[Dot], steps: Sequence[tuple[float, float]], frame: Box
) -> list[Box]:
    """A box for each name inside the frame, clear of dots, steps and other names if it can be."""
    marks = [Box(d.x - d.radius, d.y - d.radius, d.x + d.radius, d.y + d.radius) for d in dots]
    lines = [
        Box(min(a, c) - 1, min(b, d) - 1, max(a, c) + 1, max(b, d) + 1)
        for (a, b), (c, d) in pairwise(steps)
    ]
    placed: dict[int, Box] = {}

    def harm(box: Box, others: Sequence[Box]) -> float:
        covered = (10, others), (5, marks), (2, lines)
        hidden = sum(weight * box.overlap(one) for weight, boxes in covered for one in boxes)
        return 100 * box.outside(frame) + hidden

    for _ in range(ROUNDS):
        for index, dot in enumerate(dots):
            others = [box for other, box in placed.items() if other != index]
            placed[index] = min(_candidates(dot), key=partial(harm, others=others))
    return [placed[index] for index in range(len(dots))]


def _candidates(dot: Dot) -> list[Box]:
    """Places for a name: right, left, above and below; farther off it would name another dot."""
    width, half = text_width(dot.name, SMALL), SMALL * 0.55
    near, rise = dot.radius + 3, dot.radius + 1 + half
    places = [(near, 0.0), (-near - width, 0.0)]
    for up in (-rise, rise):
        places += [(shift, up) for shift in (-width / 2, -2.0, 2.0 - width)]
    return [
        Box(dot.x + dx, dot.y + dy - half, dot.x + dx + width, dot.y + dy + half)
        for dx, dy in places
    ]
