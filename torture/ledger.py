"""What was done so far, kept in tmp/torture: a run that is stopped goes on from there."""

import json
import os
from pathlib import Path
from typing import Any

from stages.common.files import write_json

FOLDER = Path(os.environ.get("RETHINK_TORTURE") or "tmp/torture")


class Ledger:
    """A JSON file of counts."""

    def __init__(self, theme: str, anew: bool = False) -> None:
        self.path = (FOLDER / f"{theme}.json").absolute()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        known = self.path.exists() and not anew
        self.data: dict[str, Any] = json.loads(self.path.read_text()) if known else {}

    def save(self) -> None:
        """Write it; a kill leaves the old one."""
        write_json(self.path, self.data)


def machine() -> str:
    """The size of this machine, for numbers that depend on it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB"
