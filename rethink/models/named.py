"""Models from names and plain values, as a configuration file gives them.

A parameter `estimator` may name a classifier of scikit-learn by its full name, or a model of this
library. Parameters of what is inside are written `estimator__min_samples_leaf`.
"""

import importlib
import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn.base import ClassifierMixin

from rethink.discovery import unknown_name

PUBLIC = re.compile(r"sklearn(\.[a-z]\w*)+\.[A-Z]\w*")  # nothing else is imported by a name
INSIDE = "__"  # between the name of a part and the name of its parameter


def named_estimator(name: str) -> Any:
    """A new estimator: a model of this library, or a classifier of scikit-learn.

    Examples
    --------
    >>> named_estimator("LogisticRelevance")
    LogisticRelevance()
    >>> named_estimator("sklearn.ensemble.ExtraTreesClassifier")
    ExtraTreesClassifier()
    """
    from rethink.models import MODELS

    if name in MODELS:
        return MODELS[name]()
    if not PUBLIC.fullmatch(name):
        raise unknown_name("estimator", name, [*MODELS, "sklearn.<module>.<classifier>"])
    module, _, class_name = name.rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), class_name)
    except (ImportError, AttributeError):
        raise ValueError(
            f"scikit-learn has no {name}; write the full name, such as "
            "sklearn.ensemble.RandomForestClassifier"
        ) from None
    if not (inspect.isclass(kind) and issubclass(kind, ClassifierMixin)):
        raise ValueError(f"{name} is no classifier; give one that has predict_proba")
    return kind()


def build_model(name: str, params: Mapping[str, Any]) -> Any:
    """The model of this name with these parameters, some of which may name estimators.

    Examples
    --------
    >>> forest = {"estimator": "sklearn.ensemble.RandomForestClassifier"}
    >>> build_model("DecisionRule", forest | {"cost": "f1", "estimator__n_estimators": 300})
    DecisionRule(cost='f1', estimator=RandomForestClassifier(n_estimators=300))
    """
    from rethink.models import get_model

    resolved = {key: _resolved(key, value) for key, value in params.items()}
    own = {key: value for key, value in resolved.items() if INSIDE not in key}
    inside = {key: value for key, value in resolved.items() if INSIDE in key}
    model = get_model(name)(**own)
    for key in sorted(inside, key=lambda key: key.count(INSIDE)):  # parts before what is in them
        model.set_params(**{key: inside[key]})
    return model


def parameters_of(name: str, params: Mapping[str, Any]) -> list[str]:
    """The names that parameters and grids of a model may have, those of its parts included.

    Examples
    --------
    >>> parameters_of("DecisionRule", {"estimator": "LogisticRelevance"})[-2:]
    ['random_state', 'rule']
    >>> "estimator__C" in parameters_of("DecisionRule", {"estimator": "LogisticRelevance"})
    True
    """
    parts = {key: value for key, value in params.items() if _names_parts(key, value)}
    return sorted(build_model(name, parts).get_params(deep=True))


def devices_of(name: str, params: Mapping[str, Any]) -> list[str]:
    """The parameters of a model that choose a device: those of nets, also inside of others.

    Examples
    --------
    >>> devices_of("DecisionRule", {"estimator": "RethinkNet"})
    ['estimator__device']
    >>> devices_of("DecisionRule", {"estimator": "LogisticRelevance"})
    []
    """
    names = parameters_of(name, params)
    return [each for each in names if each.split(INSIDE)[-1] == "device"]


def modules_of(params: Mapping[str, Any]) -> tuple[str, ...]:
    """The modules of this library that parameters name, whose code a result depends on.

    Examples
    --------
    >>> modules_of({"estimator": "LogisticRelevance", "cost": "f1"})
    ('rethink.models.logistic',)
    """
    named = [_resolved(key, value) for key, value in params.items() if _names_parts(key, value)]
    several = [dict(each).values() if isinstance(each, list) else [each] for each in named]
    modules = {type(part).__module__ for parts in several for part in parts}
    return tuple(sorted(module for module in modules if module.startswith("rethink.")))


def _names_parts(key: str, value: Any) -> bool:
    return isinstance(value, str) and key.split(INSIDE)[-1] in ("estimator", "estimators")


def _resolved(key: str, value: Any) -> Any:
    """An estimator, or a list of named ones from "trees=sklearn.…, linear=LogisticRelevance"."""
    if not _names_parts(key, value):
        return value
    if not key.endswith("estimators"):
        return named_estimator(value)
    return list(_listed(value.split(",")))


def _listed(entries: Iterable[str]) -> Iterable[tuple[str, Any]]:
    for entry in entries:
        part, equals, name = (text.strip() for text in entry.partition("="))
        if not (part and equals and name):
            raise ValueError(
                f"estimators holds {entry.strip()!r}, but needs name=estimator, "
                "such as linear=LogisticRelevance"
            )
        yield part, named_estimator(name)
