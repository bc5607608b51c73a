"""A baseline the paper lacks: logistic regressions with the rule that suits rank loss."""

from stages.common.words import counted
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import enough, finding
from stages.compare.names import PROPOSED, ROPE, RULE, Json
from stages.compare.numbers import mean_of, share_gained, summary
from stages.compare.words import percent, sentence

NAME = "missing-baseline"
TITLE = f"A baseline is missing: {RULE} rivals {PROPOSED} on rank loss"
FEWEST = 3  # data sets


def baseline(evidence: Evidence) -> Json:
    """Rank loss of one logistic regression a label with its optimal rule, against RethinkNet."""
    rows = []
    for dataset in evidence.experiment("algorithms").datasets:
        rule, net = (
            summary(evidence.scores.seeds(dataset, model, "rank")) for model in (RULE, PROPOSED)
        )
        if enough(rule) and enough(net):
            printed = evidence.paper.number(evidence.paper_name(dataset), "rank", PROPOSED)
            rows.append(
                {
                    "dataset": dataset,
                    "rule": rule["mean"],
                    "net": net["mean"],
                    "net_gain": share_gained(net["mean"], rule["mean"], evidence.greater("rank")),
                    "printed_net": printed["mean"] if printed else None,
                }
            )
    if len(rows) < FEWEST:
        text = f"Both were run on {counted(len(rows), 'data set')}; this needs {FEWEST}."
        return finding(NAME, TITLE, "cost-rank", None, text, rows)
    level = [row for row in rows if row["net_gain"] <= ROPE]
    beside = [row for row in rows if row["printed_net"] is not None]
    beaten = [row for row in beside if row["rule"] <= row["printed_net"]]
    text = sentence(
        f"{RULE} is at most {percent(ROPE).lstrip('+')} behind our {PROPOSED} on {len(level)} of "
        f"{counted(len(rows), 'data set')}; on average {PROPOSED} gains "
        f"{percent(mean_of([row['net_gain'] for row in rows]) or 0.0)}.",
        f"It reaches the rank loss printed for {PROPOSED} on {len(beaten)} of {len(beside)}."
        if beside
        else None,
    )
    return finding(NAME, TITLE, "cost-rank", 2 * len(level) >= len(rows), text, rows)
