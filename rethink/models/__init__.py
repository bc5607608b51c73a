"""The models: every estimator in a module of this folder is found by its class name."""

import importlib
import inspect
import pkgutil

from rethink.costs.base import unknown_name
from rethink.models.base import MultiLabelEstimator, is_cost_sensitive


def _discover() -> dict[str, type[MultiLabelEstimator]]:
    names = [m.name for m in pkgutil.iter_modules(__path__) if m.name != "base"]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {
        cls.__name__: cls
        for module in modules
        for cls in vars(module).values()
        if inspect.isclass(cls) and issubclass(cls, MultiLabelEstimator)
        if cls.__module__ == module.__name__ and not cls.__name__.startswith("_")
    }


MODELS = _discover()


def get_model(name: str) -> type[MultiLabelEstimator]:
    """Return the class of a model.

    Examples
    --------
    >>> get_model("LogisticRelevance")(C=0.1)
    LogisticRelevance(C=0.1)
    """
    if name not in MODELS:
        raise unknown_name("model", name, MODELS)
    return MODELS[name]


__all__ = ["MODELS", "MultiLabelEstimator", "get_model", "is_cost_sensitive"]
