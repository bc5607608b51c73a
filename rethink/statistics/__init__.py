"""Means with standard errors, ranks and tests: numbers in, numbers out."""

from rethink.statistics.bayesian import SignedRank, signed_rank
from rethink.statistics.blocks import Blocks, LeftOut, complete_blocks
from rethink.statistics.effects import improvability, rank_last, shares_gained, win_rates
from rethink.statistics.friedman import Friedman, critical_difference, friedman, mean_ranks
from rethink.statistics.means import NOISE, beats, best_of, corrected_interval, mean_ste
from rethink.statistics.paired import Paired, corrected_t, paired_t
from rethink.statistics.ranks import (
    average_ranks,
    indistinct_groups,
    midranks,
    nemenyi_groups,
    paper_ranks,
)
from rethink.statistics.resampling import DRAWS, Interval, bootstrap, rank_intervals
from rethink.statistics.wilcoxon import (
    Pair,
    control_holm,
    holm,
    signed_rank_holm,
    signed_rank_p,
    smallest_p_holm,
    wilcoxon_holm,
)

__all__ = [
    "DRAWS",
    "NOISE",
    "Blocks",
    "Friedman",
    "Interval",
    "LeftOut",
    "Pair",
    "Paired",
    "SignedRank",
    "average_ranks",
    "beats",
    "best_of",
    "bootstrap",
    "complete_blocks",
    "control_holm",
    "corrected_interval",
    "corrected_t",
    "critical_difference",
    "friedman",
    "holm",
    "improvability",
    "indistinct_groups",
    "mean_ranks",
    "mean_ste",
    "midranks",
    "nemenyi_groups",
    "paired_t",
    "paper_ranks",
    "rank_intervals",
    "rank_last",
    "shares_gained",
    "signed_rank",
    "signed_rank_holm",
    "signed_rank_p",
    "smallest_p_holm",
    "wilcoxon_holm",
    "win_rates",
]
