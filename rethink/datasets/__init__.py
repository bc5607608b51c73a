"""Data sets of the benchmark: fetched once, every byte checked, as arrays.

`catalog.json` is made from the pipeline's data/catalog.yaml by `python -m stages.common.catalog`.
"""

import hashlib
import json
import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import fetch_file, get_data_home
from sklearn.utils import Bunch

from rethink.arff import read_arff
from rethink.discovery import unknown_name
from rethink.seeds import derive_seed
from rethink.synthetic import generate
from rethink.tables import Column, RawTable, encode

MIRROR = "RETHINK_MIRROR"
ABOUT = ("title", "licence", "cite")


def names() -> list[str]:
    """The data sets that `load` knows.

    Examples
    --------
    >>> names()[:3]
    ['arts1', 'bibtex', 'birds']
    """
    return sorted(_catalog())


def load(
    name: str, *, data_home: str | Path | None = None, return_X_y: bool = False
) -> Bunch | tuple[Any, np.ndarray]:
    """A data set of the benchmark; its files are kept below scikit-learn's data folder.

    Nothing is scaled: fit `rethink.scaling.UnitScaler` on the training rows. Files come from the
    folder or address that RETHINK_MIRROR names, if it has them, or else from their pinned address;
    a file with another checksum is refused.

    Parameters
    ----------
    name : str
        See `names`.
    data_home : str or Path, optional
        Where to keep the files; see `sklearn.datasets.get_data_home`.
    return_X_y : bool

    Returns
    -------
    Bunch, or its X and Y
        `X`, of shape (n, d), dense or CSR; `Y`, of shape (n, K), uint8; `feature_names`,
        `label_names`, `title`, `licence` and whom to `cite`.

    Examples
    --------
    >>> chain = load("chain")  # made here, so no file is needed
    >>> chain.X.shape, chain.Y.shape, chain.title
    ((800, 10), (800, 6), 'Synthetic, each label depends on those before it')
    """
    if name not in _catalog():
        raise unknown_name("data set", name, names())
    entry = _catalog()[name]
    dataset = _generated(name, entry) if "recipe" in entry else _read(name, entry, data_home)
    _check_counts(name, dataset, entry.get("counts") or {})
    return (dataset.X, dataset.Y) if return_X_y else dataset


@cache
def _catalog() -> dict[str, Any]:
    return json.loads((files(__name__) / "catalog.json").read_text(encoding="utf-8"))


def _generated(name: str, entry: dict[str, Any]) -> Bunch:
    sample = generate(**entry["recipe"], seed=derive_seed("data", name))
    return Bunch(
        X=sample.X,
        Y=sample.Y,
        feature_names=[f"x{number + 1}" for number in range(sample.X.shape[1])],
        label_names=[f"y{number + 1}" for number in range(sample.Y.shape[1])],
        **{name: entry[name] for name in ABOUT},
    )


def _read(name: str, entry: dict[str, Any], data_home: str | Path | None) -> Bunch:
    folder = Path(get_data_home(data_home)) / "rethink" / name
    folder.mkdir(parents=True, exist_ok=True)
    paths = [_fetched(name, entry, file, folder) for file in entry["files"]]
    tables = [read_arff(path) for path in paths if path.suffix == ".arff"]
    wanted = {label for path in paths if path.suffix == ".xml" for label in _label_names(path)}
    columns = tables[0].columns
    stack = sp.vstack if sp.issparse(tables[0].matrix) else np.vstack
    matrix = stack([table.matrix for table in tables])
    matrix = sp.csr_array(matrix) if sp.issparse(matrix) else matrix
    is_label = np.array([column.name in wanted for column in columns])
    rest, labels = np.flatnonzero(~is_label), np.flatnonzero(is_label)
    features = RawTable(tuple(columns[i] for i in rest), matrix[:, rest])
    X, feature_names = encode(features, entry["nominal"])
    return Bunch(
        X=X,
        Y=_labels([columns[i] for i in labels], matrix[:, labels]),
        feature_names=list(feature_names),
        label_names=[columns[i].name for i in labels],
        **{name: entry[name] for name in ABOUT},
    )


def _fetched(name: str, entry: dict[str, Any], file: dict[str, Any], folder: Path) -> Path:
    """The file, from the first place that has the right bytes."""
    inside = f"{entry['mirror']}/{file['name']}"
    mirror, problems = os.environ.get(MIRROR, ""), []
    addresses = [f"{entry['address']}/{file['name']}"]
    if mirror.startswith(("http://", "https://")):
        addresses.insert(0, f"{mirror.rstrip('/')}/{inside}")
    elif mirror and not Path(mirror).is_dir():
        raise OSError(f"{MIRROR}={mirror} is neither a folder nor an http(s) address")
    elif mirror and (path := Path(mirror) / inside).is_file():
        if _sha256(path) == file["sha256"]:
            return path
        problems.append(f"{path} is not the file of the catalogue: its SHA-256 differs")
    for address in addresses:
        try:
            return fetch_file(
                address, folder, local_filename=file["name"], sha256=file["sha256"], n_retries=1
            )
        except (OSError, ValueError) as error:
            problems.append(f"{address}: {getattr(error, 'reason', error)}")
    lines = "\n  ".join(problems)
    raise OSError(
        f"data set {name} cannot be fetched:\n  {lines}\n"
        f"Put {file['name']} into {folder}, or set {MIRROR} to a folder or http(s) address that "
        f"has {inside}"
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _label_names(path: Path) -> list[str]:
    """The names in a Mulan XML, whose bytes were checked."""
    elements = ElementTree.parse(path).iter()
    return [element.get("name", "") for element in elements if element.tag.endswith("label")]


def _labels(columns: list[Column], entries: Any) -> np.ndarray:
    """Labels as 0 and 1: they are numbers, or nominal with these two values."""
    entries = entries.toarray() if sp.issparse(entries) else entries
    labels = np.empty(entries.shape, np.uint8)
    for index, column in enumerate(columns):
        values = np.array([float(value) for value in column.values or ("0", "1")])
        labels[:, index] = values[entries[:, index].astype(int)]
    return labels


def _check_counts(name: str, dataset: Bunch, counts: dict[str, Any]) -> None:
    """Refuse a set that is not what the catalogue says."""
    seen = {
        "instances": dataset.Y.shape[0],
        "labels": dataset.Y.shape[1],
        "empty": int((dataset.Y.sum(axis=1) == 0).sum()),
    }
    wrong = [key for key in seen if counts.get(key, seen[key]) != seen[key]]
    if wrong:
        differences = ", ".join(f"{key} {seen[key]}, not {counts[key]}" for key in wrong)
        raise ValueError(f"data set {name} is not what the catalogue says: {differences}")
