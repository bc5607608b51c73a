"""Two questions about the net itself: does reweighting help, and which recurrent layer is best?"""

from stages.common.words import counted, listed
from stages.report.tables import (
    MEAN,
    Cell,
    Column,
    Json,
    Table,
    counted_as,
    estimate,
    marked,
    name,
    sign,
    simple,
    switched,
    void,
    words,
)
from stages.report.text import NONE, signed

NOT_PRINTED = "not printed in the paper"
RESULTS = {  # of the first against the second
    "win": ("▲", "better", "gain"),
    "tie": ("≈", "not told apart", "near"),
    "loss": ("▼", "worse", "lack"),
    "too few": ("?", "too few seeds", "near"),
}


def tested(row: Json) -> Cell:
    """The outcome of both t-tests; the switch shows one of them."""
    choices = {
        test: Cell(marked(symbol, text, kind))
        for test, found in (("paired", row["test"]), ("corrected", row["corrected"]))
        for symbol, text, kind in [RESULTS[found["result"]]]
    }
    fields = {"paired": row["test"]["result"], "corrected": row["corrected"]["result"]}
    return Cell(switched("test", choices), fields=fields)


def gain(value: float | None) -> Cell:
    """A gain in standard errors: positive where it helps."""
    if value is None:
        return void("no standard error", NONE)
    if abs(value) <= 2:
        return Cell(sign("≈", "no clear gain:", "near") + " " + signed(value, 1), value)
    symbol = ("▲", "helps:", "gain") if value > 0 else ("▼", "hurts:", "lack")
    return Cell(sign(*symbol) + " " + signed(value, 1), value)


def reweighting_table(comparison: Json) -> Table:
    """Plain against reweighted, beside the paper's numbers."""
    columns = [words("Data set"), words("Cost"), words("Net")]
    columns += [Column(title, fields=MEAN) for title in ("Plain", "Reweighted")]
    columns += [Column("Gain")]
    columns += [Column("Reweighted is", number=False, fields=("paired", "corrected"))]
    columns += [Column(f"Paper: {title}", fields=MEAN) for title in ("plain", "reweighted")]
    rows = [
        [
            *_place(comparison, row),
            estimate(row["plain"], row["decimals"], "did not finish"),
            estimate(row["reweighted"], row["decimals"], "did not finish"),
            gain(row["gain_in_ste"]),
            tested(row),
            estimate((row["printed"] or {}).get("plain"), row["decimals"], NOT_PRINTED),
            estimate((row["printed"] or {}).get("reweighted"), row["decimals"], NOT_PRINTED),
        ]
        for row in comparison["experiments"]["reweighting"]["rows"]
    ]
    return simple("reweighting", "With the cost as weight and without", columns, rows)


def _place(comparison: Json, row: Json) -> list[Cell]:
    dataset = counted_as(row["dataset"], row["empty"])
    return [dataset, name(title_of(comparison, row["cost"])), name(row["rnn"])]


def title_of(comparison: Json, cost: str) -> str:
    """The name of a cost, also when no algorithm was run for it."""
    return comparison["costs"][cost]["title"] if cost in comparison["costs"] else cost


def variant_table(comparison: Json) -> Table:
    """Kinds of recurrent nets with about as many parameters, on train and test rows."""
    columns = [words("Data set"), words("Cost"), words("Net")]
    columns += [Column(title, fields=MEAN) for title in ("Train", "Test")]
    columns += [Column(f"Paper: {title}", fields=MEAN) for title in ("train", "test")]
    rows = [
        [
            *_place(comparison, row),
            estimate(row["train"], row["decimals"], "did not finish"),
            estimate(row["test"], row["decimals"], "did not finish", row["best"]),
            estimate((row["printed"] or {}).get("train"), row["decimals"], NOT_PRINTED),
            estimate((row["printed"] or {}).get("test"), row["decimals"], NOT_PRINTED),
        ]
        for row in comparison["experiments"]["rnn_variants"]["rows"]
    ]
    return simple("rnn-variants", "Kinds of recurrent nets of about equal size", columns, rows)


def variant_sentence(comparison: Json) -> str:
    """Which net has the best average rank, by cost."""
    found = comparison["experiments"]["rnn_variants"]["average_ranks"]
    parts = []
    for cost, ranks in found.items():
        known = {rnn: rank for rnn, rank in ranks.items() if rank is not None}
        first = [rnn for rnn, rank in known.items() if rank == min(known.values())]
        if first:
            rank = min(known.values())
            parts.append(f"{listed(first)} by {title_of(comparison, cost)} ({rank:g})")
    return f"Best average rank: {listed(parts)}." if parts else "No net finished on every seed."


def reweighting(comparison: Json) -> Json:
    """Does it help to weight the loss by the cost?"""
    rows = comparison["experiments"]["reweighting"]["rows"]
    wins = sum(row["test"]["result"] == "win" for row in rows)
    return {
        "intro": [
            "The same nets with and without the cost as a weight of each label in the loss.",
            f"By the paired t-test reweighting is better in {wins} of "
            f"{counted(len(rows), 'comparison')}.",
        ],
        "figures": [],
        "tables": [reweighting_table(comparison)],
        "reading": "the gain is how much better the reweighted net is, in pooled standard errors: "
        "▲ is a gain of more than two, ▼ a loss of more than two, ≈ less than either.",
    }


def variants(comparison: Json) -> Json:
    """Which recurrent layer?"""
    return {
        "intro": [
            "The recurrent layer exchanged, with about 200,000 parameters in each net.",
            variant_sentence(comparison),
        ],
        "figures": [],
        "tables": [variant_table(comparison)],
        "reading": "★ marks the best net of a data set and cost on the test rows. A net that is "
        "far better on the training rows than on the test rows has learned them by heart.",
    }
