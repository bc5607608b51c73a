"""A faster search for nets: strengths compete while they are trained, and half of them go on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
CHECKS = 12  # with stopping="folds": looks on the way to each rung
LOOKS = (6, 11, 16, 22, 32, 45, 60)  # with stopping="holdout"; then ever 1.4 times as many
RISE = 2  # with stopping="holdout": times in a row that a cost got better, to say that it recovers
STUCK = 4  # times as long as else a net is trained whose prediction is the same for all rows
LEAST = 1e-3  # share of its first value by which a held-out loss must fall to count as progress


Decide = Callable[[np.ndarray, Cost], np.ndarray]  # labels from probabilities, for a cost


@dataclass(frozen=True)
class Look:
    """What the held-out rows said after some epochs.

    Attributes
    ----------
    epochs : int
    values : ndarray of shape (costs, folds)
    loss : float
        The net's own loss, the mean over the folds: it falls before any prediction changes.
    stuck : bool
        The prediction is the same for all rows, though their labels are not.
    """

    epochs: int
    values: np.ndarray
    loss: float
    stuck: bool


class Race:
    """Points in training, their looks at the held-out rows, and who is still in.

    All points are trained on all folds for a few epochs; the better half under any of the costs is
    trained on, and so forth, until two are left, which are compared after some hundred epochs.
    Points given up on the way have None as values.

    With `stopping="folds"` the held-out rows are looked at on the way as well: a point's value is
    that of the best look, and its `params` tell the epochs. The last two points are trained until
    it is clear that no better look will come: neither the costs nor the net's own loss have been
    better for long. While a net predicts the same for all rows, its costs say nothing, and only the
    loss counts. With `stopping="holdout"` all this happens on the first fold alone, and of the last
    two points, too, the better one alone is trained on. There a cost may get worse and recover
    after many epochs (many rare labels, weighted): while it does, training goes on, and no point is
    given up.

    `decide` makes labels of probabilities for a cost; without it, a label is on above one half.
    """

    def __init__(
        self,
        estimator: Any,
        points: Sequence[dict[str, Any]],
        X: Any,
        Y: np.ndarray,
        parts: Sequence[np.ndarray],
        costs: Sequence[Cost],
        decide: Decide | None = None,
    ):
        own = decide is None and is_cost_sensitive(type(estimator))  # else the rule has the cost
        cost = {"cost": costs[0]} if own else {}
        entries = [clone(estimator).set_params(**point, **cost) for point in points]
        X, self.Y = entries[0]._check_fit(X, Y)
        data = entries[0].data(X, self.Y)
        everything = np.arange(len(self.Y))
        self.points, self.costs, self.decide = points, costs, decide
        self.stopping, self.patience = entries[0].stopping, entries[0].patience
        self.parts = parts[:1] if self.stopping == "holdout" else parts
        by_loss = self.stopping == "loss"
        self.limits = [entry.epochs if by_loss else entry.most_epochs for entry in entries]
        self.trainers: list[list[Trainer]] = [
            [entry.trainer(data, np.setdiff1d(everything, held)) for held in self.parts]
            for entry in entries
        ]
        self.alive = list(range(len(points)))
        self.looks: list[list[Look]] = [[] for _ in points]

    def run(self) -> "list[list[Trial]]":
        """For each cost a trial for each point.

        Points are trained until two are left and told apart, or none can be trained further.
        """
        rung, before = FIRST_RUNG, 0
        while True:
            for point in self.alive:
                self._train(point, before, rung)
            racing = [point for point in self.alive if not self._done(point)]
            decided = len(self.alive) <= 2 and rung >= LAST_RUNG and self.stopping == "loss"
            if decided or not racing:
                return [self._trials(cost) for cost in range(len(self.costs))]
            self._keep(self._better_half())
            rung, before = rung * GROWTH, rung

    def _trials(self, cost: int) -> "list[Trial]":
        return [self._trial(cost, point) for point in range(len(self.points))]

    def _trial(self, cost: int, point: int) -> "Trial":
        from rethink.search import Trial  # which imports all models itself

        params = dict(self.points[point])
        if point not in self.alive:
            return Trial(params, [None] * len(self.parts))
        look = self.best_look(cost, point)
        if self.stopping != "loss":
            params["epochs"] = look.epochs
        return Trial(params, [float(value) for value in look.values[cost]])

    def _train(self, point: int, before: int, rung: int) -> None:
        for epochs in looks_between(before, rung, self.stopping):
            if self._done(point):
                return
            limit = min(epochs, self.limits[point])
            for trainer in self.trainers[point]:
                trainer.run(limit)
            self.looks[point].append(self._look(point, limit))

    def _done(self, point: int) -> bool:
        """Whether more training is not allowed, or not worth it."""
        looks = self.looks[point]
        if not looks:
            return False
        last = looks[-1]
        if last.epochs >= self.limits[point] or all(t.finished for t in self.trainers[point]):
            return True
        if self.stopping == "loss":
            return False
        best = _least_loss(looks).epochs
        if last.stuck:
            return last.epochs >= STUCK * max(2 * best, best + self.patience)
        best = max(best, *(self.best_look(cost, point).epochs for cost in range(len(self.costs))))
        return last.epochs >= max(2 * best, best + self.patience) and not self._recovers(point)

    def _recovers(self, point: int) -> bool:
        """Whether a cost was better once, then worse, and gets better again."""
        if self.stopping != "holdout":  # looks at each few epochs would say so by chance
            return False
        return any(recovers(self._means(cost, point)) for cost in range(len(self.costs)))

    def _look(self, point: int, epochs: int) -> Look:
        values, losses, stuck = np.empty((len(self.costs), len(self.parts))), [], True
        for fold, (held, trainer) in enumerate(zip(self.parts, self.trainers[point], strict=True)):
            net, truth = trainer.trained, self.Y[held]
            probabilities = net.predict(trainer.data.rows, held)[-1].cpu().numpy()
            predicted = probabilities > net.threshold
            losses.append(trainer.held_out_loss(held))
            stuck &= _equal_rows(predicted) and not _equal_rows(truth)
            for number, cost in enumerate(self.costs):
                labels = self.decide(probabilities, cost) if self.decide else predicted
                values[number, fold] = cost.score(truth, labels)
        return Look(epochs, values, float(np.mean(losses)), stuck)

    def best_look(self, cost: int, point: int) -> Look:
        """The look at the best stretch; where the folds do not choose the epochs, the last."""
        looks = self.looks[point]
        if self.stopping == "loss":
            return looks[-1]
        if all(look.stuck for look in looks):  # then the cost tells nothing
            return _least_loss(looks)
        return looks[int(np.argmin(_stretches(self._means(cost, point))))]

    def _means(self, cost: int, point: int) -> list[float]:
        """Losses of one cost at all looks of a point."""
        return [float(self._losses(cost, look).mean()) for look in self.looks[point]]

    def _losses(self, cost: int, look: Look) -> np.ndarray:
        """Values of one cost on each fold, with the sign that makes less better."""
        return -look.values[cost] if self.costs[cost].greater_is_better else look.values[cost]

    def _keep(self, points: list[int]) -> None:
        for point in set(self.alive) - set(points):
            self.trainers[point] = []  # a net, its gradients' means and squares: frees memory
        self.alive = points

    def _better_half(self) -> list[int]:
        if any(map(self._recovers, self.alive)):  # looks before and after a fall do not compare
            return self.alive
        kept: set[int] = set()
        half = max(1 if self.stopping == "holdout" else 2, -(-len(self.alive) // 2))
        for cost in range(len(self.costs)):
            losses = [self._losses(cost, self.best_look(cost, p)) for p in self.alive]
            order = ranked(np.array(losses))[:half]
            kept.update(self.alive[place] for place in order)
        return sorted(kept)


def ranked(losses: np.ndarray) -> np.ndarray:
    """Places of points from their losses on the folds, shape (points, folds), the best first.

    Those within two standard errors of the best come first, the strongest regularisation ahead:
    it learns more slowly and over-fits later, and the weakest strengths hardly differ.

    Examples
    --------
    >>> ranked(np.array([[5.0, 5.0], [2.1, 2.2], [3.0, 3.0], [1.9, 2.3]])).tolist()
    [1, 3, 2, 0]
    """
    means = losses.mean(axis=1)
    best = losses[np.argmin(means)]
    error = best.std(ddof=1) / np.sqrt(len(best)) if len(best) > 1 else 0.0
    tied = means <= best.mean() + ERRORS * error
    return np.argsort(np.where(tied, -np.inf, means), kind="stable")


def recovers(losses: Sequence[float]) -> bool:
    """Whether losses at successive looks fall at the end, and are not yet as low as before.

    Examples
    --------
    >>> recovers([0.84, 0.88, 0.90, 0.90, 0.89, 0.88])
    True
    >>> recovers([0.84, 0.83, 0.82, 0.81, 0.80, 0.79]), recovers([0.84, 0.88, 0.90, 0.91, 0.92])
    (False, False)
    """
    stretches = _stretches(losses)
    falls = np.diff(stretches)[-RISE:]
    return len(falls) == RISE and bool(all(falls < 0) and stretches[-1] > min(stretches))


def looks_between(before: int, rung: int, stopping: str) -> list[int]:
    """Epochs of the looks after one rung and up to the next.

    Examples
    --------
    >>> looks_between(48, 144, "folds")
    [56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144]
    >>> looks_between(0, 48, "holdout"), looks_between(48, 432, "holdout")
    ([6, 11, 16, 22, 32, 45], [60, 85, 120, 170, 240, 340])
    """
    if stopping == "loss":
        return [rung]
    if stopping == "folds":
        step = max(1, (rung - before) // CHECKS)
        return [*range(before + step, rung, step), rung]
    looks = list(LOOKS)
    while looks[-1] < rung:
        looks.append(5 * round(looks[-1] * 2**0.5 / 5))
    return [epochs for epochs in looks if before < epochs <= rung]


def _stretches(losses: Sequence[float]) -> np.ndarray:
    """Each loss judged with its two neighbours: those of single epochs are noisy."""
    return np.array([np.mean(losses[max(i - 1, 0) : i + 2]) for i in range(len(losses))])


def _least_loss(looks: Sequence[Look]) -> Look:
    """The earliest look after which the held-out loss hardly fell."""
    stretches = _stretches([look.loss for look in looks])
    return looks[int(np.argmax(stretches <= stretches.min() + LEAST * abs(looks[0].loss)))]


def _equal_rows(matrix: np.ndarray) -> bool:
    return bool((matrix == matrix[0]).all())
