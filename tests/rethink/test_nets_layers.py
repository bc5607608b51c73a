"""Layers, nets, losses and their gradients against plain NumPy loops in double precision."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from rethink.nets.recurrent import RecurrentShape
from rethink.nets.rows import Rows

CPU = torch.device("cpu")
LAYERS = ["lstm", "gru", "srn", "irnn"]
GATES = [(rnn, hard) for rnn in LAYERS for hard in (False, True) if not hard or rnn in LAYERS[:2]]


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def numpy_step(rnn, hard, z, U, b, h, c, mask):
    """One step of the authors' net, written once more gate by gate."""
    H = len(U)
    gate = (lambda v: np.clip(0.2 * v + 0.5, 0, 1)) if hard else sigmoid
    part = [slice(k * H, (k + 1) * H) for k in range(4)]
    masked = mask * h

    def before(k, recurrent):
        return z[:, part[k]] + recurrent @ U[:, part[k]] + b[part[k]]

    if rnn == "srn":
        return sigmoid(before(0, masked)), c
    if rnn == "irnn":
        return np.maximum(before(0, masked), 0), c
    if rnn == "lstm":
        i, f, o = (gate(before(k, masked)) for k in range(3))
        c = f * c + i * sigmoid(before(3, masked))
        return o * sigmoid(c), c
    u, r = (gate(before(k, masked)) for k in range(2))
    return u * h + (1 - u) * sigmoid(before(2, r * masked)), c


def numpy_logits(shape, w, x, mask):
    first = np.maximum(x @ w["first"] + w["first_bias"], 0) if shape.features else x
    z, bias = first @ w["input"], w[f"{shape.rnn}_bias"]
    h = c = np.zeros((len(x), shape.hidden))
    steps = []
    for _ in range(shape.steps):
        h, c = numpy_step(shape.rnn, shape.hard_gates, z, w["recurrent"], bias, h, c, mask)
        steps.append(h @ w["output"] + w["output_bias"])
    return np.array(steps)


def numbers(net):
    return {name: weight.detach().numpy() for name, weight in net.named_parameters()}


def drawn(shape, noise=0.0):
    """A net in double precision with initial weights, and some noise on all of them."""
    rng, net = np.random.default_rng(0), shape.net().double()
    net.draw(0)
    with torch.no_grad():
        for weight in net.parameters():
            weight += torch.from_numpy(rng.normal(0, noise, weight.shape))
    return net.eval()


def example(rnn, hard=False, features=5):
    rng = np.random.default_rng(0)
    net = drawn(RecurrentShape(4, 2, features, rnn, 3, 3, dropout=0.4, hard_gates=hard), 0.3)
    y = (rng.random((6, 2)) > 0.5).astype(float)
    return net, *map(torch.from_numpy, (rng.normal(size=(6, 4)), y, rng.random((3, 6, 2))))


@pytest.mark.parametrize(("rnn", "hard"), GATES)
@pytest.mark.parametrize("features", [5, None])
def test_logits_equal_a_loop_in_numpy(rnn, hard, features):
    net, x, _, _ = example(rnn, hard, features)
    expected = numpy_logits(net.shape, numbers(net), x.numpy(), np.ones((6, 3)))
    np.testing.assert_allclose(net(x).detach().numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize(("rnn", "hard"), GATES)
def test_dropout_masks_the_units_passed_on_in_training(rnn, hard, monkeypatch):
    net, x, _, _ = example(rnn, hard)
    mask = (np.random.default_rng(1).random((6, 3)) > 0.4) / 0.6
    monkeypatch.setattr(net, "_mask", lambda z: torch.from_numpy(mask))
    expected = numpy_logits(net.shape, numbers(net), x.numpy(), mask)
    np.testing.assert_allclose(net(x).detach().numpy(), expected, rtol=1e-12)


def test_dropout_acts_in_training_from_the_second_step_on():
    torch.manual_seed(0)
    for rnn in LAYERS:
        net, x, _, _ = example(rnn)
        without, within = net(x), net.train()(x)
        assert torch.equal(within[0], without[0])
        assert not torch.allclose(within[1], without[1])


def test_a_dropout_mask_keeps_the_mean_and_the_share():
    torch.manual_seed(0)
    mask = example("lstm")[0].train()._mask(torch.empty(20_000, 12))
    assert mask.shape == (20_000, 3)
    assert mask.unique().tolist() == pytest.approx([0.0, 1 / 0.6])
    assert (mask > 0).float().mean().item() == pytest.approx(0.6, abs=0.01)


def test_a_feed_forward_net_has_one_step():
    net = drawn(RecurrentShape(4, 2, 5))
    x = np.random.default_rng(1).normal(size=(6, 4))
    w = numbers(net)
    expected = np.maximum(x @ w["first"], 0) @ w["output"]
    np.testing.assert_allclose(net(torch.from_numpy(x)).detach().numpy(), expected[None])


def test_a_chain_has_a_label_at_each_step():
    chain = drawn(RecurrentShape(4, 3, 5, "lstm", 2, 3, chain=True), 0.3)
    x = np.random.default_rng(1).normal(size=(6, 4))
    expected = numpy_logits(chain.shape, numbers(chain), x, np.ones((6, 2)))[:, :, 0].T
    np.testing.assert_allclose(chain(torch.from_numpy(x)).detach().numpy(), expected[None])


def test_the_loss_is_the_mean_over_steps_instances_and_labels():
    net, x, y, weights = example("lstm")
    logits, total = net(x), 0.0
    for t, n, i in itertools.product(range(3), range(6), range(2)):
        p = sigmoid(logits[t, n, i].item())
        entropy = -np.log(p) if y[n, i] else -np.log(1 - p)
        total += weights[t, n, i].item() * entropy
    result = net.loss(x, y, lambda logits: weights)
    np.testing.assert_allclose(result.item(), total / 36, rtol=1e-12)


@pytest.mark.parametrize(("rnn", "hard"), GATES)
def test_gradients_pass_a_check_by_differences(rnn, hard):
    net, x, y, weights = example(rnn, hard)
    names = list(net.shape.weights)

    def loss(*leaves):
        made = dict(zip(names, leaves, strict=True))
        return torch.func.functional_call(Loss(net), {f"net.{k}": v for k, v in made.items()}, (x,))

    class Loss(torch.nn.Module):
        def __init__(self, net):
            super().__init__()
            self.net = net

        def forward(self, x):
            return self.net.loss(x, y, lambda logits: weights)

    assert torch.autograd.gradcheck(loss, [net.get_parameter(name) for name in names])


@pytest.mark.parametrize("features", [5, None])
def test_sparse_batches_give_the_losses_and_gradients_of_dense_ones(features):
    net, x, y, weights = example("lstm", features=features)
    x = torch.where(x > 0, x, 0.0)
    rows = Rows(sp.csr_array(x.numpy()), CPU, torch.float64)
    order = np.array([3, 0, 5, 1, 2, 4])
    for dense, sparse in zip(
        *(gradients(net, batch, y, weights) for batch in (x[order], rows.take(order))), strict=True
    ):
        np.testing.assert_allclose(sparse, dense, rtol=1e-12, atol=1e-15)


def gradients(net, x, y, weights):
    loss = net.loss(x, y, lambda logits: weights)
    return [loss.item(), *(grad.numpy() for grad in torch.autograd.grad(loss, net.parameters()))]


def test_the_outputs_of_an_identity_net_are_its_hidden_units():
    net = drawn(RecurrentShape(4, 2, None, "srn", 2, 2, identity=True))
    assert set(net.shape.weights) == {"input", "recurrent", "srn_bias"}
    x = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    first, second = net.proba(x)
    torch.testing.assert_close(second, torch.sigmoid(x @ net.input + first @ net.recurrent))


@pytest.mark.parametrize(
    ("inputs", "labels", "count"), [(72, 6, 141_702), (103, 14, 146_702), (260, 19, 167_443)]
)
def test_the_number_of_weights_is_that_of_the_authors_nets(inputs, labels, count):
    assert RecurrentShape(inputs, labels, 128, "lstm", 128, 3).size == count


@pytest.mark.parametrize(("rnn", "gates"), [("srn", 1), ("irnn", 1), ("gru", 3), ("lstm", 4)])
def test_every_layer_has_its_number_of_weights(rnn, gates):
    shape = RecurrentShape(10, 4, 8, rnn, 5, 3)
    assert shape.size == 11 * 8 + gates * 5 * (8 + 5 + 1) + 6 * 4


def test_only_three_kernels_are_penalised():
    assert list(RecurrentShape(10, 4, 8, "lstm", 5, 3).kernels) == ["first", "input", "recurrent"]
    assert list(RecurrentShape(10, 4, penalised_output=True).kernels) == ["output"]


def test_initial_weights_are_those_of_keras():
    w = {
        k: v.detach() for k, v in drawn(RecurrentShape(50, 6, 40, "lstm", 32, 3)).named_parameters()
    }
    for name in ("first", "input", "output"):
        limit = np.sqrt(6 / sum(w[name].shape))
        assert 0.95 * limit < w[name].abs().max() <= limit
        assert abs(w[name].mean()) < 0.1 * limit
    torch.testing.assert_close(w["recurrent"] @ w["recurrent"].T, torch.eye(32).double())
    assert not w["first_bias"].any() and not w["output_bias"].any()
    forget = torch.zeros(4, 32)
    forget[1] = 1
    assert torch.equal(w["lstm_bias"], forget.flatten().double())


def test_an_irnn_starts_from_an_identity_and_small_inputs():
    w = numbers(drawn(RecurrentShape(50, 6, 40, "irnn", 32, 3)))
    assert np.array_equal(w["recurrent"], np.eye(32))
    assert 0.0009 < w["input"].std() < 0.0011
    assert not w["irnn_bias"].any()
