"""All known flaws of the printed tables, in the order of the report."""

from stages.verdict.evidence import Evidence
from stages.verdict.flaws.baseline import baseline
from stages.verdict.flaws.counts import counts
from stages.verdict.flaws.empty_sets import empty_sets
from stages.verdict.flaws.pcc_rule import pcc_rule
from stages.verdict.flaws.plain_column import plain_column
from stages.verdict.flaws.rank_column import rank_column
from stages.verdict.flaws.ranks import ranks
from stages.verdict.flaws.t_tests import t_tests
from stages.verdict.names import Json

FLAWS = (rank_column, plain_column, pcc_rule, empty_sets, counts, ranks, t_tests, baseline)


def flaws(evidence: Evidence) -> list[Json]:
    """Every flaw with its verdict from this run."""
    return [flaw(evidence) for flaw in FLAWS]
