"""A data set as its files hold it: features and 0/1 labels."""

import difflib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from rethink.tables import Column, RawTable
from stages.common.catalog import Source
from stages.common.closed import nearest
from stages.common.errors import DataError
from stages.common.words import as_line
from stages.prepare.arff import read_arff
from stages.prepare.columns import matching
from stages.prepare.mldr import read_mldr
from stages.prepare.mulan import read_label_names
from stages.prepare.tabular import read_csv, read_parquet

READERS: dict[str, Callable[[Path], RawTable]] = {
    "arff": read_arff,
    "csv": read_csv,
    "parquet": read_parquet,
    "rda": read_mldr,
}
_WORDS = {"0": 0, "1": 1, "false": 0, "true": 1, "no": 0, "yes": 1}
_PAIRS = ({"0", "1"}, {"false", "true"}, {"no", "yes"})
_LISTED = 50  # names in an error; a person reads no more


@dataclass(frozen=True)
class RawDataset:
    """Features, and labels as 0/1 (uint8, a row per instance) in the order of their columns."""

    features: RawTable
    labels: np.ndarray
    label_names: tuple[str, ...]


def read_dataset(source: Source, folder: Path) -> RawDataset:
    """Read and join the tables of a source and tell its labels from its features."""
    paths = [folder / file.name for file in source.files]
    tables = [path for path in paths if path.suffix != ".xml"]
    if not tables:
        raise DataError(f"{folder}: found no table among the files, needs one .{source.format}")
    named = tuple(
        name for path in paths if path.suffix == ".xml" for name in read_label_names(path)
    )
    table = _read_tables(source.format, tables)
    names = [column.name for column in table.columns]
    asked = source.labels or _listed(source, folder)
    chosen = _without_patterns(asked, names) or named or table.labels
    return _split_labels(table, chosen, tables[0])


def _listed(source: Source, folder: Path) -> tuple[str, ...]:
    """The lines of the file that names the labels."""
    if source.labels_file is None:
        return ()
    path = folder / source.labels_file
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"labels_file: {path} cannot be read ({error}); put it there") from None
    names = tuple(line.strip() for line in lines if line.strip())
    if not names:
        raise DataError(f"labels_file: {path} is empty, needs the name of a label on each line")
    return names


def _without_patterns(asked: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Names as they are, and for a pattern all columns that are like it."""
    return tuple(
        name
        for each in asked
        for name in (
            sorted(matching(columns, [each], "labels"), key=columns.index)
            if set(each) & set("*?[") and each not in columns
            else [each]
        )
    )


def _read_tables(kind: str, paths: list[Path]) -> RawTable:
    first, *others = [READERS[kind](path) for path in paths]
    for path, other in zip(paths[1:], others, strict=True):
        _check_header(paths[0], first.columns, path, other.columns)
    matrices = [table.matrix for table in (first, *others)]
    if len(matrices) == 1:
        return first
    if any(sparse.issparse(matrix) for matrix in matrices):
        matrices = [sparse.csr_array(matrix) for matrix in matrices]
        return RawTable(first.columns, sparse.vstack(matrices, "csr"), first.labels)
    return RawTable(first.columns, np.vstack(matrices), first.labels)


def _check_header(
    first: Path, ours: tuple[Column, ...], path: Path, theirs: tuple[Column, ...]
) -> None:
    if len(ours) != len(theirs):
        raise DataError(f"{path}: found {len(theirs)} columns, needs {len(ours)} as in {first}")
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True), start=1):
        if our != their:
            raise DataError(
                f"{path}: found {_described(their)} as column {number}, "
                f"needs {_described(our)} as in {first}"
            )


def _described(column: Column) -> str:
    kind = "numeric" if column.values is None else f"{{{', '.join(column.values)}}}"
    return f"{column.name!r:.80} {kind:.120}"


def _split_labels(table: RawTable, names: tuple[str, ...], path: Path) -> RawDataset:
    _check_labels(names, [column.name for column in table.columns], path)
    label_names = set(names)
    is_label = np.array([column.name in label_names for column in table.columns], bool)
    if is_label.all():
        raise DataError(f"{path}: all {len(is_label)} columns are labels, needs a feature")
    chosen, rest = np.flatnonzero(is_label), np.flatnonzero(~is_label)
    entries = table.matrix[:, chosen]
    entries = entries if isinstance(entries, np.ndarray) else entries.toarray()
    columns = [table.columns[i] for i in chosen]
    labels = np.empty(entries.shape, np.uint8)
    for i, column in enumerate(columns):
        labels[:, i] = _as_binary(column, entries[:, i], path)
    features = RawTable(tuple(table.columns[i] for i in rest), table.matrix[:, rest])
    return RawDataset(features, labels, tuple(column.name for column in columns))


def _check_labels(names: tuple[str, ...], columns: list[str], path: Path) -> None:
    if not names:
        raise DataError(f"{path}: found no label, needs one")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"label {name!r:.200} is named {times} times, needs to be named once")
    known = set(columns)
    unknown = [name for name in names if name not in known]
    if not unknown:
        return
    name = unknown[0]
    close = columns if len(columns) <= _LISTED else _close(name, columns)
    hint = nearest(name, close) if close else f"none of its {len(columns)} columns is like it"
    more = f" (and {len(unknown) - 1} more labels)" if len(unknown) > 1 else ""
    raise DataError(f"{path}: found no column for label {name!r:.200}{more}; {hint}")


def _close(name: str, columns: list[str]) -> list[str]:
    """Some similar names; only those of about the same length are compared, to stay fast."""
    similar = [column for column in columns if abs(len(column) - len(name)) <= 2]
    return difflib.get_close_matches(name, similar[:10_000], n=3, cutoff=0.5)


def _as_binary(column: Column, entries: np.ndarray, path: Path) -> np.ndarray:
    label = f"{path}: label {column.name!r:.200}"
    if np.isnan(entries).any():
        row = int(np.flatnonzero(np.isnan(entries))[0]) + 1
        raise DataError(f"{label} is missing in row {row}, needs 0 or 1 in every row")
    if column.values is None:
        bad = entries[(entries != 0) & (entries != 1)]
        if len(bad):
            raise DataError(f"{label} has the value {bad[0]:g}, needs only 0 and 1")
        return entries
    values = [value.lower() for value in column.values]
    if not any(pair.issuperset(values) for pair in _PAIRS):
        listing = as_line(", ".join(column.values))
        raise DataError(f"{label} has the values {listing:.120}, needs 0/1, false/true or no/yes")
    codes = np.array([_WORDS[value] for value in values])
    return codes[entries.astype(int)]
