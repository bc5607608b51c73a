"""What becomes of each column of a user's table, in words; and what is left out or filled in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from scipy import sparse

from rethink.tables import Column, RawTable, Recipe, imputed, width
from stages.common.catalog import Entry
from stages.common.closed import nearest
from stages.common.errors import DataError
from stages.common.words import as_line, counted

FEW = 20  # rows below which different whole numbers say little
LISTED = 12  # names that one line has room for


@dataclass(frozen=True)
class Cleaned:
    """Features without missing values, and how they came about."""

    features: RawTable
    recipes: list[Recipe]
    head: str  # how many columns there were, and are
    kept: RawTable  # the features as they stand in the file
    ignored: list[str]

    def story(self) -> list[str]:
        """What became of the columns, in lines; of all columns, so not for thousands of them."""
        return [self.head, *_story(self.kept, self.recipes, self.ignored)]


def clean(table: RawTable, entry: Entry) -> Cleaned:
    """Leave out what the entry ignores and fill what it lets fill; too many columns are refused."""
    ignored = matching([column.name for column in table.columns], entry.ignore, "ignore")
    places = [i for i, column in enumerate(table.columns) if column.name not in ignored]
    features = RawTable(tuple(table.columns[i] for i in places), table.matrix[:, places])
    impute = entry.missing == "impute"
    recipes = [recipe_of(features, i, impute) for i in range(len(places))]
    cleaned = _filled(features, recipes) if impute else features
    counts = _spread(cleaned.columns, entry.nominal)
    head = _head(table, cleaned, counts, entry.nominal)
    if sum(counts.values()) > entry.most_columns:
        _refuse(head, counts, entry, [] if impute else _gaps(features))
    return Cleaned(cleaned, recipes, head, features, sorted(ignored))


def matching(names: Sequence[str], wanted: Iterable[str], key: str) -> set[str]:
    """The names that are wanted: by name, or by a pattern such as note_*."""
    chosen: set[str] = set()
    for pattern in wanted:
        hits = {pattern} & set(names) or {name for name in names if fnmatchcase(name, pattern)}
        if not hits:
            raise DataError(
                f"{key}: no column is called {pattern!r:.200}; {nearest(pattern, names)}"
            )
        chosen |= hits
    return chosen


def recipe_of(table: RawTable, index: int, impute: bool) -> Recipe:
    """What to do with the entries of a column; the median stands in for a missing number."""
    column = table.columns[index]
    if not impute:
        return Recipe(column.name, column.kind, column.values)
    entries = _entries(table, index)
    known = entries[np.isfinite(entries)]
    fill = 0.0 if column.values or not known.size else float(np.median(known))
    return Recipe(column.name, column.kind, column.values, fill, bool(np.isnan(entries).any()))


def _entries(table: RawTable, index: int) -> np.ndarray:
    column: Any = table.matrix[:, [index]]
    return (column.toarray() if sparse.issparse(column) else column).ravel()


def _filled(table: RawTable, recipes: Sequence[Recipe]) -> RawTable:
    if not any(recipe.flagged for recipe in recipes):
        return table
    if sparse.issparse(table.matrix):
        raise DataError("missing: impute needs a dense table; give the values that are missing")
    pairs = [
        pair
        for index, recipe in enumerate(recipes)
        for pair in imputed(recipe, _entries(table, index))
    ]
    matrix = np.column_stack([entries for _, entries in pairs])
    return RawTable(tuple(column for column, _ in pairs), matrix, table.labels)


def _spread(columns: Iterable[Column], nominal: str) -> dict[str, int]:
    """The columns that become several, with how many, the most first."""
    counts = {column.name: width(column, nominal) for column in columns}
    several = {name: count for name, count in counts.items() if count > 1}
    return dict(sorted(several.items(), key=lambda item: -item[1]))


def _head(table: RawTable, cleaned: RawTable, counts: dict[str, int], nominal: str) -> str:
    total = sum(width(column, nominal) for column in cleaned.columns)
    start = f"{counted(len(table.columns), 'feature')} -> {counted(total, 'column')}"
    parts = [f"{name} {count:,}" for name, count in counts.items()]
    return f"{start}: {_some(parts)}" if parts else start


def _story(table: RawTable, recipes: Sequence[Recipe], ignored: list[str]) -> list[str]:
    """A line for each thing that was done to some columns."""
    of_kind = {
        kind: [c.name for c in table.columns if c.kind == kind] for kind in ("date", "truth")
    }
    gaps = _gaps(table) if any(recipe.flagged for recipe in recipes) else []
    rows = table.matrix.shape[0]
    texts = [c.name for c in table.columns if len(c.values or ()) > rows / 2]
    ids = [column.name for i, column in enumerate(table.columns) if _looks_like_an_id(table, i)]
    lines = {
        "ignored": ignored,
        "dates, as days since 1970": of_kind["date"],
        "truth values, as 0 and 1": of_kind["truth"],
        "missing values, filled in and marked": gaps,
        "text that is different in most rows (leave it out with `ignore`)": texts,
        "a different whole number in every row, like an id (leave it out with `ignore`)": ids,
    }
    return [f"{text}: {_some(names)}" for text, names in lines.items() if names]


def _gaps(table: RawTable) -> list[str]:
    """The columns with missing values, and how many."""
    missing = {c.name: np.isnan(_entries(table, i)).sum() for i, c in enumerate(table.columns)}
    return [f"{name} {count:,}" for name, count in missing.items() if count]


def _looks_like_an_id(table: RawTable, index: int) -> bool:
    column = table.columns[index]
    if column.values is not None or column.kind != "number" or table.matrix.shape[0] < FEW:
        return False
    entries = _entries(table, index)
    whole = np.isfinite(entries).all() and (entries == np.round(entries)).all()
    return bool(whole and len(np.unique(entries)) == len(entries))


def _refuse(head: str, counts: dict[str, int], entry: Entry, gaps: Sequence[str]) -> None:
    rows = [name for name, count in counts.items() if count > entry.most_columns // 10]
    names = rows or list(counts)[:3]
    raise DataError(
        f"{head}\nText becomes a column for each of its values, and at most "
        f"{entry.most_columns:,} such columns are allowed. In the entry of data/catalog.yaml leave "
        f"columns out (ignore: [{as_line(', '.join(names))}]) or allow them "
        f"(most_columns: {sum(counts.values())}). Dates are read as 2024-05-31 or "
        "2024-05-31 17:30:00."
        + (f"\nMissing values are refused, too (missing: impute): {_some(gaps)}" if gaps else "")
    )


def _some(names: Sequence[str]) -> str:
    more = len(names) - LISTED
    return as_line(", ".join([*names[:LISTED], *([f"and {more:,} more"] if more > 0 else [])]))
