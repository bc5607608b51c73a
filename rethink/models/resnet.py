"""Feature extractors for images: a door to `rethink.nets`, so that torch loads only on use.

Examples
--------
>>> from rethink.models.resnet import SmallCNN
>>> SmallCNN().channels
64
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rethink.nets.images import Pooled, SmallCNN, preprocess
    from rethink.nets.resnet import ResNet50

__all__ = ["Pooled", "ResNet50", "SmallCNN", "preprocess"]

_HOMES = {
    "Pooled": "rethink.nets.images",
    "ResNet50": "rethink.nets.resnet",
    "SmallCNN": "rethink.nets.images",
    "preprocess": "rethink.nets.images",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
