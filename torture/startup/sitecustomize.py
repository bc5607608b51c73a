"""Python runs this at its start where this folder is on PYTHONPATH: it makes a poor machine.

RETHINK_FAULT says of which kind. Processes that a stage starts get the same.
"""

import errno
import os
import resource
from collections.abc import Callable
from typing import Any


def only_to_free_names(rename: Callable[..., None]) -> Callable[..., None]:
    """A rename that puts no file in place of another, as on some network disks."""

    def careful(old: Any, new: Any, **folders: Any) -> None:
        if os.path.lexists(new):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), old, None, new)
        rename(old, new, **folders)

    return careful


kind, _, value = os.environ.get("RETHINK_FAULT", "").partition(":")
if kind == "rename":
    os.rename, os.replace = only_to_free_names(os.rename), only_to_free_names(os.replace)
elif kind == "memory":  # of each process
    resource.setrlimit(resource.RLIMIT_DATA, (int(value) * 2**20,) * 2)
