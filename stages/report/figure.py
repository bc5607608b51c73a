"""A figure of the page: drawings, how to read them, and the numbers behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

from stages.report.tables import Table


@dataclass(frozen=True)
class Figure:
    """One or more SVG drawings that share a caption and a table."""

    caption: str
    drawings: Sequence[str]
    reading: str
    table: Table
    captioned: bool = True  # False where the drawings say it all; the caption is then only read out
