"""Fitted models on disk, without pickle: `model.json`, and the arrays in `arrays.npz`.

A saved model is a folder. Its `model.json` names the class under "estimator"; a class with a method
`load(path)` of its own, such as a network, reads the rest itself. Loading makes objects of this
library and of scikit-learn only, sets their attributes and runs no code from the folder.
"""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rethink.discovery import unknown_name
from rethink.objects import Reader, Writer, own_cost

VERSION = 1
DESCRIPTION, ARRAYS = "model.json", "arrays.npz"
UNREADABLE = (
    OSError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ImportError,
    ArithmeticError,
    RuntimeError,  # an encrypted member of the zip, values too deep, an unknown way to pack
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
)
LARGEST = 2_000_000_000  # bytes of the arrays, unpacked
NOT_STATE = ("_frame_kind", "_sklearn_output_config")


def save(model: Any, path: str | Path) -> None:
    """Write a fitted model to a folder; the description, written last, completes it.

    A model of this library, or a `Pipeline` of scikit-learn that ends in one. What a file cannot
    hold, a cost of one's own, is left out and must be given to `load`.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.pipeline import make_pipeline
    >>> from rethink import LogisticRelevance
    >>> from rethink.scaling import UnitScaler
    >>> model = make_pipeline(UnitScaler(), LogisticRelevance(C=10))
    >>> folder = tempfile.mkdtemp()
    >>> save(model.fit([[0], [10], [20], [30]], [[0], [0], [1], [1]]), folder)
    >>> load(folder).predict([[40]])
    array([[1]])
    """
    check_is_fitted(model)
    if type(model) not in _known().values():
        raise ValueError(
            f"the model is a {type(model).__name__}, but a model of rethink is needed, or a "
            "Pipeline that ends in one"
        )
    if hasattr(type(model), "load"):  # a network has a form of its own
        model.save(path)
        return
    folder = Path(path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DESCRIPTION).unlink(missing_ok=True)
    writer = Writer(folder)
    state = {name: value for name, value in vars(model).items() if name not in NOT_STATE}
    missing = [name for name in model.get_params(deep=False) if own_cost(state.get(name))]
    kept = {name: value for name, value in state.items() if name not in missing}
    description = {
        "version": VERSION,
        "estimator": type(model).__name__,
        "not_saved": missing,
        "state": {name: writer.plain(value, name) for name, value in kept.items()},
    }
    np.savez(folder / ARRAYS, allow_pickle=False, **writer.arrays)
    unfinished = folder / f".{DESCRIPTION}.tmp"
    unfinished.write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(folder / DESCRIPTION)


def load(path: str | Path, **given: Any) -> Any:
    """Read a fitted model that its `save` wrote; the folder says of which class it is.

    Parameters
    ----------
    path : str or Path
        The folder.
    **given
        Parameters that a file cannot hold, such as a cost of one's own, or that shall differ.

    Examples
    --------
    >>> import tempfile
    >>> from rethink import LogisticRelevance
    >>> model = LogisticRelevance(C=10).fit([[0.0], [1.0], [2.0], [3.0]], [[0], [0], [1], [1]])
    >>> folder = tempfile.mkdtemp()
    >>> model.save(folder)
    >>> load(folder).predict([[4.0]])
    array([[1]])
    """
    folder = Path(path)
    description = _description(folder)
    name, known = description["estimator"], _known()
    if name not in known:
        raise unknown_name("model", name, known)
    kind: Any = known[name]
    if hasattr(kind, "load"):
        return kind.load(folder, **given)
    return _filled(kind.__new__(kind), folder, description, given)


def _known() -> dict[str, type]:
    """What can be saved: the models, and a pipeline of them."""
    from sklearn.pipeline import Pipeline

    from rethink.models import MODELS

    return {**MODELS, "Pipeline": Pipeline}


def _filled(model: Any, folder: Path, description: dict[str, Any], given: dict[str, Any]) -> Any:
    if description["version"] != VERSION:
        raise ValueError(
            f"{folder} has version {description['version']}, but this program reads {VERSION}"
        )
    missing = [name for name in description.get("not_saved") or () if name not in given]
    if missing:
        raise ValueError(
            f"{folder} was saved without {', '.join(missing)}, which a file cannot hold; "
            f"give it: rethink.load(path, {missing[0]}=…)"
        )
    try:
        reader = Reader(folder, _arrays(folder / ARRAYS))
        state = {name: reader.value(value) for name, value in description["state"].items()}
    except UNREADABLE as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{folder} cannot be read ({reason:.300}); save the model again") from None
    vars(model).update(state | given)
    return model


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file, unless it grows to more than a model has."""
    with zipfile.ZipFile(path) as packed:
        size = sum(member.file_size for member in packed.infolist())
    if size > LARGEST:
        raise ValueError(f"its arrays have {size:,} bytes, at most {LARGEST:,} are read")
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def _description(folder: Path) -> dict[str, Any]:
    file = folder / DESCRIPTION
    if not file.is_file():
        raise FileNotFoundError(f"{file} is missing: {folder} holds no completely saved model")
    try:
        description = json.loads(file.read_text(encoding="utf-8"))
        assert isinstance(description["estimator"], str) and "version" in description
        assert all(isinstance(name, str) for name in description.get("not_saved") or ())
    except (ValueError, LookupError, TypeError, AssertionError, RecursionError):
        raise ValueError(f"{file} is not a model's description; save the model again") from None
    return description
