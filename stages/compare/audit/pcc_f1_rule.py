"""PCC was printed with a faulty decision rule for F1, which also served for accuracy."""

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from stages.common.words import listed, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import Evidence, PrintedPlace
from stages.compare.numbers import NEAR, enough, errors_apart, explains_most, summary

TITLE = "PCC was run with a faulty F1 rule"
ANCHOR = "paper"
FAULTY = ("f1", "accuracy")
EMPTY = 0.0  # the rule as published never predicts the empty set


class Rules(NamedTuple):
    """Means by the exact and by the published rule beside a printed number."""

    dataset: str
    cost: str
    printed: float
    exact: float
    published: float
    exact_z: float
    published_z: float
    decides: bool
    nearer: str
    enough: bool


def audit(evidence: Evidence) -> Finding:
    """PCC with the exact and with the published rule: which is nearer to the printed number."""
    pairs = evidence.roles.variants("published")
    if not pairs:
        return Finding(None, "No model of params.yaml is the variant `published` of another.", [])
    rows = [
        row
        for exact, published in pairs.items()
        for dataset in evidence.printed_datasets()
        for cost in FAULTY
        if (row := rules(evidence, dataset, cost, exact, published))
    ]
    table = [row._asdict() for row in rows]
    ran = [row for row in rows if row.enough]
    if not ran:
        names = listed(name for pair in pairs.items() for name in pair)
        text = f"{names} were not both run for F1 on a data set of the paper."
        return Finding(None, text, table)
    deciding = [row for row in ran if row.decides]
    nearer = [row for row in deciding if row.nearer in pairs.values()]
    text = sentence(
        f"In {len(deciding)} of {len(ran)} pairs of data set and cost the two rules differ and not "
        f"both lie within {NEAR:g} standard errors of the printed number; there the rule as "
        f"published is the nearer one in {len(nearer)}."
        if deciding
        else f"On {listed(sorted({row.dataset for row in ran}))} both rules lie within "
        f"{NEAR:g} standard errors of the printed numbers, or do not differ: the run does not "
        "tell which one the paper used.",
        _largest(evidence, deciding),
    )
    return Finding(bool(deciding) and 2 * len(nearer) > len(deciding), text, table)


def _largest(evidence: Evidence, deciding: list[Rules]) -> str | None:
    if not deciding:
        return None
    row = max(deciding, key=lambda row: abs(row.exact - row.published))
    return (
        f"The largest difference is on {row.dataset} by {evidence.within(row.cost)}: "
        f"{row.exact:.3f} by the exact rule, {row.published:.3f} by the published one, "
        f"{row.printed:.3f} printed."
    )


def rules(evidence: Evidence, dataset: str, cost: str, exact: str, published: str) -> Rules | None:
    """Both rules beside the printed number of one data set and cost; None if one is missing."""
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, exact)
    one, other = (
        summary(evidence.scores.seeds(dataset, model, cost, empty=EMPTY))
        for model in (exact, published)
    )
    if not printed or printed.mean is None or one.mean is None or other.mean is None:
        return None
    decimals = evidence.decimals(dataset, cost)
    z = [errors_apart(ours, printed, decimals) or 0.0 for ours in (one, other)]
    apart = abs(one.mean - other.mean) > NEAR * hypot(one.ste or 0.0, other.ste or 0.0)
    return Rules(
        dataset=dataset,
        cost=cost,
        printed=printed.mean,
        exact=one.mean,
        published=other.mean,
        exact_z=z[0],
        published_z=z[1],
        decides=apart and max(map(abs, z)) > NEAR,
        nearer=exact if abs(z[0]) < abs(z[1]) else published,
        enough=enough(one) and enough(other),
    )


def deciding_rows(evidence: Evidence, costs: Sequence[str]) -> list[Rules]:
    """Rows by these costs that can decide: the rules differ, and at most one fits."""
    rows = (
        rules(evidence, dataset, cost, exact, published)
        for exact, published in evidence.roles.variants("published").items()
        for dataset in evidence.printed_datasets()
        for cost in costs
        if cost in evidence.experiment("algorithms").costs
    )
    return [row for row in rows if row and row.enough and row.decides]


def explained(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether the published rule leaves little of the distance from the exact one to a printed
    number of the model."""
    published = evidence.roles.variants("published").get(place.name)
    if not published or not place.dataset or place.table != "algorithms":
        return False
    row = rules(evidence, place.dataset, place.cost, place.name, published)
    return row is not None and explains_most(row.printed, row.exact, row.published)


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """The same, by the costs for which the published rule is faulty."""
    return place.cost in FAULTY and explained(evidence, place)
