"""By Hamming and rank loss the published PCC follows one greedy path instead of the marginals."""

from stages.common.words import listed, sentence
from stages.compare.audit import Finding
from stages.compare.audit.pcc_f1_rule import deciding_rows, explained
from stages.compare.evidence import Evidence, PrintedPlace

TITLE = "PCC follows one greedy path by Hamming and rank loss"
ANCHOR = "paper"
GREEDY = ("hamming", "rank")


def audit(evidence: Evidence) -> Finding:
    """PCC by the marginals and along one path: which is nearer to the printed number."""
    rows = deciding_rows(evidence, GREEDY)
    table = [row._asdict() for row in rows]
    if not rows:
        return Finding(None, "No data set tells the two apart by Hamming or rank loss.", table)
    published = evidence.roles.variants("published").values()
    nearer = [row for row in rows if row.nearer in published]
    text = sentence(
        "It is no fault, but it costs: the path is the likeliest set of labels at best, not the "
        "one with the least expected loss.",
        f"Where the two differ and not both fit ({listed(dict.fromkeys(r.dataset for r in rows))})"
        f", the path is nearer to the printed number in {len(nearer)} of {len(rows)} cases.",
    )
    return Finding(2 * len(nearer) > len(rows), text, table)


def explains(evidence: Evidence, place: PrintedPlace) -> bool:
    """Whether the greedy path leaves little of the distance to a printed number."""
    return place.cost in GREEDY and explained(evidence, place)
