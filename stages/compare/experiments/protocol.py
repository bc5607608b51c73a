"""The paper's way to train its net beside ours: scores and CPU time."""

from stages.common.outcomes import Number
from stages.common.slices import ProtocolRow, Protocols
from stages.compare.evidence import Evidence
from stages.compare.numbers import decimals_of, mean_of, on_common, seed_gains, summary
from stages.compare.significance import both_tests


def section(evidence: Evidence) -> Protocols:
    """The proposed net by both protocols, where both were planned."""
    experiment, own = evidence.experiment("protocol"), evidence.roles.proposed
    theirs = evidence.roles.variants("protocol").get(own, "")
    return Protocols(
        [
            _row(evidence, dataset, cost, own, theirs)
            for dataset in experiment.datasets
            for cost in experiment.costs
            if all(evidence.scores.planned(dataset, model, cost) for model in (own, theirs))
        ]
    )


def _row(evidence: Evidence, dataset: str, cost: str, own: str, their: str) -> ProtocolRow:
    empty = evidence.empty_beside(dataset, own, cost)
    ours, theirs = on_common(
        *(evidence.scores.seeds(dataset, model, cost, empty=empty) for model in (own, their))
    )
    seconds, their_seconds = (
        mean_of(list(times.values()))
        for times in on_common(
            *(evidence.seconds.get((dataset, model, cost), {}) for model in (own, their))
        )
    )
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, own)
    return ProtocolRow(
        dataset=dataset,
        cost=cost,
        greater_is_better=evidence.greater(cost),
        ours=summary(ours),
        theirs=summary(theirs),
        gain=mean_of(seed_gains(ours, theirs, evidence.greater(cost))),
        corrected=both_tests(ours, theirs, evidence.greater(cost)).corrected,
        seconds=seconds,
        their_seconds=their_seconds,
        printed=Number(printed.mean, printed.ste) if printed else None,
        decimals=decimals_of([printed] if printed else [], [*ours.values(), *theirs.values()]),
    )
