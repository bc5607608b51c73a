"""How far a run is: one live line in a terminal, a line now and then elsewhere."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

LINE_EVERY = 15.0  # seconds, where there is no terminal


def to_stderr(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


class Progress:
    """Counts cells: done, cached, failed, left; and how long those that are left will take."""

    def __init__(self, total: int, tell: Callable[[str], None] = to_stderr) -> None:
        self.total, self.tell = total, tell
        self.counts: Counter[str] = Counter()
        self.expected = self.ended = 0.0  # seconds of cells that were sent, and of those that ended
        self.workers = 0
        self.started = self.last_line = time.monotonic()
        self.lock = threading.Lock()
        self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        if self.live.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.live.stop()
        self.tell(self.text())

    def found(self, stored: int, published: int = 0) -> None:
        """So many cells were in the store, and so many others in published results."""
        self._count("cached", stored)
        self._count("published", published)

    def expect(self, seconds: float) -> None:
        """Cells were sent that should take so long in all."""
        with self.lock:
            if not self.expected:
                self.started = time.monotonic()
            self.expected += seconds

    def advance(self, status: str, seconds: float, workers: int) -> None:
        """A cell that should take so long has come to its end."""
        with self.lock:
            self.ended += seconds
            self.workers = workers
        self._count("done" if status == "ok" else "failed", 1)

    def _count(self, what: str, cells: int) -> None:
        with self.lock:
            self.counts[what] += cells
            if self.live.is_started:
                self.live.update(Text(self.text(), no_wrap=True, overflow="ellipsis"), refresh=True)
            elif time.monotonic() - self.last_line > LINE_EVERY:
                self.last_line = time.monotonic()
                self.tell(self.text())

    def text(self) -> str:
        """Where the run stands, in words."""
        done, cached, failed = (self.counts[name] for name in ("done", "cached", "failed"))
        left = self.total - self.counts.total()
        text = f"{self.total} cells: {done} done, {cached} cached, {failed} failed, {left} left"
        if published := self.counts["published"]:
            text += f", {published} published"
        if self.workers:
            text += f"; {self.workers} worker" + "s" * (self.workers != 1)
        if left and self.ended:
            pace = (time.monotonic() - self.started) / self.ended
            seconds = round(pace * (self.expected - self.ended))
            text += f"; about {timedelta(seconds=max(seconds, 0))} to go"
        return text
