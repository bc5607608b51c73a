"""The costs: each module of this folder defines one, and is found without being listed.

`COSTS` are the criteria of the benchmark: every prediction is scored by them. The folder `extra`
has more, which `get_cost` finds by name, too.
"""

import re
import sys

from rethink.costs import extra
from rethink.costs.base import Cost
from rethink.costs.extra.asymmetric import Asymmetric
from rethink.discovery import classes_in, unknown_name

_FOUND = [cls() for cls in classes_in(sys.modules[__name__], Cost)]
COSTS: dict[str, Cost] = {
    cost.name: cost for cost in sorted(_FOUND, key=lambda cost: (cost.position, cost.name))
}
_EXTRA = [cls() for cls in classes_in(extra, Cost)]
EXTRA_COSTS: dict[str, Cost] = {cost.name: cost for cost in _EXTRA}
NUMBERED = re.compile(r"asymmetric-([1-9][0-9]*)-([1-9][0-9]*)")


def get_cost(cost: str | Cost) -> Cost:
    """Return the cost with this name; a `Cost` is returned as it is.

    A name may end in numbers: in `asymmetric-5-1` a missed label costs 5 and a false alarm 1.

    Examples
    --------
    >>> list(COSTS)[:4]
    ['hamming', 'rank', 'f1', 'accuracy']
    >>> get_cost("f1").greater_is_better
    True
    >>> get_cost("asymmetric-5-1")
    Asymmetric(missed=5, false_alarm=1)
    """
    if isinstance(cost, Cost):
        return cost
    if callable(cost):
        name = getattr(cost, "__name__", repr(cost))
        raise ValueError(
            f"cost is the function {name}, but whether a large value is good must be known; "
            f"give Cost.of({name}, greater_is_better=True) or False"
        )
    known = EXTRA_COSTS | COSTS
    if cost in known:
        return known[cost]
    if numbers := NUMBERED.fullmatch(str(cost)):
        return Asymmetric(int(numbers[1]), int(numbers[2]), name=cost)
    raise unknown_name("cost", cost, [*COSTS, *EXTRA_COSTS, "asymmetric-<missed>-<false alarm>"])


__all__ = ["COSTS", "EXTRA_COSTS", "Cost", "get_cost"]
