import hashlib

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import GroupKFold, KFold, cross_val_score

from benchmarks.splits import plain_stratification
from rethink.models.logistic import LogisticRelevance
from rethink.splits import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    deal,
)


def random_labels(n, labels, seed=0):
    """Labels from rare to frequent, with empty rows."""
    rng = np.random.default_rng(seed)
    return (rng.random((n, labels)) < np.geomspace(0.02, 0.5, labels)).astype(np.uint8)


Y = random_labels(400, 8)
X = np.zeros((400, 1))


def imbalance(Y, folds):
    """How far the shares of the labels in the folds are from those of all rows."""
    shares = np.array([Y[test].mean(axis=0) for test in folds])
    return np.abs(shares / Y.mean(axis=0) - 1).mean()


@pytest.mark.parametrize("splits", [2, 3, 5, 10])
@pytest.mark.parametrize("shuffle", [False, True])
def test_folds_share_labels_far_better_than_at_random(splits, shuffle):
    splitter = MultilabelStratifiedKFold(splits, shuffle=shuffle, random_state=0)
    folds = [test for _, test in splitter.split(X, Y)]
    assert sorted(np.concatenate(folds)) == list(range(400))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    at_random = [test for _, test in KFold(splits, shuffle=True, random_state=0).split(X)]
    assert imbalance(Y, folds) < 0.5 * imbalance(Y, at_random)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("chance", [False, True])
def test_the_algorithm_is_that_of_the_paper_in_plain_steps(seed, chance):
    labels = random_labels(120, 6, seed)
    sizes = [len(part) for part in np.array_split(np.arange(120), 4)]
    states = [np.random.RandomState(seed) if chance else None for _ in range(2)]
    quick = deal(sp.csr_array(labels), sizes, None, states[0])
    np.testing.assert_array_equal(quick, plain_stratification(labels, sizes, states[1]))


def digest(splits):
    rows = b"".join(np.asarray(test, dtype="<i8").tobytes() for _, test in splits)
    return hashlib.sha256(rows).hexdigest()[:16]


def test_seeds_fix_the_splits_for_good():
    folds = MultilabelStratifiedKFold(5, shuffle=True, random_state=7)
    parts = MultilabelStratifiedShuffleSplit(3, test_size=0.25, random_state=7)
    groups = np.arange(400) // 3
    result = {
        "in order": digest(MultilabelStratifiedKFold(5).split(X, Y)),
        "folds": digest(folds.split(X, Y)),
        "grouped": digest(folds.split(X, Y, groups)),
        "parts": digest(parts.split(X, Y)),
    }
    assert result == GOLDEN
    assert digest(folds.split(X, Y)) == result["folds"]
    other = MultilabelStratifiedKFold(5, shuffle=True, random_state=8)
    assert digest(other.split(X, Y)) != result["folds"]


GOLDEN = {
    "in order": "3299e84be6145550",
    "folds": "6c5c1a992215e824",
    "grouped": "cdc3b486b11e915c",
    "parts": "6465a8e5245ac4a9",
}


@pytest.mark.parametrize(
    ("options", "train", "test"),
    [
        ({}, 300, 100),
        ({"test_size": 0.1}, 360, 40),
        ({"test_size": 37}, 363, 37),
        ({"train_size": 0.5}, 200, 200),
        ({"train_size": 100, "test_size": 50}, 100, 50),
    ],
)
def test_parts_have_the_wanted_sizes_and_shares(options, train, test):
    splitter = MultilabelStratifiedShuffleSplit(4, random_state=0, **options)
    result = list(splitter.split(X, Y))
    assert len(result) == splitter.get_n_splits() == 4
    for kept, held in result:
        assert (len(kept), len(held)) == (train, test)
        assert not set(kept) & set(held) and (np.diff(kept) > 0).all()
        np.testing.assert_allclose(Y[held].mean(axis=0), Y.mean(axis=0), atol=0.02)
    assert len({tuple(held) for _, held in result}) == 4


@pytest.mark.parametrize(
    "splitter",
    [
        MultilabelStratifiedKFold(4),
        MultilabelStratifiedKFold(4, shuffle=True, random_state=0),
        MultilabelStratifiedShuffleSplit(2, random_state=0),
    ],
)
def test_groups_stay_together(splitter):
    rng = np.random.default_rng(0)
    groups = rng.choice(["a", "b", "c", *map(str, range(60))], 400)
    for train, test in splitter.split(X, Y, groups):
        assert not set(groups[train]) & set(groups[test])
        assert len(train) + len(test) == 400
        assert abs(len(test) - 100) <= 12


@pytest.mark.parametrize("seed", range(5))
def test_groups_share_labels_far_better_than_at_random(seed):
    groups = np.random.default_rng(seed).integers(0, 60, 400)
    options = {"n_splits": 4, "shuffle": True, "random_state": seed}
    ours, at_random = (
        [test for _, test in kind(**options).split(X, Y, groups)]
        for kind in (MultilabelStratifiedKFold, GroupKFold)
    )
    assert imbalance(Y, ours) < 0.7 * imbalance(Y, at_random)


def test_groups_of_one_row_change_nothing():
    splitter = MultilabelStratifiedKFold(4)
    plain = [test.tolist() for _, test in splitter.split(X, Y)]
    assert [test.tolist() for _, test in splitter.split(X, Y, np.arange(400))] == plain


def test_sparse_labels_give_the_folds_of_dense_ones():
    splitter = MultilabelStratifiedKFold(4, shuffle=True, random_state=3)
    assert digest(splitter.split(X, sp.csr_array(Y))) == digest(splitter.split(X, Y))


def test_scikit_learn_can_use_them():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(90, 3))
    labels = (features > 0.2).astype(int)
    for cv in (MultilabelStratifiedKFold(3), MultilabelStratifiedShuffleSplit(3, random_state=0)):
        assert cross_val_score(LogisticRelevance(), features, labels, cv=cv).min() > 0.5
        assert "n_splits=3" in repr(cv)


@pytest.mark.parametrize("labels", [0 * Y, 0 * Y + 1, Y[:, :1]], ids=["none", "all", "one label"])
def test_labels_that_say_nothing_still_give_folds(labels):
    folds = [test for _, test in MultilabelStratifiedKFold(3).split(X, labels)]
    assert sorted(len(fold) for fold in folds) == [133, 133, 134]


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (MultilabelStratifiedKFold(1), "n_splits is 1, but needs 2 at least"),
        (MultilabelStratifiedKFold(401), "n_splits is 401, .*at most the 400 rows"),
        (MultilabelStratifiedShuffleSplit(test_size=1.5), "test_size is 1.5, but needs a share"),
        (MultilabelStratifiedShuffleSplit(test_size=400), "0 training and 400 test rows"),
        (MultilabelStratifiedShuffleSplit(test_size=0.001), "400 training and 0 test rows"),
        (MultilabelStratifiedShuffleSplit(test_size=300, train_size=200), "there are 400 rows"),
    ],
)
def test_wrong_sizes_are_refused(splitter, message):
    with pytest.raises(ValueError, match=message):
        list(splitter.split(X, Y))


def test_wrong_labels_and_groups_are_refused():
    with pytest.raises(ValueError, match="y is None, but the labels are needed"):
        list(MultilabelStratifiedKFold(3).split(X))
    with pytest.raises(ValueError, match="y holds 2, but labels are 0 or 1"):
        list(MultilabelStratifiedKFold(3).split(X, Y + 1))
    with pytest.raises(ValueError, match="at most the 2 groups"):
        list(MultilabelStratifiedKFold(3).split(X, Y, np.arange(400) % 2))


def test_labels_may_be_given_by_name():
    names = [["sun"], ["sun"], ["sea"], ["sea"], ["sun", "sea"], ["sea", "sun"]]
    matrix = np.array([[0, 1], [0, 1], [1, 0], [1, 0], [1, 1], [1, 1]])
    for splitter in (
        MultilabelStratifiedKFold(2),
        MultilabelStratifiedShuffleSplit(random_state=0),
    ):
        by_name = [test.tolist() for _, test in splitter.split(matrix, names)]
        assert by_name == [test.tolist() for _, test in splitter.split(matrix, matrix)]
