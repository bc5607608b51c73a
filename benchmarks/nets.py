"""Our RethinkNet beside a plain PyTorch loop of the same net: CPU seconds, one thread, one run.

python -m benchmarks.nets                    an epoch on yeast, scene and bibtex; steps of Nadam
python -m benchmarks.nets --cell yeast f1    a whole tuned cell: search on three folds, and refit
"""

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch
from torch.nn import functional as F

from rethink.costs import COSTS, get_cost
from rethink.models.rethinknet import RethinkNet
from rethink.nets.recurrent import RecurrentShape
from rethink.nets.training import BLOCK, BlockedNadam
from rethink.scaling import UnitScaler
from rethink.search import search_and_fit

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "mirror"
SETS = {
    "emotions": (593, 72, 6),
    "scene": (2407, 294, 6),
    "yeast": (2417, 103, 14),
    "bibtex": (7395, 1836, 159),
}
STRENGTHS = [10.0**-k for k in range(1, 9)]
PLAIN_CELL = 3700 / 0.077  # epochs of the plain loop that a cell of the plain protocol takes


class Plain(torch.nn.Module):
    """The net as one writes it from torch.nn: the input product anew at every step."""

    def __init__(self, inputs, labels, hidden=128):
        super().__init__()
        self.first = torch.nn.Linear(inputs, 128)
        self.input = torch.nn.Linear(128, 4 * hidden)
        self.recurrent = torch.nn.Linear(hidden, 4 * hidden, bias=False)
        self.output = torch.nn.Linear(hidden, labels)

    def forward(self, x):
        x = torch.relu(self.first(x))
        h = c = torch.zeros(len(x), self.recurrent.in_features)
        mask = F.dropout(torch.ones_like(h), 0.25, self.training)
        logits = []
        for _ in range(3):
            i, f, o, g = torch.sigmoid(self.input(x) + self.recurrent(h * mask)).chunk(4, dim=1)
            c = f * c + i * g
            h = o * torch.sigmoid(c)
            logits.append(self.output(h))
        return torch.stack(logits)

    def penalty(self):
        return sum(
            layer.weight.square().sum() for layer in (self.first, self.input, self.recurrent)
        )


def plain_epoch(net, optimiser, X, Y):
    for rows in torch.randperm(len(X)).split(256):
        logits = net(X[rows])
        loss = F.binary_cross_entropy_with_logits(logits, Y[rows].expand_as(logits))
        optimiser.zero_grad()
        (loss + 1e-5 * net.penalty()).backward()
        optimiser.step()


def load(name):
    """Training and test part: the real set from the mirror, or random numbers of its shape."""
    path = Path(os.environ.get("RETHINK_MIRROR", BESIDE))
    path = path / "mulan/data/multi-label" / name / f"{name}.arff"
    rng = np.random.default_rng(0)
    n, d, K = SETS[name]
    if path.is_file():
        from stages.prepare.arff import read_arff

        table = read_arff(path).matrix
        X, Y = table[:, :d], table[:, d:]
        Y = (Y.toarray() if sp.issparse(Y) else Y).astype(np.uint8)
    else:
        X, Y = rng.random((n, d)), (rng.random((n, K)) < 0.3).astype(np.uint8)
    order = rng.permutation(n)
    train, test = order[: n * 3 // 4], order[n * 3 // 4 :]
    X = UnitScaler().fit(X[train]).transform(X)
    return X[train], Y[train], X[test], Y[test]


def seconds(run, epochs=4):
    start = time.process_time()
    run(epochs)
    return (time.process_time() - start) / epochs


def epochs_side_by_side(name, cost="f1", rounds=5):
    """CPU seconds of an epoch, plain and ours: the best of some rounds in turn."""
    X, Y, _, _ = load(name)
    ours = RethinkNet(cost, device="cpu", random_state=0)
    trainer = ours.trainer(ours.data(X, Y), np.arange(len(Y)))
    data, labels = torch.from_numpy(X.toarray() if sp.issparse(X) else X), trainer.data.labels
    data = data.float()
    net = Plain(X.shape[1], Y.shape[1])
    optimiser = torch.optim.NAdam(net.parameters(), eps=1e-7)
    both = [
        (
            seconds(lambda n: [plain_epoch(net, optimiser, data, labels) for _ in range(n)]),
            seconds(lambda n: trainer.run(trainer.epochs + n)),
        )
        for _ in range(rounds)
    ]
    return tuple(min(times) for times in zip(*both, strict=True))


def blocks_side_by_side(inputs, steps=20, rounds=5):
    """CPU seconds of an optimiser's step on a net of so many inputs: whole kernels, and blocks."""
    net = RecurrentShape(inputs, 26, 128, "lstm", 128, 3).net()
    for weight in net.parameters():
        weight.grad = torch.full_like(weight, 0.01)
    ways = [BlockedNadam(net, 1e-5, block) for block in (net.shape.size, BLOCK)]
    both = [
        tuple(seconds(lambda n, way=way: [way.step(0.01) for _ in range(n)], steps) for way in ways)
        for _ in range(rounds)
    ]
    return tuple(min(times) for times in zip(*both, strict=True))


def compare_blocks():
    print(f"\n{'inputs':>8} {'whole ms':>9} {'blocks ms':>9} {'ratio':>6}   a step of Nadam")
    for inputs in (103, 1836, 5000, 23146):
        whole, blocks = blocks_side_by_side(inputs)
        print(f"{inputs:8} {whole * 1e3:9.2f} {blocks * 1e3:9.2f} {blocks / whole:6.2f}")


def products(n, d, K, hidden=128):
    """Floating-point operations of an epoch's matrix products, forward and backward."""
    gates = 4 * hidden * hidden
    # input and two recurrent products: once forward, twice backward; the first layer has no
    # gradient by x
    return 2 * n * (2 * d * hidden + 3 * 3 * gates + 3 * 3 * hidden * K)


def product_rate():
    """This machine's own GFLOP/s in the product of a batch with the recurrent weights."""
    a, b = torch.rand(256, 128), torch.rand(128, 512)
    best = min(seconds(lambda n: [a @ b for _ in range(n)], 300) for _ in range(5))
    return 2 * 256 * 128 * 512 / best / 1e9


def compare_epochs():
    print(f"{'set':8} {'plain s':>8} {'ours s':>8} {'ratio':>6} {'GFLOP/s':>8} {'share':>6}")
    for name in ("yeast", "scene", "bibtex"):
        plain, ours = epochs_side_by_side(name)
        n, d, K = SETS[name]
        rate = products(n * 3 // 4, d, K) / ours / 1e9
        share = rate / product_rate()
        print(f"{name:8} {plain:8.4f} {ours:8.4f} {ours / plain:6.2f} {rate:8.1f} {share:6.0%}")


def compare_cell(name, cost, seed, stopping):
    X, Y, X_test, Y_test = load(name)
    plain, _ = epochs_side_by_side(name, cost, rounds=3)
    start = time.process_time()
    epochs = {"folds": 200, "loss": 1000}[stopping]  # chosen on the folds, or the paper's limit
    net = RethinkNet(device="cpu", random_state=seed, stopping=stopping, epochs=epochs)
    fitted = search_and_fit(net, {"l2": STRENGTHS}, X, Y, [cost], seed=seed)
    [(chosen, model)] = list(fitted)
    used = time.process_time() - start
    value = get_cost(cost)(Y_test, model.predict(X_test)).mean()
    print(
        f"{name} {cost} stopping={stopping}: {used:.0f} s, "
        f"1/{PLAIN_CELL * plain / used:.0f} of the plain protocol; "
        f"chose {chosen.params}, {model.epochs_} epochs; test {value:.4f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cell", nargs=2, metavar=("SET", "COST"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stopping", default="folds", choices=["folds", "loss"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.cell is None:
        compare_epochs()
        compare_blocks()
        return 0
    name, cost = options.cell
    if name not in SETS or cost not in COSTS:
        parser.error(f"--cell takes one of {', '.join(SETS)} and one of {', '.join(COSTS)}")
    compare_cell(name, cost, options.seed, options.stopping)
    return 0


if __name__ == "__main__":
    sys.exit(main())
