"""Python objects as plain JSON and arrays, and back: those of this library and scikit-learn."""

import copyreg
import importlib
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

PLAIN = (bool, int, str, type(None))
PACKAGES = ("rethink.", "sklearn.")  # objects of other packages are neither written nor made
# compiled classes that are made by calling them, with numbers and arrays; others are made empty
CALLED = frozenset(
    {
        "sklearn.tree._tree:Tree",
        "sklearn._loss._loss:CyHalfBinomialLoss",
    }
)
# how the nodes of scikit-learn's trees, and of its boosted ones, name children and feature
CHILDREN = (("left_child", "right_child", "feature"), ("left", "right", "feature_idx"))
BIT_GENERATORS = (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox)
NEW = copyreg.__newobj__  # type: ignore[attr-defined]  # how most objects say that they are made
KINDS = [
    "float",
    "array",
    "scalar",
    "objects",
    "tuple",
    "dict",
    "chance",
    "generator",
    "folder",
    "object",
]


class NotSaved(ValueError):
    """A value that cannot be written without pickle."""


class Writer:
    """Turns values into JSON; arrays are collected in `arrays`, networks go to folders inside."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.arrays: dict[str, np.ndarray] = {}
        self.folders = 0

    def plain(self, value: Any, place: str) -> Any:
        """JSON for a value; `place` says where it is, for the error."""
        if isinstance(value, PLAIN):
            return value
        if isinstance(value, float):
            return value if np.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value), place)}
        if type(value) in (list, tuple):
            items = [self.plain(each, f"{place}[{i}]") for i, each in enumerate(value)]
            return items if isinstance(value, list) else {"tuple": items}
        if type(value) is dict:
            keys = [self.plain(key, place) for key in value]
            items = [self.plain(each, f"{place}[{key!r}]") for key, each in value.items()]
            return {"dict": [keys, items]}
        if isinstance(value, np.random.RandomState):
            return {"chance": self.plain(value.get_state(), place)}
        if isinstance(value, np.random.Generator):
            return {"generator": self.plain(value.bit_generator.state, place)}
        return self._object(value, place)

    def _array(self, value: np.ndarray, place: str) -> Any:
        if value.dtype == object:
            items = [self.plain(each, place) for each in value.ravel().tolist()]
            return {"objects": items, "shape": list(value.shape)}
        name = f"a{len(self.arrays)}"
        self.arrays[name] = value
        return {"array": name}

    def _object(self, value: Any, place: str) -> Any:
        kind = type(value)
        name = f"{kind.__module__}:{kind.__qualname__}"
        if not f"{kind.__module__}.".startswith(PACKAGES) or kind.__module__ == "rethink":
            raise _refusal(value, place)
        if hasattr(kind, "load") and is_fitted(value):  # a network
            self.folders += 1
            inside = f"part{self.folders}"
            value.save(self.folder / inside)
            return {"folder": inside}
        make, arguments, *rest = value.__reduce_ex__(2)
        if make is NEW and len(arguments) == 1:
            arguments = None
        elif not (make is kind and name in CALLED):
            raise _refusal(value, place)
        state = rest[0] if rest else None
        return {
            "object": name,
            "arguments": self.plain(arguments, place),
            "state": self.plain(_without_frames(state), place),
        }


class Reader:
    """Turns what `Writer` wrote into values again."""

    def __init__(self, folder: Path, arrays: dict[str, np.ndarray]):
        self.folder = folder
        self.arrays = arrays

    def value(self, plain: Any) -> Any:
        """The value that was written as this JSON."""
        if isinstance(plain, list):
            return [self.value(each) for each in plain]
        if not isinstance(plain, dict):
            return plain
        kind = next(iter(plain), None)
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is no kind of value")
        return getattr(self, f"_{kind}")(plain)

    def _float(self, plain: dict[str, Any]) -> float:
        return float(plain["float"])

    def _array(self, plain: dict[str, Any]) -> np.ndarray:
        return self.arrays[plain["array"]]

    def _scalar(self, plain: dict[str, Any]) -> Any:
        return self.value(plain["scalar"])[()]

    def _objects(self, plain: dict[str, Any]) -> np.ndarray:
        result = np.empty(len(plain["objects"]), dtype=object)
        result[:] = [self.value(each) for each in plain["objects"]]
        return result.reshape(plain["shape"])

    def _tuple(self, plain: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(self.value(plain["tuple"]))

    def _dict(self, plain: dict[str, Any]) -> dict[Any, Any]:
        keys, items = plain["dict"]
        return dict(zip(self.value(keys), self.value(items), strict=True))

    def _chance(self, plain: dict[str, Any]) -> np.random.RandomState:
        chance = np.random.RandomState()
        chance.set_state(self.value(plain["chance"]))
        return chance

    def _generator(self, plain: dict[str, Any]) -> np.random.Generator:
        state = self.value(plain["generator"])
        bits = {kind.__name__: kind for kind in BIT_GENERATORS}[state["bit_generator"]]()
        bits.state = state
        return np.random.Generator(bits)

    def _folder(self, plain: dict[str, Any]) -> Any:
        from rethink.saving import load

        return load(self.folder / Path(plain["folder"]).name)

    def _object(self, plain: dict[str, Any]) -> Any:
        kind = _class(plain["object"])
        arguments, state = self.value(plain["arguments"]), self.value(plain["state"])
        if arguments is not None and plain["object"] not in CALLED:
            raise ValueError(f"{plain['object']} is not made with arguments")
        if isinstance(state, dict):
            _check_tree(state.get("nodes"), arguments)
        made = kind.__new__(kind) if arguments is None else kind(*arguments)
        if hasattr(made, "__setstate__"):
            made.__setstate__({} if state is None else state)
        elif state is not None:
            vars(made).update(state)
        return made


def _check_tree(nodes: Any, arguments: Any) -> None:
    """Refuse the nodes of a tree that lead out of it or in a circle: compiled code follows them."""
    names = getattr(getattr(nodes, "dtype", None), "names", None) or ()
    for left, right, feature in CHILDREN:
        if left not in names or right not in names:
            continue
        place = np.arange(len(nodes))
        inner = nodes["is_leaf"] == 0 if "is_leaf" in names else nodes[left] != -1
        for child in (nodes[left][inner], nodes[right][inner]):
            if not ((child > place[inner]) & (child < len(nodes))).all():
                raise ValueError("a tree has a node whose children are not in it")
        width = arguments[0] if isinstance(arguments, tuple) else None
        used = nodes[feature][inner]
        if (used < 0).any() or (width is not None and (used >= width).any()):
            raise ValueError("a tree asks for a feature that is not there")


def own_cost(value: Any) -> bool:
    """Whether a parameter is a cost that only its author can give again."""
    from rethink.costs import Cost

    try:
        return isinstance(value, Cost) and not Writer(Path()).plain(value, "cost")
    except NotSaved:
        return True


def is_fitted(model: Any) -> bool:
    """Whether an estimator was fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _class(name: str) -> Any:
    """A class of this library or scikit-learn by `module:name`; nothing else is imported."""
    module, _, path = name.partition(":")
    if not module.startswith(PACKAGES):
        raise ValueError(f"{name} is neither of rethink nor of scikit-learn")
    cls: Any = reduce(getattr, path.split("."), importlib.import_module(module))
    if not isinstance(cls, type) or cls.__module__ != module:
        raise ValueError(f"{name} is no class of its module")
    return cls


def _without_frames(state: Any) -> Any:
    """A state without the class of a frame, which belongs to another package."""
    if not isinstance(state, dict):
        return state
    return {key: value for key, value in state.items() if key != "_frame_kind"}


def _refusal(value: Any, place: str) -> NotSaved:
    kind = type(value)
    return NotSaved(
        f"{place} holds a {kind.__module__}.{kind.__qualname__}, which cannot be saved without "
        "pickle; save a model without it"
    )
