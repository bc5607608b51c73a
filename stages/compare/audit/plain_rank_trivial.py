"""The rank losses printed for RethinkNet without reweighting are those of a constant, too."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from stages.common.words import change, counted, listed, sentence
from stages.compare.audit import Finding
from stages.compare.audit.rank_trivial import Loss, beside_constant
from stages.compare.evidence import Evidence, PrintedPlace
from stages.compare.experiments.reweighting import net_pairs, printed_pair
from stages.compare.numbers import NEAR, enough, share_gained, summary

TITLE = "Rank losses of RethinkNet without reweighting are those of a constant prediction"
ANCHOR = "reweighting"


@dataclass(frozen=True)
class PlainLoss(Loss):
    """The loss of a plain net, and what reweighting gains on it."""

    rnn: str
    ours_gain: float | None
    printed_gain: float


def audit(evidence: Evidence) -> Finding:
    """Printed rank losses of the plain net against constants and against our plain nets."""
    rows = list(_losses(evidence))
    table = [vars(row) for row in rows]
    ran = [row for row in rows if row.seeds]
    if not ran:
        text = "No net without reweighting was run for rank loss on a data set of the paper."
        return Finding(None, text, table)
    better = [row for row in ran if row.ours_z is not None and row.ours_z < -NEAR]
    sets = {row.dataset: row for row in rows}
    same = [name for name, row in sets.items() if row.equal]
    confirmed = 2 * len(same) >= len(sets) and 2 * len(better) > len(ran)
    gain = fmean(row.ours_gain or 0.0 for row in ran)
    printed = fmean(row.printed_gain for row in ran)
    text = sentence(
        f"On {listed(sets)}, {len(same)} of {counted(len(sets), 'printed number')} lie "
        f"within {NEAR:g} standard errors of a constant prediction.",
        f"Our nets without reweighting are more than {NEAR:g} standard errors better than "
        f"printed in {len(better)} of {len(ran)} cases.",
        f"The gain by reweighting is {change(gain)} of the loss in our run, "
        f"{change(printed)} as printed.",
    )
    return Finding(confirmed, text, table)


def _losses(evidence: Evidence) -> Iterator[PlainLoss]:
    known = evidence.printed_datasets("reweighting")
    for nets in net_pairs(evidence):
        both = printed_pair(evidence, nets.dataset, "rank")
        if nets.cost != "rank" or nets.dataset not in known or not both:
            continue
        ours, better = summary(nets.plain), summary(nets.weighted)
        loss = beside_constant(evidence, nets.dataset, both.plain, ours)
        if not loss or both.reweighted.mean is None:
            continue
        ran = enough(ours) and enough(better)
        yield PlainLoss(
            **vars(loss) | {"seeds": ours.n if ran else 0},
            rnn=nets.rnn,
            ours_gain=share_gained(better.mean or 0.0, ours.mean or 0.0, False) if ran else None,
            printed_gain=share_gained(both.reweighted.mean, loss.printed, False),
        )


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether a printed rank loss of the plain net is that of a constant prediction."""
    if (place.table, place.cost, place.name) != ("reweighting", "rank", "plain"):
        return False
    return any(row.dataset == place.dataset and row.equal for row in _losses(evidence))
