"""The attributes that the header of an ARFF file declares."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from stages.common.errors import DataError
from stages.prepare.arff_tokens import PLAIN_WORD, Malformed, Token, listed, shown, tokenize
from stages.prepare.raw import Column

NUMERIC = ("numeric", "real", "integer")

# Nearly every line of a header looks like this; one regular expression finds them far faster.
_PLAIN = re.compile(
    rf"\n@attribute[ \t]+({PLAIN_WORD})[ \t]+"
    rf"({'|'.join(NUMERIC)}|\{{[^\x00- {{}}'\"%]+\}})[ \t]*(?=\n)",
    re.IGNORECASE,
)


def read_header(path: Path, text: str) -> tuple[Column, ...]:
    """Read the lines before `@data`; an error names the line."""
    columns = _plain_columns(path, text) or list(_exact_columns(path, text.split("\n")))
    if not columns:
        end = text.count("\n") + 2
        raise DataError(f"{path}:{end}: found no attribute, needs an @attribute before the rows")
    return tuple(columns)


def _plain_columns(path: Path, text: str) -> list[Column] | None:
    """The columns of a header without quotes and comments; None if the exact way is needed."""
    before, *parts = _PLAIN.split(text + "\n")
    names, kinds, between = parts[0::3], parts[1::3], parts[2::3]
    if not names or "".join(between).strip("\n\t ") or len(set(names)) < len(names):
        return None
    start = [*before.split("\n"), f"@attribute {names[0]} {kinds[0]}"]
    if len(list(_exact_columns(path, start))) != 1:
        return None
    try:
        types = {kind: _attribute(tokenize(f"name {kind}")).values for kind in set(kinds)}
    except Malformed:
        return None
    return [Column(name, types[kind]) for name, kind in zip(names, kinds, strict=True)]


def _exact_columns(path: Path, lines: list[str]) -> Iterator[Column]:
    """The columns line by line."""
    names: set[str] = set()
    related = False
    for number, line in enumerate(lines, start=1):
        try:
            tokens = tokenize(line)
            keyword = tokens[0].text.lower() if tokens else ""
            if keyword == "@relation" and not related:
                related = True
            elif keyword == "@attribute" and related:
                column = _attribute(tokens[1:])
                if column.name in names:
                    raise Malformed(f"attribute {shown(column.name)} found twice, needs it once")
                names.add(column.name)
                yield column
            elif tokens:
                needed = "@attribute or @data" if related else "@relation"
                raise Malformed(f"found {shown(line.strip())}, needs {needed}")
        except Malformed as error:
            raise DataError(f"{path}:{number}: {error}") from None


def _attribute(tokens: list[Token]) -> Column:
    if len(tokens) < 2 or tokens[0].kind == "mark":
        raise Malformed("found an attribute without name or type, needs @attribute name type")
    name, kind, *rest = tokens
    if kind.is_mark("{"):
        return _nominal(name.text, rest)
    if kind.text.lower() not in NUMERIC:
        raise Malformed(
            f"attribute {shown(name.text)} has the type {shown(kind.text)}, "
            f"needs one of {', '.join(NUMERIC)} or {{value, ...}}"
        )
    _refuse_rest(name.text, rest)
    return Column(name.text)


def _nominal(name: str, tokens: list[Token]) -> Column:
    end = next((i for i, token in enumerate(tokens) if token.is_mark("}")), None)
    if end is None:
        raise Malformed(
            f"the values of attribute {shown(name)} have no end, needs a }} on the line"
        )
    _refuse_rest(name, tokens[end + 1 :])
    values = tuple(token.text for token in listed(tokens[:end]))
    if not values:
        raise Malformed(f"attribute {shown(name)} has no values, needs at least one")
    twice, times = Counter(values).most_common(1)[0]
    if times > 1:
        raise Malformed(f"attribute {shown(name)} lists {shown(twice)} twice, needs it once")
    return Column(name, values)


def _refuse_rest(name: str, tokens: list[Token]) -> None:
    if tokens:
        raise Malformed(
            f"found {shown(tokens[0].text)} after the type of attribute {shown(name)}, "
            "needs the end of the line (weights are not read)"
        )
