"""The race of strengths against the plain search, one fit at a time."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone

from rethink.costs import get_cost
from rethink.models.chain_rnn import ChainRNN
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from rethink.models.rules import DecisionRule
from rethink.nets import search as race
from rethink.search import cross_validate, fold_rows, search, search_and_fit
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=240, features=5, labels=4, seed=3)
X, Y = SAMPLE.X, SAMPLE.Y
PARTS = fold_rows(240, 3, seed=0)
NET = RethinkNet("rank", hidden=8, features=8, learning_rate=0.01, random_state=0)
NET.set_params(stopping="loss")
POINTS = [{"l2": strength} for strength in (1.0, 1e-2, 1e-5, 1e-6)]


@pytest.fixture
def short_rungs(monkeypatch):
    monkeypatch.setattr(race, "FIRST_RUNG", 4)
    monkeypatch.setattr(race, "LAST_RUNG", 12)


def values(trials):
    return [[trial.values for trial in row] for row in trials]


@pytest.mark.parametrize("stopping", ["loss", "folds"])
def test_a_race_of_one_rung_is_the_plain_search(stopping):
    net = clone(NET).set_params(epochs=5, most_epochs=5, stopping=stopping)
    costs = [get_cost("rank")]
    ours = net.cross_validate(POINTS, X, Y, PARTS, costs)
    if stopping == "loss":
        assert values(ours) == values(cross_validate(net, POINTS, X, Y, PARTS, costs))
        assert [t.params for t in ours[0]] == POINTS
    else:  # the plain values of the epochs that were chosen
        points = [trial.params for trial in ours[0]]
        assert all(point["epochs"] <= 5 for point in points)
        assert values(ours) == values(cross_validate(net, points, X, Y, PARTS, costs))


def test_half_of_the_points_go_on_until_two_are_left(short_rungs):
    net = clone(NET).set_params(epochs=100)
    [trials] = net.cross_validate(POINTS, X, Y, PARTS, [get_cost("rank")])
    assert [t.params for t in trials] == POINTS
    finished = [t for t in trials if None not in t.values]
    assert len(finished) == 2
    assert all(t.values == [None] * 3 for t in trials if t not in finished)


def test_within_two_standard_errors_of_the_best_the_strongest_is_ahead():
    losses = np.array([[5.0, 5.0, 5.0], [2.1, 2.0, 2.2], [3.0, 3.0, 3.0], [1.7, 2.0, 2.3]])
    assert race.ranked(losses).tolist() == [1, 3, 2, 0]
    losses[3] = 2.0
    assert race.ranked(losses).tolist() == [3, 1, 2, 0]
    assert race.ranked(np.array([[2.0], [1.0]])).tolist() == [1, 0]


@pytest.mark.parametrize("cost", ["rank", "f1"])
def test_the_best_look_is_in_the_best_stretch(cost):
    runs = object.__new__(race.Race)
    runs.costs, runs.stopping = [get_cost(cost)], "folds"
    losses = [9, 2, 9, 4, 3, 4, 9]  # 2 is luck: its neighbours are poor
    sign = -1 if cost == "f1" else 1
    values = (np.full((1, 3), sign * v) for v in losses)
    runs.looks = [[race.Look(epoch, v, 0.0, False) for epoch, v in enumerate(values, 1)]]
    assert runs.best_look(0, 0).epochs == 5
    runs.stopping = "loss"
    assert runs.best_look(0, 0).epochs == 7


def test_values_of_the_last_rung_are_those_of_a_plain_fit_of_as_many_epochs(short_rungs):
    net = clone(NET).set_params(epochs=12, tolerance=0)
    [trials] = net.cross_validate(POINTS, X, Y, PARTS, [get_cost("rank")])
    for trial in trials:
        if None not in trial.values:
            [[plain]] = cross_validate(net, [trial.params], X, Y, PARTS, [get_cost("rank")])
            assert trial.values == plain.values


def test_training_by_folds_ends_long_after_the_best_look(short_rungs):
    noise = np.random.default_rng(0).integers(0, 2, Y.shape)
    net = clone(NET).set_params(most_epochs=1000, patience=6, stopping="folds")
    runs = race.Race(net, POINTS[2:3], X, noise, PARTS, [get_cost("rank")])
    runs.run()
    epochs = runs.best_look(0, 0).epochs
    assert max(2 * epochs, epochs + 6) <= runs.looks[0][-1].epochs < 1000


class Replay(race.Race):
    """Points whose held-out losses at some epochs are given, straight lines between them."""

    def __init__(self, *courses):
        self.courses, self.costs, self.parts = courses, [get_cost("rank")], [np.arange(2)]
        self.stopping, self.patience = "holdout", 30
        self.points = [{"l2": l2} for l2 in (1e-5, 1e-7)[: len(courses)]]
        self.limits, self.alive = [960] * len(courses), list(range(len(courses)))
        self.looks = [[] for _ in courses]
        self.trainers = [[SimpleNamespace(run=bool, finished=False)] for _ in courses]

    def _look(self, point, epochs):
        value = np.interp(epochs, *zip(*self.courses[point], strict=True))
        return race.Look(epochs, np.array([[value]]), 1.0, False)

    def chosen(self):
        [trials] = self.run()
        told = [trial for trial in trials if trial.values != [None]]
        return min(told, key=lambda trial: trial.values).params


FALLS_AND_RECOVERS = [(6, 8.4), (16, 9.1), (45, 8.9), (170, 8.1), (340, 8.5), (960, 9.0)]
SLOWER_TO_RECOVER = [(6, 8.3), (16, 9.0), (45, 8.9), (170, 8.5), (340, 8.6), (960, 9.0)]


def test_a_search_goes_on_while_a_cost_recovers():
    assert Replay(FALLS_AND_RECOVERS).chosen()["epochs"] == 170
    assert Replay([(6, 8.4), (16, 9.1), (960, 9.1)]).chosen()["epochs"] == 6


def test_a_point_that_recovers_is_not_given_up_for_one_that_was_better_before():
    both = Replay(FALLS_AND_RECOVERS, SLOWER_TO_RECOVER)
    assert both.chosen() == {"l2": 1e-5, "epochs": 170}
    assert [looks[-1].epochs for looks in both.looks] == [340, 340]


def test_a_cost_that_gets_worse_for_good_ends_a_search_early():
    over_fits = Replay([(6, 8.4), (16, 8.2), (60, 8.6), (960, 9.5)])
    assert over_fits.chosen()["epochs"] in (11, 16)
    assert over_fits.looks[0][-1].epochs == 60


@pytest.mark.parametrize("kind", [BinaryRelevance, ChainRNN])
def test_blind_nets_are_raced_once_for_all_costs(kind, short_rungs):
    net = kind(hidden=6, most_epochs=16, stopping="folds", random_state=0)
    costs = [get_cost(name) for name in ("hamming", "rank", "f1")]
    trials = net.cross_validate(POINTS, X, Y, PARTS, costs)
    for row, cost in zip(trials, costs, strict=True):
        assert [t.params["l2"] for t in row] == [p["l2"] for p in POINTS]
        finished = [t for t in row if None not in t.values]
        assert finished
        [[plain]] = cross_validate(net, [finished[0].params], X, Y, PARTS, [cost])
        assert finished[0].values == plain.values


def test_a_search_leaves_the_estimator_alone_and_refits_with_what_it_found(short_rungs):
    net = clone(NET).set_params(most_epochs=20, stopping="folds")
    grid = {"l2": [1.0, 1e-5]}
    [(chosen, fitted)] = search_and_fit(net, grid, X, Y, ["f1"], seed=0)
    assert not hasattr(net, "model_") and net.cost == "rank"
    assert fitted.epochs_ == chosen.params["epochs"] and fitted.l2 == chosen.params["l2"]
    assert fitted.cost.name == "f1"
    again = search(net, grid, X, Y, ["f1"], seed=0)["f1"]
    assert again.params == chosen.params and again.fold_scores == chosen.fold_scores


def test_fewer_rows_than_folds_can_be_searched():
    net = clone(NET).set_params(epochs=2)
    chosen = search(net, {"l2": [1.0, 0.1]}, X[:2], Y[:2], ["rank", "f1"], seed=0)
    assert set(chosen) == {"rank", "f1"}


def test_epochs_are_chosen_on_the_folds_even_with_a_single_grid_point():
    data = generate("logistic-chain", instances=90, features=4, labels=3, seed=0)
    grid = {"l2": [1e-5], "epochs": [12], "most_epochs": [12], "stopping": ["folds"]}
    net = BinaryRelevance(hidden=4, random_state=0)
    selection = search(net, grid, data.X, data.Y, ["f1"], seed=0)["f1"]
    assert len(selection.fold_scores) == 3
    assert 1 <= selection.params["epochs"] <= 12
    fixed = search(net, grid | {"stopping": ["loss"]}, data.X, data.Y, ["f1"], seed=0)["f1"]
    assert fixed.fold_scores == [] and fixed.params["epochs"] == 12


def test_a_net_under_a_rule_chooses_its_epochs_by_the_predictions_of_the_rule():
    net = BinaryRelevance(hidden=6, most_epochs=16, random_state=0)
    model = DecisionRule(net, random_state=0)
    costs = [get_cost("rank"), get_cost("f1")]
    trials = model.cross_validate([{"estimator__l2": 1e-5}], X, Y, PARTS, costs)
    for cost, [trial] in zip(costs, trials, strict=True):
        point = {"estimator__l2", "estimator__epochs"}
        assert trial.params.keys() == point
        [[plain]] = cross_validate(model, [trial.params], X, Y, PARTS[:1], [cost])
        np.testing.assert_allclose(trial.values, plain.values, atol=1e-12)


def test_a_search_of_a_net_under_a_rule_refits_it_with_what_was_chosen():
    model = DecisionRule(BinaryRelevance(hidden=6, most_epochs=16), random_state=0)
    fits = search_and_fit(model, {"estimator__l2": [1e-2, 1e-5]}, X, Y, ["rank", "f1"], seed=0)
    for chosen, fitted in fits:
        assert fitted.estimator_.epochs_ == chosen.params["estimator__epochs"] <= 16
