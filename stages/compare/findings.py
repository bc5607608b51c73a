"""All known flaws of the printed tables, in the order of the report."""

from stages.compare.evidence import Evidence
from stages.compare.flaws.baseline import baseline
from stages.compare.flaws.counts import counts
from stages.compare.flaws.empty_sets import empty_sets
from stages.compare.flaws.pcc_rule import pcc_rule
from stages.compare.flaws.plain_column import plain_column
from stages.compare.flaws.rank_column import rank_column
from stages.compare.flaws.ranks import ranks
from stages.compare.flaws.t_tests import t_tests
from stages.compare.names import Json

FLAWS = (rank_column, plain_column, pcc_rule, empty_sets, counts, ranks, t_tests, baseline)


def flaws(evidence: Evidence) -> list[Json]:
    """Every flaw with its verdict from this run."""
    return [flaw(evidence) for flaw in FLAWS]
