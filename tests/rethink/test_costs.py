import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score, jaccard_score
from sklearn.model_selection import GridSearchCV

from rethink.costs import COSTS, EXTRA_COSTS, Cost, get_cost
from rethink.costs import base as costs_base
from rethink.costs.base import CountCost
from rethink.costs.extra.asymmetric import Asymmetric
from rethink.costs.extra.averaged import RecallAtPrecision
from rethink.models.logistic import LogisticRelevance

NAMES = ["hamming", "rank", "f1", "accuracy"]


def plain_value(name, y, p, empty):
    """The definition of each cost in loops over single labels."""
    K = len(y)
    if name == "rank":
        pairs = [(i, j) for i in range(K) for j in range(K) if y[i] == 1 and y[j] == 0]
        return sum((p[i] < p[j]) + 0.5 * (p[i] == p[j]) for i, j in pairs)
    tp = sum(1 for i in range(K) if y[i] == 1 and p[i] == 1)
    wrong = sum(1 for i in range(K) if y[i] != p[i])
    if name == "hamming":
        return wrong / K
    if tp + wrong == 0:
        return empty
    return 2 * tp / (2 * tp + wrong) if name == "f1" else tp / (tp + wrong)


def plain_weights(name, y, p):
    weights = []
    for i in range(len(y)):
        off, on = [*p[:i], 0, *p[i + 1 :]], [*p[:i], 1, *p[i + 1 :]]
        weights.append(abs(plain_value(name, y, off, 1.0) - plain_value(name, y, on, 1.0)))
    return weights


def random_pairs():
    """Label matrices of 1 to 8 labels and all densities, empty and full rows among them."""
    rng = np.random.default_rng(0)
    for K in range(1, 9):
        densities = rng.uniform(0, 1, (150, 1))
        Y = (rng.random((150, K)) < densities).astype(int)
        P = (rng.random((150, K)) < rng.permutation(densities)).astype(int)
        Y[:20], P[10:30], Y[30:40], P[35:45] = 0, 0, 1, 1
        yield Y, P


@pytest.mark.parametrize("empty", [0.0, 1.0])
@pytest.mark.parametrize("name", NAMES)
def test_values_equal_the_definition_in_plain_loops(name, empty):
    for Y, P in random_pairs():
        expected = [plain_value(name, list(y), list(p), empty) for y, p in zip(Y, P, strict=True)]
        np.testing.assert_allclose(get_cost(name)(Y, P, empty=empty), expected, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_closed_form_weights_equal_flipping_each_label(name):
    for Y, P in random_pairs():
        expected = [plain_weights(name, list(y), list(p)) for y, p in zip(Y, P, strict=True)]
        weights = get_cost(name).weights(Y, P)
        np.testing.assert_allclose(weights, expected, atol=1e-14)
        np.testing.assert_allclose(Cost.label_weights(get_cost(name), Y, P), expected, atol=1e-14)
        assert weights.shape == Y.shape


@pytest.mark.parametrize("empty", [0, 1])
def test_f1_and_accuracy_agree_with_scikit_learn(empty):
    for Y, P in random_pairs():
        if Y.shape[1] == 1:
            continue  # scikit-learn reads a single column as a binary target
        options = {"average": "samples", "zero_division": empty}
        for name, peer in {"f1": f1_score, "accuracy": jaccard_score}.items():
            mean = get_cost(name)(Y, P, empty=empty).mean()
            assert mean == pytest.approx(peer(Y, P, **options))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix])
def test_sparse_input_gives_the_dense_values(name, kind):
    cost = get_cost(name)
    for Y, P in random_pairs():
        for empty in (0.0, 1.0):
            dense = cost(Y, P, empty=empty)
            np.testing.assert_array_equal(cost(kind(Y), kind(P), empty=empty), dense)
            np.testing.assert_array_equal(cost(kind(Y), P, empty=empty), dense)
            np.testing.assert_array_equal(cost(Y, kind(P.astype(np.uint8)), empty=empty), dense)
        np.testing.assert_array_equal(cost.weights(kind(Y), kind(P)), cost.weights(Y, P))


def test_stored_zeros_of_a_sparse_matrix_do_not_count():
    Y = sp.csr_array(([1, 0], [0, 1], [0, 2]), shape=(1, 2))
    assert get_cost("hamming")(Y, [[1, 0]]) == [0.0]
    assert Y.nnz == 2, "the caller's matrix is left as it was"


def test_entries_stored_twice_are_added_as_scipy_does():
    twice = sp.csr_array(([1, 1], [0, 0], [0, 2]), shape=(1, 2))
    with pytest.raises(ValueError, match="P holds 2, but labels are 0 or 1"):
        get_cost("hamming")([[1, 0]], twice)


@pytest.mark.parametrize("name", NAMES)
def test_a_large_sparse_matrix_is_never_made_dense(name):
    shape = (200_000, 1_000_000)  # 200 GB as dense bytes
    Y = sp.csr_array(([1, 1], ([5, 7], [3, 999_999])), shape=shape)
    P = sp.csr_array(([1], ([5], [3])), shape=shape)
    values = get_cost(name)(Y, P)
    assert values.shape == (200_000,)
    assert (values[7] == values).sum() == 1


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, float])
@pytest.mark.parametrize("name", NAMES)
def test_the_type_of_the_labels_does_not_matter(name, kind):
    rng = np.random.default_rng(1)
    Y, P = rng.integers(0, 2, (2, 50, 300))  # sums beyond 255 must not wrap around
    cost = get_cost(name)
    np.testing.assert_array_equal(cost(Y.astype(kind), P.astype(kind)), cost(Y, P))
    np.testing.assert_array_equal(cost.weights(Y.astype(kind), P.astype(kind)), cost.weights(Y, P))


@pytest.mark.parametrize("name", NAMES)
def test_true_labels_are_never_worse_one_label_at_a_time(name):
    cost, sign = get_cost(name), 1 if get_cost(name).greater_is_better else -1
    for Y, P in random_pairs():
        for label in range(Y.shape[1]):
            better = P.copy()
            better[:, label] = Y[:, label]
            assert (sign * cost(Y, better) >= sign * cost(Y, P)).all()


def test_no_rows_give_no_values():
    for name in NAMES:
        assert get_cost(name)(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)
        assert get_cost(name).weights(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("Y", "P", "message"),
    [
        ([1, 0], [1, 0], r"Y has shape \(2,\), but needs two dimensions"),
        ([[1, 0]], [[1, 0, 0]], r"Y has shape \(1, 2\) but P has shape \(1, 3\)"),
        ([[1, 0]], [[0.7, 0.2]], r"P holds 0\.7, but labels are 0 or 1"),
        ([[1, 2]], [[1, 0]], "Y holds 2, but labels are 0 or 1"),
        ([[1, np.nan]], [[1, 0]], "Y holds nan, but labels are 0 or 1"),
        (sp.csr_array([[1, 0]]), sp.csr_array([[0.5, 0]]), r"P holds 0\.5"),
        (np.zeros((2, 0)), np.zeros((2, 0)), "a column for each label"),
    ],
)
def test_wrong_input_is_refused_with_what_is_needed(Y, P, message):
    for call in (get_cost("f1"), get_cost("f1").weights):
        with pytest.raises(ValueError, match=message):
            call(Y, P)


class ZeroOne(Cost):
    def values(self, Y, P, empty):
        return (np.abs(Y - P).sum(axis=1) > 0).astype(float)


def test_a_users_cost_needs_only_its_definition(monkeypatch):
    monkeypatch.setattr(costs_base, "ROWS_AT_ONCE", 7)
    cost = get_cost(ZeroOne())
    assert (cost.name, cost.title, cost.greater_is_better) == ("zeroone", "ZeroOne", False)
    for Y, P in random_pairs():
        np.testing.assert_array_equal(cost(Y, P), (Y != P).any(axis=1))
        np.testing.assert_array_equal(cost(sp.csr_array(Y), sp.csr_array(P)), cost(Y, P))
        others = (Y != P).sum(axis=1, keepdims=True) - (Y != P)
        np.testing.assert_array_equal(cost.weights(Y, P), others == 0)


def test_a_users_cost_may_subtract_labels_of_any_type():
    class Surplus(Cost):
        def values(self, Y, P, empty):
            return (P - Y).sum(axis=1)

    Y, P = np.ones((1, 3), dtype=np.uint8), np.zeros((1, 3), dtype=np.uint8)
    assert Surplus()(Y, P) == [-3.0]
    assert Surplus().weights(Y, P).tolist() == [[1, 1, 1]]


def test_a_users_cost_with_a_wrong_result_is_refused():
    class Scalar(Cost):
        def values(self, Y, P, empty):
            return np.full(len(Y), np.nan)

    with pytest.raises(ValueError, match="2 finite numbers, one for each row"):
        Scalar()([[1], [0]], [[1], [0]])


def test_the_built_in_costs_come_in_the_papers_order():
    assert list(COSTS)[:4] == NAMES
    assert [COSTS[name].greater_is_better for name in NAMES] == [False, False, True, True]
    assert all(isinstance(COSTS[name], CountCost) and COSTS[name].range for name in NAMES)


def test_an_unknown_cost_names_the_nearest_one():
    with pytest.raises(ValueError, match="unknown cost 'F-1'; did you mean 'f1'"):
        get_cost("F-1")
    with pytest.raises(ValueError, match="unknown cost 7; valid: hamming, rank"):
        get_cost(7)


def test_a_new_file_in_the_folder_is_a_new_cost(tmp_path):
    shutil.copytree(Path(costs_base.__file__).parents[1], tmp_path / "rethink")
    (tmp_path / "rethink" / "costs" / "mine.py").write_text(
        "from rethink.costs import Cost\n\n\nclass Mine(Cost):\n"
        "    def values(self, Y, P, empty):\n        return Y[:, 0]\n"
    )
    code = "from rethink.costs import COSTS; print(*COSTS)"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert {*run.stdout.split()} == {*COSTS, "mine"}, run.stderr


def test_a_function_is_refused_with_the_way_to_make_it_a_cost():
    def exact(Y, P):
        return (Y == P).all(axis=1)

    with pytest.raises(ValueError, match=r"function exact, .*Cost.of\(exact, greater_is_better"):
        get_cost(exact)
    cost = Cost.of(exact, greater_is_better=True)
    assert get_cost(cost) is cost and cost.name == "exact"
    assert cost.score([[1, 0], [1, 1]], [[1, 0], [0, 1]]) == 0.5
    assert "exact" in repr(cost)


@pytest.mark.parametrize("name", [*NAMES, *EXTRA_COSTS])
def test_scorers_serve_scikit_learns_searches(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = (X > 0.3).astype(int)
    cost, model = get_cost(name), LogisticRelevance()
    sign = 1 if cost.greater_is_better else -1
    result = cost.scorer()(model.fit(X, Y), X, Y)
    assert result == pytest.approx(sign * cost.score(Y, model.predict(X)))
    searched = GridSearchCV(model, {"C": [1e-4, 100.0]}, scoring=cost.scorer(), cv=3).fit(X, Y)
    assert searched.best_params_ == {"C": 100.0} and np.isfinite(searched.best_score_)


@pytest.mark.parametrize("name", NAMES)
def test_a_score_is_the_weighted_mean(name):
    cost = get_cost(name)
    for Y, P in random_pairs():
        weights = np.arange(len(Y))
        assert cost.score(Y, P) == pytest.approx(cost(Y, P).mean())
        weighted = cost.score(Y, P, sample_weight=weights)
        assert weighted == pytest.approx((cost(Y, P) * weights).sum() / weights.sum())


def test_averaged_f1_agrees_with_scikit_learn():
    for Y, P in random_pairs():
        if Y.shape[1] == 1:
            continue
        for average in ("macro", "micro"):
            for empty in (0.0, 1.0):
                result = get_cost(f"{average}-f1").score(Y, P, empty=empty)
                assert result == pytest.approx(f1_score(Y, P, average=average, zero_division=empty))
            weights = np.arange(len(Y)) + 1
            result = get_cost(f"{average}-f1").score(Y, sp.csr_array(P), sample_weight=weights)
            peer = f1_score(Y, P, average=average, sample_weight=weights, zero_division=1)
            assert result == pytest.approx(peer)


def test_a_cost_of_the_whole_matrix_has_no_value_for_a_row():
    for call in (get_cost("macro-f1"), get_cost("macro-f1").weights):
        with pytest.raises(ValueError, match=r"no value for a row; use .*score\(Y, P\)"):
            call([[1, 0]], [[1, 0]])


def test_recall_counts_only_at_the_wanted_precision():
    Y, P = [[1, 1, 1, 0, 0]], [[1, 1, 0, 1, 0]]
    assert RecallAtPrecision(0.6).score(Y, P) == pytest.approx(2 / 3)
    assert RecallAtPrecision(0.7).score(Y, P) == 0
    with pytest.raises(ValueError, match="precision is 0, but needs a share above 0"):
        RecallAtPrecision(0)
    with pytest.raises(ValueError, match="missed is -1, but a mistake must cost"):
        Asymmetric(missed=-1)
