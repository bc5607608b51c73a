"""From values to places: scales and round ticks."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

ROUND_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """Maps [low, high] to [start, end], by the logarithm if `log`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value."""
        low, high, value = (
            log10(number) if self.log else number for number in (self.low, self.high, value)
        )
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def padded(values: Sequence[float], share: float = 0.06) -> tuple[float, float]:
    """The range of some values with room around it, also if they are all equal."""
    low, high = min(values), max(values)
    room = (high - low) * share if high > low else abs(high) * 0.1 or 1.0
    return low - room, high + room


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers inside a range, about as many as asked.

    Examples
    --------
    >>> ticks(0.13, 0.29)
    [0.15, 0.2, 0.25]
    >>> ticks(0, 1000, about=5)
    [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]
    """
    step = _step(low, high, about)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(step * i, 12) for i in range(first, last + 1)]


def _step(low: float, high: float, about: int) -> float:
    rough = (high - low) / about
    power = 10.0 ** floor(log10(rough))
    return min((power * step for step in ROUND_STEPS), key=lambda step: abs(step - rough))


def decimals_of(numbers: Sequence[float]) -> int:
    """The fewest decimals that show these numbers exactly, at most 6."""
    exact = (d for d in range(6) if all(round(x, d) == round(x, 9) for x in numbers))
    return next(exact, 6)


def log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten inside a range; if they are fewer than three, also numbers in between.

    Examples
    --------
    >>> log_ticks(0.05, 200)
    [0.1, 1.0, 10.0, 100.0]
    >>> log_ticks(3, 60)
    [5.0, 10.0, 20.0, 50.0]
    """
    exponents = range(floor(log10(low)), ceil(log10(high)) + 1)
    for factors in ((1,), (1, 2, 5), range(1, 10)):
        candidates = [float(f"{factor}e{exponent}") for exponent in exponents for factor in factors]
        inside = [tick for tick in candidates if low <= tick <= high]
        if len(inside) >= 3:
            break
    return inside


def plain(value: float) -> str:
    """A tick of a logarithmic axis as a plain number: 0.01, 10, 1,000."""
    return f"{value:,.0f}" if value >= 1 else f"{value:.10f}".rstrip("0")
