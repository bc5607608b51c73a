"""Reweighting by the cost: the same net with and without the cost in its loss."""

from collections.abc import Iterator
from functools import partial
from math import hypot
from statistics import fmean
from typing import NamedTuple

from stages.common.outcomes import Mean, Number, TTest
from stages.common.slices import PrintedPair, ReweightedNet, ReweightedNets
from stages.common.words import change
from stages.compare.cases import Column, gain_case, of_the_paper
from stages.compare.claims import BY_INTERVAL, Case, Setting, Statement
from stages.compare.evidence import Evidence
from stages.compare.numbers import decimals_of, on_common, share_gained, summary
from stages.compare.scores import Seeds
from stages.compare.significance import both_tests

COSTS = ("rank", "f1", "accuracy")
QUOTE = (
    "it demonstrates that on almost all data sets, reweighting the loss function for RethinkNet "
    "yields better result."
)


class Nets(NamedTuple):
    """A kind of net on a data set, without and with reweighting, on their common splits."""

    dataset: str
    cost: str
    rnn: str
    empty: float
    plain: Seeds
    weighted: Seeds


def model_pairs(evidence: Evidence) -> list[tuple[str, str, str]]:
    """The kinds of net of the experiment, each with its plain and its reweighted model."""
    models, roles = evidence.experiment("reweighting").models, evidence.roles
    return [
        (roles.models[weighted].net or weighted, plain, weighted)
        for weighted, plain in roles.variants("plain").items()
        if weighted in models and plain in models
    ]


def net_pairs(evidence: Evidence, empty: float | None = None) -> Iterator[Nets]:
    """Every pair of nets that was planned; by default counted as RethinkNet is in the paper."""
    experiment = evidence.experiment("reweighting")
    pairs = model_pairs(evidence)
    for dataset in experiment.datasets:
        for cost in experiment.costs:
            for rnn, plain, weighted in pairs:
                if not all(evidence.scores.planned(dataset, m, cost) for m in (plain, weighted)):
                    continue
                value = empty
                if value is None:
                    value = evidence.empty_beside(dataset, weighted, cost)
                scores = (
                    evidence.scores.seeds(dataset, model, cost, empty=value)
                    for model in (plain, weighted)
                )
                yield Nets(dataset, cost, rnn, value, *on_common(*scores))


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


def claims(evidence: Evidence, part: ReweightedNets | None) -> Iterator[Statement]:
    """A claim for each cost that is not the same for every label."""
    for cost in COSTS:
        yield Statement(
            id=f"reweighting-{cost}",
            theme="Reweighting",
            claim=f"Reweighting improves {evidence.within(cost)}.",
            quote=QUOTE,
            place="Section 4.2, Table 3",
            rule=f"gain by reweighting, averaged over the kinds of net; {BY_INTERVAL}",
            anchor="reweighting",
            differs="Epochs are chosen on held-out rows; the paper does not say which net its "
            "table is of: its numbers resemble those of the SRN.",
            case=partial(_helps, evidence, cost),
            note=partial(_as_printed, evidence, cost),
        )


def _helps(evidence: Evidence, cost: str, setting: Setting) -> Case | str:
    experiment = evidence.experiment("reweighting")
    pairs = [
        (Column(weighted, cost), Column(plain, cost))
        for _, plain, weighted in model_pairs(evidence)
    ]
    if not pairs:
        return "No net is in the run both with and without reweighting."
    return gain_case(evidence, pairs, of_the_paper(evidence, experiment.datasets, setting), setting)


def _as_printed(evidence: Evidence, cost: str) -> str | None:
    pairs = (
        printed_pair(evidence, dataset, cost)
        for dataset in evidence.experiment("reweighting").datasets
    )
    printed = [
        share_gained(pair.reweighted.mean, pair.plain.mean, evidence.greater(cost))
        for pair in pairs
        if pair and pair.reweighted.mean is not None and pair.plain.mean is not None
    ]
    if not printed:
        return None
    return f"The gain printed for the same data sets is {change(fmean(printed))}."
