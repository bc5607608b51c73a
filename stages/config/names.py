"""Names a user may give, and the nearest valid one when a name is wrong."""

import difflib
from collections.abc import Iterable
from typing import Annotated

from pydantic import StringConstraints

Slug = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_+-]{0,63}$")]


def nearest(name: str, valid: Iterable[str]) -> str:
    """A hint for an error message: the closest valid name, then all of them."""
    choices = sorted(valid)
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    hint = f"did you mean '{close[0]}'? " if close else ""
    return f"{hint}valid: {', '.join(choices)}"
