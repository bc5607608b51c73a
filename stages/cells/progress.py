"""How far a run is: a live bar in a terminal, a line now and then elsewhere."""

import sys
import time
from collections import Counter
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from stages.cells.plan import Cell
from stages.cells.store import Manifest

LINE_EVERY = 15  # seconds, where there is no terminal


class Progress:
    """Counts cells: done, cached, failed, left."""

    def __init__(self, total: int, cached: int) -> None:
        self.total, self.cached = total, cached
        self.counts: Counter[str] = Counter()
        self.started = self.last_line = time.monotonic()
        self.console = Console(file=sys.stderr)
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f} of {task.total:.0f}"),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.console.is_terminal,
        )

    def __enter__(self) -> Self:
        self.console.print(
            f"{self.total} cells, {self.cached} cached, {self.total - self.cached} to compute",
            highlight=False,
        )
        self.bar.start()
        self.task = self.bar.add_task(self.text(), total=self.total - self.cached)
        return self

    def __exit__(self, *error: Any) -> None:
        self.bar.stop()

    def advance(self, cell: Cell, manifest: Manifest | None) -> None:
        """One more cell has come to an end."""
        self.counts["done" if manifest and manifest["status"] == "ok" else "failed"] += 1
        self.bar.update(self.task, advance=1, description=self.text())
        if not self.console.is_terminal and time.monotonic() - self.last_line > LINE_EVERY:
            self.last_line = time.monotonic()
            print(f"{cell.dataset}: {self.text()}", file=sys.stderr, flush=True)

    def text(self) -> str:
        """Where the run stands, in words."""
        left = self.total - self.cached - self.counts.total()
        done, failed = self.counts["done"], self.counts["failed"]
        return f"{done} done, {self.cached} cached, {failed} failed, {left} left"
