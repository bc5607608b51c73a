"""Tables that a model is given after its training."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from rethink.tables import TableEncoder, days

AGE, FILLED = ["age", "number"], ["age", "number", None, 40.0, True]
TOWN = ["town", "number", ["Bonn", "Jena", "Ulm"]]
ACTIVE = ["active", "truth"]


def test_an_absent_column_and_a_table_without_names_are_refused():
    with pytest.raises(ValueError, match="lacks the columns age; the model was trained"):
        TableEncoder([AGE, TOWN]).transform({"town": ["Ulm"]})
    with pytest.raises(ValueError, match="X is a ndarray, but a table with names"):
        TableEncoder([AGE]).transform(np.zeros((2, 1)))


def test_a_missing_cell_is_filled_only_where_that_was_allowed():
    table = {"age": [None, 31.0]}
    assert TableEncoder([FILLED]).transform(table).tolist() == [[40, 1], [31, 0]]
    with pytest.raises(ValueError, match="column age has 1 missing values"):
        TableEncoder([AGE]).transform(table)


def test_an_unknown_value_is_told_and_counts_as_none_of_the_known():
    with pytest.warns(UserWarning, match="column town has unknown values: Rom"):
        result = TableEncoder([TOWN]).transform({"town": ["Rom", "Jena"]})
    assert result.tolist() == [[0, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize("cells", [[True, False], ["True", "false"], [1, 0], ["TRUE", "0"]])
def test_truth_values_are_read_however_they_are_written(cells):
    assert TableEncoder([ACTIVE]).transform({"active": cells}).tolist() == [[1], [0]]


def test_a_cell_of_another_kind_is_named():
    with pytest.raises(ValueError, match="column age holds 'old', but was of the kind number"):
        TableEncoder([AGE]).transform({"age": ["31", "old"]})
    with pytest.raises(ValueError, match="column active holds 'maybe'"):
        TableEncoder([ACTIVE]).transform({"active": ["maybe"]})


def test_whole_numbers_of_a_nominal_column_keep_their_value_as_floats():
    code = ["code", "number", ["1", "2", "x"]]
    result = TableEncoder([code]).transform(pd.DataFrame({"code": [1.0, 2.0]}))
    assert result.tolist() == [[1, 0, 0], [0, 1, 0]]


def test_dates_in_any_form_are_the_same_day():
    moments = ["1970-01-05 06:00", datetime(1970, 1, 5, 6), pd.Timestamp("1970-01-05T06:00"),
               datetime(1970, 1, 5, 6, tzinfo=UTC), "1970-01-05T07:00:00+01:00"]  # fmt: skip
    assert [days(moment) for moment in moments] == [4.25] * 5
    assert days("18:00:00") == 0.75
