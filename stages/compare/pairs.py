"""Every model against every other on each data set, over the splits both have finished."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import permutations

from rethink.statistics import corrected_t, paired_t
from stages.compare.names import LEVEL, REFERENCE, Json
from stages.compare.scores import Seeds

OUTCOMES = ("win", "tie", "loss", "too few")


def pairwise_tests(
    values: Mapping[str, Mapping[str, Seeds]], greater: bool
) -> dict[str, dict[str, Json]]:
    """The paper's paired t-test and, beside it, the one corrected for overlapping splits."""
    models = dict.fromkeys(m for table in values.values() for m in table if m not in REFERENCE)
    found: dict[str, dict[str, Json]] = {}
    for one, other in permutations(models, 2):
        outcomes = {
            dataset: both_tests(table[one], table[other], greater)
            for dataset, table in values.items()
            if one in table and other in table
        }
        found.setdefault(one, {})[other] = {
            **_counts(row["result"] for row in outcomes.values()),
            "corrected": _counts(row["corrected"]["result"] for row in outcomes.values()),
            "datasets": outcomes,
        }
    return found


def both_tests(one: Seeds, other: Seeds, greater: bool) -> Json:
    """The plain outcome, with the corrected one inside."""
    common = sorted(one.keys() & other.keys())
    a, b = ([seeds[seed] for seed in common] for seeds in (one, other))
    plain = paired_t(a, b, greater, LEVEL)._asdict()
    return plain | {"corrected": corrected_t(a, b, greater, level=LEVEL)._asdict()}


def _counts(results: Iterable[str]) -> dict[str, int]:
    counts = Counter(results)
    return {word: counts[word] for word in OUTCOMES}
