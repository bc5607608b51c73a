"""Reweighting, the stopping rule and the training loop."""

import itertools
import math
import warnings

import numpy as np
import pytest
import torch
from sklearn.base import clone

from rethink.costs import COSTS, Cost, get_cost
from rethink.models.rethinknet import RethinkNet
from rethink.nets.device import choose_device
from rethink.nets.recurrent import RecurrentShape
from rethink.nets.rows import Rows
from rethink.nets.training import BlockedNadam, Data, Recipe, StoppingRule, Trainer
from rethink.nets.weights import Reweighter, label_weights, normalised
from rethink.scaling import UnitScaler
from rethink.search import search

CPU = torch.device("cpu")


@pytest.mark.parametrize("name", COSTS)
def test_closed_forms_on_tensors_equal_the_weights_of_the_cost(name):
    rng = np.random.default_rng(0)
    for K in (1, 2, 5):
        Y, P = rng.integers(0, 2, (200, K)), rng.integers(0, 2, (2, 200, K))
        Y[:20], P[:, :10] = 0, 0
        result = label_weights(get_cost(name))(
            torch.from_numpy(Y).double(), torch.from_numpy(P).double()
        )
        for step in range(2):
            expected = get_cost(name).weights(Y, P[step])
            np.testing.assert_allclose(result[step if result.ndim == 3 else ...], expected)


def test_weights_have_a_mean_of_one_in_each_batch_and_step():
    weights = torch.rand((2, 5, 3), generator=torch.Generator().manual_seed(0))
    weights[0] *= 7
    torch.testing.assert_close(normalised(weights).mean((1, 2)), torch.ones(2))
    assert not normalised(torch.zeros(1, 5, 3)).any()


def reweighted(cost, mode, logits, y, index, remembered=None):
    reweighter = Reweighter(cost, mode)
    if remembered is not None:
        reweighter.remember(remembered > 0)
    return reweighter(logits, y, index)


def normalised_numpy(weights):
    return weights / weights.mean()


@pytest.mark.parametrize("name", ["rank", "f1", "accuracy"])
@pytest.mark.parametrize("mode", ["step", "period"])
def test_reweighting_uses_the_prediction_of_the_step_before(name, mode):
    rng = np.random.default_rng(0)
    cost, index = get_cost(name), np.array([4, 1, 7])
    everything = torch.from_numpy(rng.normal(size=(3, 9, 5)))
    batch = torch.from_numpy(rng.normal(size=(3, 3, 5)))
    Y = rng.integers(0, 2, (9, 5))
    y = torch.from_numpy(Y[index]).double()
    result = reweighted(cost, mode, batch, y, index, everything)
    source = batch if mode == "step" else everything[:, index]
    assert (result[0] == 1).all()
    for step in (1, 2):
        expected = cost.weights(Y[index], (source[step - 1] > 0).int().numpy())
        np.testing.assert_allclose(result[step], normalised_numpy(expected))


def test_before_the_first_refresh_nothing_is_taken_as_predicted():
    y = torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    result = reweighted(get_cost("f1"), "period", torch.ones(2, 2, 2), y, np.arange(2))
    expected = get_cost("f1").weights(y.int().numpy(), np.zeros((2, 2), int))
    np.testing.assert_allclose(result[1], normalised_numpy(expected))


class MissedOnly(Cost):
    def values(self, Y, P, empty):
        return (Y * (1 - P)).sum(axis=1)


def test_a_cost_of_ones_own_is_asked_for_its_weights():
    y = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    result = reweighted(MissedOnly(), "step", torch.ones(2, 2, 2), y, np.arange(2))
    np.testing.assert_allclose(result[1], [[4 / 3, 0], [4 / 3, 4 / 3]])


def test_hamming_and_off_and_a_single_iteration_have_no_weights():
    y, logits = torch.ones(2, 2), torch.ones(3, 2, 2)
    assert reweighted(get_cost("hamming"), "step", logits, y, np.arange(2)) is None
    assert reweighted(get_cost("f1"), None, logits, y, np.arange(2)) is None
    assert reweighted(get_cost("f1"), "step", logits[:1], y, np.arange(2)) is None


def test_training_stops_when_the_loss_no_longer_falls():
    rule = StoppingRule(tolerance=1e-2, patience=3)
    losses = [1.0, 0.9, 0.899, 0.898, 0.8, 0.799, 0.799, 0.799, 0.5]
    assert [rule.converged(loss) for loss in losses].index(True) == 7


def test_losses_are_compared_over_whole_blocks():
    rule = StoppingRule(tolerance=0, patience=4, block=2)
    # up and down within a block, the means fall until the fourth block
    losses = [9, 1, 8, 1, 7, 1, 7, 2, 7, 2]
    assert [rule.converged(loss) for loss in losses].index(True) == 9
    assert math.isclose(rule.best, 4.0)


def trainer(recipe, rows=50, rule=None, cost=None, dropout=0.0):
    rng = np.random.default_rng(0)
    X, Y = rng.random((rows, 4)), rng.integers(0, 2, (rows, 3)).astype(np.float32)
    net = RecurrentShape(4, 3, 8, "lstm", 6, 3, dropout=dropout).net()
    net.draw(0)
    reweighter = Reweighter(get_cost(cost), "period", refresh=2) if cost else None
    data = Data(Rows(X, CPU), torch.from_numpy(Y))
    order = np.arange(rows)
    return Trainer(net, data, order, recipe, 1, reweighter, rule)


PLAIN = {"batch_size": 16, "shuffle": False}


def test_a_step_is_nadam_with_keras_settings_and_the_gradient_of_the_penalty():
    l2, one = 0.3, trainer(Recipe(l2=0.3, batch_size=50, shuffle=False))
    before = {name: weight.detach().double() for name, weight in one.net.named_parameters()}
    loss = one.net.loss(one.data.rows.matrix, one.data.labels)
    gradients = torch.autograd.grad(loss, one.net.parameters())
    one.run(1)
    for (name, weight), g in zip(one.net.named_parameters(), gradients, strict=True):
        g = g.double() + (2 * l2 * before[name] if name in one.net.shape.kernels else 0)
        now, after = (0.9 * (1 - 0.5 * 0.96 ** (0.004 * t)) for t in (1, 2))
        top = (1 - now) * g / (1 - now) + after * 0.1 * g / (1 - now * after)
        expected = before[name] - 0.002 * top / (g.abs() + 1e-7)
        torch.testing.assert_close(weight.detach().double(), expected, atol=1e-6, rtol=0)


def test_large_kernels_take_the_same_steps_block_by_block():
    whole, blocked = (trainer(Recipe(l2=0.01, **PLAIN), dropout=0.25) for _ in range(2))
    blocked.optimiser = BlockedNadam(blocked.net, 0.01, block=7)
    assert len(blocked.optimiser.blocks) == len(blocked.net.penalised()) > 0
    assert not whole.optimiser.blocks
    whole.run(4), blocked.run(4)
    assert whole.history == blocked.history
    for one, other in zip(whole.net.parameters(), blocked.net.parameters(), strict=True):
        assert torch.equal(one, other)


def test_the_penalty_is_part_of_the_loss():
    one, plain = (trainer(Recipe(l2=l2, batch_size=50, shuffle=False)) for l2 in (0.3, 0.0))
    one.run(1), plain.run(1)
    squares = sum(float(kernel.detach().square().sum()) for kernel in one.net.penalised())
    assert one.history[0] - plain.history[0] == pytest.approx(0.3 * squares, 1e-4)


def test_an_epoch_sees_every_row_once_in_new_batches():
    def batches(**settings):
        one = trainer(Recipe(**PLAIN | settings))
        return [[b.tolist() for b in one.batches()] for _ in range(2)]

    fixed, drawn = batches(shuffle=False), batches(shuffle=True)
    assert [rows[0] for rows in fixed[0]] == [0, 13, 26, 38]  # at most 16, all but equal
    assert fixed[0] == fixed[1] and list(itertools.chain(*fixed[0])) == list(range(50))
    uneven = batches(even_batches=False)
    assert [len(rows) for rows in uneven[0]] == [16, 16, 16, 2]
    assert drawn[0] != drawn[1]
    assert sorted(itertools.chain(*drawn[0])) == list(range(50))


def test_training_in_parts_equals_training_at_once():
    recipe = Recipe(batch_size=16)
    parts, whole = trainer(recipe, dropout=0.25), trainer(recipe, dropout=0.25)
    for epochs in (2, 3, 7):
        parts.run(epochs)
    whole.run(7)
    for one, other in zip(parts.net.parameters(), whole.net.parameters(), strict=True):
        assert torch.equal(one, other)
    assert parts.history == whole.history and parts.epochs == 7


def test_the_rule_ends_training_before_the_last_epoch():
    one = trainer(Recipe(**PLAIN), rule=StoppingRule(tolerance=1.0, patience=4))
    one.run(100)
    assert one.finished and one.epochs == 5


def test_predictions_for_the_weights_are_refreshed_every_few_epochs():
    one = trainer(Recipe(**PLAIN), cost="f1")
    one.run(2)
    assert one.reweighter.remembered is None
    one.run(3)
    first = one.reweighter.remembered
    assert first.shape == (3, 50, 3)
    one.run(4)
    assert one.reweighter.remembered is first
    one.run(5)
    assert one.reweighter.remembered is not first


def test_features_too_large_for_single_precision_are_refused():
    with pytest.raises(ValueError, match="too large for single precision"):
        Rows(np.array([[1e39]]), CPU)


def test_a_device_that_is_not_there_is_refused():
    assert choose_device("cpu").type == "cpu"
    assert choose_device("auto").type in ("cpu", "cuda")
    with pytest.raises(ValueError, match="must be one of auto, cpu, cuda"):
        choose_device("gpu")
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="no CUDA device here; use device='auto'"):
            choose_device("cuda")


def test_features_that_are_not_scaled_are_told_and_scaling_is_built_in():
    rng = np.random.default_rng(6)
    X = rng.normal(300, 50, (80, 3))
    Y = (X > 300).astype(int)
    net = RethinkNet(hidden=8, features=8, epochs=30, random_state=0)
    with pytest.warns(UserWarning, match=r'feature \d is about 3\d\d in size.*scaling="unit"'):
        net.fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        scaled = clone(net).set_params(scaling="unit").fit(X, Y)
        outside = clone(net).fit(UnitScaler().fit_transform(X), Y)
    expected = outside.predict_proba(UnitScaler().fit(X).transform(X + 1))
    np.testing.assert_array_equal(scaled.predict_proba(X + 1), expected)
    chosen = search(scaled, {"l2": [1e-3, 1e-5]}, X, Y, ["f1"], seed=0)["f1"]
    again = search(outside, {"l2": [1e-3, 1e-5]}, UnitScaler().fit_transform(X), Y, ["f1"], seed=0)
    assert chosen.fold_scores == again["f1"].fold_scores
