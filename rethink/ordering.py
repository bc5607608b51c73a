"""The order of a classifier chain with the least sum of 1/margin², by dynamic programming.

The cost c(i|S) of label i after the labels S is |w|² of its support vector machine on [x, y_S]. The
recurrence keeps one label set M for each state (last label i, length n):

    V(i,1) = c(i|∅),   M(i,1) = {i}
    V(i,n+1) = min of V(j,n) + c(i|M(j,n)) over j with i not in M(j,n),   M(i,n+1) = M(j,n) ∪ {i}

About K³/2 machines, if solved one by one. `dp_order` finds the same order with far fewer: machines
of one label that differ in a single column are followed together from the solution without it, and
each only until bounds of its norm prove that it loses against another predecessor.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rethink.svm import (
    Extensions,
    Kernel,
    Minimum,
    SquaredHinge,
    append_columns,
    minimise,
    with_ones,
)

TIE = (
    1e-8  # sums so close, relative to 1 + sum, are equal: the predecessor first in label order wins
)
TIGHT = 1e-11  # a cost known so well, relative to 1 + cost, is solved
MOST_STEPS = 20  # together; machines still undecided then are solved one by one
MOST_KERNEL_ROWS = 6000  # products of all pairs of rows then take 300 MB

Labels = frozenset[int]


@dataclass(frozen=True)
class Order:
    """A chain order, the sum of its costs, and how many (label, set) pairs were looked at.

    `solved` are the pairs that needed a step of a solver: bounds alone decided the others.
    """

    labels: tuple[int, ...]
    value: float
    pairs: int
    solved: int


class ChainCosts:
    """The machines behind the costs c(i|S) of Y, shape (n, K), on X, shape (n, d)."""

    def __init__(self, X: Any, Y: np.ndarray, C: float):
        self.Z, self.Y, self.C = with_ones(X), Y.astype(float), C
        self.constant = Y.min(axis=0) == Y.max(axis=0)
        self.few = sp.csc_array(self.Y)  # labels are rare, and all of them are looked at often
        # of sparse columns few rows are active, of which the kernel knows the products
        wide = sp.issparse(self.Z) or len(Y) <= 4 * self.Z.shape[1]
        self.kernel = Kernel.of(self.Z) if wide and len(Y) <= MOST_KERNEL_ROWS else None

    def at(self, C: float) -> "ChainCosts":
        """The same labels and columns with another C."""
        other = copy(self)
        other.C = C
        return other

    def problem(self, label: int, Z: Any, gram: np.ndarray | None = None) -> SquaredHinge:
        """The machine of a label on some columns."""
        return SquaredHinge(Z, self.Y[:, label], self.C, gram, self.kernel)

    def columns(self, members: Iterable[int]) -> Any:
        """[x, 1, y_S] with the labels in the order given."""
        return append_columns(self.Z, self.Y[:, list(members)])

    def solve(self, label: int, members: Iterable[int], start: Any = None) -> np.ndarray:
        """The w of a machine; zeros for a constant label, which needs none."""
        Z = self.columns(members)
        if self.constant[label]:
            return np.zeros(Z.shape[1])
        return minimise(self.problem(label, Z), start).w


def greedy_order(X: Any, Y: np.ndarray, C: float) -> Order:
    """Append the label of the least cost after those chosen; ties go to the first label.

    Examples
    --------
    >>> X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0, 1], [1, 1], [0, 1], [1, 1]])
    >>> greedy_order(X, Y, 1.0).labels  # the constant label costs nothing
    (1, 0)
    """
    costs, pairs = ChainCosts(X, Y, C), 0
    order: list[int] = []
    value = 0.0
    solutions: dict[int, np.ndarray] = {}
    left = list(range(Y.shape[1]))
    while left:
        starts = {i: np.append(w, 0.0) for i, w in solutions.items()}
        solutions = {i: costs.solve(i, order, starts.get(i)) for i in left}
        norms = np.array([solutions[i] @ solutions[i] for i in left])
        best = first_least(norms)
        value, pairs = value + float(norms[best]), pairs + len(left)
        order.append(left.pop(best))
    return Order(tuple(order), value, pairs, pairs)


def dp_order(X: Any, Y: np.ndarray, C: float) -> Order:
    """The order that the recurrence finds for the labels Y, shape (n, K), on X, shape (n, d).

    Examples
    --------
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> Y = np.array([[0, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1]]).T
    >>> order = dp_order(X, Y, 1.0)
    >>> order.labels, round(order.value, 3)
    ((1, 0), 1.457)
    """
    search = _Search(ChainCosts(X, Y, C))
    for _ in range(Y.shape[1] - 1):
        search.advance()
    ends = list(search.states.values())
    best = ends[first_least(np.array([state.value for state in ends]))]
    return Order(best.order, best.value, search.pairs, search.solved)


def first_least(values: np.ndarray) -> int:
    """The first index whose value equals the least one, up to `TIE`."""
    return int(np.argmax(values <= _with_ties(values.min())))


@dataclass(frozen=True)
class _State:
    """The best chain found with a given last label and length."""

    value: float
    order: tuple[int, ...]

    @property
    def members(self) -> Labels:
        return frozenset(self.order)


class _Solved(NamedTuple):
    """A cost and the machine it comes from."""

    cost: float
    w: np.ndarray


class _Base:
    """A label set that candidate sets extend by one label, with the first guesses for targets."""

    def __init__(self, members: tuple[int, ...], starts: dict[int, np.ndarray]):
        self.members, self.starts = members, starts

    def extended(self, label: int, solved: dict[int, _Solved]) -> "_Base":
        """The base with one label more; where its machine is not solved yet, a guess is."""
        starts = {i: np.append(w, 0.0) for i, w in self.starts.items()}
        return _Base((*self.members, label), starts | {i: s.w for i, s in solved.items()})


class _Search:
    """The recurrence: `states` has the best chain so far for each last label that has one."""

    def __init__(self, costs: ChainCosts):
        self.costs = costs
        self.labels = range(costs.Y.shape[1])
        starts = {i: costs.solve(i, ()) for i in self.labels}
        self.states = {i: _State(float(w @ w), (i,)) for i, w in starts.items()}
        self.bases = {Labels(): _Base((), starts)}
        self.pairs = self.solved = len(starts)

    def advance(self) -> None:
        """Make the chains one label longer."""
        least: dict[Labels, float] = {}
        for state in self.states.values():
            least[state.members] = min(state.value, least.get(state.members, np.inf))
        solutions = self._solve_candidates(least)
        states = {i: self._best_state(i, solved) for i, solved in enumerate(solutions) if solved}
        self.bases = self._bases_for(states, solutions)
        self.states = states

    def _solve_candidates(self, least: dict[Labels, float]) -> list[dict[Labels, _Solved]]:
        """For each target the candidate sets that may win or tie, with their costs.

        `least` has for each candidate set the smallest value of a state with it. Sets that extend
        the same base are treated together, promising bases first.
        """
        children: dict[Labels, list[int]] = {}
        for members in least:
            base = next(base for base in self.bases if base < members)
            children.setdefault(base, []).extend(members - base)
        solutions: list[dict[Labels, _Solved]] = [{} for _ in self.labels]
        limits = [np.inf] * len(solutions)
        best = {base: min(least[base | {j}] for j in js) for base, js in children.items()}
        for base in sorted(children, key=best.__getitem__):
            family = _Targets(self.costs, self.bases[base])
            for i in (i for i in self.labels if i not in base):
                extra = [j for j in children[base] if j != i]
                offsets = np.array([least[base | {j}] for j in extra])
                self.pairs += len(extra)
                solved, tried = family.contend(i, extra, offsets, limits[i])
                self.solved += tried
                for j, result in solved.items():
                    solutions[i][base | {j}] = result
                    limits[i] = min(limits[i], least[base | {j}] + result.cost)
        return solutions

    def _best_state(self, target: int, solved: dict[Labels, _Solved]) -> _State:
        before = [state for state in self.states.values() if state.members in solved]
        values = np.array([state.value + solved[state.members].cost for state in before])
        best = first_least(values)
        return _State(float(values[best]), (*before[best].order, target))

    def _bases_for(
        self, states: dict[int, _State], solutions: list[dict[Labels, _Solved]]
    ) -> dict[Labels, _Base]:
        """The sets before the last labels, which the next candidates extend."""
        bases: dict[Labels, _Base] = {}
        for members in dict.fromkeys(state.members - {i} for i, state in states.items()):
            parent = next(base for base in self.bases if base < members)
            (label,) = members - parent
            solved = {i: sets[members] for i, sets in enumerate(solutions) if members in sets}
            bases[members] = self.bases[parent].extended(label, solved)
        return bases


class _Targets:
    """All targets on one base, whose columns they share."""

    def __init__(self, costs: ChainCosts, base: _Base):
        self.costs, self.base = costs, base
        self.Z = costs.columns(base.members)
        tall = not sp.issparse(self.Z) and self.Z.shape[0] >= self.Z.shape[1]
        self.gram = self.Z.T @ self.Z if tall else None

    def contend(
        self, target: int, extra: Sequence[int], offsets: np.ndarray, limit: float
    ) -> tuple[dict[int, _Solved], int]:
        """The extra labels that may be best, solved, and how many needed a step.

        All others are proved to have an offset and cost whose sum is above the least one, or above
        `limit`.
        """
        if self.costs.constant[target]:
            nothing = np.zeros(self.Z.shape[1] + 1)
            return {label: _Solved(0.0, nothing) for label in extra}, 0
        if not len(extra) or offsets.min() > _with_ties(limit):
            return {}, 0
        machines = Extensions(self._minimum(target), self.costs.few, extra)
        solved, tried = _contend(machines, offsets, limit)
        return {extra[position]: result for position, result in solved.items()}, tried

    def _minimum(self, target: int) -> Minimum:
        problem = self.costs.problem(target, self.Z, self.gram)
        solution = minimise(problem, self.base.starts.get(target))
        self.base.starts[target] = solution.w
        return solution


def _contend(
    machines: Extensions, offsets: np.ndarray, limit: float
) -> tuple[dict[int, _Solved], int]:
    """Follow the machines together until each is solved, sure to lose, or hard."""
    numbers, solved, hard = machines.numbers, {}, []
    limit = min(limit, (offsets + machines.high**2).min())
    machines.keep(offsets + machines.low**2 <= _with_ties(limit))
    tried = len(machines.index)
    machines.prepare()
    for step in range(MOST_STEPS):
        if not len(machines.index):
            break
        stalled = machines.step() | (step == MOST_STEPS - 1)
        sums = offsets[machines.index] + machines.low**2, offsets[machines.index] + machines.high**2
        limit = min(limit, sums[1].min())
        alive = sums[0] <= _with_ties(limit)
        tight = sums[1] - sums[0] <= TIGHT * (1 + machines.high**2)
        for p in np.flatnonzero(alive & tight):
            solved[machines.index[p]] = _as_solved(machines.W[:, p].copy())
        for p in np.flatnonzero(alive & ~tight & stalled):
            hard.append((sums[0][p], machines.index[p], machines.W[:, p].copy()))
        machines.keep(alive & ~tight & ~stalled)
    for least, index, start in sorted(hard, key=lambda each: each[:2]):
        if least <= _with_ties(limit):
            solved[index] = _as_solved(minimise(machines.extended(numbers[index]), start).w)
            limit = min(limit, offsets[index] + solved[index].cost)
    return solved, tried


def _as_solved(w: np.ndarray) -> _Solved:
    return _Solved(float(w @ w), w)


def _with_ties(value: float) -> float:
    """The largest value that still equals this one."""
    return value + TIE * (1 + value)
