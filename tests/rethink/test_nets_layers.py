"""Cells, nets, losses and their gradients against plain NumPy loops in double precision."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from rethink.nets.gradient import batch_loss, by_autograd, by_hand
from rethink.nets.network import Network, Shape, new_network
from rethink.nets.rows import Rows

CPU = torch.device("cpu")
CELLS = ["lstm", "gru", "srn", "irnn"]
GATES = [(rnn, hard) for rnn in CELLS for hard in (False, True) if not hard or rnn in CELLS[:2]]


def sigmoid(v):
    return 1 / (1 + np.exp(-v))


def numpy_step(rnn, hard, z, U, b, h, c, mask):
    """One step of section 2.2 of the authors' net, written once more gate by gate."""
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
    z = first @ w["input"]
    h = c = np.zeros((len(x), shape.hidden))
    steps = []
    for _ in range(shape.steps):
        h, c = numpy_step(shape.rnn, shape.hard_gates, z, w["recurrent"], w["bias"], h, c, mask)
        steps.append(h @ w["output"] + w["output_bias"])
    return np.array(steps)


def example(rnn, hard=False, features=5, seed=0, **sizes):
    rng = np.random.default_rng(seed)
    shape = Shape(4, features, rnn, sizes.get("hidden", 3), 2, 3, hard_gates=hard)
    network = new_network(shape, rng, CPU, torch.float64)
    network.flat.add_(torch.from_numpy(rng.normal(0, 0.3, shape.size)))
    x = rng.normal(size=(6, 4))
    mask = (rng.random((6, shape.hidden)) > 0.4) / 0.6
    y = (rng.random((6, 2)) > 0.5).astype(float)
    weights = rng.random((3, 6, 2))
    return network, *map(torch.from_numpy, (x, mask, y, weights))


@pytest.mark.parametrize(("rnn", "hard"), GATES)
@pytest.mark.parametrize("features", [5, None])
def test_logits_equal_a_loop_in_numpy(rnn, hard, features):
    network, x, mask, _, _ = example(rnn, hard, features)
    w = {name: value.numpy() for name, value in network.weights.items()}
    expected = numpy_logits(network.shape, w, x.numpy(), mask.numpy())
    np.testing.assert_allclose(network.forward(x, mask)[0].numpy(), expected, rtol=1e-12)
    without = numpy_logits(network.shape, w, x.numpy(), np.ones_like(mask))
    np.testing.assert_allclose(network.forward(x)[0].numpy(), without, rtol=1e-12)


def test_a_feed_forward_net_has_one_step():
    shape = Shape(4, 5, None, 5, 2, 1)
    network = new_network(shape, np.random.default_rng(0), CPU, torch.float64)
    x = np.random.default_rng(1).normal(size=(6, 4))
    w = {name: value.numpy() for name, value in network.weights.items()}
    expected = np.maximum(x @ w["first"], 0) @ w["output"]
    np.testing.assert_allclose(network.forward(torch.from_numpy(x))[0][0].numpy(), expected)


def test_the_loss_is_the_mean_over_steps_instances_and_labels():
    _, _, _, y, weights = example("lstm")
    logits = torch.randn(3, 6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    total = 0.0
    for t, n, i in itertools.product(range(3), range(6), range(2)):
        p = sigmoid(logits[t, n, i].item())
        entropy = -np.log(p) if y[n, i] else -np.log(1 - p)
        total += weights[t, n, i].item() * entropy
    np.testing.assert_allclose(batch_loss(logits, y, weights).item(), total / 36, rtol=1e-12)
    far = torch.full((1, 1, 1), 200.0)
    assert batch_loss(far, torch.zeros(1, 1), None).item() == 200.0


@pytest.mark.parametrize(("rnn", "hard"), GATES)
def test_autograd_passes_a_check_by_differences(rnn, hard):
    network, x, mask, y, weights = example(rnn, hard)

    def loss(flat, x):
        return batch_loss(Network(network.shape, flat).forward(x, mask)[0], y, weights)

    leaves = network.flat.requires_grad_(), x.requires_grad_()
    assert torch.autograd.gradcheck(loss, leaves)


def both_gradients(network, x, mask, y, weights):
    out = torch.full_like(network.flat, torch.nan)
    with torch.no_grad():
        logits, tape = network.forward(x, mask)
        by_hand(network, tape, logits, y, weights, mask, out)
    flat = network.flat.detach().clone().requires_grad_()
    loss = batch_loss(Network(network.shape, flat).forward(x, mask)[0], y, weights)
    return out, by_autograd(loss, [flat])[0]


@pytest.mark.parametrize(("rnn", "hard"), [*GATES, (None, False)])
@pytest.mark.parametrize("features", [5, None])
@pytest.mark.parametrize("plain", [True, False])
def test_the_gradient_by_hand_is_that_of_autograd(rnn, hard, features, plain):
    network, x, mask, y, weights = example(rnn or "srn", hard, features)
    if rnn is None:
        shape = Shape(4, features, None, 5, 2, 1)
        network = new_network(shape, np.random.default_rng(0), CPU, torch.float64)
        weights = weights[:1]
    mask, weights = (None, None) if plain else (mask, weights)
    hand, graph = both_gradients(network, x, mask, y, weights)
    np.testing.assert_allclose(hand.numpy(), graph.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rnn", CELLS)
def test_in_single_precision_both_gradients_agree_too(rnn):
    network, x, mask, y, weights = example(rnn, hidden=32)
    network = Network(network.shape, network.flat.float())
    hand, graph = both_gradients(network, *(v.float() for v in (x, mask, y, weights)))
    assert (hand - graph).norm() < 1e-5 * graph.norm()


@pytest.mark.parametrize("features", [5, None])
def test_sparse_batches_give_the_outputs_and_gradients_of_dense_ones(features):
    network, x, mask, y, weights = example("lstm", features=features)
    x = torch.where(x > 0, x, 0.0)
    rows = Rows(sp.csr_array(x.numpy()), CPU, torch.float64)
    order = np.array([3, 0, 5, 1, 2, 4])
    inputs = (mask, y, weights)
    dense = both_gradients(network, x[order], *inputs)
    sparse = both_gradients(network, rows.take(order), *inputs)
    for one, other in zip(sparse, dense, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-12, atol=1e-15)


def test_dropout_acts_from_the_second_step_on():
    for rnn in CELLS:
        network, x, mask, _, _ = example(rnn)
        with_mask, without = network.forward(x, mask)[0], network.forward(x)[0]
        assert torch.equal(with_mask[0], without[0])
        assert not torch.allclose(with_mask[1], without[1])


def test_the_outputs_of_an_identity_net_are_its_hidden_units():
    shape = Shape(4, None, "srn", 2, 2, 2, identity=True)
    network = new_network(shape, np.random.default_rng(0), CPU, torch.float64)
    assert set(network.weights) == {"input", "recurrent", "bias"}
    x = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    first, second = torch.sigmoid(network.forward(x)[0])
    expected = x @ network.weights["input"] + first @ network.weights["recurrent"]
    torch.testing.assert_close(second, torch.sigmoid(expected))


@pytest.mark.parametrize(
    ("inputs", "labels", "count"), [(72, 6, 141_702), (103, 14, 146_702), (260, 19, 167_443)]
)
def test_the_number_of_weights_is_that_of_the_authors_nets(inputs, labels, count):
    assert Shape(inputs, 128, "lstm", 128, labels, 3).size == count


@pytest.mark.parametrize(("rnn", "gates"), [("srn", 1), ("irnn", 1), ("gru", 3), ("lstm", 4)])
def test_every_cell_has_its_number_of_weights(rnn, gates):
    shape = Shape(10, 8, rnn, 5, 4, 3)
    assert shape.size == 11 * 8 + gates * 5 * (8 + 5 + 1) + 6 * 4
    assert shape.penalised == 10 * 8 + gates * 5 * (8 + 5)


def test_only_three_kernels_lie_in_the_penalised_part():
    shape = Shape(10, 8, "lstm", 5, 4, 3)
    flat = torch.zeros(shape.size)
    flat[: shape.penalised] = 1
    full = {name for name, part in shape.split(flat).items() if part.all()}
    assert full == {"first", "input", "recurrent"}
    assert flat.sum() == sum(part.sum() for part in shape.split(flat).values())


def test_initial_weights_are_those_of_keras():
    network = new_network(Shape(50, 40, "lstm", 32, 6, 3), np.random.default_rng(0), CPU)
    w = network.weights
    for name in ("first", "input", "output"):
        limit = np.sqrt(6 / sum(w[name].shape))
        assert 0.95 * limit < w[name].abs().max() <= limit
        assert abs(w[name].mean()) < 0.1 * limit
    torch.testing.assert_close(w["recurrent"] @ w["recurrent"].T, torch.eye(32))
    assert not w["first_bias"].any() and not w["output_bias"].any()
    forget = torch.zeros(4, 32)
    forget[1] = 1
    assert torch.equal(w["bias"], forget.flatten())


def test_an_irnn_starts_from_an_identity_and_small_inputs():
    w = new_network(Shape(50, 40, "irnn", 32, 6, 3), np.random.default_rng(0), CPU).weights
    assert torch.equal(w["recurrent"], torch.eye(32))
    assert 0.0009 < w["input"].std() < 0.0011
    assert not w["bias"].any()
