"""How far a run is: one live line in a terminal, a line now and then elsewhere."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

LINE_EVERY = 15.0  # seconds, where there is no terminal
to_stderr = partial(print, file=sys.stderr, flush=True)


class Progress:
    """Counts cells: done, cached, failed, left; and how long those that are left will take."""

    def __init__(self, total: int, tell: Callable[[str], None] = to_stderr) -> None:
        self.total, self.tell, self.workers = total, tell, 0
        self.counts: Counter[str] = Counter()
        self.expected = self.ended = 0.0  # seconds of cells that were sent, and of those that ended
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

    def expect(self, seconds: float) -> None:
        """Note that cells were sent which should take so many seconds in all."""
        with self.lock:
            self.started = self.started if self.expected else time.monotonic()
            self.expected += seconds

    def count(self, what: str, cells: int = 1, seconds: float = 0.0) -> None:
        """Note that cells of so many expected seconds have ended: done, failed or already known."""
        with self.lock:
            self.ended += seconds
            self.counts[what] += cells
            if self.live.is_started:
                self.live.update(Text(self.text(), no_wrap=True, overflow="ellipsis"), refresh=True)
            elif time.monotonic() - self.last_line > LINE_EVERY:
                self.last_line = time.monotonic()
                self.tell(self.text())

    def text(self) -> str:
        """Where the run stands, in words."""
        left = self.total - self.counts.total()
        counts = [f"{self.counts[what]} {what}" for what in ("done", "cached", "failed")]
        text = f"{self.total} cells: {', '.join(counts)}, {left} left"
        if published := self.counts["published"]:
            text += f", {published} published"
        if self.workers:
            text += f"; {self.workers} worker" + "s" * (self.workers != 1)
        if left and self.ended:
            pace = (time.monotonic() - self.started) / self.ended
            seconds = round(pace * (self.expected - self.ended))
            text += f"; about {timedelta(seconds=max(seconds, 0))} to go"
        return text
