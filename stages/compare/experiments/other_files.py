"""Two files of one data set: how many test rows are known from training, and what scores follow."""

from collections.abc import Iterator

from stages.common.outcomes import Number
from stages.common.slices import FileScore, OtherFiles
from stages.compare.evidence import Evidence
from stages.compare.numbers import errors_apart, summary


def section(evidence: Evidence) -> OtherFiles:
    """Every model of the experiment on both files of a data set, beside the paper."""
    names = dict.fromkeys(name for pair in file_pairs(evidence) for name in pair)
    return OtherFiles(
        {name: evidence.cards[name]["test_twins"] for name in names}, file_scores(evidence)
    )


def file_pairs(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """A data set of the run and another file of it, where both were prepared."""
    for other, dataset in evidence.other_files.items():
        if evidence.cards.keys() >= {dataset, other}:
            yield dataset, other


def file_scores(evidence: Evidence) -> list[FileScore]:
    """The models and costs that were planned on both files."""
    experiment = evidence.experiment("other_files")
    return [
        _score(evidence, dataset, other, model, cost)
        for dataset, other in file_pairs(evidence)
        for cost in experiment.costs
        for model in experiment.models
        if all(evidence.scores.planned(name, model, cost) for name in (dataset, other))
    ]


def _score(evidence: Evidence, dataset: str, other: str, model: str, cost: str) -> FileScore:
    empty = evidence.empty_beside(dataset, model, cost, printed_as=model)
    ours, elsewhere = (
        summary(evidence.scores.seeds(name, model, cost, empty=empty)) for name in (dataset, other)
    )
    printed = evidence.paper.number(evidence.paper_name(dataset), cost, model)
    decimals = evidence.decimals(dataset, cost)
    return FileScore(
        dataset=dataset,
        other=other,
        model=model,
        cost=cost,
        greater_is_better=evidence.greater(cost),
        ours=ours,
        elsewhere=elsewhere,
        printed=Number(printed.mean, printed.ste) if printed else None,
        ours_z=errors_apart(ours, printed, decimals) if printed else None,
        other_z=errors_apart(elsewhere, printed, decimals) if printed else None,
        decimals=decimals,
    )
