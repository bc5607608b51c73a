"""The image models as a user sees them: on vectors, on maps, and end to end on images."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone

from rethink.costs import get_cost
from rethink.models import MODELS, shares_fits
from rethink.models.att_rnn import AttentionRNN
from rethink.models.cnn_rnn import CNNRNN
from rethink.models.dense_relevance import DenseRelevance
from rethink.models.logistic import LogisticRelevance
from rethink.models.resnet import Pooled, ResNet50, SmallCNN
from rethink.models.rethinknet import RethinkNet
from rethink.nets import network
from rethink.search import cross_validate, fold_rows, search_and_fit
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=120, features=6, labels=4, seed=3)
X, Y = SAMPLE.X, SAMPLE.Y
SMALL = {"epochs": 3, "random_state": 0}
HEADS = [
    DenseRelevance(**SMALL),
    CNNRNN(**SMALL, hidden=8, embedding=8),
    AttentionRNN(**SMALL, patches=3, hidden=8, attention=8),
]
END_TO_END = [
    DenseRelevance(random_state=0, extractor=SmallCNN(16)),
    CNNRNN(hidden=24, embedding=24, random_state=0, extractor=SmallCNN(16)),
    AttentionRNN(hidden=24, attention=16, random_state=0, extractor=SmallCNN(16)),
    RethinkNet("f1", hidden=24, features=24, random_state=0, extractor=Pooled(SmallCNN(16))),
]


def images(n, size=16, seed=0):
    """Noise with a bright square in a corner of its own for each label."""
    rng = np.random.default_rng(seed)
    labels = (rng.random((n, 4)) < 0.4).astype(int)
    made = rng.normal(0, 0.3, (n, 3, size, size))
    half = size // 2
    for number, corner in enumerate([(0, 0), (0, half), (half, 0), (half, half)]):
        top, left = corner
        made[:, number % 3, top : top + half, left : left + half] += labels[:, number, None, None]
    return made, labels


def weights_of(net):
    return [w.numpy().tobytes() for one in net.nets_ for w in one.state_dict().values()]


def test_the_models_are_found_and_one_fit_serves_all_costs():
    for net in HEADS:
        assert type(net).__name__ in MODELS and shares_fits(net)
    assert "NetEstimator" not in MODELS and "ResNet50" not in MODELS


@pytest.mark.parametrize("net", HEADS)
def test_predictions_are_labels_and_where_there_are_probabilities_they_agree(net):
    net = clone(net).fit(X, Y.astype(np.int64))
    predicted = net.predict(X)
    assert predicted.shape == (120, 4) and predicted.dtype == np.int64
    assert net.epochs_ == len(net.loss_history_) == 3
    if not isinstance(net, CNNRNN):
        proba = net.predict_proba(X)
        assert proba.dtype == float and ((proba > 0) & (proba < 1)).all()
        np.testing.assert_array_equal(predicted, proba > 0.5)


def test_paths_of_labels_have_no_probabilities_of_labels():
    assert not hasattr(CNNRNN(), "predict_proba")


@pytest.mark.parametrize("net", HEADS)
def test_equal_seeds_give_equal_bytes_and_others_do_not(net):
    fits = [clone(net).set_params(random_state=seed).fit(X, Y) for seed in (0, 0, 1)]
    assert weights_of(fits[0]) == weights_of(fits[1]) != weights_of(fits[2])


@pytest.mark.parametrize("net", HEADS)
def test_the_penalty_is_on_kernels_and_pulls_them_to_zero(net):
    net = clone(net).set_params(epochs=60, learning_rate=0.02)
    free, held = (clone(net).set_params(l2=l2).fit(X, Y) for l2 in (0.0, 1.0))
    shape = free.nets_[0].shape
    for names, shrunk in ((shape.kernels, True), (shape.free, False)):
        sizes = [squares(fit, names) for fit in (free, held)]
        assert (sizes[1] < sizes[0] / 25) == shrunk
    assert held.loss_history_[-1] > squares(held, shape.kernels)


def squares(net, names):
    return sum(float(net.nets_[0].state_dict()[name].square().sum()) for name in names)


@pytest.mark.parametrize("net", HEADS)
def test_vectors_are_learnt_by_heart(net):
    rng = np.random.default_rng(0)
    vectors, labels = rng.random((32, 48)), rng.integers(0, 2, (32, 5))
    net = clone(net).set_params(epochs=250, learning_rate=0.02, l2=0.0)
    wide = {name: 32 for name in ("hidden", "embedding") if name in net.get_params()}
    net.set_params(**wide).fit(vectors, labels)
    assert get_cost("hamming")(labels, net.predict(vectors)).sum() == 0


@pytest.mark.slow
@pytest.mark.parametrize("net", END_TO_END)
def test_images_are_learnt_by_heart_end_to_end(net):
    made, labels = images(32)
    net = clone(net).set_params(epochs=150, learning_rate=0.01, l2=0.0, batch_size=16)
    net.fit(made, labels)
    assert get_cost("hamming")(labels, net.predict(made)).sum() == 0


@pytest.mark.parametrize("net", END_TO_END)
def test_the_gradient_reaches_the_first_convolution(net):
    made, labels = images(8)
    before = next(net.extractor.parameters()).clone()
    net = clone(net).set_params(epochs=1).fit(made, labels)
    after = next(net.nets_[0].extractor.parameters())
    assert before.shape == (4, 3, 3, 3)
    assert (after != before).float().mean() > 0.9
    assert torch.equal(next(net.extractor.parameters()), before)


@pytest.mark.slow
@pytest.mark.parametrize(
    "net",
    [
        RethinkNet("rank", hidden=8, features=8, epochs=1, extractor=Pooled(ResNet50("keras"))),
        CNNRNN(hidden=8, epochs=1, extractor=ResNet50("keras")),
        AttentionRNN(hidden=8, epochs=1, extractor=ResNet50("torchvision")),
    ],
)
def test_a_resnet_is_fine_tuned_with_the_net_behind_it(net):
    made, labels = images(4, size=64)
    net.set_params(random_state=0).fit(made, labels)
    fitted = net.nets_[0].extractor
    started, ended = (getattr(module, "net", module) for module in (net.extractor, fitted))
    assert not torch.equal(started.conv1.weight, ended.conv1.weight)
    assert torch.equal(started.fc.weight, ended.fc.weight)  # the classes of ImageNet play no part
    assert net.predict(made).shape == labels.shape


def test_what_is_learnt_carries_over_to_new_images():
    made, labels = images(160)
    net = AttentionRNN(hidden=24, attention=16, extractor=SmallCNN(16), random_state=0)
    net.set_params(epochs=25, learning_rate=0.01, batch_size=32).fit(made[:120], labels[:120])
    assert get_cost("f1")(labels[120:], net.predict(made[120:])).mean() > 0.95


def test_a_dense_layer_on_vectors_is_logistic_regression():
    net = DenseRelevance(l2=1e-3, epochs=2000, learning_rate=0.02, random_state=0).fit(X, Y)
    # liblinear's objective: C times the sum over rows, one half of the squared kernel
    peer = LogisticRelevance(C=1 / (2 * 1e-3 * Y.size)).fit(X, Y)
    assert np.abs(net.predict_proba(X) - peer.predict_proba(X)).max() < 0.05
    assert (net.predict(X) == peer.predict(X)).mean() > 0.98


@pytest.mark.parametrize("net", HEADS)
def test_sparse_rows_give_the_results_of_dense_ones(net):
    sparse = sp.csr_matrix(np.where(X > 0, X, 0))
    one = clone(net).fit(sparse.toarray(), Y)
    other = clone(net).fit(sparse, sp.csr_array(Y))
    # A sparse product adds in another order: some processors round its last bits otherwise.
    for expected, given in zip(one.nets_, other.nets_, strict=True):
        torch.testing.assert_close(given.state_dict(), expected.state_dict(), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(other.predict(sparse), one.predict(sparse.toarray()))


@pytest.mark.parametrize("net", HEADS)
def test_degenerate_data_train_without_warnings_or_nan(net):
    constant = Y.copy()
    constant[:, 0], constant[:, 1] = 0, 1
    cases = [(X, constant), (X, Y[:, :1]), (X, 0 * Y), (X, 0 * Y + 1), (X[:1], Y[:1]), (0 * X, Y)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for features, labels in cases:
            fitted = clone(net).fit(features, labels)
            assert np.isfinite(fitted.loss_history_).all()
            assert fitted.predict(features).shape == labels.shape


def test_a_constant_label_is_learnt():
    for net in HEADS[1:]:
        for value in (0, 1):
            fitted = clone(net).set_params(epochs=60, learning_rate=0.02).fit(X, 0 * Y + value)
            assert (fitted.predict(X) == value).all()


def test_rows_that_do_not_hold_the_patches_are_refused():
    with pytest.raises(ValueError, match="rows of 6 features do not hold 49 patches of equal size"):
        AttentionRNN(hidden=4).fit(X, Y)


@pytest.mark.parametrize("net", HEADS)
def test_an_extractor_must_give_vectors_or_maps(net):
    net = clone(net).set_params(extractor=torch.nn.Unflatten(1, (3, 2)))
    with pytest.raises(ValueError, match=r"shape \(1, 3, 2\) for one instance, but a vector"):
        net.fit(X, Y)


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (CNNRNN(beam=0), "'beam' parameter"),
        (CNNRNN(embedding=0), "'embedding' parameter"),
        (AttentionRNN(threshold=1.0), "'threshold' parameter"),
        (AttentionRNN(patches=0), "'patches' parameter"),
        (DenseRelevance(l2=-1), "'l2' parameter"),
    ],
)
def test_wrong_settings_are_refused(net, message):
    with pytest.raises(ValueError, match=message):
        net.fit(X, Y)


@pytest.mark.parametrize("net", HEADS)
def test_the_race_of_strengths_values_what_a_plain_search_does(net):
    net = clone(net).set_params(stopping="loss")
    points, parts = [{"l2": 1.0}, {"l2": 1e-5}], fold_rows(120, 3, seed=0)
    costs = [get_cost("hamming"), get_cost("f1")]
    ours = net.cross_validate(points, X, Y, parts, costs)
    plain = cross_validate(net, points, X, Y, parts, costs)
    assert [[t.values for t in row] for row in ours] == [[t.values for t in row] for row in plain]


def test_costs_share_fits_in_a_search():
    net = CNNRNN(hidden=8, embedding=8, random_state=0)
    grid = {"l2": [1e-2], "epochs": [2], "stopping": ["loss"]}
    models = [fitted for _, fitted in search_and_fit(net, grid, X, Y, ["f1", "rank"], seed=0)]
    assert models[0] is models[1]


def half_on_any_device(device):
    return torch.autocast(device.type, dtype=torch.bfloat16)


@pytest.mark.parametrize("net", END_TO_END[:3])
def test_in_mixed_precision_all_types_fit_and_training_is_about_the_same(net, monkeypatch):
    made, labels = images(24)
    net = clone(net).set_params(epochs=4, learning_rate=0.01)
    single = clone(net).fit(made, labels)
    monkeypatch.setattr(network, "mixed_precision", half_on_any_device)
    half = clone(net).fit(made, labels)
    assert {weight.dtype for weight in half.nets_[0].parameters()} == {torch.float32}
    assert half.loss_history_ != single.loss_history_
    np.testing.assert_allclose(half.loss_history_, single.loss_history_, rtol=0.05)
    assert half.predict(made).shape == labels.shape


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("net", END_TO_END)
def test_training_on_a_gpu_is_about_the_same(net):
    made, labels = images(24)
    fits = [
        clone(net).set_params(epochs=4, device=device).fit(made, labels)
        for device in ("cpu", "cuda")
    ]
    np.testing.assert_allclose(fits[0].loss_history_, fits[1].loss_history_, rtol=0.05)
