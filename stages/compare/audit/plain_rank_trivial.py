"""The rank losses printed for RethinkNet without reweighting are those of a constant, too."""

from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

from stages.common.words import change, counted, listed, sentence
from stages.compare.audit import Finding
from stages.compare.audit.rank_trivial import nearest_constant
from stages.compare.evidence import Evidence
from stages.compare.experiments.reweighting import net_pairs, printed_pair
from stages.compare.numbers import NEAR, enough, errors_apart, share_gained, summary

TITLE = "Rank losses of RethinkNet without reweighting are those of a constant prediction"
ANCHOR = "reweighting"


class PlainLoss(NamedTuple):
    """A printed rank loss of the plain net beside a constant and our net; 0 seeds: too few."""

    dataset: str
    rnn: str
    printed: float
    printed_ste: float | None
    constant: str
    constant_loss: float
    constant_z: float
    equal: bool
    ours: float | None
    ours_z: float | None
    ours_gain: float | None
    printed_gain: float
    seeds: int


def audit(evidence: Evidence) -> Finding:
    """Printed rank losses of the plain net against constants and against our plain nets."""
    rows = list(_losses(evidence))
    table = [row._asdict() for row in rows]
    ran = [row for row in rows if row.seeds]
    if not ran:
        text = "No net without reweighting was run for rank loss on a data set of the paper."
        return Finding(None, text, table)
    better = [row for row in ran if row.ours_z is not None and row.ours_z < -NEAR]
    sets = {row.dataset: row for row in rows}
    same = [name for name, row in sets.items() if row.equal]
    confirmed = 2 * len(same) >= len(sets) and 2 * len(better) > len(ran)
    gain, printed = (
        fmean(x or 0.0 for x in column)
        for column in zip(*((row.ours_gain, row.printed_gain) for row in ran), strict=True)
    )
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
        constant = nearest_constant(evidence, nets.dataset, both.plain)
        plain, weighted = both.plain.mean, both.reweighted.mean
        if not constant or plain is None or weighted is None:
            continue
        ours, better = summary(nets.plain), summary(nets.weighted)
        decimals = evidence.decimals(nets.dataset, "rank")
        ran = enough(ours) and enough(better)
        yield PlainLoss(
            dataset=nets.dataset,
            rnn=nets.rnn,
            printed=plain,
            printed_ste=both.plain.ste,
            constant=constant.name,
            constant_loss=constant.loss,
            constant_z=constant.z,
            equal=constant.equal,
            ours=ours.mean,
            ours_z=errors_apart(ours, both.plain, decimals),
            ours_gain=share_gained(better.mean or 0.0, ours.mean or 0.0, False) if ran else None,
            printed_gain=share_gained(weighted, plain, False),
            seeds=ours.n if ran else 0,
        )
