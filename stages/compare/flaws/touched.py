"""Which known flaw a printed number suffers from, if any."""

from stages.compare.evidence import Evidence
from stages.compare.flaws import pcc_rule, rank_column
from stages.compare.flaws.trivial import nearest_constant
from stages.compare.names import COST_BLIND, PCC, PUBLISHED_PCC


def known_flaw(evidence: Evidence, dataset: str, cost: str, model: str) -> str | None:
    """The id of the flaw that explains why ours differs from this number."""
    if cost == "rank" and model in COST_BLIND:
        printed = evidence.paper.number(evidence.paper_name(dataset), cost, model)
        constant = printed and nearest_constant(evidence, dataset, printed)
        return rank_column.NAME if constant and constant.equal else None
    if model == PCC:
        row = pcc_rule.rules(evidence, dataset, cost)
        return pcc_rule.NAME if row and row["nearer"] == PUBLISHED_PCC else None
    return None  # where conventions are mixed, ours is counted as the printed number was
