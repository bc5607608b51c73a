"""Groups of models that a test does not tell apart, along the order of their average ranks."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from rethink.statistics.means import NOISE
from rethink.statistics.wilcoxon import Pair


def nemenyi_groups(average_ranks: Mapping[str, float], cd: float) -> list[list[str]]:
    """Maximal groups of at least two models whose average ranks all differ by less than `cd`."""

    def apart(better: str, worse: str) -> bool:
        return round(average_ranks[worse] - average_ranks[better] - cd, NOISE) >= 0

    return _maximal_runs(_by_rank(average_ranks), apart)


def indistinct_groups(
    models: Sequence[str], pairs: Iterable[Pair], average_ranks: Mapping[str, float]
) -> list[list[str]]:
    """Maximal runs, by average rank, of at least two models in which no pair is told apart."""
    different = {frozenset((pair.a, pair.b)) for pair in pairs if pair.better is not None}
    ranks = {model: average_ranks[model] for model in models}
    return _maximal_runs(_by_rank(ranks), lambda one, other: frozenset((one, other)) in different)


def _by_rank(average_ranks: Mapping[str, float]) -> list[str]:
    return sorted(average_ranks, key=lambda model: average_ranks[model])


def _maximal_runs(order: list[str], apart: Callable[[str, str], bool]) -> list[list[str]]:
    """The runs of `order` without a pair that is apart and not inside a longer such run."""
    runs: list[list[str]] = []
    end = 0
    for start, first in enumerate(order):
        stop = max(end, start + 1)
        while stop < len(order) and not any(apart(one, order[stop]) for one in order[start:stop]):
            stop += 1
        if stop > end and stop - start > 1:
            runs.append([first, *order[start + 1 : stop]])
        end = max(end, stop)
    return runs
