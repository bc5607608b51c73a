"""PCC was printed with a faulty decision rule for F1, which also served for accuracy.

By Hamming and rank loss the published way follows one greedy path in place of the marginals; that
is shown beside it, but it is no fault.
"""

from collections.abc import Iterator
from math import hypot

from stages.common.words import listed
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import enough, finding, printed_datasets
from stages.compare.names import NEAR, PCC, PUBLISHED_PCC, Json
from stages.compare.numbers import errors_apart, summary
from stages.compare.words import sentence

NAME = "pcc-f1-rule"
TITLE = "PCC was run with a faulty F1 rule, and along one greedy path"
FAULTY = ("f1", "accuracy")
EMPTY = 0.0  # the rule as published never predicts the empty set


def pcc_rule(evidence: Evidence) -> Json:
    """PCC with the exact and with the published rule: which is nearer to the printed number."""
    rows = list(_rows(evidence))
    ran = [row for row in rows if row["enough"] and row["cost"] in FAULTY]
    if not ran:
        text = f"{PCC} and {PUBLISHED_PCC} were not both run for F1 on a data set of the paper."
        return finding(NAME, TITLE, "paper", None, text, rows)
    told = [row for row in ran if row["decides"]]
    nearer = [row for row in told if row["nearer"] == PUBLISHED_PCC]
    text = sentence(
        f"In {len(told)} of {len(ran)} pairs of data set and cost the two rules differ and not "
        f"both lie within {NEAR:g} standard errors of the printed number; there the rule as "
        f"published is the nearer one in {len(nearer)}."
        if told
        else f"On {listed(sorted({row['dataset'] for row in ran}))} both rules lie within "
        f"{NEAR:g} standard errors of the printed numbers, or do not differ: the run does not "
        "tell which one the paper used.",
        _largest(evidence, told),
        _elsewhere([row for row in rows if row["decides"] and row["cost"] not in FAULTY]),
    )
    confirmed = 2 * len(nearer) > len(told) if told else False
    return finding(NAME, TITLE, "paper", confirmed, text, rows)


def _largest(evidence: Evidence, told: list[Json]) -> str | None:
    if not told:
        return None
    row = max(told, key=lambda row: abs(row["exact"] - row["published"]))
    return (
        f"The largest difference is on {row['dataset']} by {evidence.costs[row['cost']].title}: "
        f"{row['exact']:.3f} by the exact rule, {row['published']:.3f} by the published one, "
        f"{row['printed']:.3f} printed."
    )


def _elsewhere(told: list[Json]) -> str | None:
    if not told:
        return None
    nearer = sum(row["nearer"] == PUBLISHED_PCC for row in told)
    return (
        "By Hamming and rank loss, where the published way follows one greedy path in place of "
        f"the marginals, it is nearer in {nearer} of {len(told)} such pairs."
    )


def _rows(evidence: Evidence) -> Iterator[Json]:
    for dataset in printed_datasets(evidence):
        for cost in evidence.experiment("algorithms").costs:
            if row := rules(evidence, dataset, cost):
                yield row


def rules(evidence: Evidence, dataset: str, cost: str) -> Json | None:
    """Both rules beside the printed number of one data set and cost; None if one is missing."""
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, PCC)
    exact, published = (
        summary(evidence.scores.seeds(dataset, model, cost, empty=EMPTY))
        for model in (PCC, PUBLISHED_PCC)
    )
    if not printed or exact["mean"] is None or published["mean"] is None:
        return None
    decimals = evidence.decimals(dataset, cost)
    apart = [abs(errors_apart(ours, printed, decimals) or 0.0) for ours in (exact, published)]
    error = hypot(exact["ste"] or 0.0, published["ste"] or 0.0)
    return {
        "dataset": dataset,
        "cost": cost,
        "printed": printed["mean"],
        "exact": exact["mean"],
        "published": published["mean"],
        "exact_z": errors_apart(exact, printed, decimals),
        "published_z": errors_apart(published, printed, decimals),
        "decides": abs(exact["mean"] - published["mean"]) > NEAR * error and max(apart) > NEAR,
        "nearer": PCC if apart[0] < apart[1] else PUBLISHED_PCC,
        "enough": enough(exact) and enough(published),
    }
