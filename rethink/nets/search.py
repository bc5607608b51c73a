"""A faster search for nets: strengths compete while they are trained, and half of them go on."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from rethink.costs import Cost
from rethink.models.base import is_cost_sensitive

if TYPE_CHECKING:
    from rethink.nets.training import Trainer
    from rethink.search import Trial

FIRST_RUNG = 48  # epochs before the first comparison; then three times as many, and so on
GROWTH = 3
LAST_RUNG = 432  # epochs that tell two points apart, where the folds do not choose the epochs
ERRORS = 2  # standard errors that count as a tie
CHECKS = 12  # with stopping="folds": evaluations on the way to each rung


class Race:
    """Points in training, their looks at the held-out rows, and who is still in.

    All points are trained on all folds for a few epochs; the better half under any of the costs is
    trained on, and so forth, until two are left, which are compared after some hundred epochs.
    Points given up on the way have None as values.

    With `stopping="folds"` the held-out rows are looked at on the way as well: a point's value is
    that of the best look, and its `params` tell the epochs. The last two points are trained until
    it is clear that no better look will come.
    """

    def __init__(
        self,
        estimator: Any,
        points: Sequence[dict[str, Any]],
        X: Any,
        Y: np.ndarray,
        parts: Sequence[np.ndarray],
        costs: Sequence[Cost],
    ):
        told = {"cost": costs[0]} if is_cost_sensitive(type(estimator)) else {}
        entries = [clone(estimator).set_params(**point, **told) for point in points]
        X, self.Y = entries[0]._check_fit(X, Y)
        data = entries[0].data(X, self.Y)
        everything = np.arange(len(self.Y))
        self.points, self.parts, self.costs = points, parts, costs
        self.limits = [entry.epochs for entry in entries]
        self.by_folds = entries[0].stopping == "folds"
        self.patience = entries[0].patience
        self.trainers: list[list[Trainer]] = [
            [entry.trainer(data, np.setdiff1d(everything, held)) for held in parts]
            for entry in entries
        ]
        self.alive = list(range(len(points)))
        # looks[point]: (epochs, values of shape (costs, folds)) in the order they were made
        self.looks: list[list[tuple[int, np.ndarray]]] = [[] for _ in points]

    def run(self) -> None:
        """Train until two points are left and told apart, or none can be trained further."""
        rung, before = FIRST_RUNG, 0
        while True:
            for point in self.alive:
                self._train(point, before, rung)
            racing = [point for point in self.alive if not self._done(point)]
            decided = len(self.alive) <= 2 and rung >= LAST_RUNG and not self.by_folds
            if decided or not racing:
                return
            self._keep(self._better_half())
            rung, before = rung * GROWTH, rung

    def trials(self, cost: int) -> "list[Trial]":
        """The trial of each point under one cost."""
        return [self._trial(cost, point) for point in range(len(self.points))]

    def _trial(self, cost: int, point: int) -> "Trial":
        from rethink.search import Trial  # which imports all models itself

        params = dict(self.points[point])
        if point not in self.alive:
            return Trial(params, [None] * len(self.parts))
        epochs, values = self._best_look(cost, point)
        if self.by_folds:
            params["epochs"] = epochs
        return Trial(params, [float(value) for value in values[cost]])

    def _train(self, point: int, before: int, rung: int) -> None:
        looks = _looks(before, rung) if self.by_folds else [rung]
        for epochs in looks:
            if self._done(point):
                return
            limit = min(epochs, self.limits[point])
            for trainer in self.trainers[point]:
                trainer.run(limit)
            self.looks[point].append((limit, self._values(point)))

    def _done(self, point: int) -> bool:
        """Whether more training is not allowed, or (by folds) not worth it."""
        made = self.looks[point]
        if not made:
            return False
        last = made[-1][0]
        if last >= self.limits[point] or all(t.finished for t in self.trainers[point]):
            return True
        if not self.by_folds:
            return False
        best = max(self._best_look(cost, point)[0] for cost in range(len(self.costs)))
        return last >= max(2 * best, best + self.patience)

    def _values(self, point: int) -> np.ndarray:
        values = np.empty((len(self.costs), len(self.parts)))
        for fold, (held, trainer) in enumerate(zip(self.parts, self.trainers[point], strict=True)):
            proba = trainer.net.predict(trainer.data.rows, held)[-1]
            predicted = (proba > trainer.net.threshold).cpu().numpy()
            for number, cost in enumerate(self.costs):
                values[number, fold] = cost(self.Y[held], predicted).mean()
        return values

    def _best_look(self, cost: int, point: int) -> tuple[int, np.ndarray]:
        """By folds the look at the best stretch, the earliest of equals; otherwise the last."""
        looks = self.looks[point]
        if not self.by_folds:
            return looks[-1]
        means = np.array([self._losses(cost, values).mean() for _, values in looks])
        # single epochs are noisy: a look is judged with its two neighbours
        stretches = [means[max(i - 1, 0) : i + 2].mean() for i in range(len(means))]
        return looks[int(np.argmin(stretches))]

    def _losses(self, cost: int, values: np.ndarray) -> np.ndarray:
        """Values of one cost on each fold, with the sign that makes less better."""
        return -values[cost] if self.costs[cost].greater_is_better else values[cost]

    def _keep(self, points: list[int]) -> None:
        for point in set(self.alive) - set(points):
            self.trainers[point] = []  # a net, its gradients' means and squares: frees memory
        self.alive = points

    def _better_half(self) -> list[int]:
        kept: set[int] = set()
        for cost in range(len(self.costs)):
            losses = [self._losses(cost, self._best_look(cost, p)[1]) for p in self.alive]
            order = _ranked(np.array(losses))[: max(2, -(-len(losses) // 2))]
            kept.update(self.alive[place] for place in order)
        return sorted(kept)


def _ranked(losses: np.ndarray) -> np.ndarray:
    """Places of points from their losses on the folds, shape (points, folds), the best first.

    Those within two standard errors of the best come first, the strongest regularisation ahead:
    it learns more slowly and over-fits later, and the weakest strengths hardly differ.
    """
    means = losses.mean(axis=1)
    best = losses[np.argmin(means)]
    error = best.std(ddof=1) / np.sqrt(len(best)) if len(best) > 1 else 0.0
    tied = means <= best.mean() + ERRORS * error
    return np.argsort(np.where(tied, -np.inf, means), kind="stable")


def _looks(before: int, rung: int) -> list[int]:
    """Epochs of the looks on the way from one rung to the next, evenly spread."""
    step = max(1, (rung - before) // CHECKS)
    return [*range(before + step, rung, step), rung]
