"""The paper's numbers of tmc2007 are those of a file whose test rows are known from training."""

from stages.common.slices import FileScore, Value
from stages.common.words import counted, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import Evidence, PrintedPlace
from stages.compare.experiments.other_files import file_pairs, file_scores
from stages.compare.numbers import NEAR, enough, near

TITLE = "tmc2007 rewards memory"
ANCHOR = "other-files"
MANY = 0.1  # share of test rows with a twin in the training part; a larger one rewards memory


def audit(evidence: Evidence) -> Finding:
    """How many test rows have a twin, and which file's scores are nearer to the printed ones."""
    pairs = list(file_pairs(evidence))
    if not pairs:
        return Finding(None, "No other file of a data set of the paper is in the run.", [])
    twins = _twins(evidence)
    scores = file_scores(evidence)
    known = [row for row in scores if _known(row)]
    nearer = [row for row in known if _nearer(row)]
    text = sentence(
        *(
            f"{twins[other]:.0%} of the test rows of {other} have the features of a training row, "
            f"{twins[dataset]:.0%} of {dataset}."
            for dataset, other in pairs
        ),
        f"Of {counted(len(known), 'printed number')}, {len(nearer)} are nearer to ours on the file "
        f"with the repeated rows; {sum(near(row.other_z) for row in known)} lie within {NEAR:g} "
        f"standard errors of it, {sum(near(row.ours_z) for row in known)} of the other."
        if known
        else "No model of the paper was run on both files with seeds enough.",
    )
    memory = [row for row in nearer if _repeated(row, twins)]
    confirmed = 2 * len(memory) > len(known) if known else None
    return Finding(confirmed, text, [_line(row, twins) for row in scores])


def _twins(evidence: Evidence) -> dict[str, float]:
    """Of each file, the share of test rows with a twin in the training part."""
    names = {name for pair in file_pairs(evidence) for name in pair}
    return {name: evidence.cards[name]["test_twins"] for name in names}


def _repeated(row: FileScore, twins: dict[str, float]) -> bool:
    return twins[row.other] > max(MANY, twins[row.dataset])


def _known(row: FileScore) -> bool:
    return row.printed is not None and enough(row.ours) and enough(row.elsewhere)


def _nearer(row: FileScore) -> bool:
    """Whether the printed number is nearer to ours on the other file."""
    return abs(row.other_z or 0.0) < abs(row.ours_z or 0.0)


def _line(row: FileScore, twins: dict[str, float]) -> dict[str, Value]:
    return {
        "dataset": row.dataset,
        "model": row.model,
        "cost": row.cost,
        "printed": row.printed.mean if row.printed else None,
        "ours": row.ours.mean,
        "ours_z": row.ours_z,
        "ours_twins": twins[row.dataset],
        "other": row.elsewhere.mean,
        "other_z": row.other_z,
        "other_twins": twins[row.other],
    }


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether a printed number is nearer to ours on the file with the repeated rows.

    A number that was not run there is explained with the others of its row.
    """
    pairs = [pair for pair in file_pairs(evidence) if pair[0] == place.dataset]
    if not pairs or place.table == "datasets":
        return False
    twins = _twins(evidence)
    rows = [row for row in file_scores(evidence) if row.dataset == place.dataset and _known(row)]
    same = [row for row in rows if (row.cost, row.model) == (place.cost, place.name)]
    if place.table == "algorithms" and same:
        return all(_nearer(row) and _repeated(row, twins) for row in same)
    return audit(evidence).confirmed is True
