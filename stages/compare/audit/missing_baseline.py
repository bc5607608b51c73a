"""A baseline the paper lacks: logistic regressions with the rule that suits rank loss."""

from statistics import fmean
from typing import NamedTuple

from stages.common.words import counted, gains, percent, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import Evidence
from stages.compare.numbers import ROPE, enough, share_gained, summary

TITLE = "A baseline is missing: logistic regression with the right rule rivals the net on rank loss"
ANCHOR = "cost-rank"
FEWEST = 3  # data sets


class Rivals(NamedTuple):
    """Mean rank losses on a data set, and how much better the net is."""

    dataset: str
    rule: float
    net: float
    net_gain: float
    printed_net: float | None


def audit(evidence: Evidence) -> Finding:
    """Rank loss of one logistic regression a label with its optimal rule, against the net."""
    net = evidence.roles.proposed
    rules = list(evidence.roles.variants("rule").values())
    if not rules:
        return Finding(None, "No model of params.yaml is the variant `rule` of another.", [])
    datasets = evidence.experiment("algorithms").datasets
    rows = [row for dataset in datasets if (row := _rivals(evidence, dataset, rules[0], net))]
    table = [row._asdict() for row in rows]
    if len(rows) < FEWEST:
        text = f"Both were run on {counted(len(rows), 'data set')}; this needs {FEWEST}."
        return Finding(None, text, table)
    level = [row for row in rows if row.net_gain <= ROPE]
    printed = [(row.rule, row.printed_net) for row in rows if row.printed_net is not None]
    beaten = [rule for rule, loss in printed if rule <= loss]
    text = sentence(
        f"{rules[0]} is at most {percent(ROPE)} behind our {net} on {len(level)} of "
        f"{counted(len(rows), 'data set')}; on average {net} "
        f"{gains(fmean(row.net_gain for row in rows))} against it.",
        f"It reaches the rank loss printed for {net} on {len(beaten)} of {len(printed)}."
        if printed
        else None,
    )
    return Finding(2 * len(level) >= len(rows), text, table)


def _rivals(evidence: Evidence, dataset: str, rule: str, net: str) -> Rivals | None:
    ours, theirs = (summary(evidence.scores.seeds(dataset, m, "rank")) for m in (rule, net))
    if not (enough(ours) and enough(theirs)) or ours.mean is None or theirs.mean is None:
        return None
    printed = evidence.paper.number(evidence.paper_name(dataset), "rank", net)
    gain = share_gained(theirs.mean, ours.mean, evidence.greater("rank"))
    return Rivals(dataset, ours.mean, theirs.mean, gain, printed.mean if printed else None)
