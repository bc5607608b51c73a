import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

import rethink
from rethink.costs import get_cost
from rethink.models.base import MultiLabelEstimator
from rethink.models.bayes import BayesOptimal
from rethink.models.constant import TopK
from rethink.models.logistic import LogisticRelevance
from rethink.models.logistic_rule import LogisticRule
from rethink.models.probabilistic import ProbabilisticChain
from rethink.scaling import UnitScaler
from rethink.search import Trial, fit_selected, fold_rows, grid_points, search, search_and_fit
from rethink.splits import MultilabelStratifiedKFold
from rethink.synthetic import generate
from tests.rethink.own_cost import Exact

NAMES = ["hamming", "rank", "f1", "accuracy"]
SAMPLE = generate("logistic-chain", instances=200, features=6, labels=4, seed=1)
X, Y = SAMPLE.X, SAMPLE.Y
GRID = {"C": [1e-4, 1e-2, 1.0, 100.0]}


class Blind(MultiLabelEstimator):
    """Predicts label i where feature i is above the level; counts its fits in a list."""

    fits: list = []  # noqa: RUF012

    def __init__(self, level=0.0, unused=0):
        self.level = level
        self.unused = unused

    def fit(self, X, Y):
        self._check_fit(X, Y)
        self.fits.append((self.level, self.unused, len(X)))
        return self

    def predict(self, X):
        return self._as_labels(self._check_predict(X)[:, : len(self.classes_)] > self.level)


class Sensitive(Blind):
    def __init__(self, cost="hamming", level=0.0):
        self.cost = cost
        self.level = level
        self.unused = cost


@pytest.fixture(autouse=True)
def no_fits():
    Blind.fits.clear()


def test_choice_equals_a_plain_nested_loop():
    chosen = search(LogisticRelevance(), GRID, X, Y, NAMES, folds=3, seed=5)
    folds = fold_rows(200, 3, 5)
    for name in NAMES:
        means = []
        for C in GRID["C"]:
            values = []
            for held in folds:
                kept = [row for row in range(200) if row not in set(held)]
                model = LogisticRelevance(C=C).fit(X[kept], Y[kept])
                values.append(get_cost(name)(Y[held], model.predict(X[held])).mean())
            means.append(np.mean(values))
        best = max(means) if name in ("f1", "accuracy") else min(means)
        assert chosen[name].params == {"C": GRID["C"][means.index(best)]}
        recorded = [score["value"] for score in chosen[name].fold_scores]
        assert np.mean(np.reshape(recorded, (4, 3)), axis=1) == pytest.approx(means)


def test_losses_are_minimised_and_scores_maximised():
    labels = np.ones((30, 3), dtype=int)
    labels[:, 2] = 0
    features = np.where(labels == 1, 1.0, -1.0)
    grid = {"level": [5.0, 0.0]}  # nothing predicted, then everything right
    chosen = search(Blind(), grid, features, labels, NAMES, seed=0)
    assert [chosen[name].params["level"] for name in NAMES] == [0.0] * 4
    values = {name: [s["value"] for s in chosen[name].fold_scores] for name in NAMES}
    assert values["rank"] == [1.0] * 3 + [0.0] * 3
    assert values["f1"] == [0.0] * 3 + [1.0] * 3


def test_ties_go_to_the_earlier_point():
    for levels in ([0.0, 0.0001, 1e-9], [1e-9, 0.0]):
        rounded = np.sign(X[:, :4])
        chosen = search(Blind(), {"level": levels}, rounded, Y, NAMES, seed=0)
        assert all(chosen[name].params["level"] == levels[0] for name in NAMES)


def test_fold_scores_tell_point_fold_and_value():
    chosen = search(Blind(), {"level": [0.0, 0.5]}, X, Y, ["f1"], folds=4, seed=0)["f1"]
    assert chosen.cost is get_cost("f1")
    described = [(score["params"]["level"], score["fold"]) for score in chosen.fold_scores]
    assert described == list(itertools.product([0.0, 0.5], range(4)))
    assert all(type(score["value"]) is float for score in chosen.fold_scores)


def test_cost_blind_estimators_are_fitted_once_for_all_costs():
    results = list(search_and_fit(Blind(), {"level": [0.3, 0.0]}, X, Y, NAMES, seed=0))
    levels = {selection.params["level"] for selection, _ in results}
    assert len([fit for fit in Blind.fits if fit[2] < 200]) == 2 * 3
    assert len([fit for fit in Blind.fits if fit[2] == 200]) == len(levels)
    for (first, one), (second, other) in itertools.combinations(results, 2):
        assert (one is other) == (first.params == second.params)


def test_cost_sensitive_estimators_are_fitted_for_each_cost():
    results = list(search_and_fit(Sensitive(), {"level": [0.3, 0.0]}, X, Y, NAMES, seed=0))
    assert len(Blind.fits) == 4 * (2 * 3 + 1)
    assert [model.cost.name for _, model in results] == NAMES


def test_refits_of_cost_sensitive_estimators_are_never_shared():
    selections = search(Sensitive(), {"level": [0.1]}, X, Y, NAMES, seed=0)
    models = [model for _, model in fit_selected(Sensitive(), selections, X, Y)]
    assert [model.cost.name for model in models] == NAMES


def test_results_come_one_by_one():
    results = search_and_fit(Sensitive(), {"level": [0.3, 0.0]}, X, Y, NAMES, seed=0)
    assert not Blind.fits
    selection, _ = next(results)
    assert selection.cost.name == "hamming" and len(Blind.fits) == 2 * 3 + 1


def test_refits_use_all_rows_and_the_chosen_parameters():
    selections = search(LogisticRelevance(), GRID, X, Y, NAMES, seed=5)
    for selection, model in fit_selected(LogisticRelevance(), selections, X, Y):
        expected = LogisticRelevance(**selection.params).fit(X, Y)
        assert model.coef_.tobytes() == expected.coef_.tobytes()


def test_a_grid_of_one_point_is_not_searched():
    for grid, params in ({}, {}), ({"level": [0.1]}, {"level": 0.1}):
        chosen = search(Blind(), grid, X, Y, ["f1"], seed=0)["f1"]
        assert chosen.params == params and chosen.fold_scores == []
    assert not Blind.fits


@pytest.mark.parametrize(("rows", "folds"), [(0, 0), (1, 0), (2, 2), (3, 3), (7, 3)])
def test_few_rows_give_fewer_folds(rows, folds):
    grid = {"level": [0.5, 0.0]}
    chosen = search(Blind(), grid, X[:rows], Y[:rows], ["rank"], folds=3, seed=0)["rank"]
    assert len(chosen.fold_scores) == 2 * folds
    assert folds or chosen.params == {"level": 0.5}


def test_folds_part_all_rows_and_depend_on_nothing_but_size_and_seed():
    folds = fold_rows(200, 3, 9)
    assert sorted(np.concatenate(folds)) == list(range(200))
    assert sorted(map(len, folds)) == [66, 67, 67]
    assert all((one == two).all() for one, two in zip(folds, fold_rows(200, 3, 9), strict=True))
    assert folds[0].tolist() != fold_rows(200, 3, 10)[0].tolist()
    assert fold_rows(10, 3, 0)[0].tolist() == [2, 4, 6, 7], "stored searches stay comparable"


def test_sparse_data_give_the_choice_of_dense_data():
    dense = search(LogisticRelevance(), GRID, X, Y, NAMES, seed=5)
    sparse = search(LogisticRelevance(), GRID, sp.csc_array(X), sp.coo_array(Y), NAMES, seed=5)
    for name in NAMES:
        assert sparse[name].params == dense[name].params


def test_a_users_cost_is_searched_like_any_other():
    for estimator in (LogisticRelevance(), TopK()):
        grid = GRID if isinstance(estimator, LogisticRelevance) else {}
        [(selection, model)] = search_and_fit(estimator, grid, X, Y, [Exact()], seed=0)
        assert selection.cost.name == "exact"
        assert model.predict(X).shape == Y.shape


def test_bayes_runs_on_the_joint_like_any_model():
    estimator = BayesOptimal("hamming", SAMPLE.support)
    for selection, model in search_and_fit(estimator, {}, SAMPLE.joint, Y, NAMES, seed=0):
        direct = BayesOptimal(selection.cost.name, SAMPLE.support).fit(SAMPLE.joint)
        np.testing.assert_array_equal(model.predict(SAMPLE.joint), direct.predict(SAMPLE.joint))


def test_the_given_estimator_stays_as_it_was():
    estimator = Sensitive()
    list(search_and_fit(estimator, {"level": [1.0, 2.0]}, X, Y, NAMES, seed=0))
    assert estimator.get_params() == {"cost": "hamming", "level": 0.0}
    assert not hasattr(estimator, "classes_")


def test_grid_points_keep_the_order_of_the_grid():
    points = grid_points({"b": [2, 1], "a": ["x", "y"]})
    assert [(p["b"], p["a"]) for p in points] == [(2, "x"), (2, "y"), (1, "x"), (1, "y")]


@pytest.mark.parametrize("values", ["lstm", [], 0.1])
def test_a_grid_needs_lists(values):
    with pytest.raises(ValueError, match=r"grid value C is .* but needs a list"):
        search(LogisticRelevance(), {"C": values}, X, Y, ["f1"], seed=0)


def test_one_fold_is_refused_and_no_costs_give_nothing():
    with pytest.raises(ValueError, match="folds is 1"):
        search(LogisticRelevance(), GRID, X, Y, ["f1"], folds=1, seed=0)
    assert list(search_and_fit(LogisticRelevance(), GRID, X, Y, [], seed=0)) == []


class RuleOnly(Blind):
    """The cost matters for predictions alone: below zero for losses, above for scores."""

    fit_uses_cost = False

    def __init__(self, cost="hamming", level=0.0, unused=0):
        self.cost = cost
        self.level = level
        self.unused = unused

    def predict(self, X):
        everything = np.ones((len(X), len(self.classes_)), dtype=int)
        return everything if get_cost(self.cost).greater_is_better else 0 * everything


def test_a_model_whose_fit_knows_no_cost_is_fitted_once_and_told_the_cost_to_predict():
    result = list(search_and_fit(RuleOnly(), {"level": [0.0, 1.0]}, X, Y, NAMES, seed=0))
    assert len(Blind.fits) == 2 * 3 + 1
    predicted = {chosen.cost.name: model.predict(X).mean() for chosen, model in result}
    assert predicted == {"hamming": 0, "rank": 0, "f1": 1, "accuracy": 1}


class Pruning(Blind):
    """Gives up its first point and finds something out about the others."""

    def cross_validate(self, points, X, Y, parts, costs):
        trials = [Trial(points[0], [0.0, None, None])]
        trials += [Trial({**point, "unused": 7}, [1.0] * len(parts)) for point in points[1:]]
        return [trials for _ in costs]


def test_an_estimator_may_try_the_grid_its_own_way_and_give_points_up():
    chosen = search(Pruning(), {"level": [0.0, 1.0, 2.0]}, X, Y, ["rank"], seed=0)["rank"]
    assert chosen.params == {"level": 1.0, "unused": 7}
    assert [score["value"] for score in chosen.fold_scores[:3]] == [0.0, None, None]


def test_select_max_takes_the_largest_mean_even_where_a_small_one_is_better():
    result = search(LogisticRelevance(), GRID, X, Y, ["rank", "f1"], select="max", seed=0)
    for selection in result.values():
        means = {}
        for row in selection.fold_scores:
            means.setdefault(row["params"]["C"], []).append(row["value"])
        largest = max(np.mean(values) for values in means.values())
        assert np.mean(means[selection.params["C"]]) == largest
    right = search(LogisticRelevance(), GRID, X, Y, ["rank", "f1"], seed=0)
    assert result["rank"].params != right["rank"].params
    assert result["f1"].params == right["f1"].params


def test_one_cost_may_stand_alone():
    alone = search(LogisticRelevance(), GRID, X, Y, "f1", seed=5)
    assert alone == search(LogisticRelevance(), GRID, X, Y, ["f1"], seed=5)
    ((chosen, model),) = rethink.search_and_fit(LogisticRelevance(), GRID, X, Y, get_cost("f1"))
    assert chosen.cost.name == "f1" and chosen.params["C"] == model.C


@pytest.mark.parametrize("model", [LogisticRule(), ProbabilisticChain(), TopK(), Sensitive()])
def test_a_pipeline_passes_the_cost_to_its_last_step(model):
    grid = {"C": [0.01, 1.0]} if hasattr(model, "C") else {}
    inside = {f"model__{name}": values for name, values in grid.items()}
    scaled = UnitScaler().fit_transform(X)
    pipeline = Pipeline([("scale", UnitScaler()), ("model", model)])
    fits = {s.cost.name: (s, m) for s, m in search_and_fit(pipeline, inside, X, Y, NAMES)}
    for name in NAMES:
        chosen, fitted = fits[name]
        alone = clone(model).set_params(
            cost=name, **{key.removeprefix("model__"): v for key, v in chosen.params.items()}
        )
        assert get_cost(fitted[-1].cost).name == name
        np.testing.assert_array_equal(fitted.predict(X), alone.fit(scaled, Y).predict(scaled))
    assert pipeline[-1].cost == model.cost


def test_a_pipeline_is_chosen_as_by_a_plain_loop_over_its_points():
    pipeline = make_pipeline(UnitScaler(), LogisticRule())
    grid = {"logisticrule__C": GRID["C"]}
    chosen = search(pipeline, grid, X, Y, ["rank", "f1"], seed=5)
    for name, selection in chosen.items():
        means = []
        for C in GRID["C"]:
            values = []
            for held in fold_rows(200, 3, 5):
                kept = np.setdiff1d(np.arange(200), held)
                each = make_pipeline(UnitScaler(), LogisticRule(name, C=C)).fit(X[kept], Y[kept])
                values.append(get_cost(name).score(Y[held], each.predict(X[held])))
            means.append(np.mean(values))
        best = np.argmax(means) if name == "f1" else np.argmin(means)
        assert selection.params == {"logisticrule__C": GRID["C"][best]}


def test_frames_keep_their_names_and_choose_as_arrays_do():
    features = pd.DataFrame(X, columns=list("abcdef"), index=np.arange(200) + 7)
    labels = pd.DataFrame(Y, columns=["p", "q", "r", "s"], index=features.index)
    ((chosen, model),) = search_and_fit(LogisticRelevance(), GRID, features, labels, "f1", seed=5)
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert model.label_names_.tolist() == ["p", "q", "r", "s"]
    assert chosen == search(LogisticRelevance(), GRID, X, Y, "f1", seed=5)["f1"]


def test_folds_may_be_a_splitter():
    folds = MultilabelStratifiedKFold(4, shuffle=True, random_state=2)
    chosen = search(LogisticRelevance(), GRID, X, Y, "f1", folds=folds)["f1"]
    assert {row["fold"] for row in chosen.fold_scores} == {0, 1, 2, 3}
    first = next(test for _, test in folds.split(X, Y))
    kept = np.setdiff1d(np.arange(200), first)
    model = LogisticRelevance(C=GRID["C"][0]).fit(X[kept], Y[kept])
    expected = get_cost("f1").score(Y[first], model.predict(X[first]))
    assert chosen.fold_scores[0]["value"] == pytest.approx(expected, abs=1e-3)  # along a path


def test_verbose_prints_the_choice_of_each_cost(capsys):
    search(LogisticRelevance(), GRID, X, Y, ["f1", "rank"], seed=5, verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["f1", "rank"]
    assert "of 4 points, mean 0." in lines[0] and lines[0].endswith("over 3 folds")


def test_a_function_as_cost_and_labels_by_name_are_refused_with_the_way_to_do_it():
    with pytest.raises(ValueError, match=r"give Cost.of\(mine, greater_is_better=True\)"):
        search(LogisticRelevance(), {}, X, Y, mine)
    names = [["a"] if row[0] else ["b"] for row in Y]
    with pytest.raises(ValueError, match="a search needs 0 and 1: give a DataFrame"):
        search(LogisticRelevance(), {}, X, names, "f1")


def mine(Y, P):
    return (Y != P).sum(axis=1)
