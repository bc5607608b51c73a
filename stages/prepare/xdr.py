"""The part of R's serialization format (XDR, versions 2 and 3) that data frames need.

https://cran.r-project.org/doc/manuals/r-release/R-ints.html#Serialization-Formats
Nothing of a file is trusted: a length is compared with the bytes that are left before anything
is made of it, and depth and number of objects have limits.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

MAX_OBJECTS = 2_000_000  # members of lists and texts of different length
MAX_DEPTH = 50  # an object of class mldr has five levels
SYMBOL, PAIRS, CHAR, TEXTS, LIST, RAW, ALTREP, REFERENCE = 1, 2, 9, 16, 19, 24, 238, 255
ARRAYS = {10: ">i4", 13: ">i4", 14: ">f8", RAW: "u1"}
NULLS = (0, 254)
HAS_ATTRIBUTES, HAS_TAG = 0x200, 0x400
WHAT = {
    3: "a function",
    4: "an environment",
    6: "a call",
    15: "complex numbers",
}


class Malformed(Exception):
    """Why a file cannot be read; the path is added where it is known."""


@dataclass
class RObject:
    """A vector (array), texts (arrow binary), a list of objects, a text, or nothing."""

    value: Any = None
    attributes: "dict[str, RObject]" = field(default_factory=dict)


def text_of(raw: bytes | None) -> str:
    """A text of R, in UTF-8 or else Latin-1: old files do not say which."""
    raw = b"NA" if raw is None else raw
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def parse_xdr(data: bytes) -> dict[str, RObject]:
    """The objects that R's `save` wrote, by name."""
    reader = _Reader(data)
    reader.head()
    objects = reader.item(0)
    if reader.position < len(data):
        raise Malformed(f"found {len(data) - reader.position} bytes after the end of the objects")
    if not isinstance(objects.value, dict):
        raise Malformed("found an object without name, needs a file of R's `save`")
    return objects.value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self.objects = 0
        self.symbols: list[RObject] = []

    def head(self) -> None:
        """The magic number, the versions, and the encoding that version 3 names."""
        magic = self.take(7, 1)
        if magic not in (b"RDX2\nX\n", b"RDX3\nX\n"):
            raise Malformed(f"starts with {magic!r}, needs RDX2 or RDX3: a file of R's `save`")
        version = self.integer()
        self.take(2, 4)
        if version == 3:
            self.take(self.length(1), 1)

    def take(self, count: int, size: int) -> bytes:
        """The next `count` values of `size` bytes."""
        self.left(count, size)
        start, self.position = self.position, self.position + count * size
        return self.data[start : self.position]

    def left(self, count: int, size: int) -> None:
        """Refuse what promises more than there is."""
        rest = len(self.data) - self.position
        if count < 0 or count * size > rest:
            raise Malformed(
                f"byte {self.position:,} of the unpacked file promises {count:,} values of "
                f"{size} bytes or more, but {rest:,} bytes follow; fetch it again"
            )

    def integer(self) -> int:
        return int.from_bytes(self.take(1, 4), "big", signed=True)

    def length(self, size: int) -> int:
        length = self.integer()
        self.left(length, size)
        return length

    def count(self, number: int) -> None:
        self.objects += number
        if self.objects > MAX_OBJECTS:
            raise Malformed(f"found more than {MAX_OBJECTS:,} objects, needs at most so many")

    def item(self, depth: int) -> RObject:
        """The next object, with all that is in it."""
        if depth > MAX_DEPTH:
            raise Malformed(f"found objects in objects, deeper than {MAX_DEPTH} levels")
        flags = self.integer()
        kind = flags & 0xFF
        if kind in NULLS:
            return RObject()
        if kind == REFERENCE:
            return self.reference(flags >> 8)
        if kind == SYMBOL:
            self.count(1)
            self.symbols.append(self.item(depth + 1))
            return self.symbols[-1]
        if kind == CHAR:
            return RObject(self.char())
        if kind == PAIRS:
            return RObject(self.pairs(flags, depth))
        if kind == ALTREP:
            how, state, attributes = (self.item(depth + 1) for _ in range(3))
            return _expanded(how, state, attributes)
        item = RObject(self.vector(kind, depth))
        if flags & HAS_ATTRIBUTES:
            item.attributes = _named(self.item(depth + 1))
        return item

    def reference(self, number: int) -> RObject:
        number = number or self.integer()
        if not 0 < number <= len(self.symbols):
            raise Malformed(f"found a reference to symbol {number} of {len(self.symbols)}")
        return self.symbols[number - 1]

    def char(self) -> bytes | None:
        length = self.integer()
        return None if length == -1 else self.take(length, 1)

    def pairs(self, flags: int, depth: int) -> dict[str, RObject]:
        """Objects with names, each followed by the next; the last one by nothing."""
        attributes: dict[str, RObject] = {}
        while flags & 0xFF == PAIRS:
            self.count(1)
            if flags & HAS_ATTRIBUTES:
                self.item(depth + 1)
            tag = self.item(depth + 1).value if flags & HAS_TAG else None
            name = text_of(tag) if isinstance(tag, bytes) else str(len(attributes))
            attributes[name] = self.item(depth + 1)
            flags = self.integer()
        if flags & 0xFF not in NULLS:
            raise Malformed("found a chain of objects without end, needs a file of R's `save`")
        return attributes

    def vector(self, kind: int, depth: int) -> Any:
        if kind in ARRAYS:
            size = np.dtype(ARRAYS[kind]).itemsize
            return np.frombuffer(self.take(self.length(size), size), ARRAYS[kind])
        if kind == TEXTS:
            return self.texts(self.length(8))
        if kind == LIST:
            length = self.length(4)
            self.count(length)
            return [self.item(depth + 1) for _ in range(length)]
        what = WHAT.get(kind, f"an object of type {kind}")
        raise Malformed(f"found {what}, needs numbers, texts and lists of them")

    def texts(self, length: int) -> pa.Array:
        """Texts of the same length are cut as a table of bytes, far faster than one by one."""
        header = self.data[self.position : self.position + 8]
        width = int.from_bytes(header[4:], "big", signed=True)
        size, is_char = length * (8 + width), header[3:4] == bytes([CHAR])
        if is_char and width > 0 and 0 < size <= len(self.data) - self.position:
            table = np.frombuffer(self.data, np.uint8, size, self.position)
            table = table.reshape(length, 8 + width)
            if (table[:, :8] == table[:1, :8]).all():
                self.position += table.size
                contents = pa.py_buffer(np.ascontiguousarray(table[:, 8:]))
                return pa.Array.from_buffers(pa.binary(width), length, [None, contents])
        self.count(length)
        return pa.array([self.text() for _ in range(length)], pa.binary())

    def text(self) -> bytes | None:
        kind = self.integer() & 0xFF
        if kind != CHAR:
            raise Malformed(f"found an object of type {kind} among texts")
        return self.char()


def _named(attributes: RObject) -> dict[str, RObject]:
    return attributes.value if isinstance(attributes.value, dict) else {}


def _expanded(how: RObject, state: RObject, attributes: RObject) -> RObject:
    """A vector that R stores in another form: a sequence, or one wrapped with facts about it."""
    name = getattr(_named(how).get("0"), "value", None)
    if name in (b"compact_intseq", b"compact_realseq") and np.shape(state.value) == (3,):
        length, start, step = (float(number) for number in state.value)
        if not 0 <= length <= MAX_OBJECTS:
            raise Malformed(f"found a sequence of {length:g} numbers, needs at most {MAX_OBJECTS}")
        return RObject(start + step * np.arange(int(length)), _named(attributes))
    wrapped = isinstance(name, bytes) and name.startswith(b"wrap_")
    if wrapped and isinstance(state.value, list) and state.value:
        return RObject(state.value[0].value, _named(attributes))
    raise Malformed("found a vector in a form of its own; save the object with `version = 2`")
