"""Printed counts of features that are not those of the files."""

from stages.common.slices import Value
from stages.common.words import listed
from stages.compare.audit import Finding
from stages.compare.evidence import Evidence, PrintedPlace
from stages.compare.experiments.datasets import dataset_rows

TITLE = "The table of data sets has wrong feature counts"
ANCHOR = "datasets"


def audit(evidence: Evidence) -> Finding:
    """Our cards against the paper's table of data sets."""
    known = [row for row in dataset_rows(evidence, evidence.datasets()) if row.printed]
    if not known:
        return Finding(None, "No data set of the paper is in the run.", [])
    wrong = [
        (row.dataset, key, row.printed[key], row.ours[key], row.ours["instances"])
        for row in known
        if row.printed
        for key in row.wrong
    ]
    parts = [
        f"{dataset} has {ours:g} {key}, printed are {printed:g}"
        + (" (the number of rows)" if printed == instances else "")
        for dataset, key, printed, ours, instances in wrong
    ]
    text = f"Counted from the files of {listed(row.dataset for row in known)}: " + (
        "; ".join(parts) or "all printed counts are right"
    )
    rows: list[dict[str, Value]] = [
        {
            "dataset": dataset,
            "count": key,
            "printed": printed,
            "ours": ours,
            "equals_instances": printed == instances,
        }
        for dataset, key, printed, ours, instances in wrong
    ]
    return Finding(bool(rows), text + ".", rows)


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether a printed count is one that the files contradict."""
    if place.table != "datasets" or not place.dataset:
        return False
    return any(place.name in row.wrong for row in dataset_rows(evidence, [place.dataset]))
