"""The costs: each module of this folder defines one, and is found without being listed."""

import sys

from rethink.costs.base import Cost
from rethink.discovery import classes_in, unknown_name

_FOUND = [cls() for cls in classes_in(sys.modules[__name__], Cost)]
COSTS: dict[str, Cost] = {
    cost.name: cost for cost in sorted(_FOUND, key=lambda cost: (cost.position, cost.name))
}


def get_cost(cost: str | Cost) -> Cost:
    """Return the cost with this name; a `Cost` is returned as it is.

    Examples
    --------
    >>> list(COSTS)[:4]
    ['hamming', 'rank', 'f1', 'accuracy']
    >>> get_cost("f1").greater_is_better
    True
    """
    if isinstance(cost, Cost):
        return cost
    if cost not in COSTS:
        raise unknown_name("cost", cost, COSTS)
    return COSTS[cost]


__all__ = ["COSTS", "Cost", "get_cost"]
