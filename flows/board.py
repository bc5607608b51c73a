"""How far a run is: a line for each pool in a terminal, a progress artifact in the UI."""

import time
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from rich.console import Console
from rich.live import Live
from rich.text import Text

from flows.dispatch import Dispatcher
from flows.server import CPU, GPU, patiently

LINE_EVERY = 30.0  # seconds, where there is no terminal


class Board:
    """Shows a dispatcher's state whenever it is told."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.live = Live(console=Console(stderr=True), auto_refresh=False)
        self.artifact: Any = patiently(
            create_progress_artifact, progress=0.0, key="cells", description="cells computed"
        )
        self.last_line = 0.0

    def __enter__(self) -> "Board":
        if self.live.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.live.stop()

    def show(self, dispatcher: Dispatcher) -> None:
        """Bring both up to date."""
        done = len(dispatcher.done)
        percent = 100.0 * done / self.total if self.total else 100.0
        patiently(update_progress_artifact, self.artifact, progress=percent)
        text = "\n".join(lines(dispatcher, done, self.total))
        if self.live.is_started:
            self.live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)
        elif time.monotonic() - self.last_line > LINE_EVERY:
            self.last_line = time.monotonic()
            get_run_logger().info(text)


def lines(dispatcher: Dispatcher, done: int, total: int) -> list[str]:
    """What the cells and each pool are doing, a line each."""
    text = [f"{done} of {total} cells, {len(dispatcher.waiting)} units wait to be sent"]
    over = list(dispatcher.over.values())
    for pool in (CPU, GPU):
        mine = [flight for flight in dispatcher.flying.values() if flight.pool == pool]
        running = [flight.unit.name for flight in mine if flight.state == "RUNNING"]
        text.append(
            f"{pool}: {dispatcher.live.get(pool, 0)} workers, {over.count(pool)} units done, "
            f"{len(mine) - len(running)} queued, {len(running)} running"
            + (f": {'; '.join(running)}" if running else "")
        )
    return text
