"""Columns of a table, and how they become the numbers that models take."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal, NamedTuple
from warnings import warn

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags

Kind = Literal["number", "truth", "date"]
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")  # as text files write it
_NOTHING = ("None", "nan", "<NA>", "NaT")  # as objects in memory print it
_TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
_DAY = timedelta(days=1)
NONE_GIVEN = "missing"  # the value of a nominal column where no value was given
UNKNOWN = -1.0  # the code of a value that was not there when the model was trained


class Column(NamedTuple):
    """A column: nominal with its values in the order of their codes, or else of a kind."""

    name: str
    values: tuple[str, ...] | None = None
    kind: Kind = "number"


@dataclass(frozen=True)
class RawTable:
    """Values as float64: a number, or the index of a nominal value; NaN where one is missing.

    A value that a sparse matrix does not store is 0, and so the first value of a nominal column.
    Truth values are 0 and 1, dates are days since 1970.
    """

    columns: tuple[Column, ...]
    matrix: np.ndarray | sp.csr_array
    labels: tuple[str, ...] = ()  # columns that are labels, where the file itself says so


def encode(table: RawTable, nominal: str) -> tuple[Any, tuple[str, ...]]:
    """Nominal columns as an index or one column a value; two values are always one 0/1 column.

    Examples
    --------
    >>> table = RawTable((Column("size"), Column("site", ("a", "b", "c"))), np.array([[0.5, 2]]))
    >>> encode(table, "onehot")
    (array([[0.5, 0. , 0. , 1. ]]), ('size', 'site=a', 'site=b', 'site=c'))
    """
    widths = [width(column, nominal) for column in table.columns]
    if max(widths, default=1) == 1:
        return table.matrix, tuple(column.name for column in table.columns)
    blocks: list[Any] = []
    names: list[str] = []
    matrix: Any = table.matrix
    by_column = matrix.tocsc() if sp.issparse(matrix) else matrix
    for index, column in enumerate(table.columns):
        block = by_column[:, [index]]
        if widths[index] > 1 and column.values:
            block = _onehot(block, len(column.values))
            names += [f"{column.name}={value}" for value in column.values]
        else:
            names.append(column.name)
        blocks.append(block)
    if sp.issparse(table.matrix):
        return sp.csr_array(sp.hstack(blocks, format="csr")), tuple(names)
    return np.hstack(blocks), tuple(names)


def width(column: Column, nominal: str) -> int:
    """How many columns a column becomes."""
    spread = nominal == "onehot" and column.values is not None and len(column.values) > 2
    return len(column.values or ()) if spread else 1


def _onehot(block: Any, values: int) -> Any:
    """Columns of zeros and ones from a column of indices, dense or sparse as given.

    The code of an unknown value gives zeros.
    """
    codes = block.toarray().ravel() if sp.issparse(block) else block.ravel()
    hot = np.vstack([np.eye(values), np.zeros(values)])[codes.astype(int)]
    return sp.csc_array(hot) if sp.issparse(block) else hot


class Recipe(NamedTuple):
    """What became of a column of a table when a model was trained.

    `fill` stands in for a missing number; it is None where no value may be missing. A `flagged`
    column had missing values: a number has a second column that says where, a nominal one a value
    of its own for them.
    """

    name: str
    kind: Kind = "number"
    values: tuple[str, ...] | None = None
    fill: float | None = None
    flagged: bool = False


class TableEncoder(TransformerMixin, BaseEstimator):
    """Make the numbers of a model from a table as it was read: names, dates, truth values.

    It learns nothing in `fit`: the pipeline wrote down what became of each column.

    Parameters
    ----------
    columns : list of lists
        The fields of a `Recipe` for each column.
    nominal : {"onehot", "index"}

    Examples
    --------
    >>> age, town = ["age", "number", None, 40.0, True], ["town", "number", ["a", "b", "c"]]
    >>> encoder = TableEncoder([age, town, ["since", "date"]])
    >>> table = {"age": [31, "NA"], "town": ["c", "a"], "since": ["1970-01-02", "1970-01-11"]}
    >>> encoder.transform(table)
    array([[31.,  0.,  0.,  0.,  1.,  1.],
           [40.,  1.,  1.,  0.,  0., 10.]])
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'age=missing', 'town=a', 'town=b', 'town=c', 'since']
    """

    def __init__(self, columns: Sequence[Sequence[Any]] = (), nominal: str = "onehot"):
        self.columns = columns
        self.nominal = nominal

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Check that the table has the columns."""
        self.transform(X)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Numbers, shape (n, d), of a table: a frame, or lists of values by name."""
        names = _names(X)
        missing = [recipe.name for recipe in self._recipes() if recipe.name not in names]
        if missing:
            raise ValueError(
                f"the table lacks the columns {', '.join(missing)}; the model was trained with them"
            )
        entries = [_codes(recipe, X[recipe.name]) for recipe in self._recipes()]
        return encode(self._table(entries), self.nominal)[0]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of `transform`."""
        nothing = [np.zeros(0) for _ in self._recipes()]
        return np.array(encode(self._table(nothing), self.nominal)[1], dtype=object)

    def _recipes(self) -> list[Recipe]:
        """The columns; a list of values as a file holds it becomes a tuple."""
        rows = (list(column) for column in self.columns)
        made = (Recipe(*row) for row in rows)
        return [each._replace(values=each.values and tuple(each.values)) for each in made]

    def _table(self, entries: Sequence[np.ndarray]) -> RawTable:
        columns: list[Column] = []
        filled: list[np.ndarray] = []
        for recipe, codes in zip(self._recipes(), entries, strict=True):
            for column, values in imputed(recipe, codes):
                columns.append(column)
                one = column.values is not None and width(column, self.nominal) == 1
                filled.append(np.maximum(values, 0) if one else values)  # no place for UNKNOWN
        return RawTable(tuple(columns), np.column_stack(filled))

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.requires_fit = False
        return tags


def imputed(recipe: Recipe, codes: np.ndarray) -> list[tuple[Column, np.ndarray]]:
    """A column, shape (n,), without missing values, and where it is flagged a second one."""
    gaps = np.isnan(codes)
    if gaps.any() and recipe.fill is None:
        raise ValueError(
            f"column {recipe.name} has {gaps.sum()} missing values, but none was missing when the "
            "model was trained; fill them, or train with `missing: impute`"
        )
    if recipe.values is not None:
        values = (*recipe.values, NONE_GIVEN) if recipe.flagged else recipe.values
        code = len(recipe.values) if recipe.flagged else UNKNOWN
        return [(Column(recipe.name, values), np.where(gaps | (codes < 0), code, codes))]
    column = Column(recipe.name, kind=recipe.kind), np.where(gaps, recipe.fill or 0.0, codes)
    flag = Column(f"{recipe.name}={NONE_GIVEN}", kind="truth"), gaps.astype(float)
    return [column, flag] if recipe.flagged else [column]


def _names(X: Any) -> list[str]:
    """The names of the columns of a frame, an arrow table or a dictionary."""
    names = getattr(X, "column_names", None)
    if names is None:
        names = X if isinstance(X, Mapping) else getattr(X, "columns", None)
    if names is None:
        raise ValueError(
            f"X is a {type(X).__name__}, but a table with names of columns is needed, such as a "
            "DataFrame"
        )
    return [str(name) for name in names]


def _codes(recipe: Recipe, entries: Any) -> np.ndarray:
    """Entries, shape (n,), as numbers or codes of values, NaN where one is missing."""
    entries = np.asarray(entries)
    if entries.dtype.kind in "fiu" and recipe.values is None:
        return entries.astype(float)
    if entries.dtype.kind == "M":
        entries = entries.astype("datetime64[us]").astype(object)
    convert = _converter(recipe)
    codes = np.array([np.nan if _is_missing(entry) else convert(entry) for entry in entries], float)
    if recipe.values is not None and (codes < 0).any():
        unknown = sorted(
            {str(entry) for entry, code in zip(entries, codes, strict=True) if code < 0}
        )
        warn(f"column {recipe.name} has unknown values: {', '.join(unknown[:5])}", stacklevel=4)
    return codes


def _is_missing(entry: Any) -> bool:
    return entry in MISSING if isinstance(entry, str) else str(entry) in _NOTHING


def _converter(recipe: Recipe) -> Callable[[Any], float]:
    if recipe.values is not None:
        codes = {value: float(code) for code, value in enumerate(recipe.values)}
        return lambda entry: codes.get(_as_text(entry), UNKNOWN)
    ways: dict[Kind, Callable[[Any], float]] = {"number": float, "truth": _truth, "date": days}
    how = ways[recipe.kind]

    def convert(entry: Any) -> float:
        try:
            return how(entry)
        except (TypeError, ValueError, KeyError):
            raise ValueError(
                f"column {recipe.name} holds {str(entry)!r:.80}, but was of the kind "
                f"{recipe.kind} when the model was trained"
            ) from None

    return convert


def _as_text(entry: Any) -> str:
    """A value as the file had it: a number that a reader of frames made a float has no .0 there."""
    return f"{entry:.0f}" if isinstance(entry, float) and entry.is_integer() else str(entry)


def _truth(entry: Any) -> float:
    return _TRUTHS[str(entry).lower()]


def days(entry: Any) -> float:
    """A date, or an ISO text of one, as days since 1970; a time of day as a part of a day.

    Examples
    --------
    >>> days("1970-01-03"), days("1970-01-03 12:00"), days("1970-01-03T12:00:00+12:00")
    (2.0, 2.5, 2.0)
    """
    moment = entry if isinstance(entry, date | time) else None
    if moment is None and "-" not in str(entry)[1:] and ":" in str(entry):
        moment = time.fromisoformat(str(entry))
    if isinstance(moment, time):
        moment = datetime.combine(date(1970, 1, 1), moment)
    if moment is None:
        moment = datetime.fromisoformat(str(entry))
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) / _DAY
