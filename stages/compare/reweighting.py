"""The table of reweighting: the same net with and without the cost in its loss."""

from collections.abc import Iterator
from math import hypot
from typing import NamedTuple

from stages.compare.conventions import convention_beside
from stages.compare.evidence import Evidence
from stages.compare.names import REWEIGHTED, Json
from stages.compare.numbers import decimals_of, summary
from stages.compare.pairs import both_tests
from stages.compare.scores import Seeds

VARIANTS = ("plain", "reweighted")


class Reweighted(NamedTuple):
    """A kind of net on a data set, without and with reweighting."""

    dataset: str
    cost: str
    rnn: str
    empty: float
    plain: Seeds
    weighted: Seeds


def reweighted_pairs(evidence: Evidence, empty: float | None = None) -> Iterator[Reweighted]:
    """Every pair of nets of the experiment; by default counted as RethinkNet is in the paper."""
    experiment = evidence.experiment("reweighting")
    for dataset in experiment.datasets:
        for cost in experiment.costs:
            for rnn, models in REWEIGHTED.items():
                if all(model in experiment.models for model in models):
                    value = empty
                    if value is None:
                        value = convention_beside(evidence, dataset, models[1], cost)
                    scores = (
                        evidence.scores.seeds(dataset, model, cost, empty=value) for model in models
                    )
                    yield Reweighted(dataset, cost, rnn, value, *scores)


def reweighting_section(evidence: Evidence) -> Json:
    """Both variants of each net, the gain and the tests of it, beside the printed numbers."""
    rows = []
    for dataset, cost, rnn, empty, plain, weighted in reweighted_pairs(evidence):
        outcome = both_tests(weighted, plain, evidence.greater(cost))
        without, with_weights = summary(plain), summary(weighted)
        printed = printed_pair(evidence, dataset, cost)
        numbers = list((printed or {}).values())
        rows.append(
            {
                "dataset": dataset,
                "cost": cost,
                "rnn": rnn,
                "empty": empty,
                "plain": without,
                "reweighted": with_weights,
                "gain_in_ste": gain_in_errors(with_weights, without, evidence.greater(cost)),
                "corrected": outcome.pop("corrected"),
                "test": outcome,
                "printed": printed,
                "decimals": decimals_of(numbers, [*plain.values(), *weighted.values()]),
            }
        )
    return {"rows": rows}


def printed_pair(evidence: Evidence, dataset: str, cost: str) -> Json | None:
    """The paper's numbers of a data set and cost, by variant."""
    name = evidence.paper_name(dataset)
    rows = evidence.paper.rows("reweighting", name, cost) if name else []
    found = {row["variant"]: {"mean": row["mean"], "ste": row["ste"]} for row in rows}
    return found if all(variant in found for variant in VARIANTS) else None


def gain_in_errors(better: Json, than: Json, greater: bool) -> float | None:
    """By how many pooled standard errors one mean is better; None without an error."""
    if better["mean"] is None or than["mean"] is None:
        return None
    pooled = hypot(better["ste"] or 0.0, than["ste"] or 0.0)
    gain = better["mean"] - than["mean"] if greater else than["mean"] - better["mean"]
    return gain / pooled if pooled else None
