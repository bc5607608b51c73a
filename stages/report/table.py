"""A table of the page: what is shown, what is sorted by, and what is downloaded; and a figure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from stages.common import words
from stages.common.outcomes import Number
from stages.common.slices import Value
from stages.common.words import NONE, counted, fixed, listed, short, signed

HTML = Path(__file__).parent / "html"
MEAN = ("mean", "ste")
TALL, LONG = 60, 15  # rows: of a box that scrolls, of a table that paper leaves out
WIDE = 10  # columns: more are set closer
MOST_ROWS, MOST_COLUMNS = 500, 60  # of hundreds of data sets; a page stays below 5 MB
CLOSE = 2  # pooled standard errors within which two numbers agree
FIRST = ("dataset", "cost", "model")  # of the columns of a plain table
NOT_PRINTED = "not printed in the paper"
LOST = "did not finish"
RESULTS = {  # of a test over splits, in words
    "win": "{better} is better",
    "loss": "{other} is better",
    "tie": "no difference seen",
    "too few": "too few seeds",
}


@cache
def templates() -> jinja2.Environment:
    """The only place where HTML is written: templates, with our words as filters."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HTML),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = ("count", "counted", "file_name", "fixed", "listed", "rank_text", "raw")
    environment.filters |= {name: getattr(words, name) for name in filters}
    return environment


@cache
def _macros() -> Any:
    return templates().get_template("entries.html.j2").module


def piece(macro: str, *values: object, **options: object) -> str:
    """A piece of markup, by a macro of entries.html.j2."""
    return getattr(_macros(), macro)(*values, **options)


@dataclass(frozen=True)
class Column:
    """A heading; `fields` are the columns it becomes in the download."""

    title: str
    number: bool = True
    named: bool = False  # the title is a data set or a model, which the filter can pick
    fields: tuple[str, ...] = ()
    link: str = ""


@dataclass(frozen=True)
class Entry:
    """An entry: `html` is escaped unless a macro made it; sorted and downloaded by `value`."""

    html: str = ""
    value: float | str | None = None
    kind: str = ""
    head: bool = False
    fields: Mapping[str, float | str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Rows that are sorted together, below a heading if they have one."""

    rows: list[list[Entry]]
    heading: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Table:
    """A table with a caption and the name of its download."""

    file: str
    caption: str
    columns: list[Column]
    groups: list[Group]
    kind: str = "compact"
    direction: str = ""  # "up" or "down": which values are better
    sortable: bool = True
    filtered: bool = True

    @property
    def size(self) -> int:
        """How many rows there are."""
        return sum(len(group.rows) for group in self.groups)

    @property
    def shown(self) -> "Table":
        """What the page has room for: the first columns and rows."""
        groups, room = [], MOST_ROWS
        for group in self.groups:
            rows = [row[:MOST_COLUMNS] for row in group.rows[:room]]
            groups.append(replace(group, rows=rows))
            room -= len(rows)
        return replace(self, columns=self.columns[:MOST_COLUMNS], groups=groups)

    @property
    def left_out(self) -> str:
        """What the page has no room for, in a sentence."""
        rows, columns = self.size - self.shown.size, len(self.columns) - len(self.shown.columns)
        parts = [counted(rows, "row")] if rows else []
        parts += [counted(columns, "column")] if columns else []
        if not parts:
            return ""
        be = "is" if rows + columns == 1 else "are"
        return (
            f"The last {listed(parts)} of this table {be} left out, here and in its download: the "
            "page would be too large. Every number is in reports/comparison.json."
        )

    @property
    def tall(self) -> bool:
        """Whether the table gets a box of limited height."""
        return self.size > TALL and self.kind == "compact"

    @property
    def long(self) -> bool:
        """Whether the table takes much of a printed page."""
        return self.size > LONG

    @property
    def classes(self) -> str:
        """What style and script are to know of it."""
        wide = self.kind == "compact" and len(self.columns) > WIDE
        marks = {"wide": wide, "sortable": self.sortable, "filtered": self.filtered}
        return " ".join([self.kind, *(mark for mark, given in marks.items() if given)])


@dataclass(frozen=True)
class Figure:
    """One or more SVG drawings that share a caption, a sentence on reading them and a table."""

    caption: str
    drawings: Sequence[str]
    reading: str
    table: Table
    captioned: bool = True  # False where the drawings say it all; the caption is then only read out


def simple(
    file: str, caption: str, columns: list[Column], rows: Iterable[list[Entry]], **options: Any
) -> Table:
    """A table with one group of rows."""
    return Table(file, caption, columns, [Group(list(rows))], **options)


def plain_table(file: str, caption: str, rows: Sequence[Mapping[str, Value]]) -> Table:
    """A table of plain values, as they are: data set, cost and model first, then texts."""
    is_text = {
        key: all(not isinstance(row.get(key), int | float) for row in rows)
        for row in rows
        for key in row
    }
    place = {key: FIRST.index(key) if key in FIRST else len(FIRST) for key in is_text}
    keys = sorted(is_text, key=lambda key: (place[key], not is_text[key]))
    columns = [Column(key.replace("_", " "), number=not is_text[key]) for key in keys]
    return simple(file, caption, columns, ([plain(row.get(key)) for key in keys] for row in rows))


def plain(value: Value) -> Entry:
    """A plain value as an entry."""
    if isinstance(value, bool):
        return Entry("yes" if value else "no")
    if isinstance(value, int | float):
        return Entry(short(value), value)
    if isinstance(value, list):
        return Entry(listed(value) if value else NONE)
    return Entry(NONE if value is None else piece("name", value))


def texts(*titles: str) -> list[Column]:
    """Columns of text."""
    return [Column(title, number=False) for title in titles]


def means(*titles: str) -> list[Column]:
    """Columns of means with their standard errors."""
    return [Column(title, fields=MEAN) for title in titles]


def name(text: str, tag: str = "", title: str = "") -> Entry:
    """The heading of a row: a data set, a model, a label; with a tag that its title explains."""
    return Entry(piece("name", text, tag, title), head=True)


def counted_as(dataset: str, empty: float) -> Entry:
    """A data set, with a note where an empty prediction for an empty row counts as 0."""
    if empty:
        return name(dataset)
    why = "an empty prediction for an empty row counts as 0 here, as the paper counts it"
    return name(dataset, "0/0 = 0", why)


def void(why: str, symbol: str = "·") -> Entry:
    """An empty place and why it is empty."""
    return Entry(piece("sign", symbol, why), kind="void")


def number(value: float | None, decimals: int, missing: str = "not measured") -> Entry:
    """A plain number."""
    return void(missing, NONE) if value is None else Entry(fixed(value, decimals), value)


def estimate(mean: Number | None, decimals: int, missing: str, best: bool = False) -> Entry:
    """A mean with its standard error, for a column with the fields `MEAN`."""
    if mean is None or mean.mean is None:
        return void(missing, NONE)
    html = piece("estimate", mean, decimals, best)
    return Entry(html, mean.mean, fields={"mean": mean.mean, "ste": mean.ste})


def judged(z: float, better: bool, near: str, up: str, down: str) -> Entry:
    """A difference in standard errors with a symbol and words: near, better or worse."""
    sign = ("≈", near, "near") if abs(z) <= CLOSE else ("▲", up, "gain")
    if abs(z) > CLOSE and not better:
        sign = ("▼", down, "lack")
    return Entry(piece("joined", piece("sign", *sign), signed(z, 1)), z)


def distance(z: float | None, greater: bool) -> Entry:
    """Ours minus printed in pooled standard errors, with what it means."""
    if z is None:
        return void("cannot be compared", NONE)
    return judged(z, (z > 0) == greater, "agrees:", "ours is better:", "ours is worse:")
