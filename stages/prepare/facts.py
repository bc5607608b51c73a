"""What can be counted from a data set: a row for every column and every label, and totals."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import sparse

from stages.common.params import TRAIN_SHARE

Matrix: TypeAlias = Any  # a dense array or a CSR array


def describe_columns(matrix: Matrix, names: tuple[str, ...]) -> pd.DataFrame:
    """One row a column: missing, infinite, smallest, largest and number of distinct values."""
    rows = [_describe(values, implicit) for values, implicit in _columns(matrix)]
    frame = pd.DataFrame(rows, columns=["nulls", "infinite", "min", "max", "distinct"])
    frame.insert(0, "name", list(names))
    return frame


def _columns(matrix: Matrix) -> Iterator[tuple[np.ndarray, int]]:
    """Each column's stored values and how many zeros are left out of them."""
    if not sparse.issparse(matrix):
        for column in matrix.T:
            yield column, 0
        return
    by_column = matrix.tocsc()
    for start, stop in zip(by_column.indptr[:-1], by_column.indptr[1:], strict=True):
        yield by_column.data[start:stop], matrix.shape[0] - (stop - start)


def _describe(values: np.ndarray, implicit_zeros: int) -> tuple[int, int, float, float, int]:
    finite = values[np.isfinite(values)]
    if implicit_zeros:
        finite = np.append(finite, 0.0)
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    nulls = int(np.isnan(values).sum())
    return nulls, int(np.isinf(values).sum()), low, high, len(np.unique(finite))


def describe_labels(labels: np.ndarray, names: tuple[str, ...]) -> pd.DataFrame:
    """One row a label: how often it is on and off."""
    positives = labels.sum(axis=0, dtype=int)
    return pd.DataFrame(
        {"name": list(names), "positives": positives, "negatives": len(labels) - positives}
    )


def describe_images(files: Sequence[str], problems: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """One row an image: was it blank, converted or enlarged? Its name tells the reason."""
    kinds = {
        "blank": ("unreadable", "truncated", "gigantic"),
        "converted": ("colours",),
        "enlarged": ("tiny",),
    }
    names = [
        f"{file} ({problem}: {detail})" if problem else file
        for file, (problem, detail) in zip(files, problems, strict=True)
    ]
    flags = {
        kind: [int(problem in group) for problem, _ in problems] for kind, group in kinds.items()
    }
    return pd.DataFrame({"name": names, **flags})


def totals(
    features: Matrix,
    labels: np.ndarray,
    columns: pd.DataFrame,
    parts: Sequence[str] | None = None,
) -> dict[str, float | int]:
    """The numbers of the whole set; `parts` is the official split, if there is one."""
    rows, (n, k) = _row_bytes(features), labels.shape
    sets = [row.tobytes() for row in labels]
    positives = labels.sum(axis=0, dtype=int)
    return {
        "instances": n,
        "features": features.shape[1],
        "labels": k,
        "cardinality": round(float(labels.sum() / max(n, 1)), 6),
        "density": round(float(labels.mean()) if labels.size else 0.0, 6),
        "empty": int((labels.sum(axis=1) == 0).sum()),
        "label_sets": len(set(sets)),
        "rarest_label": int(positives.min()) if k else 0,
        "constant_features": int((columns["distinct"] <= 1).sum()),
        "duplicates": n - len(set(zip(rows, sets, strict=True))),
        "test_twins": round(_official_twins(rows, parts) if parts else expected_twins(rows), 4),
    }


def expected_twins(rows: Sequence[bytes]) -> float:
    """The share of test rows that have a twin in the training part: the mean of all random splits.

    The splits themselves are made later. Their expectation needs none of them and has no noise: a
    test row has no twin in training if all its twins were drawn into the test part as well.
    """
    n, sizes = len(rows), np.array(list(Counter(rows).values()), int)
    tested, others = n - int(n * TRAIN_SHARE), np.arange(1, sizes.max(initial=1))
    drawn = np.maximum(tested - others, 0) / (n - others)
    without = np.cumprod(np.append(1.0, drawn))  # by the number of twins, from none on
    return float((sizes * (1 - without[sizes - 1])).sum() / max(n, 1))


def _official_twins(rows: Sequence[bytes], parts: Sequence[str]) -> float:
    of_part = list(zip(rows, parts, strict=True))
    known = {row for row, part in of_part if part == "train"}
    seen = [row in known for row, part in of_part if part != "train"]
    return sum(seen) / max(len(seen), 1)


def _row_bytes(matrix: Matrix) -> list[bytes]:
    if not sparse.issparse(matrix):  # a hash of each: the bytes of a large set would be gigabytes
        rows = np.ascontiguousarray(matrix)
        return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
    bounds = zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
    return [
        matrix.indices[start:stop].tobytes() + matrix.data[start:stop].tobytes()
        for start, stop in bounds
    ]
