"""The rank losses printed for baselines are those of predictions that look at no feature."""

from collections.abc import Iterator
from statistics import fmean

from stages.common.words import listed
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import enough, finding, printed_datasets
from stages.compare.flaws.trivial import nearest_constant
from stages.compare.names import BY_MAX, COST_BLIND, NEAR, Json
from stages.compare.numbers import errors_apart, near, share_gained, summary
from stages.compare.words import percent, sentence

NAME = "rank-trivial"
TITLE = "Rank losses of the cost-blind baselines are those of a constant prediction"


def rank_column(evidence: Evidence) -> Json:
    """Printed rank losses against constants, and our models selected rightly and wrongly."""
    rows = list(_rows(evidence))
    if not any(row["seeds"] for row in rows):
        text = "No cost-blind baseline of the paper was run for rank loss on one of its data sets."
        return finding(NAME, TITLE, "selected-by-max", None, text, rows)
    same = [row for row in rows if row["equal"]]
    ran = [row for row in rows if row["seeds"]]
    better = [row for row in ran if row["ours_z"] < -NEAR]
    wrong = [row for row in ran if row["by_max"] is not None]
    reached = [row for row in wrong if abs(row["by_max_z"]) < abs(row["ours_z"])]
    confirmed = (
        2 * len(same) >= len(rows) and 2 * len(better) > len(ran) and 2 * len(reached) >= len(wrong)
    )
    lower = fmean(share_gained(row["ours"], row["printed"], False) for row in ran)
    equal = sum(near(row["by_max_z"]) for row in wrong)
    text = sentence(
        f"On {listed(list(dict.fromkeys(row['dataset'] for row in rows)))}, {len(same)} of "
        f"{len(rows)} printed rank losses of {listed(COST_BLIND)} lie within {NEAR:g} standard "
        "errors of a prediction that looks at no feature: no label at all, or the labels that "
        "more than half of the rows have.",
        f"Selected by the smallest loss, ours are more than {NEAR:g} standard errors better than "
        f"printed in {len(better)} of {len(ran)} cases; their loss changes by {percent(-lower)} on "
        "average.",
        f"Selected by the largest loss, they are nearer to the printed number in {len(reached)} "
        f"of {len(wrong)} cases and within {NEAR:g} standard errors in {equal}."
        if wrong
        else None,
    )
    return finding(NAME, TITLE, "selected-by-max", confirmed, text, rows)


def _rows(evidence: Evidence) -> Iterator[Json]:
    for dataset in printed_datasets(evidence):
        for model in COST_BLIND:
            printed = evidence.paper.number(evidence.paper_name(dataset), "rank", model)
            constant = printed and nearest_constant(evidence, dataset, printed)
            if not printed or not constant:
                continue
            decimals = evidence.decimals(dataset, "rank")
            ours, by_max = (
                summary(evidence.scores.seeds(dataset, name, "rank"))
                for name in (model, model + BY_MAX)
            )
            yield {
                "dataset": dataset,
                "model": model,
                "printed": printed["mean"],
                "printed_ste": printed["ste"],
                "constant": constant.name,
                "constant_loss": constant.loss,
                "constant_z": constant.z,
                "equal": constant.equal,
                "ours": ours["mean"],
                "ours_z": errors_apart(ours, printed, decimals),
                "by_max": by_max["mean"],
                "by_max_z": errors_apart(by_max, printed, decimals),
                "seeds": ours["n"] if enough(ours) else 0,
            }
