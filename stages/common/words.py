"""Numbers and names as parts of a sentence."""

from collections.abc import Iterable
from unicodedata import bidirectional

LEFT_TO_RIGHT = ("", "L", "EN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON")


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun: 1 seed, 3 seeds."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def isolated(name: str) -> str:
    """A name for a sentence: what it does to the direction of writing ends with it."""
    if all(bidirectional(letter) in LEFT_TO_RIGHT for letter in name):
        return name
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def listed(names: Iterable[str]) -> str:
    """Names as in a sentence: a, b and c."""
    *first, last = [isolated(name) for name in names] or ["none"]
    return f"{', '.join(first)} and {last}" if first else last
