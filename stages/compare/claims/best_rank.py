"""RethinkNet has the best average rank."""

from collections.abc import Sequence

from rethink.statistics import complete_blocks, critical_difference, mean_ranks
from stages.common.words import counted, listed
from stages.compare.claims.base import Outcome, claim, outside_the_paper, too_few
from stages.compare.evidence import Evidence
from stages.compare.names import (
    FEWEST_DATASETS,
    FEWEST_SEEDS,
    LEVEL,
    OF_THE_PAPER,
    PROPOSED,
    REFERENCE,
    Json,
)
from stages.compare.numbers import summary
from stages.compare.tables import seed_table
from stages.compare.words import sentence

TEST = (
    "average mid-rank over the data sets on which all have every seed: strictly the smallest; "
    f"needs {FEWEST_DATASETS} data sets with {FEWEST_SEEDS} seeds each"
)


def best_rank(evidence: Evidence, empty: float) -> list[Json]:
    """For each cost: among the paper's seven algorithms, and with our rows beside them."""
    algorithms = evidence.experiment("algorithms")
    ours = [m for m in algorithms.models if m not in (*OF_THE_PAPER, *REFERENCE)]
    among = {
        "best-rank": ("has the best average rank of the paper's seven algorithms", OF_THE_PAPER),
        "best-rank-all": (
            f"still has the best average rank with the rows the paper lacks ({listed(ours)})",
            (*OF_THE_PAPER, *ours),
        ),
    }
    return [
        claim(
            f"{name}-{cost}",
            f"By {evidence.costs[cost].title}, {PROPOSED} {said}.",
            TEST,
            f"cost-{cost}",
            _leads(evidence, cost, models, empty),
        )
        for cost in algorithms.costs
        for name, (said, models) in among.items()
        if ours or name == "best-rank"
    ]


def _leads(evidence: Evidence, cost: str, models: Sequence[str], empty: float) -> Outcome:
    absent = [m for m in models if m not in evidence.experiment("algorithms").models]
    if absent:
        return Outcome(
            None, f"{listed(absent)} {'is' if len(absent) == 1 else 'are'} not in the run."
        )
    blocks = complete_blocks(_means(evidence, cost, models, empty))
    n = len(blocks.datasets)
    if not n or len(blocks.models) < len(models):
        return Outcome(None, too_few({}))
    averages = mean_ranks(blocks.values, evidence.greater(cost))
    ranks = dict(sorted(zip(blocks.models, averages, strict=True), key=lambda row: row[1]))
    rivals = [m for m, rank in ranks.items() if m != PROPOSED and rank <= ranks[PROPOSED]]
    enough = n >= FEWEST_DATASETS
    why = sentence(
        None if enough else too_few(dict.fromkeys(blocks.datasets)),
        _order(ranks, rivals, n),
        _significance(ranks, critical_difference(len(ranks), n, LEVEL)) if enough else None,
        outside_the_paper(evidence, blocks.datasets),
        f"Left out: {'; '.join(f'{row.name} ({row.why})' for row in blocks.left_out)}."
        if blocks.left_out
        else None,
    )
    return Outcome(not rivals if enough else None, why)


def _means(evidence: Evidence, cost: str, models: Sequence[str], empty: float) -> dict[str, Json]:
    return {
        dataset: {
            model: summary(seeds)["mean"]
            if len(seeds := table.get(model, {})) >= FEWEST_SEEDS
            and len(seeds) == len(evidence.scores.planned(dataset, model, cost))
            else None
            for model in models
        }
        for dataset, table in seed_table(evidence, cost, empty).items()
    }


def _order(ranks: dict[str, float], rivals: list[str], n: int) -> str:
    said = f"Over {counted(n, 'data set')} {PROPOSED} has an average rank of {ranks[PROPOSED]:.2f}"
    if rivals:
        return f"{said}; ahead of it or level with it: {_ranked(ranks, rivals)}."
    others = [model for model in ranks if model != PROPOSED]
    return f"{said}, followed by {_ranked(ranks, others[:3])}."


def _ranked(ranks: dict[str, float], models: Sequence[str]) -> str:
    return listed([f"{model} {ranks[model]:.2f}" for model in models])


def _significance(ranks: dict[str, float], distance: float) -> str:
    near = [m for m in ranks if m != PROPOSED and abs(ranks[m] - ranks[PROPOSED]) < distance]
    if not near:
        return f"All others are further away than the critical difference of {distance:.2f}."
    return (
        f"Within the critical difference of {distance:.2f}, and so not told apart from it: "
        f"{listed(near)}."
    )
