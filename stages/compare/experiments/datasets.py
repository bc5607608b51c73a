"""The table of data sets: counts from the files beside the printed ones."""

from collections.abc import Iterable, Mapping

from stages.common.slices import DatasetCounts, DatasetRows
from stages.compare.evidence import Evidence

COUNTS = ("features", "labels", "instances")  # must agree exactly
RATIOS = ("cardinality", "density")
LAST_DIGIT = 0.001  # the paper rounds ratios now up, now down


def section(evidence: Evidence) -> DatasetRows:
    """The data sets of the experiment."""
    return DatasetRows(dataset_rows(evidence, evidence.experiment("datasets").datasets))


def dataset_rows(evidence: Evidence, datasets: Iterable[str]) -> list[DatasetCounts]:
    """Data sets with their counts, the printed ones and where these are wrong."""
    return [_row(evidence, dataset) for dataset in datasets if dataset in evidence.cards]


def _row(evidence: Evidence, dataset: str) -> DatasetCounts:
    name = evidence.paper_name(dataset)
    ours = {key: evidence.cards[dataset][key] for key in (*COUNTS, *RATIOS)}
    lines = evidence.paper.rows("datasets", name) if name else []
    printed = {key: lines[0][key] for key in (*COUNTS, *RATIOS)} if lines else None
    wrong = wrong_counts(ours, printed) if printed else []
    return DatasetCounts(dataset, name, ours, printed, wrong)


def wrong_counts(ours: Mapping[str, float], printed: Mapping[str, float]) -> list[str]:
    """Which printed counts are not those of the files."""
    counts = [key for key in COUNTS if ours[key] != printed[key]]
    slack = LAST_DIGIT * (1 + 1e-9)
    return counts + [key for key in RATIOS if abs(ours[key] - printed[key]) > slack]
