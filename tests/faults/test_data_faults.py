"""Data that is odd is described, data that is unfit is refused, with everything at once."""

import numpy as np
import pytest
from scipy import sparse

from rethink.models import get_model
from rethink.search import search_and_fit
from stages.common.catalog import load_catalog
from stages.common.errors import DataError
from stages.common.image_features import Rows
from stages.prepare.dataset import prepare
from stages.prepare.facts import expected_twins
from stages.prepare.readers import read_dataset
from stages.split import split_rows
from tests.readme import ROOT
from tests.stages.prepare.test_prepare import dataset, entry


def made(rows=40, features=3, labels=2):
    rng = np.random.default_rng(0)
    return rng.normal(size=(rows, features)), (rng.random((rows, labels)) < 0.5).astype(np.uint8)


def warnings(result):
    return {c["check"]: c["observed"] for c in result.validation["checks"] if c["status"] == "warn"}


def test_every_fatal_problem_is_listed_at_once():
    X, Y = made()
    X[3, 0], X[4, 2], X[5, 2] = np.nan, np.inf, -np.inf
    Y[0, 0] = 7
    counts = {"instances": 41, "features": 3, "labels": 2, "cardinality": 1.0}
    with pytest.raises(DataError) as error:
        prepare(dataset(X, Y), entry(counts=counts))
    text = str(error.value)
    assert "No feature has a missing value: found 1 of 3 break this: x0" in text
    assert "Every feature value is finite: found 1 of 3 break this: x2" in text
    assert "The number of instances is 41: found 40" in text
    assert "Every label is 0 or 1: found 1" in text


def test_a_constant_feature_becomes_zero_and_is_named():
    X, Y = made()
    X[:, 1] = 3.5
    result = prepare(dataset(X, Y), entry())
    assert (result.features[:, 1] == 0).all()
    assert warnings(result)["varies"] == "1 of 3 break this: x1"


def test_labels_that_are_never_or_always_on_are_named():
    X, Y = made()
    Y[:, 0], Y[:, 1] = 0, 1
    lines = warnings(prepare(dataset(X, Y), entry()))
    assert lines["not-rare"] == "1 of 2 break this: y0"
    assert lines["not-always"] == "1 of 2 break this: y1"


def test_duplicates_and_rows_without_labels_are_counted():
    X, Y = made()
    X[1], Y[1], Y[2:7] = X[0], Y[0], 0
    lines = warnings(prepare(dataset(X, Y), entry()))
    assert lines["no-duplicates"] == "1"
    assert int(lines["no-empty"]) == int((Y.sum(axis=1) == 0).sum()) >= 5


def test_test_rows_with_a_twin_in_training_are_counted_and_warned_of():
    X, Y = made(rows=100)
    assert prepare(dataset(X, Y), entry()).card["test_twins"] == 0
    X[50:] = X[:50]
    result = prepare(dataset(X, Y), entry())
    assert result.card["test_twins"] == pytest.approx(75 / 99, abs=1e-4)
    assert warnings(result)["few-twins"] == "75.8%"


def test_a_few_twins_are_in_the_card_without_a_warning():
    X, Y = made(rows=100)
    X[1] = X[0]
    result = prepare(dataset(sparse.csr_array(np.abs(X)), Y), entry())
    assert 0 < result.card["test_twins"] < 0.05
    assert "few-twins" not in warnings(result)


def test_twins_of_an_official_split_are_those_of_its_parts():
    X, Y = made(rows=10)
    X[9] = X[8] = X[0]
    images = Rows([str(i) for i in range(10)], ["train"] * 6 + ["test"] * 4, [("", "")] * 10, Y, ())
    assert prepare(dataset(X, Y), entry(), images).card["test_twins"] == 0.5


def test_the_expected_share_of_twins_is_the_mean_of_many_splits():
    rows = np.random.default_rng(0).integers(60, size=200)
    shares = []
    for seed in range(300):
        trains = split_rows("any", len(rows), seed)
        shares.append(np.isin(rows[~trains], rows[trains]).mean())
    expected = expected_twins([bytes([row]) for row in rows])
    assert expected == pytest.approx(np.mean(shares), abs=4 * np.std(shares) / 300**0.5)


def test_four_of_ten_test_rows_of_the_other_tmc2007_are_known_from_training(mirror):
    known = load_catalog(ROOT / "data/catalog.yaml").entry("tmc2007-mldr")
    raw = read_dataset(known.sources[0], mirror / known.sources[0].mirror)
    result = prepare(raw, known)
    assert result.card["test_twins"] == pytest.approx(0.393, abs=0.006)  # of one split
    assert warnings(result)["few-twins"] == "38.8%"


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="at least four rows: found 3"):
        prepare(dataset(*made(rows=3)), entry())


@pytest.mark.parametrize("model", ["AllZeros", "TopK", "LogisticRelevance"])
@pytest.mark.parametrize("case", ["one label", "label off in training", "two rows", "one feature"])
def test_training_on_odd_data_gives_finite_zeros_and_ones(model, case):
    X, Y = made()
    if case == "one label":
        Y = Y[:, :1]
    elif case == "label off in training":
        Y[:, 0] = 0
    elif case == "two rows":
        X, Y = X[:2], Y[:2]
    else:
        X = X[:, :1]
    grid = {"C": [0.1, 1.0]} if model == "LogisticRelevance" else {}
    for _, fitted in search_and_fit(get_model(model)(), grid, X, Y, ["f1", "rank"], seed=0):
        assert set(np.unique(fitted.predict(X))) <= {0, 1}
