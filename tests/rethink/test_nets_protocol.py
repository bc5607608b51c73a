"""The options of training that the benchmark uses, for every net."""

import numpy as np
import pytest
import torch
from sklearn.base import clone

from rethink.costs import get_cost
from rethink.models.att_rnn import AttentionRNN
from rethink.models.chain_rnn import ChainRNN
from rethink.models.cnn_rnn import CNNRNN
from rethink.models.dense_relevance import DenseRelevance
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from rethink.nets.weights import Reweighter
from rethink.search import search, search_and_fit
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=240, features=6, labels=4, seed=3)
X, Y = SAMPLE.X, SAMPLE.Y
SMALL = {"random_state": 0, "epochs": 3}
NETS = [
    RethinkNet("f1", hidden=8, features=8, **SMALL),
    ChainRNN(hidden=8, features=8, **SMALL),
    BinaryRelevance(hidden=8, **SMALL),
    DenseRelevance(**SMALL),
    CNNRNN(hidden=8, embedding=8, **SMALL),
    AttentionRNN(patches=3, hidden=8, attention=8, **SMALL),
]


def sparse_labels(rows=662, labels=27, features=40):
    """Features that tell the labels of a row, of which most have one or none."""
    rng = np.random.default_rng(0)
    made = (rng.random((rows, labels)) < 0.045).astype(int)
    seen = made @ rng.normal(size=(labels, features)) + rng.normal(0, 0.3, (rows, features))
    return (seen - seen.min(0)) / (seen.max(0) - seen.min(0)), made


@pytest.mark.parametrize(
    ("net", "cost"),
    [
        (BinaryRelevance(hidden=32), "hamming"),
        (RethinkNet(hidden=32, features=32, learning_rate=0.01), "hamming"),
        (DenseRelevance(learning_rate=0.01), "f1"),
    ],
)
def test_a_search_does_not_take_a_plateau_of_no_labels_for_the_optimum(net, cost):
    features, labels = sparse_labels()
    net = clone(net).set_params(most_epochs=300, patience=20, random_state=0)
    [(chosen, fitted)] = search_and_fit(net, {}, features[:500], labels[:500], [cost], seed=0)
    predicted = fitted.predict(features[500:])
    assert chosen.params["epochs"] > 100
    assert predicted.any() and (predicted != labels[500:]).mean() < 0.8 * labels[500:].mean()


def test_labels_that_no_row_has_do_not_prolong_a_search():
    net = BinaryRelevance(hidden=4, most_epochs=2000, patience=4, learning_rate=0.01)
    net.set_params(l2=0.0, random_state=0)
    noise = np.random.default_rng(0).random((60, 3))
    assert search(net, {}, noise, np.zeros((60, 2)), ["f1"], seed=0)["f1"].params["epochs"] < 2000


class Unlucky(ChainRNN):
    """A net whose first `bad` starts never leave their initial weights."""

    bad = 1

    def trainer(self, *given):
        started = getattr(self, "restarts_", 0)
        rate = self.learning_rate
        self.learning_rate = 1e-9 if started < self.bad else rate
        try:
            return super().trainer(*given)
        finally:
            self.learning_rate = rate


@pytest.mark.parametrize(("bad", "restarts"), [(0, 0), (1, 1), (9, 2)])
def test_a_blind_net_is_trained_again_from_other_weights(bad, restarts):
    net = Unlucky(hidden=8, features=8, learning_rate=0.05, epochs=60, random_state=0)
    net.bad = bad
    predicted = net.fit(X, Y).predict(X)
    assert net.restarts_ == restarts
    assert (predicted == predicted[0]).all() == (bad > 2)


def test_equal_labels_are_no_sign_of_a_blind_net():
    net = ChainRNN(hidden=8, features=8, **SMALL).fit(X, np.tile([1, 0, 1], (len(X), 1)))
    assert net.restarts_ == 0


@pytest.mark.parametrize("net", NETS)
def test_a_falling_rate_and_averaged_weights_change_every_net(net):
    base = clone(net).set_params(schedule="constant", average=False, batch_size=32)
    fits = [base, clone(base).set_params(schedule="falling"), clone(base).set_params(average=True)]
    constant, falling, averaged = (fit.fit(X, Y) for fit in fits)
    assert constant.loss_history_ != falling.loss_history_
    assert constant.loss_history_ == averaged.loss_history_
    one, other = (fit.nets_[0].penalised()[0] for fit in (constant, averaged))
    assert not torch.equal(one, other)


def test_the_rate_falls_and_the_average_follows_by_their_formulas():
    net = BinaryRelevance(hidden=4, batch_size=64, learning_rate=0.01, random_state=0)
    net.set_params(schedule="falling", average=True)
    trainer = net.trainer(net.data(X, Y), np.arange(240))
    average, rates = 0.0, []
    for k, index in enumerate(np.array_split(np.arange(240), 6), start=1):
        trainer.step(index)
        average = average + (trainer.net.first.detach() - average) * 9 / (k + 8)
        rates.append(trainer.optimiser.nadam.param_groups[0]["lr"])
        torch.testing.assert_close(trainer.trained.first.detach(), average)
    np.testing.assert_allclose(rates, 0.01 / np.sqrt(1 + np.arange(1, 7) / 1000))


def test_a_holdout_of_one_fold_chooses_penalty_and_epochs():
    net = BinaryRelevance(hidden=8, random_state=0)
    grid = {"l2": [1e-5, 1e-6, 1e-8]}
    [(chosen, fitted)] = search_and_fit(net, grid, X, Y, ["f1"], seed=0)
    assert {score["fold"] for score in chosen.fold_scores} == {0}
    assert chosen.params["l2"] in grid["l2"]
    assert chosen.params["epochs"] in (6, 11, 16, 22, 32, 45, 60, 85, 120, 170, 240, 340, 480)
    assert fitted.epochs_ == chosen.params["epochs"]


def test_weights_from_the_first_iteration_are_from_its_own_prediction():
    rng = np.random.default_rng(0)
    logits, labels = torch.from_numpy(rng.normal(size=(2, 3, 5))), rng.integers(0, 2, (3, 5))
    y, cost = torch.from_numpy(labels).double(), get_cost("f1")
    result = Reweighter(cost, "step", first=1)(logits, y, np.arange(3))
    for step in (0, 1):
        expected = cost.weights(labels, (logits[0] > 0).int().numpy())
        np.testing.assert_allclose(result[step], expected / expected.mean())


def test_a_net_of_one_iteration_is_trained_for_the_cost_if_its_first_is_weighted():
    net = RethinkNet(hidden=8, features=8, iterations=1, weights_from=1, **SMALL)
    plain, paper = (clone(net).set_params(cost="f1", **facts) for facts in NO_WEIGHTS)
    assert net.fit_uses_cost and not plain.fit_uses_cost and not paper.fit_uses_cost
    fits = {cost: clone(net).set_params(cost=cost).fit(X, Y) for cost in ("rank", "f1", "hamming")}
    result = {cost: fit.predict_proba(X).tobytes() for cost, fit in fits.items()}
    assert len(set(result.values())) == 3
    assert result["hamming"] == plain.fit(X, Y).predict_proba(X).tobytes()


NO_WEIGHTS = [{"reweight": None}, {"weights_from": 2}]


@pytest.mark.parametrize("net", NETS)
def test_an_ensemble_is_the_mean_of_nets_of_its_own_and_is_saved_whole(net, tmp_path):
    three = clone(net).set_params(ensemble=3).fit(X, Y)
    assert len(three.nets_) == 3
    rows = three.rows(X)
    each = [one.predict(rows, np.arange(240))[-1].numpy() for one in three.nets_]
    assert any((one != each[0]).any() for one in each[1:]) or isinstance(net, CNNRNN)
    np.testing.assert_array_equal(three.predict(X), np.mean(each, axis=0) > 0.5)
    single = clone(net).fit(X, Y)
    assert single.loss_history_ == three.loss_history_
    three.save(tmp_path)
    loaded = type(net).load(tmp_path)
    assert loaded.predict(X).tobytes() == three.predict(X).tobytes()
    assert loaded.loss_jumps_ == three.loss_jumps_


def test_paired_nets_share_initial_weights_and_batches():
    base = RethinkNet("f1", hidden=8, features=8, random_state=0)
    others = [
        {"rnn": "srn"},
        {"rnn": "gru"},
        {"reweight": None},
        {"cost": "rank"},
        {"dropout": 0.0},
    ]
    data, index = base.data(X, Y), np.arange(240)
    first = base.trainer(data, index)
    batches = [rows.tolist() for rows in first.batches()]
    for other in others:
        trainer = clone(base).set_params(**other).trainer(data, index)
        for name in ("first", "output") + (("recurrent",) if "rnn" not in other else ()):
            assert torch.equal(trainer.net.get_parameter(name), first.net.get_parameter(name))
        assert [rows.tolist() for rows in trainer.batches()] == batches


@pytest.mark.parametrize("net", NETS)
def test_torch_has_one_thread_inside_and_its_own_number_outside(net, monkeypatch):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        seen, kind = [], type(clone(net).fit(X, Y).nets_[0])
        loss = kind.loss

        def spy(self, *given):
            seen.append(torch.get_num_threads())
            return loss(self, *given)

        monkeypatch.setattr(kind, "loss", spy)
        clone(net).fit(X, Y).predict(X)
        assert torch.get_num_threads() == 2 and set(seen) == {1}
        clone(net).set_params(threads=None).fit(X, Y)
        assert set(seen) == {1, 2}
    finally:
        torch.set_num_threads(before)


def test_progress_is_printed_on_request(capsys):
    net = BinaryRelevance(hidden=4, epochs=12, random_state=0).fit(X, Y)
    assert capsys.readouterr().out == ""
    net.set_params(verbose=1).fit(X, Y)
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("epoch 10 of 12: training loss 0.") and last.startswith("epoch 12")


def test_a_jump_of_the_loss_is_recorded():
    calm = BinaryRelevance(hidden=64, epochs=20, random_state=0).fit(X, Y)
    wild = clone(calm).set_params(learning_rate=10.0, schedule="constant", batch_size=32).fit(X, Y)
    assert calm.loss_jumps_ == []
    history = wild.loss_history_
    assert (
        wild.loss_jumps_ == [n + 1 for n in range(1, 20) if history[n] > 2 * history[n - 1]] != []
    )


def test_a_chain_learns_with_its_defaults():
    sample = generate("logistic-chain", instances=600, features=6, labels=8, seed=1)
    net = ChainRNN(hidden=32, features=32, epochs=80, random_state=0).fit(sample.X, sample.Y)
    zeros = sample.Y.mean()
    assert (net.predict(sample.X) != sample.Y).mean() < 0.8 * min(zeros, 1 - zeros)


@pytest.mark.parametrize("net", NETS, ids=lambda net: type(net).__name__)
def test_gradients_are_shortened_to_the_limit_and_keep_their_direction(net):
    def gradient(clip):
        each = clone(net).set_params(clip=clip)
        checked = each._check_fit(*([np.tile(X, 3), Y] if type(net) is AttentionRNN else [X, Y]))
        trainer = each.trainer(each.data(*checked), np.arange(len(Y)))
        torch.manual_seed(0)  # of dropout
        trainer.step(np.arange(len(Y)))
        return torch.cat([p.grad.flatten() for p in trainer.net.parameters()])

    full, short = gradient(None), gradient(1e-3)
    assert full.norm() > 1e-3
    torch.testing.assert_close(short, full * (1e-3 / full.norm()), rtol=1e-3, atol=1e-9)
    torch.testing.assert_close(gradient(1e3), full, rtol=0, atol=0)
