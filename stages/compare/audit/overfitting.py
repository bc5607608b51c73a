"""Printed rank losses are those of models that know the training rows by heart."""

from statistics import fmean

from stages.common.slices import OverfittedScore, Value
from stages.common.words import change, counted, listed, sentence
from stages.compare.audit import Finding
from stages.compare.evidence import OWN, Evidence, PrintedPlace
from stages.compare.experiments.overfitting import overfitted_score, section
from stages.compare.numbers import NEAR, enough, explains_most, near, share_gained

TITLE = "Rank losses of the cost-sensitive algorithms are those of overfitted models"
ANCHOR = "overfitting"
COST = "rank"
TRAINING = ", train part"
# the columns of each table that the name of a place stands for
COLUMNS = {"algorithms": ("model",), "reweighting": ("variant",), "rnn_variants": ("rnn", "split")}


def audit(evidence: Evidence) -> Finding:
    """Which printed rank losses an overfitted model is nearer to than a tuned one."""
    rows = section(evidence).rows
    table = [_line(row) for row in rows]
    known = [row for row in rows if row.cost == COST and row.printed and enough(row.overfitted)]
    if not known:
        models = listed(evidence.roles.variants("overfitted")) or "No model"
        text = f"{models}: none was run tuned and overfitted on a data set of the paper."
        return Finding(None, text, table)
    nearer = [row for row in known if abs(row.overfitted_z or 0.0) < abs(row.tuned_z or 0.0)]
    text = sentence(
        "Here a net was trained until its loss no longer fell, with one of the paper's penalties, "
        "and a chain of linear models got the weakest penalty of the paper's grid.",
        f"Of {counted(len(known), 'printed rank loss', 'printed rank losses')} of "
        f"{listed(dict.fromkeys(row.model for row in known))}, {len(nearer)} are nearer to these "
        f"overfitted models than to those that were tuned on held-out rows; "
        f"{sum(near(row.overfitted_z) for row in known)} lie within {NEAR:g} standard errors of "
        f"an overfitted one, {sum(near(row.tuned_z) for row in known)} of a tuned one.",
        f"Tuning changes the rank loss of test rows by {change(-_gain(known))} on average.",
    )
    return Finding(2 * len(nearer) > len(known), text, table)


def _line(row: OverfittedScore) -> dict[str, Value]:
    return {
        "dataset": row.dataset,
        "model": row.model,
        "cost": row.cost,
        "printed": row.printed.mean if row.printed else None,
        "tuned": row.tuned.mean,
        "tuned_z": row.tuned_z,
        "overfitted": row.overfitted.mean,
        "overfitted_z": row.overfitted_z,
        "tuned_train": row.tuned_train.mean,
        "overfitted_train": row.overfitted_train.mean,
    }


def _gain(rows: list[OverfittedScore]) -> float:
    """By which share of it tuning lowers the loss of an overfitted model."""
    return fmean(
        share_gained(row.tuned.mean or 0.0, row.overfitted.mean or 0.0, False) for row in rows
    )


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether an overfitted model leaves little of the distance to a printed number.

    A net of another kind is explained by the proposed one, on the same part.
    """
    if not place.dataset or place.cost not in evidence.experiment("overfitting").costs:
        return False
    if place.table not in COLUMNS:
        return False
    net = place.table == "rnn_variants" or place.name in (OWN, "reweighted")
    model = evidence.roles.proposed if net else place.name
    row = overfitted_score(evidence, place.dataset, model, place.cost)
    if row is None or not enough(row.overfitted):
        return False
    means = (row.tuned, row.overfitted)
    if place.name.endswith(TRAINING):
        means = (row.tuned_train, row.overfitted_train)
    return explains_most(_printed(evidence, place), *(mean.mean for mean in means))


def _printed(evidence: Evidence, place: PrintedPlace) -> float | None:
    """The printed number of a place."""
    known = zip(COLUMNS[place.table], place.name.removesuffix(" part").split(", "), strict=True)
    wanted = dict(known)
    rows = evidence.paper.rows(place.table, place.paper_name, place.cost)
    return next((row["mean"] for row in rows if wanted.items() <= row.items()), None)
