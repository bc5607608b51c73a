"""What the parameters of a net may be: a wrong one is refused before training begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np


class Limit(Protocol):
    """What a value must be; as text, the words for it."""

    def admits(self, value: object) -> bool:
        """Whether a value is allowed."""


@dataclass(frozen=True)
class Number:
    """A number from `low` on and below `high`; `whole`, and above `low` alone, if wanted so."""

    low: float = 1
    high: float = inf
    whole: bool = False
    above: bool = False
    optional: bool = False

    def admits(self, value: object) -> bool:
        """Whether a value is such a number, or None where that is allowed."""
        if value is None:
            return self.optional
        if not isinstance(value, Integral if self.whole else Real):
            return False
        return bool(self.low < value < self.high or (value == self.low and not self.above))  # type: ignore[operator]

    def __str__(self) -> str:
        words = "a whole number" if self.whole else "a number"
        words += f" {'above' if self.above else 'from'} {self.low:g}"
        words += f" and below {self.high:g}" if self.high < inf else ""
        return f"{words}, or None" if self.optional else words


@dataclass(frozen=True)
class OneOf:
    """One of some values."""

    values: tuple[str | bool | None, ...]

    def admits(self, value: object) -> bool:
        """Whether a value is one of them; 1 is not True here."""
        value = bool(value) if isinstance(value, np.bool_) else value
        return any(value == each and type(value) is type(each) for each in self.values)

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, self.values))}"


COUNT = Number(whole=True)
COUNT_OR_NONE = Number(whole=True, optional=True)
NOT_NEGATIVE = Number(0)
POSITIVE = Number(0, above=True)
SHARE = Number(0, 1)
FLAG = OneOf((True, False))


def check_limits(model: Any, limits: Mapping[str, Limit]) -> None:
    """Refuse a parameter of the model that is not within its limit."""
    for name, value in model.get_params(deep=False).items():
        limit = limits.get(name)
        if limit is not None and not limit.admits(value):
            raise ValueError(f"'{name}' parameter is {value!r}, but needs {limit}")
