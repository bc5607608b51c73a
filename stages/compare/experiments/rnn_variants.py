"""Recurrent nets of equal size: four kinds, on the training and the test part."""

from collections.abc import Iterable, Mapping
from statistics import fmean

from rethink.statistics import average_ranks, beats, best_of, midranks
from stages.common.outcomes import Number
from stages.common.schema import Claim
from stages.common.slices import RnnVariant, RnnVariants
from stages.common.words import change, listed, percent, sentence
from stages.compare.claims import (
    OVER_DATASETS,
    Outcome,
    absent,
    better_over_datasets,
    claim,
    common_means,
    outside_the_paper,
)
from stages.compare.evidence import Evidence
from stages.compare.numbers import DEFAULT_EMPTY, decimals_of, share_gained, summary

ANCHOR = "rnn-variants"
PREFERRED, OTHERS = ("SRN", "LSTM"), ("GRU", "IRNN")
BETTER_TEST = f"mean test score of SRN and LSTM against that of GRU and IRNN: {OVER_DATASETS}"
OVERFIT_TEST = (
    "gap between training and test part as a share of the score, GRU and IRNN against SRN and "
    f"LSTM, averaged over the costs: {OVER_DATASETS}"
)


def section(evidence: Evidence) -> RnnVariants:
    """A row for each data set, cost and kind of net, and the average rank of each kind."""
    experiment = evidence.experiment("rnn_variants")
    rows = [
        row
        for cost in experiment.costs
        for dataset in experiment.datasets
        for row in _rows(evidence, dataset, cost)
    ]
    ranks = {
        cost: _average_ranks([row for row in rows if row.cost == cost], evidence.greater(cost))
        for cost in experiment.costs
    }
    return RnnVariants(rows, ranks)


def _kinds(evidence: Evidence) -> dict[str, str]:
    return evidence.roles.nets(evidence.experiment("rnn_variants").models)


def _rows(evidence: Evidence, dataset: str, cost: str) -> list[RnnVariant]:
    greater = evidence.greater(cost)
    kinds = {
        rnn: model
        for rnn, model in _kinds(evidence).items()
        if evidence.scores.planned(dataset, model, cost)
    }
    empty = _convention(evidence, dataset, cost, kinds.values())
    train, test = (
        {
            rnn: summary(evidence.scores.seeds(dataset, model, cost, part=part, empty=empty))
            for rnn, model in kinds.items()
        }
        for part in ("train", "test")
    )
    means = {rnn: row.mean for rnn, row in test.items() if row.mean is not None}
    lead = best_of(means.values(), greater)
    printed = {rnn: _printed(evidence, dataset, cost, rnn) for rnn in kinds}
    decimals = decimals_of([n for both in printed.values() for n in both.values()], means.values())
    return [
        RnnVariant(
            dataset=dataset,
            cost=cost,
            rnn=rnn,
            empty=empty,
            train=train[rnn],
            test=test[rnn],
            best=lead is not None and rnn in means and not beats(lead, means[rnn], greater),
            printed=printed[rnn],
            decimals=decimals,
        )
        for rnn in kinds
    ]


def _convention(evidence: Evidence, dataset: str, cost: str, models: Iterable[str]) -> float:
    """One for the row: the paper's as soon as it changes the score of one kind."""
    values = [evidence.empty_beside(dataset, model, cost) for model in models]
    return next((empty for empty in values if empty != DEFAULT_EMPTY), DEFAULT_EMPTY)


def _printed(evidence: Evidence, dataset: str, cost: str, rnn: str) -> dict[str, Number]:
    name = evidence.paper_name(dataset)
    rows = evidence.paper.rows("rnn_variants", name, cost) if name else []
    return {row["split"]: Number(row["mean"], row["ste"]) for row in rows if row["rnn"] == rnn}


def _average_ranks(rows: list[RnnVariant], greater: bool) -> dict[str, float | None]:
    """Average rank by the test scores, over the data sets with every kind and seed."""
    table: dict[str, dict[str, float | None]] = {}
    for dataset in dict.fromkeys(row.dataset for row in rows):
        here = [row for row in rows if row.dataset == dataset]
        most = max(row.test.n for row in here)
        means = {row.rnn: row.test.mean for row in here if row.test.n == most}
        whole = {rnn: mean for rnn, mean in means.items() if mean is not None}
        ranks = dict(zip(whole, midranks(list(whole.values()), greater), strict=True))
        table[dataset] = {row.rnn: ranks.get(row.rnn) for row in here}
    return average_ranks(table)[0]


def claims(evidence: Evidence, part: RnnVariants, empty: float) -> list[Claim]:
    """A claim on the test score for each cost, and one on over-fitting."""
    missing = absent((*PREFERRED, *OTHERS), list(_kinds(evidence)))
    better = [
        claim(
            f"rnn-{cost}",
            f"SRN and LSTM reach a better {evidence.title(cost)} than GRU and IRNN.",
            BETTER_TEST,
            ANCHOR,
            missing or _better(evidence, cost, part.average_ranks[cost], empty),
        )
        for cost in evidence.experiment("rnn_variants").costs
    ]
    overfit = claim(
        "rnn-overfit",
        "GRU and IRNN over-fit more than SRN and LSTM.",
        OVERFIT_TEST,
        ANCHOR,
        missing or _overfit(evidence, empty),
    )
    return [*better, overfit]


def _means(
    evidence: Evidence, dataset: str, cost: str, part: str, empty: float
) -> dict[str, float]:
    """The mean of each kind of net; nothing if they have too few seeds in common."""
    return common_means(
        {
            rnn: evidence.scores.seeds(dataset, model, cost, part=part, empty=empty)
            for rnn, model in _kinds(evidence).items()
        }
    )


def _better(
    evidence: Evidence, cost: str, ranks: Mapping[str, float | None], empty: float
) -> Outcome:
    gains = {
        dataset: share_gained(
            _group(means, PREFERRED), _group(means, OTHERS), evidence.greater(cost)
        )
        for dataset in evidence.experiment("rnn_variants").datasets
        if (means := _means(evidence, dataset, cost, "test", empty))
    }
    outcome = better_over_datasets("SRN and LSTM are better", gains)
    known = sorted((rank, rnn) for rnn, rank in ranks.items() if rank is not None)
    order = listed(f"{rnn} {rank:.2f}" for rank, rnn in known)
    why = sentence(
        outcome.why,
        f"Average ranks: {order}." if known else None,
        outside_the_paper(evidence, gains),
    )
    return Outcome(outcome.holds, why)


def _group(means: Mapping[str, float], kinds: tuple[str, ...]) -> float:
    return fmean(means[rnn] for rnn in kinds)


def _overfit(evidence: Evidence, empty: float) -> Outcome:
    experiment, kinds = evidence.experiment("rnn_variants"), _kinds(evidence)
    gaps: dict[str, dict[str, float]] = {}
    for dataset in experiment.datasets:
        by_cost = [gap for c in experiment.costs if (gap := _gaps(evidence, dataset, c, empty))]
        if by_cost:
            gaps[dataset] = {rnn: fmean(gap[rnn] for gap in by_cost) for rnn in kinds}
    gains = {name: _group(gap, OTHERS) - _group(gap, PREFERRED) for name, gap in gaps.items()}
    outcome = better_over_datasets("Theirs is the larger gap", gains, _points)
    means = {rnn: fmean(gap[rnn] for gap in gaps.values()) for rnn in kinds} if gaps else {}
    order = listed(f"{rnn} {percent(gap)}" for rnn, gap in means.items())
    return Outcome(outcome.holds, sentence(outcome.why, f"Mean gaps: {order}." if means else None))


def _points(difference: float) -> str:
    return change(difference).replace(" %", " points")


def _gaps(evidence: Evidence, dataset: str, cost: str, empty: float) -> dict[str, float]:
    """How much better each kind is on the training part, as a share of the larger score."""
    train, test = (_means(evidence, dataset, cost, part, empty) for part in ("train", "test"))
    if not train or not test:
        return {}
    return {rnn: share_gained(train[rnn], test[rnn], evidence.greater(cost)) for rnn in test}
