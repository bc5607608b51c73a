"""When training has converged."""

import math


class StoppingRule:
    """Stop when the loss has not improved by `tolerance`, relatively, for `patience` epochs.

    Losses are compared as means over blocks of epochs, because weights that are refreshed now and
    then make single epochs incomparable.

    Examples
    --------
    >>> rule = StoppingRule(tolerance=0.01, patience=2)
    >>> [rule.converged(loss) for loss in (1.0, 0.5, 0.499, 0.498)]
    [False, False, False, True]
    """

    def __init__(self, tolerance: float, patience: int, block: int = 1):
        self.tolerance, self.patience, self.block = tolerance, patience, block
        self.best, self.since = math.inf, 0
        self.collected: list[float] = []

    def converged(self, loss: float) -> bool:
        """Take the loss of one epoch."""
        self.collected.append(loss)
        if len(self.collected) < self.block:
            return False
        mean = sum(self.collected) / self.block
        self.collected = []
        improved = mean < self.best - self.tolerance * abs(self.best) or math.isinf(self.best)
        self.best = min(mean, self.best) if improved else self.best
        self.since = 0 if improved else self.since + self.block
        return self.since >= self.patience
