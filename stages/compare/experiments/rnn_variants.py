"""Recurrent nets of equal size: four kinds, on the training and the test part."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from rethink.statistics import average_ranks, beats, best_of, midranks, shares_gained
from stages.common.outcomes import Mean, Number
from stages.common.slices import RnnVariant, RnnVariants
from stages.common.words import listed
from stages.compare.cases import Column, absent, of_the_paper, samples
from stages.compare.claims import BY_INTERVAL, Case, Setting, Statement
from stages.compare.evidence import Evidence
from stages.compare.numbers import DEFAULT_EMPTY, decimals_of, on_common, summary

ANCHOR, THEME, PLACE = "rnn-variants", "Kinds of recurrent nets", "Section 4.5, Table 7"
COSTS, PARTS = ("rank", "f1"), ("train", "test")
PREFERRED, OTHERS = ("SRN", "LSTM"), ("GRU", "IRNN")
DIFFERS = (
    "Nets of about 200,000 parameters, as in the paper; where a set has very many features this "
    "leaves few units, for all four kinds alike. Epochs are chosen on held-out rows."
)

Kinds = tuple[str, ...]


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
    train, test = (_means(evidence, dataset, cost, kinds, part, empty) for part in PARTS)
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


def _means(
    evidence: Evidence, dataset: str, cost: str, kinds: dict[str, str], part: str, empty: float
) -> dict[str, Mean]:
    """The mean of each kind, over the splits that all kinds with a result have."""
    scores = {
        rnn: evidence.scores.seeds(dataset, model, cost, part=part, empty=empty)
        for rnn, model in kinds.items()
    }
    known = {rnn: seeds for rnn, seeds in scores.items() if seeds}
    common = dict(zip(known, on_common(*known.values()), strict=True)) if known else {}
    return {rnn: summary(common.get(rnn, {})) for rnn in kinds}


def _convention(evidence: Evidence, dataset: str, cost: str, models: Iterable[str]) -> float:
    """How the row counts empty rows: as the paper does, if that changes the score of any kind."""
    values = [evidence.empty_beside(dataset, model, cost) for model in models]
    return next((empty for empty in values if empty != DEFAULT_EMPTY), DEFAULT_EMPTY)


def _printed(evidence: Evidence, dataset: str, cost: str, rnn: str) -> dict[str, Number]:
    name = evidence.paper_name(dataset)
    rows = evidence.paper.rows("rnn_variants", name, cost) if name else []
    return {row["split"]: Number(row["mean"], row["ste"]) for row in rows if row["rnn"] == rnn}


def _average_ranks(rows: list[RnnVariant], greater: bool) -> dict[str, float | None]:
    """Average rank by the test scores, over the data sets with every kind."""
    table: dict[str, dict[str, float | None]] = {}
    for dataset in dict.fromkeys(row.dataset for row in rows):
        here = [row for row in rows if row.dataset == dataset]
        whole = {row.rnn: row.test.mean for row in here if row.test.mean is not None}
        ranks = dict(zip(whole, midranks(list(whole.values()), greater), strict=True))
        table[dataset] = {row.rnn: ranks.get(row.rnn) for row in here}
    return average_ranks(table)[0]


def claims(evidence: Evidence, part: RnnVariants | None) -> Iterator[Statement]:
    """A claim on the test score for each cost, and two on the gap to the training part."""
    for cost in COSTS:
        yield Statement(
            id=f"rnn-{cost}",
            theme=THEME,
            claim=f"SRN and LSTM reach a better {evidence.within(cost)} than GRU and IRNN.",
            quote="In terms of testing result, we can see that SRN and LSTM are two better "
            "choices.",
            place=PLACE,
            rule="gain of the mean test score of SRN and LSTM over that of GRU and IRNN, as a "
            f"share; {BY_INTERVAL}",
            anchor=ANCHOR,
            differs=DIFFERS,
            case=partial(_better, evidence, cost),
            note=partial(_order, part, cost),
        )
    yield _discrepancy(
        evidence,
        "rnn-overfit",
        "GRU and IRNN over-fit more than SRN and LSTM.",
        "GRU and IRNN tends to overfit too much causing their testing performance to drop.",
        (OTHERS, PREFERRED),
    )
    yield _discrepancy(
        evidence,
        "rnn-discrepancy",
        "The gap between training and test part is larger for SRN than for LSTM.",
        "Among SRN and LSTM, SRN tends to have a slightly larger discrepancy between training and "
        "testing performance.",
        (("SRN",), ("LSTM",)),
    )


def _discrepancy(
    evidence: Evidence, name: str, claim: str, quote: str, kinds: tuple[Kinds, Kinds]
) -> Statement:
    return Statement(
        id=name,
        theme=THEME,
        claim=claim,
        quote=quote,
        place=PLACE,
        rule="gap between training and test part as a share of the larger score, averaged over "
        f"the costs, of {listed(kinds[0])} less that of {listed(kinds[1])}; {BY_INTERVAL}",
        anchor=ANCHOR,
        unit="points",
        effect="larger gap",
        differs="Early stopping removes part of the over-fitting that this is about.",
        case=partial(_gaps, evidence, kinds),
    )


def _missing(evidence: Evidence) -> str | None:
    return absent((*PREFERRED, *OTHERS), _kinds(evidence))


def _datasets(evidence: Evidence, setting: Setting) -> list[str]:
    return of_the_paper(evidence, evidence.experiment("rnn_variants").datasets, setting)


def _better(evidence: Evidence, cost: str, setting: Setting) -> Case | str:
    if why := _missing(evidence):
        return why
    kinds, greater = _kinds(evidence), evidence.greater(cost)
    columns = [Column(kinds[rnn], cost) for rnn in (*PREFERRED, *OTHERS)]
    scores, left_out = samples(evidence, columns, _datasets(evidence, setting), setting)
    first = len(PREFERRED)

    def each(means: np.ndarray) -> np.ndarray:
        groups = (means[..., :first].mean(axis=-1), means[..., first:].mean(axis=-1))
        return shares_gained(*groups, greater)[..., None]

    return Case(scores, each, left_out=left_out)


def _order(part: RnnVariants | None, cost: str) -> str | None:
    ranks = part.average_ranks.get(cost, {}) if part else {}
    known = sorted((rank, rnn) for rnn, rank in ranks.items() if rank is not None)
    return (
        f"Average ranks: {listed(f'{rnn} {rank:.2f}' for rank, rnn in known)}." if known else None
    )


def _gaps(evidence: Evidence, kinds: tuple[Kinds, Kinds], setting: Setting) -> Case | str:
    """The gap of the first kinds less that of the second, as shares of the larger score."""
    if why := _missing(evidence):
        return why
    models = _kinds(evidence)
    places = [
        (sign / len(group), cost, models[rnn])
        for sign, group in zip((1.0, -1.0), kinds, strict=True)
        for rnn in group
        for cost in COSTS
    ]
    columns = [Column(model, cost, part) for _, cost, model in places for part in ("train", "test")]
    scores, left_out = samples(evidence, columns, _datasets(evidence, setting), setting)

    def each(means: np.ndarray) -> np.ndarray:
        gaps = [
            weight * shares_gained(means[..., 2 * k], means[..., 2 * k + 1], evidence.greater(cost))
            for k, (weight, cost, _) in enumerate(places)
        ]
        return np.sum(gaps, axis=0)[..., None] / len(COSTS)

    return Case(scores, each, limits=(-2.0, 2.0), left_out=left_out)
