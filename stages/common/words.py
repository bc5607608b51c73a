"""Numbers and names as parts of a sentence or a table: one way to write each."""

import re
from collections.abc import Iterable, Mapping, Sized
from unicodedata import bidirectional

LOGIN = re.compile(r"(?<=://)[^/\s]*@")  # of an address
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
LEFT_TO_RIGHT = ("", "L", "EN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON")
NONE = "–"
NAMES = ("Hamming",)  # of people


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and its noun: 1 seed, 3 seeds."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def shown(text: str) -> str:
    """A text for terminals and logs: no name or password in an address, nothing that steers a
    terminal. Line breaks stay."""
    return CONTROL.sub(lambda match: repr(match[0])[1:-1], LOGIN.sub("", text))


def as_line(text: str) -> str:
    """The same for a text with names in it, which must not look like another line."""
    return shown(text).replace("\n", "\\n")


def isolated(name: str) -> str:
    """A name for a sentence: what it does to the direction of writing ends with it."""
    if all(bidirectional(letter) in LEFT_TO_RIGHT for letter in name):
        return name
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def listed(names: Iterable[str]) -> str:
    """Names as in a sentence: a, b and c."""
    *first, last = [isolated(name) for name in names] or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def splits_text(splits: Mapping[str, int]) -> str:
    """How many splits each data set has: 10 splits of scene and yeast, 1 of CAL500."""
    groups: dict[int, list[str]] = {}
    for dataset, count in splits.items():
        groups.setdefault(count, []).append(dataset)
    if len(groups) == 1:
        return f"{counted(next(iter(groups)), 'split')} each"
    most, *others = sorted(groups, reverse=True)
    parts = [f"{counted(most, 'split')} of {listed(groups[most])}"]
    return "; ".join([*parts, *(f"{count} of {listed(groups[count])}" for count in others)])


def within(title: str) -> str:
    """A title inside a sentence: rank loss, but Hamming loss, F1 score."""
    is_name = title.startswith(NAMES) or not title[1:2].islower()
    return title if is_name else title[0].lower() + title[1:]


def verb(subjects: Sized, one: str = "is", many: str = "are") -> str:
    """The form of a verb for one subject or several."""
    return one if len(subjects) == 1 else many


def text_table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown, which a terminal shows as well: numbers to the right."""
    lines = [[str(entry) for entry in line] for line in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    ruled = [lines[0], ["-" * width for width in widths], *lines[1:]]
    return "".join(f"| {' | '.join(map(_padded, line, widths))} |\n" for line in ruled)


def _padded(entry: str, width: int) -> str:
    return entry.rjust(width) if entry[:1].isdigit() else entry.ljust(width)


def sentence(*parts: str | None) -> str:
    """Sentences one after the other, those that say nothing left out."""
    return " ".join(part for part in parts if part)


def fixed(value: float | None, decimals: int) -> str:
    """A number with so many decimals, a true minus sign and thousands apart."""
    if value is None:
        return NONE
    rounded = round(value, decimals) + 0.0  # no minus before zero
    return f"{rounded:,.{decimals}f}".replace("-", "−")


def signed(value: float | None, decimals: int) -> str:
    """A difference: as `fixed`, with a plus where it is positive."""
    text = fixed(value, decimals)
    return f"+{text}" if value is not None and round(value, decimals) > 0 else text


def percent(share: float) -> str:
    """A share as percent, as exact as is useful."""
    text = fixed(100 * share, 0 if abs(100 * share) >= 9.95 else 1)
    return ("0" if text == "0.0" else text) + " %"


def change(share: float) -> str:
    """A share as percent with its sign: +3.0 %, −0.1 %, 0 %."""
    text = percent(share)
    return text if text[0] in "−0" and not text.startswith("0.") else f"+{text}"


def in_unit(value: float, unit: str) -> str:
    """An effect with its sign and its unit: +1.2 %, −0.35 ranks."""
    if unit in ("%", "points"):
        return change(value).replace("%", unit)
    return signed(value, 2) + ("" if unit == "r" else f" {unit}")


def share_text(p: float, limits: Iterable[float] = ()) -> str:
    """A probability that is never certain, as it comes from so many draws.

    It has as many decimals as show on which side of each limit it lies.
    """
    if p > 0.99 or p < 0.01:
        return "> 0.99" if p > 0.99 else "< 0.01"
    sides = [p < limit for limit in limits]
    texts = (f"{p:.{decimals}f}" for decimals in (2, 3, 4, 5))
    return next((t for t in texts if [float(t) < limit for limit in limits] == sides), f"{p}")


def gains(share: float) -> str:
    """A gain as a verb and a number: gains 3 %, loses 0.1 %."""
    return f"{'loses' if share < 0 else 'gains'} {percent(abs(share))}"


def p_text(p: float) -> str:
    """A p value: never 0, never more digits than it deserves."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}" if p < 0.1 else f"p = {p:.2f}"


def raw(value: float | str | None) -> str:
    """A value to sort by and to download."""
    return "" if value is None else value if isinstance(value, str) else f"{value:.6g}"


def rank_text(rank: float | None) -> str:
    """A rank without needless decimals."""
    return NONE if rank is None else f"{round(rank, 2):g}"


def count(value: float | None) -> str:
    """A count with thousands apart, or a mean of counts."""
    return f"{value:,}" if isinstance(value, int) else fixed(value, 3)


def short(value: float) -> str:
    """A number with no more decimals than its size asks for."""
    if isinstance(value, int):
        return f"{value:,}"
    return fixed(value, next((d for limit, d in ((10, 3), (100, 2)) if abs(value) < limit), 1))


def duration(seconds: float | None) -> str:
    """Seconds in the unit a reader thinks in."""
    if seconds is None:
        return NONE
    for limit, unit in ((100, "s"), (6_000, "min"), (360_000, "h")):
        if seconds < limit:
            size = seconds / (limit / 100)
            return f"{size:.2g} {unit}" if size < 1 else f"{size:.{1 if size < 10 else 0}f} {unit}"
    return f"{seconds / 86_400:.1f} days"


def file_name(name: str) -> str:
    """A name in letters that every file system and every link takes."""
    characters = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in name)
    return "-".join(part for part in characters.split("-") if part)[:80] or "table"
