"""The rank losses printed for RethinkNet without reweighting are of the same kind."""

from collections.abc import Iterator
from statistics import fmean

from stages.common.words import counted, listed
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import enough, finding, printed_datasets
from stages.compare.flaws.trivial import nearest_constant
from stages.compare.names import NEAR, Json
from stages.compare.numbers import errors_apart, share_gained, summary
from stages.compare.reweighting import printed_pair, reweighted_pairs
from stages.compare.words import percent, sentence

NAME = "plain-rank-trivial"
TITLE = "So are the rank losses of RethinkNet without reweighting"


def plain_column(evidence: Evidence) -> Json:
    """Printed rank losses of the plain net against constants and against our plain nets."""
    rows = list(_rows(evidence))
    ran = [row for row in rows if row["seeds"]]
    if not ran:
        text = "No net without reweighting was run for rank loss on a data set of the paper."
        return finding(NAME, TITLE, "reweighting", None, text, rows)
    better = [row for row in ran if row["ours_z"] < -NEAR]
    sets = {row["dataset"]: row for row in rows}
    same = [name for name, row in sets.items() if row["equal"]]
    confirmed = 2 * len(same) >= len(sets) and 2 * len(better) > len(ran)
    gain, printed = (fmean(row[key] for row in ran) for key in ("ours_gain", "printed_gain"))
    text = sentence(
        f"On {listed(list(sets))}, {len(same)} of {counted(len(sets), 'printed number')} lie "
        f"within {NEAR:g} standard errors of a constant prediction.",
        f"Our nets without reweighting are more than {NEAR:g} standard errors better than "
        f"printed in {len(better)} of {len(ran)} cases.",
        f"The gain by reweighting is {percent(gain)} of the loss in our run, "
        f"{percent(printed)} as printed.",
    )
    return finding(NAME, TITLE, "reweighting", confirmed, text, rows)


def _rows(evidence: Evidence) -> Iterator[Json]:
    known = printed_datasets(evidence, "reweighting")
    for pair in reweighted_pairs(evidence):
        both = printed_pair(evidence, pair.dataset, "rank")
        if pair.cost != "rank" or pair.dataset not in known or not both:
            continue
        constant = nearest_constant(evidence, pair.dataset, both["plain"])
        if not constant:
            continue
        ours, weighted = summary(pair.plain), summary(pair.weighted)
        told = enough(ours) and enough(weighted)
        yield {
            "dataset": pair.dataset,
            "rnn": pair.rnn,
            "printed": both["plain"]["mean"],
            "printed_ste": both["plain"]["ste"],
            "constant": constant.name,
            "constant_loss": constant.loss,
            "constant_z": constant.z,
            "equal": constant.equal,
            "ours": ours["mean"],
            "ours_z": errors_apart(ours, both["plain"], evidence.decimals(pair.dataset, "rank")),
            "ours_gain": share_gained(weighted["mean"], ours["mean"], False) if told else None,
            "printed_gain": share_gained(both["reweighted"]["mean"], both["plain"]["mean"], False),
            "seeds": ours["n"] if told else 0,
        }
