"""The neural estimators as a user sees them."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone

from rethink.costs import Cost, get_cost
from rethink.models import MODELS, is_cost_sensitive, shares_fits
from rethink.models.chain_rnn import ChainRNN
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from rethink.synthetic import generate

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = generate("logistic-chain", instances=200, features=5, labels=4, seed=3)
X, Y = SAMPLE.X, SAMPLE.Y
TINY = {"hidden": 8, "epochs": 3, "random_state": 0}
SMALL = {"hidden": 8, "features": 8, "epochs": 3, "random_state": 0}
NETS = [RethinkNet(**SMALL), ChainRNN(**SMALL), BinaryRelevance(**TINY)]


def weights_of(net):
    return [w.numpy().tobytes() for one in net.nets_ for w in one.state_dict().values()]


def test_the_nets_are_found_and_only_rethinknet_is_trained_for_a_cost():
    assert {"RethinkNet", "ChainRNN", "BinaryRelevance"} <= set(MODELS)
    assert is_cost_sensitive(RethinkNet) and not shares_fits(RethinkNet())
    assert shares_fits(ChainRNN()) and shares_fits(BinaryRelevance())
    assert "NetEstimator" not in MODELS


@pytest.mark.parametrize("first", ["rethink.nets.estimator", "rethink.search"])
def test_whatever_is_imported_first_the_models_do_not_load_torch(first):
    code = f"import {first}, sys, rethink.models; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("net", NETS)
def test_predictions_are_probabilities_above_one_half(net):
    net = clone(net).fit(X, Y.astype(np.int64))
    proba = net.predict_proba(X)
    assert proba.shape == (200, 4) and proba.dtype == float
    assert ((proba > 0) & (proba < 1)).all()
    np.testing.assert_array_equal(net.predict(X), proba > 0.5)
    assert net.predict(X).dtype == np.int64
    assert net.epochs_ == len(net.loss_history_) == 3


def test_iterations_end_in_the_prediction():
    net = RethinkNet(**SMALL, iterations=4, cost="f1").fit(X, Y)
    steps, proba = net.predict_iterations(X), net.predict_proba_iterations(X)
    assert steps.shape == proba.shape == (4, 200, 4) and steps.dtype == np.uint8
    np.testing.assert_array_equal(steps, proba > 0.5)
    np.testing.assert_array_equal(steps[-1], net.predict(X))
    assert not np.allclose(proba[0], proba[1])


@pytest.mark.parametrize("net", NETS)
def test_equal_seeds_give_equal_bytes_and_others_do_not(net):
    fits = [clone(net).set_params(random_state=seed).fit(X, Y) for seed in (0, 0, 1)]
    assert weights_of(fits[0]) == weights_of(fits[1]) != weights_of(fits[2])
    assert fits[0].loss_history_ == fits[1].loss_history_


def test_fitting_leaves_the_global_random_numbers_alone():
    extractor = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.Dropout(0.5))
    state, numpy_state = torch.get_rng_state(), np.random.get_state()[1].copy()
    fits = [RethinkNet(**SMALL, extractor=extractor).fit(X, Y) for _ in range(2)]
    assert torch.equal(torch.get_rng_state(), state)
    assert (np.random.get_state()[1] == numpy_state).all()
    assert weights_of(fits[0]) == weights_of(fits[1])


@pytest.mark.parametrize("net", NETS)
def test_sparse_rows_give_the_results_of_dense_ones(net):
    sparse = sp.csr_matrix(np.where(X > 0, X, 0))
    one = clone(net).fit(sparse.toarray(), Y).predict_proba(sparse.toarray())
    other = clone(net).fit(sparse, sp.csr_array(Y)).predict_proba(sparse)
    np.testing.assert_allclose(other, one, atol=1e-5)


def test_a_wide_sparse_matrix_is_never_made_dense(monkeypatch):
    rng = np.random.default_rng(0)
    wide = sp.random(60, 200_000, 1e-4, format="csr", rng=rng)
    monkeypatch.setattr(sp.csr_matrix, "toarray", lambda self: pytest.fail("made dense"))
    monkeypatch.setattr(sp.csr_array, "toarray", lambda self: pytest.fail("made dense"))
    net = BinaryRelevance(hidden=2, epochs=1, random_state=0).fit(wide, Y[:60])
    assert net.predict_proba(wide).shape == (60, 4)


def test_the_hamming_loss_is_training_without_weights():
    blind = weights_of(RethinkNet(**SMALL, cost="hamming").fit(X, Y))
    assert weights_of(RethinkNet(**SMALL, cost="f1", reweight=None).fit(X, Y)) == blind
    assert weights_of(RethinkNet(**SMALL, cost="f1").fit(X, Y)) != blind
    assert weights_of(RethinkNet(**SMALL, cost="f1", reweight="period").fit(X, Y)) != blind


class MissedOnly(Cost):
    def values(self, Y, P, empty):
        return (Y * (1 - P)).sum(axis=1)


def test_a_cost_of_ones_own_is_trained_for():
    net = RethinkNet(**SMALL).set_params(epochs=30, learning_rate=0.01)
    own = clone(net).set_params(cost=MissedOnly()).fit(X, Y).predict(X)
    assert own.mean() > 0.9 > 0.6 > net.fit(X, Y).predict(X).mean()


@pytest.mark.parametrize("cost", ["rank", "f1"])
def test_training_for_a_cost_beats_training_blind(cost):
    sample = generate("logistic-chain", instances=1500, features=6, labels=6, seed=1)
    train, test = slice(0, 1000), slice(1000, None)
    blind = RethinkNet(cost, hidden=24, features=24, epochs=60, reweight=None, random_state=0)
    blind.set_params(learning_rate=0.005)
    scores = []
    for net in (clone(blind).set_params(reweight="step"), blind):
        P = net.fit(sample.X[train], sample.Y[train]).predict(sample.X[test])
        scores.append(get_cost(cost)(sample.Y[test], P).mean())
    gain = scores[0] - scores[1] if cost == "f1" else scores[1] - scores[0]
    assert gain > 0.05


@pytest.mark.parametrize("rnn", ["lstm", "gru", "srn", "irnn"])
def test_a_tiny_set_is_learnt_by_heart(rnn):
    rng = np.random.default_rng(0)
    small, labels = rng.random((30, 10)), rng.integers(0, 2, (30, 3))
    net = RethinkNet(rnn=rnn, hidden=24, features=32, dropout=0, l2=0, epochs=400)
    net.set_params(learning_rate=0.01, random_state=0).fit(small, labels)
    assert get_cost("hamming")(labels, net.predict(small)).sum() == 0


def test_training_ends_by_the_loss_or_after_the_given_epochs():
    net = RethinkNet(hidden=8, features=8, l2=0.1, learning_rate=0.02, random_state=0)
    net.set_params(tolerance=0.01, patience=5)
    by_loss = clone(net).set_params(epochs=60, stopping="loss").fit(X, Y)
    assert 5 < by_loss.epochs_ < 60
    assert net.set_params(epochs=60).fit(X, Y).epochs_ == 60


def test_the_memory_matrix_has_targets_in_rows():
    net = RethinkNet(rnn="srn", output="identity", epochs=2, random_state=0).fit(X, Y)
    memory = net.memory_matrix_
    assert memory.shape == (4, 4)
    one, two = (np.log(p / (1 - p)) for p in net.predict_proba_iterations(X)[:2])
    added = two - one  # what the first prediction adds to the second
    first = net.predict_proba_iterations(X)[0]
    np.testing.assert_allclose(added, first @ memory.T, atol=1e-4)


def test_without_identity_there_is_no_memory_matrix():
    assert not hasattr(RethinkNet(rnn="srn", **SMALL).fit(X, Y), "memory_matrix_")
    assert not hasattr(RethinkNet(rnn="srn", output="identity"), "memory_matrix_")
    with pytest.raises(ValueError, match="only the hidden units of an SRN"):
        RethinkNet(output="identity").fit(X, Y)


def test_an_extractor_is_trained_end_to_end_and_stays_as_it_was_outside():
    images = np.random.default_rng(0).random((40, 1, 6, 6))
    labels = np.stack([images.mean((1, 2, 3)) > 0.5, images[:, 0, 0, 0] > 0.5], axis=1)
    torch.manual_seed(0)
    extractor = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU(), torch.nn.Flatten()
    )
    before = {name: value.clone() for name, value in extractor.state_dict().items()}
    net = RethinkNet(**SMALL, extractor=extractor).fit(images, labels)
    for name, value in net.nets_[0].extractor.state_dict().items():
        assert torch.equal(before[name], extractor.state_dict()[name])
        assert not torch.equal(before[name], value), name
    assert net.predict(images[:7]).shape == (7, 2)
    np.testing.assert_allclose(net.predict_proba(images[:1]), net.predict_proba(images)[:1])


def test_an_extractor_must_give_vectors():
    with pytest.raises(ValueError, match=r"shape \(1, 4, 3\) for one instance"):
        RethinkNet(**SMALL, extractor=torch.nn.Unflatten(1, (4, 3))).fit(np.ones((9, 12)), Y[:9])


@pytest.mark.parametrize("net", NETS)
def test_degenerate_data_train_without_warnings_or_nan(net):
    constant = Y.copy()
    constant[:, 0], constant[:, 1] = 0, 1
    cases = [(X, constant), (X, Y[:, :1]), (X[:, :1], Y), (X, 0 * Y), (X[:1], Y[:1]), (0 * X, Y)]
    costs = [{"cost": name} for name in ("rank", "f1")] if isinstance(net, RethinkNet) else [{}]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for features, labels in cases:
            for cost in costs:
                fitted = clone(net).set_params(**cost).fit(features, labels)
                assert np.isfinite(fitted.predict_proba(features)).all()
                assert fitted.predict(features).shape == labels.shape


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"rnn": "elman"}, "'rnn' parameter is 'elman', but needs one of 'lstm', 'gru', 'srn'"),
        ({"cost": "ranks"}, "unknown cost 'ranks'; did you mean 'rank'"),
        ({"iterations": 0}, "'iterations' parameter is 0, but needs a whole number from 1"),
        ({"iterations": 2.0}, "'iterations' parameter is 2.0"),
        ({"parameters": 0}, "needs a whole number from 1, or None"),
        ({"dropout": 1.0}, "'dropout' parameter is 1.0, but needs a number from 0 and below 1"),
        ({"l2": -1e-5}, "'l2' parameter is -1e-05, but needs a number from 0"),
        ({"l2": float("nan")}, "'l2' parameter"),
        ({"l2": float("inf")}, "'l2' parameter"),
        ({"average": 1}, "'average' parameter is 1, but needs one of True, False"),
        ({"reweight": "always"}, "'reweight' parameter"),
        ({"stopping": "never"}, "'stopping' parameter"),
        ({"gate": "soft"}, "'gate' parameter"),
        ({"device": "tpu"}, "'device' parameter"),
        ({"learning_rate": 0}, "'learning_rate' parameter is 0, but needs a number above 0"),
    ],
)
def test_wrong_settings_are_refused_with_what_is_valid(setting, message):
    with pytest.raises(ValueError, match=message):
        RethinkNet(**setting).fit(X, Y)


def test_numbers_of_numpy_are_numbers():
    net = RethinkNet(epochs=np.int64(1), l2=np.float32(0.1), average=np.True_, random_state=0)
    assert net.fit(X, Y).epochs_ == 1


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        (X, Y[:, 0], "needs two dimensions"),
        (X, Y[:9], "X has 200 rows but Y has 9"),
        (X, Y + 1, "labels are 0 or 1"),
        (np.where(X > 0.9, np.nan, X), Y, "contains NaN"),
        (X * 1e300, Y, "too large for single precision"),
    ],
)
def test_wrong_data_are_refused_with_what_is_needed(features, labels, message):
    for net in NETS:
        with pytest.raises(ValueError, match=message):
            clone(net).fit(features, labels)


def test_without_reweighting_one_fit_serves_all_costs():
    assert shares_fits(RethinkNet(reweight=None))


@pytest.mark.parametrize("rnn", ["srn", "irnn", "gru", "lstm"])
@pytest.mark.parametrize(("inputs", "labels"), [(103, 14), (1449, 45), (3000, 5)])
def test_a_number_of_parameters_gives_the_width_that_comes_nearest(rnn, inputs, labels):
    data = (inputs,), np.zeros((1, labels))
    shape = RethinkNet(rnn=rnn, parameters=200_000).shape(*data)
    sizes = {
        width: RethinkNet(rnn=rnn, hidden=width, features=width).shape(*data).size
        for width in range(1, 500)
    }
    assert shape.hidden == shape.features
    assert abs(shape.size - 200_000) == min(abs(size - 200_000) for size in sizes.values())
