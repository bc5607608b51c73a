"""R data files of the mldr collection: one list with a data frame and a table of its labels.

The package `rdata` makes Python objects of every string: that took its parser 134 seconds for a
set whose features are the texts "0" and "1", and a file may ask for any number of them. This
reader knows data frames alone, keeps every column an array and has limits.
"""

import bz2
import lzma
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from rethink.tables import Column, RawTable
from stages.common.errors import DataError
from stages.prepare.xdr import Malformed, RObject, parse_xdr, text_of

MAX_BYTES = 400_000_000  # unpacked; the largest set of the collection that we use has 160 MB
MAX_MEMORY = 256 << 20  # of the unpacker; R's own xz needs 65 MB
ADDED = (".labelcount", ".SCUMBLE")  # columns that mldr computes from the labels
SPARSE = 0.1  # a table with a smaller share of other values than 0 is kept sparse
_MISSING = -(2**31)  # NA of whole numbers and truth values
_UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZ": bz2.BZ2Decompressor,
    b"\xfd7": lambda: lzma.LZMADecompressor(memlimit=MAX_MEMORY),
}


def read_mldr(path: Path) -> RawTable:
    """Read the data frame; the file itself says which columns are labels."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Malformed(f"it has more than {MAX_BYTES:,} bytes, needs at most so many")
        return _table(parse_xdr(_unpacked(path.read_bytes())))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}; fetch the data set") from None
    except Malformed as error:
        raise DataError(f"{path}: {error}") from None


def _unpacked(raw: bytes) -> bytes:
    """The bytes that R wrote before it packed them with gzip, bzip2 or xz."""
    if raw[:2] not in _UNPACKERS:
        return raw
    unpacker = _UNPACKERS[raw[:2]]()
    try:
        data = unpacker.decompress(raw, MAX_BYTES + 1)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise Malformed(f"it cannot be unpacked ({error}); fetch it again") from None
    if len(data) > MAX_BYTES:
        raise Malformed(f"it grows to more than {MAX_BYTES:,} bytes, needs at most so many")
    if not unpacker.eof or unpacker.unused_data:
        raise Malformed("its packed part is cut or followed by more; fetch it again")
    return data


def _table(saved: dict[str, RObject]) -> RawTable:
    if len(saved) != 1:
        raise Malformed(f"found {len(saved)} objects, needs one of class mldr")
    parts = _members(next(iter(saved.values())), "the object")
    if not {"dataset", "labels"} <= set(parts):
        raise Malformed("found no `dataset` and `labels` in the object, needs one of class mldr")
    frame = _members(parts["dataset"], "dataset")
    names = list(frame)
    labels = tuple(names[i] for i in _label_positions(parts["labels"], len(names)))
    kept = [_column(name, column) for name, column in frame.items() if name not in ADDED]
    columns = tuple(column for column, _ in kept)
    return RawTable(columns, _matrix([entries for _, entries in kept]), labels)


def _members(vector: RObject, where: str) -> dict[str, RObject]:
    """The members of a list by name."""
    names = _texts(vector, "names")
    if not isinstance(vector.value, list) or names is None:
        raise Malformed(f"{where} is not a list with names, needs an object of class mldr")
    if len(names) != len(vector.value) or not names:
        raise Malformed(f"{where} has {len(vector.value)} members and {len(names)} names")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise Malformed(f"{where} has {times} members called {name!r:.200}, needs one")
    return dict(zip(names, vector.value, strict=True))


def _label_positions(table: RObject, width: int) -> list[int]:
    """Which columns are labels; R counts from 1."""
    index = _members(table, "labels").get("index")
    if index is None or not isinstance(index.value, np.ndarray):
        raise Malformed("`labels` has no column `index`, needs the numbers of the label columns")
    positions = [int(number) - 1 for number in index.value if np.isfinite(number)]
    if len(positions) < len(index.value) or not all(0 <= place < width for place in positions):
        raise Malformed(f"`labels$index` leads out of the {width} columns of `dataset`")
    return positions


def _column(name: str, column: RObject) -> tuple[Column, np.ndarray]:
    """A column and its entries: numbers, or codes of nominal values."""
    if isinstance(column.value, pa.Array):
        words = column.value.dictionary_encode()
        texts = [text_of(word) for word in words.dictionary.to_pylist()]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        ids = words.indices.to_numpy(zero_copy_only=False).astype(np.float64)
        return Column(name, tuple(texts[i] for i in order)), _recoded(ids, np.argsort(order))
    if not isinstance(column.value, np.ndarray):
        raise Malformed(f"column {name!r:.200} is a list, needs numbers, truth values or text")
    entries = column.value.astype(np.float64)
    if column.value.dtype.kind == "i":
        entries[column.value == _MISSING] = np.nan
    levels = _texts(column, "levels")
    if levels is None:
        return Column(name), entries
    if np.any((entries < 1) | (entries > len(levels))):
        raise Malformed(f"factor {name!r:.200} has a code without a level")
    return Column(name, tuple(levels)), entries - 1


def _texts(item: RObject, attribute: str) -> list[str] | None:
    texts = item.attributes.get(attribute, RObject()).value
    return [text_of(text) for text in texts.to_pylist()] if isinstance(texts, pa.Array) else None


def _recoded(ids: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    known = np.isfinite(ids)
    codes = np.full(len(ids), np.nan)
    codes[known] = ranks[ids[known].astype(int)]
    return codes


def _matrix(columns: list[np.ndarray]) -> np.ndarray | sparse.csr_array:
    lengths = sorted({len(entries) for entries in columns}) or [0]
    if len(lengths) > 1:
        raise Malformed(f"its columns have {lengths[0]} to {lengths[-1]} rows, needs the same")
    filled = [np.flatnonzero(entries).astype(np.int32) for entries in columns]
    ends = np.cumsum([0, *map(len, filled)], dtype=np.int32)
    shape = (lengths[0], len(columns))
    # Scaling to [0,1] keeps zeros only where nothing is below them.
    negative = any(entries.min(initial=0) < 0 for entries in columns)
    if negative or ends[-1] >= SPARSE * shape[0] * shape[1]:
        return np.column_stack([np.zeros((shape[0], 0)), *columns])
    values = [entries[rows] for entries, rows in zip(columns, filled, strict=True)]
    by_column = (np.concatenate(values), np.concatenate(filled), ends)
    return sparse.csr_array(sparse.csc_array(by_column, shape=shape))
