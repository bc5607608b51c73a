"""The models: every estimator in a module of this folder is found by its class name."""

import sys

from rethink.discovery import classes_in, unknown_name
from rethink.models.base import MultiLabelEstimator, is_cost_sensitive, shares_fits
from rethink.models.named import build_model

MODELS: dict[str, type[MultiLabelEstimator]] = {
    cls.__name__: cls for cls in classes_in(sys.modules[__name__], MultiLabelEstimator)
}

globals().update(MODELS)  # from rethink.models import RethinkNet


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


__all__ = [
    "MODELS",
    "MultiLabelEstimator",
    "build_model",
    "get_model",
    "is_cost_sensitive",
    "shares_fits",
]
