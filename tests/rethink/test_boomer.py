"""The adapter of BOOMER; its library is optional."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp

from rethink.costs import get_cost
from rethink.models.boomer import INSTALL, Boomer
from rethink.models.rules import DecisionRule
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=900, features=5, labels=4, seed=4)
TRAIN, TEST = slice(600), slice(600, 900)
X, Y = SAMPLE.X, SAMPLE.Y


@pytest.fixture
def library():
    pytest.importorskip("mlrl.boosting", reason=f"BOOMER is not installed: {INSTALL}")


def test_without_its_library_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlrl", None)
    monkeypatch.delitem(sys.modules, "mlrl.boosting", raising=False)
    with pytest.raises(ImportError, match=r"needs the library mlrl-boomer.*pip install --no-deps"):
        Boomer().fit(X, Y)


def test_it_predicts_labels_above_one_half_alike_from_dense_and_sparse_rows(library):
    dense = Boomer(rules=60, random_state=0).fit(X[TRAIN], Y[TRAIN])
    sparse = Boomer(rules=60, random_state=0).fit(sp.csr_array(X[TRAIN]), Y[TRAIN])
    p = dense.predict_proba(X[TEST])
    np.testing.assert_array_equal(dense.predict(X[TEST]), p > 0.5)
    np.testing.assert_array_equal(sparse.predict_proba(sp.csr_array(X[TEST])), p)
    constant = np.tile(Y[TRAIN].mean(axis=0) > 0.5, (300, 1))
    assert (dense.predict(X[TEST]) != Y[TEST]).mean() < 0.9 * (constant != Y[TEST]).mean()


def test_the_rule_and_its_own_search_for_f1_are_better_than_one_half(library):
    f1 = get_cost("f1")
    half, own = (
        Boomer(rules=60, predictor=kind, random_state=0).fit(X[TRAIN], Y[TRAIN])
        for kind in ("output-wise", "gfm")
    )
    ruled = DecisionRule(Boomer(rules=60), "f1", random_state=0).fit(X[TRAIN], Y[TRAIN])
    value = {name: f1.score(Y[TEST], model.predict(X[TEST])) for name, model in
             (("half", half), ("own", own), ("ruled", ruled))}  # fmt: skip
    assert value["own"] > value["half"] and value["ruled"] > value["half"]


def test_a_single_label_and_an_unknown_predictor(library):
    single = Boomer(rules=5, random_state=0).fit(X, Y[:, :1])
    assert single.predict_proba(X).shape == single.predict(X).shape == (900, 1)
    with pytest.raises(ValueError, match="unknown predictor 'gmf'; did you mean 'gfm'"):
        Boomer(predictor="gmf").fit(X, Y)
