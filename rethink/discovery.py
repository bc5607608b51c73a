"""Find what a folder of modules defines, so that adding a thing is adding a file."""

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from types import ModuleType


def classes_in(package: ModuleType, base: type) -> list[type]:
    """The public, concrete subclasses of `base` that the modules of `package` define."""
    names = [f"{package.__name__}.{file.name}" for file in pkgutil.iter_modules(package.__path__)]
    return [
        cls
        for module in map(importlib.import_module, names)
        for name, cls in vars(module).items()
        if inspect.isclass(cls) and issubclass(cls, base) and cls is not base
        if cls.__module__ == module.__name__ and not name.startswith("_")
        if not inspect.isabstract(cls)
    ]


def unknown_name(kind: str, name: object, valid: Iterable[str]) -> ValueError:
    """The error for a name nobody knows, with the nearest valid one."""
    choices = list(valid)
    close = difflib.get_close_matches(str(name).lower(), [c.lower() for c in choices], n=1)
    hint = "".join(f"did you mean '{c}'? " for c in choices if [c.lower()] == close)
    return ValueError(f"unknown {kind} {name!r}; {hint}valid: {', '.join(choices)}")
