"""Image models on disk."""

import json

import pytest
from sklearn.base import clone

from rethink.models.att_rnn import AttentionRNN
from rethink.models.cnn_rnn import CNNRNN
from rethink.models.dense_relevance import DenseRelevance
from rethink.models.resnet import SmallCNN
from tests.rethink.test_image_models import HEADS, X, Y, images


@pytest.mark.parametrize("net", HEADS)
def test_a_saved_net_predicts_the_same_after_loading(net, tmp_path):
    net = clone(net).set_params(epochs=20, learning_rate=0.02).fit(X, Y)
    net.save(tmp_path / "net")
    loaded = type(net).load(tmp_path / "net")
    assert net.predict(X).any()
    assert loaded.predict(X).tobytes() == net.predict(X).tobytes()
    assert loaded.loss_history_ == net.loss_history_ and loaded.epochs_ == 20
    assert loaded.get_params() == net.get_params()
    assert clone(loaded).fit(X, Y).loss_history_ == net.loss_history_


def test_an_extractors_weights_are_saved_and_its_code_is_given(tmp_path):
    made, labels = images(12)
    net = AttentionRNN(hidden=4, epochs=2, random_state=0, extractor=SmallCNN(8))
    net.fit(made, labels).save(tmp_path)
    with pytest.raises(ValueError, match="saved without extractor"):
        AttentionRNN.load(tmp_path)
    loaded = AttentionRNN.load(tmp_path, extractor=SmallCNN(8, seed=5))
    assert loaded.predict_proba(made).tobytes() == net.predict_proba(made).tobytes()


def test_only_complete_and_fitting_files_are_loaded(tmp_path):
    net = CNNRNN(hidden=4, epochs=1, random_state=0).fit(X, Y)
    net.save(tmp_path)
    with pytest.raises(ValueError, match="holds a CNNRNN, not a DenseRelevance"):
        DenseRelevance.load(tmp_path)
    weights, description = tmp_path / "weights.safetensors", tmp_path / "model.json"
    changed = json.loads(description.read_text())
    changed["shape"]["embedding"] = 7
    description.write_text(json.dumps(changed))
    with pytest.raises(ValueError, match=r"does not fit its model\.json: 0\.embedding differs"):
        CNNRNN.load(tmp_path)
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(ValueError, match="cannot be read"):
        CNNRNN.load(tmp_path)
