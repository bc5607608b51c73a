"""Printed counts of features that are not those of the files."""

from stages.common.words import listed
from stages.compare.datasets import dataset_rows
from stages.compare.evidence import Evidence
from stages.compare.flaws.base import finding
from stages.compare.names import Json

NAME = "feature-counts"
TITLE = "The table of data sets has wrong feature counts"


def counts(evidence: Evidence) -> Json:
    """Our cards against the paper's table of data sets."""
    known = [row for row in dataset_rows(evidence, evidence.datasets()) if row["printed"]]
    names = [row["dataset"] for row in known]
    if not known:
        return finding(
            NAME, TITLE, "data-sets", None, "No data set of the paper is in the run.", []
        )
    rows = [
        {
            "dataset": row["dataset"],
            "count": key,
            "printed": row["printed"][key],
            "ours": row["ours"][key],
            "equals_instances": row["printed"][key] == row["ours"]["instances"],
        }
        for row in known
        for key in row["wrong"]
    ]
    said = [
        f"{row['dataset']} has {row['ours']:g} {row['count']}, printed are {row['printed']:g}"
        + (" (the number of rows)" if row["equals_instances"] else "")
        for row in rows
    ]
    text = f"Counted from the files of {listed(names)}: " + (
        "; ".join(said) if said else "all printed counts are right"
    )
    return finding(NAME, TITLE, "data-sets", bool(rows), text + ".", rows)
