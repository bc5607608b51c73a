"""The table of data sets: counts from the files beside the printed ones."""

from collections.abc import Iterable, Mapping

from stages.compare.evidence import Evidence
from stages.compare.names import Json

COUNTS = ("features", "labels", "instances")  # must agree exactly
RATIOS = ("cardinality", "density")
LAST_DIGIT = 0.001  # the paper rounds ratios now up, now down


def datasets_section(evidence: Evidence) -> Json:
    """The data sets of the experiment."""
    return {"rows": dataset_rows(evidence, evidence.experiment("datasets").datasets)}


def dataset_rows(evidence: Evidence, datasets: Iterable[str]) -> list[Json]:
    """Data sets with their counts, the printed ones and where these are wrong."""
    rows = []
    for dataset in datasets:
        card = evidence.cards.get(dataset)
        if card is None:
            continue
        name = evidence.paper_name(dataset)
        ours = {key: card[key] for key in (*COUNTS, *RATIOS)}
        found = evidence.paper.rows("datasets", name) if name else []
        printed = {key: found[0][key] for key in (*COUNTS, *RATIOS)} if found else None
        rows.append(
            {
                "dataset": dataset,
                "paper_name": name,
                "ours": ours,
                "printed": printed,
                "wrong": wrong_counts(ours, printed) if printed else [],
            }
        )
    return rows


def wrong_counts(ours: Mapping[str, float], printed: Mapping[str, float]) -> list[str]:
    """Which printed counts are not those of the files."""
    counts = [key for key in COUNTS if ours[key] != printed[key]]
    slack = LAST_DIGIT * (1 + 1e-9)
    return counts + [key for key in RATIOS if abs(ours[key] - printed[key]) > slack]
