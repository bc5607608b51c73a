"""The main table's claims: who has the best average rank, and whether knowing the cost pays."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from rethink.statistics import complete_blocks, critical_difference, mean_ranks, midranks
from stages.common.schema import Claim
from stages.common.words import counted, fixed, gains, listed, sentence
from stages.compare.claims import (
    OVER_DATASETS,
    Outcome,
    absent,
    better_over_datasets,
    claim,
    common_means,
    dataset_gain,
    outside_the_paper,
    too_few,
)
from stages.compare.cost_tables import seed_table
from stages.compare.evidence import Evidence
from stages.compare.numbers import FEWEST_DATASETS, FEWEST_SEEDS, LEVEL, summary

RANK_TEST = (
    "average mid-rank over the data sets on which all have every seed: strictly the smallest; "
    f"needs {FEWEST_DATASETS} data sets with {FEWEST_SEEDS} seeds each"
)
SENSITIVE = ("rank", "f1", "accuracy")  # by Hamming loss, every algorithm is cost-sensitive


def claims(evidence: Evidence, part: None, empty: float) -> list[Claim]:
    """For each cost the best rank; for each but Hamming loss the worth of knowing the cost."""
    costs = evidence.experiment("algorithms").costs
    return [
        *(row for cost in costs for row in _best_rank(evidence, cost, empty)),
        *(_cost_sensitive(evidence, cost, empty) for cost in costs if cost in SENSITIVE),
    ]


def _best_rank(evidence: Evidence, cost: str, empty: float) -> list[Claim]:
    """Among the paper's algorithms, and with our rows beside them."""
    roles = evidence.roles
    models = evidence.experiment("algorithms").models
    ours = [m for m in models if m not in (*roles.paper, *roles.reference)]
    among = {
        "best-rank": ("has the best average rank of the paper's seven algorithms", roles.paper),
        "best-rank-all": (
            f"still has the best average rank with the rows the paper lacks ({listed(ours)})",
            [*roles.paper, *ours],
        ),
    }
    return [
        claim(
            f"{name}-{cost}",
            f"By {evidence.title(cost)}, {roles.proposed} {text}.",
            RANK_TEST,
            f"cost-{cost}",
            absent(rivals, models) or _leads(evidence, cost, rivals, empty),
        )
        for name, (text, rivals) in among.items()
        if ours or name == "best-rank"
    ]


def _leads(evidence: Evidence, cost: str, models: Sequence[str], empty: float) -> Outcome:
    blocks = complete_blocks(_means(evidence, cost, models, empty))
    n = len(blocks.datasets)
    if not n or len(blocks.models) < len(models):
        return Outcome(None, too_few({}))
    averages = mean_ranks(blocks.values, evidence.greater(cost))
    ranks = dict(sorted(zip(blocks.models, averages, strict=True), key=lambda row: row[1]))
    own = evidence.roles.proposed
    rivals = [m for m, rank in ranks.items() if m != own and rank <= ranks[own]]
    enough = n >= FEWEST_DATASETS
    why = sentence(
        None if enough else too_few(blocks.datasets),
        _order(own, ranks, rivals, n),
        _significance(own, ranks, critical_difference(len(ranks), n, LEVEL)) if enough else None,
        outside_the_paper(evidence, blocks.datasets),
        f"Left out: {'; '.join(f'{row.name} ({row.why})' for row in blocks.left_out)}."
        if blocks.left_out
        else None,
    )
    return Outcome(not rivals if enough else None, why)


def _means(
    evidence: Evidence, cost: str, models: Sequence[str], empty: float
) -> dict[str, dict[str, float | None]]:
    return {
        dataset: {
            model: summary(seeds).mean
            if len(seeds := table.get(model, {})) >= FEWEST_SEEDS
            and len(seeds) == len(evidence.scores.planned(dataset, model, cost))
            else None
            for model in models
        }
        for dataset, table in seed_table(evidence, cost, empty).items()
    }


def _order(own: str, ranks: Mapping[str, float], rivals: Sequence[str], n: int) -> str:
    place = f"Over {counted(n, 'data set')} {own} has an average rank of {ranks[own]:.2f}"
    if rivals:
        return f"{place}; ahead of it or level with it: {_ranked(ranks, rivals)}."
    others = [model for model in ranks if model != own]
    return f"{place}, followed by {_ranked(ranks, others[:3])}."


def _ranked(ranks: Mapping[str, float], models: Sequence[str]) -> str:
    return listed([f"{model} {ranks[model]:.2f}" for model in models])


def _significance(own: str, ranks: Mapping[str, float], distance: float) -> str:
    near = [m for m in ranks if m != own and abs(ranks[m] - ranks[own]) < distance]
    if not near:
        return f"All others are further away than the critical difference of {distance:.2f}."
    return (
        f"Within the critical difference of {distance:.2f}, and so not told apart from it: "
        f"{listed(near)}."
    )


def _cost_sensitive(evidence: Evidence, cost: str, empty: float) -> Claim:
    roles, models = evidence.roles, evidence.experiment("algorithms").models
    return claim(
        f"cost-sensitive-{cost}",
        f"By {evidence.title(cost)}, cost-sensitive algorithms beat cost-blind ones.",
        f"mean rank of {listed(roles.sensitive)} against that of {listed(roles.blind)} among the "
        f"seven: {OVER_DATASETS}",
        f"cost-{cost}",
        absent(roles.paper, models) or _beat(evidence, cost, empty),
    )


def _beat(evidence: Evidence, cost: str, empty: float) -> Outcome:
    roles = evidence.roles
    ahead: dict[str, float] = {}
    best_blind = 0
    for dataset in evidence.experiment("algorithms").datasets:
        if ranks := _ranks(evidence, dataset, cost, empty):
            sensitive, blind = ([ranks[m] for m in kind] for kind in (roles.sensitive, roles.blind))
            ahead[dataset] = fmean(blind) - fmean(sensitive)
            best_blind += min(blind) < min(sensitive)
    outcome = better_over_datasets(
        "They rank better", ahead, lambda gain: f"{fixed(gain, 1)} ranks"
    )
    why = sentence(
        outcome.why,
        f"A cost-blind algorithm is the best of the seven on {best_blind} of "
        f"{counted(len(ahead), 'data set')}."
        if ahead
        else None,
        *(_rule(evidence, cost, *pair, empty) for pair in roles.variants("rule").items()),
        outside_the_paper(evidence, ahead),
    )
    return Outcome(outcome.holds, why)


def _ranks(evidence: Evidence, dataset: str, cost: str, empty: float) -> dict[str, float]:
    """Ranks of the paper's models on a data set; nothing if they share too few seeds."""
    means = common_means(
        {m: evidence.scores.seeds(dataset, m, cost, empty=empty) for m in evidence.roles.paper}
    )
    return dict(zip(means, midranks(list(means.values()), evidence.greater(cost)), strict=True))


def _rule(evidence: Evidence, cost: str, without: str, rule: str, empty: float) -> str | None:
    """The purest comparison: the same probabilities with and without a rule for the cost."""
    shares = [
        dataset_gain(
            evidence.scores.seeds(dataset, rule, cost, empty=empty),
            evidence.scores.seeds(dataset, without, cost, empty=empty),
            evidence.greater(cost),
        )
        for dataset in evidence.experiment("algorithms").datasets
    ]
    known = [share for share in shares if share is not None]
    if not known:
        return None
    return (
        f"With the same probabilities the decision rule alone ({rule} against {without}) "
        f"{gains(fmean(known))}."
    )
