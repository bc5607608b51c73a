"""The costs: each module of this folder defines one, and is found without being listed."""

import importlib
import inspect
import pkgutil

from rethink.costs.base import Cost, unknown_name


def _discover() -> dict[str, Cost]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    found = [
        cls()
        for module in modules
        for cls in vars(module).values()
        if inspect.isclass(cls) and issubclass(cls, Cost) and cls.__module__ == module.__name__
        if not inspect.isabstract(cls)
    ]
    return {cost.name: cost for cost in sorted(found, key=lambda cost: (cost.position, cost.name))}


COSTS = _discover()


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
