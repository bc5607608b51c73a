"""A table of the page: what is shown, what is sorted by, and what is downloaded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from stages.report.text import NONE, fixed, raw

MEAN = ("mean", "ste")
TALL = 20  # rows

Json = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A heading; `fields` are the columns it becomes in the download."""

    title: str
    number: bool = True
    named: bool = False  # the title is a data set or a model, which the filter can pick
    fields: tuple[str, ...] = ()
    link: str = ""


@dataclass(frozen=True)
class Cell:
    """A value; `html` is escaped unless it is markup."""

    html: str = ""
    value: float | str | None = None
    kind: str = ""
    head: bool = False
    fields: Mapping[str, float | str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Rows that are sorted together, below a heading if they have one."""

    rows: list[list[Cell]]
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
    def tall(self) -> bool:
        """Whether the table gets a box of limited height."""
        return self.size > TALL and self.kind == "compact"


def simple(
    file: str, caption: str, columns: list[Column], rows: Iterable[list[Cell]], **options: Any
) -> Table:
    """A table with one group of rows."""
    return Table(file, caption, columns, [Group(list(rows))], **options)


def words(title: str) -> Column:
    """A column of text."""
    return Column(title, number=False)


def span(text: str, kind: str = "", title: str = "") -> Markup:
    """A piece of a cell with a class and a tooltip, both optional."""
    attributes = Markup("").join(
        Markup(' {}="{}"').format(name, value)
        for name, value in (("class", kind), ("title", title))
        if value
    )
    return Markup("<span{}>{}</span>").format(attributes, text)


def unseen(text: str) -> Markup:
    """Words for screen readers and downloads alone."""
    return span(text, "vh")


def sign(symbol: str, says: str, kind: str = "") -> Markup:
    """A symbol on the screen that is read out in words."""
    shown = Markup('<span class="sign {}" aria-hidden="true" title="{}">{}</span>')
    return shown.format(kind, says, symbol) + unseen(says)


def marked(symbol: str, text: str, kind: str) -> Markup:
    """A symbol before the text that says the same."""
    shown = Markup('<span class="sign {}" aria-hidden="true">{}</span> {}')
    return shown.format(kind, symbol, text)


def link(text: str, anchor: str) -> Markup:
    """A link to another place of the page."""
    return Markup('<a href="#{}">{}</a>').format(anchor, text)


def name(text: str) -> Cell:
    """The heading of a row: a data set, a model, a label."""
    return Cell(Markup("<bdi>{}</bdi>").format(text), head=True)


def counted_as(dataset: str, empty: float) -> Cell:
    """A data set, with a note where an empty prediction for an empty row counts as 0."""
    if empty:
        return name(dataset)
    why = "an empty prediction for an empty row counts as 0 here, as the paper counts it"
    return Cell(Markup("{} {}").format(name(dataset).html, span("0/0 = 0", "tag", why)), head=True)


def void(says: str, symbol: str = "·") -> Cell:
    """An empty place and why it is empty."""
    return Cell(sign(symbol, says), kind="void")


def number(value: float | None, decimals: int, missing: str = "not measured") -> Cell:
    """A plain number."""
    return void(missing, NONE) if value is None else Cell(fixed(value, decimals), value)


def starred(text: str, best: bool) -> str:
    """The best of its column: bold, with a star, and said."""
    if not best:
        return text
    star = '<b><span class="star" aria-hidden="true">★</span>{}</b><span class="vh"> best</span>'
    return Markup(star).format(text)


def estimate(found: Json | None, decimals: int, missing: str, best: bool = False) -> Cell:
    """A mean with its standard error, for a column with the fields `MEAN`."""
    if found is None or found["mean"] is None:
        return void(missing, NONE)
    html = Markup("{}{}").format(
        starred(fixed(found["mean"], decimals), best), ste(found, decimals)
    )
    return Cell(html, found["mean"], fields={key: found[key] for key in MEAN})


def ste(found: Json, decimals: int) -> Markup:
    """The standard error behind a mean, if there is one."""
    if found.get("ste") is None:
        return Markup("")
    return Markup(" ") + span(f"± {fixed(found['ste'], decimals)}", "ste")


def switched(name: str, choices: Mapping[str, Cell]) -> Markup:
    """A cell for each position of a switch; the page shows that of the chosen one."""
    plain, valued = '<span class="{}-{}">{}</span>', '<span class="{}-{}" data-value="{}">{}</span>'
    return Markup("").join(
        Markup(plain).format(name, choice, cell.html)
        if cell.value is None
        else Markup(valued).format(name, choice, raw(cell.value), cell.html)
        for choice, cell in choices.items()
    )
