"""How a finding about the printed tables is written down."""

from stages.compare.evidence import Evidence
from stages.compare.names import FEWEST_SEEDS, Json

CONFIRMED, NOT_CONFIRMED, NOT_ENOUGH = "confirmed", "not confirmed", "not enough runs"


def finding(
    name: str, title: str, anchor: str, confirmed: bool | None, text: str, evidence: list[Json]
) -> Json:
    """One flaw with its verdict; None is not enough runs."""
    verdict = NOT_ENOUGH if confirmed is None else CONFIRMED if confirmed else NOT_CONFIRMED
    return {
        "id": name,
        "title": title,
        "verdict": verdict,
        "text": text,
        "anchor": anchor,
        "evidence": evidence,
    }


def enough(ours: Json) -> bool:
    """Whether a mean of ours has seeds enough to be held against a printed one."""
    return ours["n"] >= FEWEST_SEEDS


def printed_datasets(evidence: Evidence, experiment: str = "algorithms") -> list[str]:
    """The data sets of an experiment that the paper has."""
    return [d for d in evidence.experiment(experiment).datasets if evidence.paper_name(d)]
