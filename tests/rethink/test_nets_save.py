import json

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rethink
from rethink.costs import Cost, get_cost
from rethink.costs.extra.asymmetric import Asymmetric
from rethink.models.chain_rnn import ChainRNN
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=60, features=5, labels=3, seed=3)
X, Y = SAMPLE.X, SAMPLE.Y
SMALL = {"hidden": 4, "epochs": 2, "random_state": 0}
NETS = [
    RethinkNet(**SMALL, features=None, cost="f1"),
    RethinkNet(**SMALL, rnn="srn", output="identity"),
    RethinkNet(**SMALL, cost=get_cost("rank"), rnn="gru", gate="hard"),
    ChainRNN(**SMALL),
    BinaryRelevance(**SMALL),
]


@pytest.mark.parametrize("net", NETS)
def test_a_saved_net_predicts_the_same_after_loading(net, tmp_path):
    net = clone(net).fit(X, Y)
    net.save(tmp_path / "net")
    loaded = type(net).load(tmp_path / "net")
    assert loaded.predict_proba(X).tobytes() == net.predict_proba(X).tobytes()
    assert loaded.predict(X).dtype == net.predict(X).dtype
    assert loaded.loss_history_ == net.loss_history_ and loaded.epochs_ == 2
    assert loaded.n_features_in_ == 5
    assert {f.name for f in (tmp_path / "net").iterdir()} == {"weights.safetensors", "model.json"}


def test_settings_come_back_with_the_net(tmp_path):
    RethinkNet(**SMALL, cost="rank", l2=np.float32(0.5), iterations=np.int64(2)).fit(X, Y).save(
        tmp_path
    )
    loaded = RethinkNet.load(tmp_path)
    assert (loaded.cost, loaded.l2, loaded.hidden, loaded.random_state) == ("rank", 0.5, 4, 0)
    assert loaded.iterations == 2
    again = clone(loaded).fit(X, Y)
    assert again.predict_proba(X).tobytes() == loaded.predict_proba(X).tobytes()


class Silly(Cost):
    def values(self, Y, P, empty):
        return (Y != P).any(axis=1)


def test_a_cost_of_ones_own_has_to_be_given_again(tmp_path):
    net = RethinkNet(**SMALL, cost=Silly()).fit(X, Y)
    net.save(tmp_path)
    with pytest.raises(ValueError, match=r"saved without cost.*give it: RethinkNet.load\(path"):
        RethinkNet.load(tmp_path)
    loaded = RethinkNet.load(tmp_path, cost=Silly())
    np.testing.assert_array_equal(loaded.predict(X), net.predict(X))


def test_an_extractors_weights_are_saved_and_its_code_is_given(tmp_path):
    def layers():
        return torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Linear(6, 4), torch.nn.BatchNorm1d(4)
        )

    images = np.random.default_rng(0).random((60, 2, 3))
    net = RethinkNet(**SMALL, extractor=layers()).fit(images, Y)
    net.save(tmp_path)
    with pytest.raises(ValueError, match="saved without extractor"):
        RethinkNet.load(tmp_path)
    loaded = RethinkNet.load(tmp_path, extractor=layers())
    assert loaded.predict_proba(images).tobytes() == net.predict_proba(images).tobytes()


def test_only_complete_and_fitting_files_are_loaded(tmp_path):
    net = BinaryRelevance(**SMALL).fit(X, Y)
    with pytest.raises(FileNotFoundError, match="holds no completely saved model"):
        BinaryRelevance.load(tmp_path)
    net.save(tmp_path)
    with pytest.raises(ValueError, match="holds a BinaryRelevance, not a RethinkNet"):
        RethinkNet.load(tmp_path)
    weights, description = tmp_path / "weights.safetensors", tmp_path / "model.json"
    whole, text = weights.read_bytes(), description.read_text()
    weights.write_bytes(whole[:-10])
    with pytest.raises(ValueError, match="cannot be read"):
        BinaryRelevance.load(tmp_path)
    weights.write_bytes(whole)
    changed = json.loads(text)
    changed["shape"]["labels"] = 7
    description.write_text(json.dumps(changed))
    with pytest.raises(ValueError, match=r"does not fit its model\.json: 0\.output differs"):
        BinaryRelevance.load(tmp_path)
    description.write_text(text[:20])
    with pytest.raises(ValueError, match="is not a model's description"):
        BinaryRelevance.load(tmp_path)
    description.write_text('{"version": 9}')
    with pytest.raises(ValueError, match="version 9, but this program reads 2"):
        BinaryRelevance.load(tmp_path)


def test_a_net_without_fit_cannot_be_saved(tmp_path):
    with pytest.raises(NotFittedError):
        BinaryRelevance().save(tmp_path)


def test_scaling_names_and_an_asymmetric_cost_are_saved(tmp_path):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(50, 20, (60, 2)), columns=["a", "b"])
    Y = pd.DataFrame({"sun": X.a > 50, "sea": X.b > 50}).astype(int)
    small = {"hidden": 4, "features": 4, "epochs": 3, "random_state": 0}
    model = RethinkNet(Asymmetric(missed=5, false_alarm=1), scaling="unit", **small).fit(X, Y)
    model.save(tmp_path)
    loaded = rethink.load(tmp_path)
    assert repr(loaded.cost) == repr(model.cost)
    assert loaded.label_names_.tolist() == ["sun", "sea"]
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_a_cost_with_arrays_is_given_again(tmp_path):
    X, Y = np.zeros((8, 1)), np.eye(2)[[0, 1] * 4]
    cost = Asymmetric(missed=np.array([5.0, 1.0]))
    RethinkNet(cost, hidden=2, features=2, epochs=1).fit(X, Y).save(tmp_path)
    with pytest.raises(ValueError, match="saved without cost"):
        rethink.load(tmp_path)
    assert rethink.load(tmp_path, cost=cost).predict(X).shape == Y.shape
