"""Reweighting by the cost: the same net with and without the cost in its loss."""

from collections.abc import Iterator
from math import hypot
from statistics import fmean
from typing import NamedTuple

from stages.common.outcomes import Mean, Number, TTest
from stages.common.schema import Claim
from stages.common.slices import PrintedPair, ReweightedNet, ReweightedNets
from stages.common.words import change, sentence
from stages.compare.claims import (
    OVER_DATASETS,
    Outcome,
    better_over_datasets,
    claim,
    dataset_gain,
    outside_the_paper,
)
from stages.compare.evidence import Evidence
from stages.compare.numbers import decimals_of, share_gained, summary
from stages.compare.scores import Seeds
from stages.compare.significance import both_tests

TEST = f"gain by reweighting, averaged over the kinds of net: {OVER_DATASETS}"


class Nets(NamedTuple):
    """A kind of net on a data set, without and with reweighting."""

    dataset: str
    cost: str
    rnn: str
    empty: float
    plain: Seeds
    weighted: Seeds


def net_pairs(evidence: Evidence, empty: float | None = None) -> Iterator[Nets]:
    """Every pair of nets of the experiment; by default counted as RethinkNet is in the paper."""
    experiment, roles = evidence.experiment("reweighting"), evidence.roles
    pairs = [
        (roles.models[weighted].net or weighted, plain, weighted)
        for weighted, plain in roles.variants("plain").items()
        if weighted in experiment.models and plain in experiment.models
    ]
    for dataset in experiment.datasets:
        for cost in experiment.costs:
            for rnn, plain, weighted in pairs:
                value = empty
                if value is None:
                    value = evidence.empty_beside(dataset, weighted, cost)
                scores = (
                    evidence.scores.seeds(dataset, model, cost, empty=value)
                    for model in (plain, weighted)
                )
                yield Nets(dataset, cost, rnn, value, *scores)


def section(evidence: Evidence) -> ReweightedNets:
    """Both variants of each net, the gain and the tests of it, beside the printed numbers."""
    return ReweightedNets([_row(evidence, nets) for nets in net_pairs(evidence)])


def _row(evidence: Evidence, nets: Nets) -> ReweightedNet:
    greater = evidence.greater(nets.cost)
    tests = both_tests(nets.weighted, nets.plain, greater)
    plain, weighted = summary(nets.plain), summary(nets.weighted)
    printed = printed_pair(evidence, nets.dataset, nets.cost)
    numbers = [printed.plain, printed.reweighted] if printed else []
    return ReweightedNet(
        dataset=nets.dataset,
        cost=nets.cost,
        rnn=nets.rnn,
        empty=nets.empty,
        plain=plain,
        reweighted=weighted,
        gain_in_ste=gain_in_errors(weighted, plain, greater),
        test=TTest(tests.result, tests.p, tests.n),
        corrected=tests.corrected,
        printed=printed,
        decimals=decimals_of(numbers, [*nets.plain.values(), *nets.weighted.values()]),
    )


def printed_pair(evidence: Evidence, dataset: str, cost: str) -> PrintedPair | None:
    """The paper's numbers of a data set and cost, without and with reweighting."""
    name = evidence.paper_name(dataset)
    rows = evidence.paper.rows("reweighting", name, cost) if name else []
    numbers = {row["variant"]: Number(row["mean"], row["ste"]) for row in rows}
    if not numbers.keys() >= {"plain", "reweighted"}:
        return None
    return PrintedPair(numbers["plain"], numbers["reweighted"])


def gain_in_errors(better: Mean, than: Mean, greater: bool) -> float | None:
    """By how many pooled standard errors one mean is better; None without an error."""
    if better.mean is None or than.mean is None:
        return None
    pooled = hypot(better.ste or 0.0, than.ste or 0.0)
    gain = better.mean - than.mean if greater else than.mean - better.mean
    return gain / pooled if pooled else None


def claims(evidence: Evidence, part: ReweightedNets, empty: float) -> list[Claim]:
    """A claim for each cost of the experiment."""
    return [
        claim(
            f"reweighting-{cost}",
            f"Reweighting improves {evidence.title(cost)}.",
            TEST,
            "reweighting",
            _helps(evidence, cost, empty),
        )
        for cost in evidence.experiment("reweighting").costs
    ]


def _helps(evidence: Evidence, cost: str, empty: float) -> Outcome:
    pairs = [nets for nets in net_pairs(evidence, empty) if nets.cost == cost]
    if not pairs:
        return Outcome(None, "No net is in the run both with and without reweighting.")
    by_dataset: dict[str, list[float]] = {}
    for nets in pairs:
        gain = dataset_gain(nets.weighted, nets.plain, evidence.greater(cost))
        if gain is not None:
            by_dataset.setdefault(nets.dataset, []).append(gain)
    gains = {dataset: fmean(values) for dataset, values in by_dataset.items()}
    outcome = better_over_datasets("Reweighted nets are better", gains)
    why = sentence(
        outcome.why, _as_printed(evidence, cost, gains), outside_the_paper(evidence, gains)
    )
    return Outcome(outcome.holds, why)


def _as_printed(evidence: Evidence, cost: str, gains: dict[str, float]) -> str | None:
    pairs = (printed_pair(evidence, dataset, cost) for dataset in gains)
    printed = [
        share_gained(pair.reweighted.mean, pair.plain.mean, evidence.greater(cost))
        for pair in pairs
        if pair and pair.reweighted.mean is not None and pair.plain.mean is not None
    ]
    if not printed:
        return None
    return f"The gain printed for the same data sets is {change(fmean(printed))}."
