"""Independent random streams, one for each tuple of names."""

import hashlib
import json
from numbers import Integral


def derive_seed(*names: str | int) -> int:
    """Derive a seed in [0, 2**32) from names, such as those of a data set and a repetition.

    Equal names give equal seeds on every machine; any other names give an unrelated seed.
    A text and a number differ ("1" is not 1), and so do ("a", "b") and ("ab",).

    Examples
    --------
    >>> derive_seed("yeast", "split", 0)
    1736692577
    """
    text = json.dumps([_plain(name) for name in names], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:4], "big")


def _plain(name: object) -> str | int:
    if isinstance(name, str):
        return name
    if isinstance(name, Integral):  # also NumPy's integers, which JSON does not know
        return int(name)
    raise TypeError(f"a seed is derived from texts and whole numbers, but got {name!r}")
