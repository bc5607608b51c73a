"""Valid files made invalid: bytes flipped, cut, spliced and repeated; trees of values changed."""

import json
import math
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

LARGEST = 1 << 17  # bytes of a mutated file
NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
LIMITS = [0, 1, -1, 127, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**63]
NUMBERS = [str(number).encode() for number in LIMITS] + [
    b"1e308",
    b"1e999",
    b"-0",
    b"NaN",
    b"inf",
    b"1e-400",
    b"0x10",
    b"9" * 400,
    b"00",
    b".",
    b"-",
]
TEXTS = [
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n\n",
    b"'",
    b'"',
    b"\\",
    b"%",
    b",",
    b"{",
    b"}",
    b"?",
    b"../",
    b"/etc/passwd",
    b"<script>",
    b"=cmd()",
    "\u202e\U0001f600".encode(),
    b"\xed\xa0\x80",
    b"A" * 5000,
    b"[" * 2000,
    b"{" * 2000,
    b" " * 2000,
    b"&a ",
    b"*a ",
    b"!!python/object:os.system ",
]
DEEP = "@deep@"  # stands for a value inside of thousands of lists
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2,
    2**31,
    2**63,
    2**64,
    10**30,
    0.5,
    -1.5,
    1e308,
    math.nan,
    math.inf,
    "",
    "x",
    "x" * 3000,
    "../../etc/passwd",
    "/etc/passwd",
    "a\nb",
    "a\x00b",
    "<b>",
    "\u202e",
    "\ud800",
    "1e-3",
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"x": {}},
    [1] * 300,
    DEEP,
]


def mutated(chance: Random, data: bytes, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """A few random changes of a file; `others` lend pieces, `tokens` are words of its format."""
    content = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        chance.choice(STEPS)(chance, content, others, tokens)
    return bytes(content[:LARGEST])


def changed_tree(chance: Random, value: Any) -> Any:
    """The same tree of lists and mappings with one place changed, renamed, removed or doubled."""
    if not isinstance(value, list | dict) or not value or chance.random() < 0.15:
        return chance.choice(VALUES)
    if isinstance(value, list):
        index = chance.randrange(len(value))
        kept = list(value)
        what = chance.random()
        if what < 0.1:
            del kept[index]
        elif what < 0.2:
            kept.insert(index, kept[index])
        else:
            kept[index] = changed_tree(chance, kept[index])
        return kept
    key = chance.choice(list(value))
    what = chance.random()
    if what < 0.1:
        return {name: inner for name, inner in value.items() if name != key}
    if what < 0.2:
        new = chance.choice([*value, "", "x", "../x", f"{key}x", "\x00"])
        return {new if name == key else name: inner for name, inner in value.items()}
    return {**value, key: changed_tree(chance, value[key])}


def changed_json(
    chance: Random, data: bytes, others: Sequence[bytes], tokens: Sequence[bytes]
) -> bytes:
    """JSON with some of its values changed, or with mutated bytes."""
    if chance.random() < 0.3 or not data.startswith((b"{", b"[")):
        return mutated(chance, data, others, tokens)
    value = json.loads(data)
    for _ in range(chance.choice((1, 1, 2, 4))):
        value = changed_tree(chance, value)
    deep = chance.choice((100, 3000, 30000))
    text = json.dumps(value).replace(f'"{DEEP}"', "[" * deep + "]" * deep)
    return text.encode()


def _place(chance: Random, data: bytearray) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((1, 2, 4, 8, 30, 200)))


def _flip(chance: Random, data: bytearray, *_: Any) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _byte(chance: Random, data: bytearray, *_: Any) -> None:
    if data:
        data[chance.randrange(len(data))] = chance.randrange(256)


def _cut(chance: Random, data: bytearray, *_: Any) -> None:
    del data[chance.randrange(len(data) + 1) :]


def _remove(chance: Random, data: bytearray, *_: Any) -> None:
    start, end = _place(chance, data)
    del data[start:end]


def _repeat(chance: Random, data: bytearray, *_: Any) -> None:
    start, end = _place(chance, data)
    data[start:start] = data[start:end] * chance.choice((1, 2, 10, 300))


def _splice(chance: Random, data: bytearray, others: Sequence[bytes], _: Any) -> None:
    other = chance.choice(others)
    start, end = sorted(chance.randrange(len(other) + 1) for _ in range(2))
    place, stop = _place(chance, data)
    data[place:stop] = other[start:end]


def _token(chance: Random, data: bytearray, _: Any, tokens: Sequence[bytes]) -> None:
    start, end = _place(chance, data)
    data[start : chance.choice((start, end))] = chance.choice([*tokens, *TEXTS])


def _number(chance: Random, data: bytearray, *_: Any) -> None:
    """A number in digits becomes one at a limit."""
    if matches := list(NUMBER.finditer(data)):
        match = chance.choice(matches)
        data[match.start() : match.end()] = chance.choice(NUMBERS)


def _word(chance: Random, data: bytearray, *_: Any) -> None:
    """Two, four or eight bytes become a binary number at a limit."""
    size = chance.choice((2, 4, 8))
    start = chance.randrange(len(data) + 1)
    number = chance.choice(LIMITS) % 2 ** (8 * size)
    data[start : start + size] = number.to_bytes(size, chance.choice(("big", "little")))


def _lines(chance: Random, data: bytearray, *_: Any) -> None:
    """Two lines change places."""
    lines = bytes(data).split(b"\n")
    one, other = (chance.randrange(len(lines)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]
    data[:] = b"\n".join(lines)


Step = Callable[[Random, bytearray, Sequence[bytes], Sequence[bytes]], None]
STEPS: list[Step] = [
    _flip,
    _byte,
    _cut,
    _remove,
    _repeat,
    _splice,
    _token,
    _token,
    _number,
    _number,
    _word,
    _lines,
]
