"""The main table's claims: who leads, who wins by t-tests, and whether knowing the cost pays."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from rethink.statistics import complete_blocks, corrected_t, mean_ranks, paired_t
from stages.common.words import listed
from stages.compare.cases import (
    Column,
    absent,
    distinct,
    gain_case,
    of_the_paper,
    rank_case,
    samples,
)
from stages.compare.claims import (
    BY_CHANCE,
    BY_INTERVAL,
    DEFAULT,
    PAPER_COSTS,
    Case,
    Setting,
    Statement,
)
from stages.compare.evidence import Evidence
from stages.compare.numbers import FEWEST_SEEDS, LEVEL

THEME, OURS = "Against other algorithms", "With rows that the paper lacks"
SENSITIVE = ("rank", "f1", "accuracy")  # by Hamming loss, every algorithm is cost-sensitive
SUPERIOR = (
    "In terms of average ranking and t-test results, RethinkNet yields a superior performance."
)
TAKE_THE_LEAD = (
    "For Rank loss, F1 score and Accuracy score, CSMLC algorithms (RethinkNet, PCC, CFT) begin to "
    "take the lead. Even the parameters of cost-insensitive algorithms are tuned on the target "
    "evaluation criteria, they are not able to compete with cost-sensitive algorithms."
)
DEEP = (
    "When comparing with deep structures (RethinkNet, CC-RNN, BR), only BR is competitive under "
    "Hamming loss with RethinkNet. On all other settings, RethinkNet is able to outperform the "
    "other two competitors."
)
# the paper's name, our estimator, and the costs: only BR is said to be level, and only by Hamming
DEEP_RIVALS = {"CC-RNN": ("ChainRNN", PAPER_COSTS), "BR": ("BinaryRelevance", SENSITIVE)}
DIFFERS = (
    "Scaling is fitted on the training rows of each split; epochs of networks are chosen on "
    "held-out rows instead of up to 1,000 until the loss converges; parameters are chosen with the "
    "right sign, also for losses; PCC uses exact rules."
)


def claims(evidence: Evidence, part: None) -> Iterator[Statement]:
    """The best rank and the t-tests by each cost, the worth of knowing it, and the deep rivals."""
    for cost in PAPER_COSTS:
        yield _best_rank(evidence, cost)
    for cost in PAPER_COSTS:
        yield _t_tests(evidence, cost)
    for cost in SENSITIVE:
        yield _cost_sensitive(evidence, cost)
    for name, (estimator, costs) in DEEP_RIVALS.items():
        model = evidence.roles.of_estimator(estimator, name)
        for cost in costs:
            yield _outperforms(evidence, name, model, cost)
    for cost in PAPER_COSTS:
        yield _best_with_our_rows(evidence, cost)


def _datasets(evidence: Evidence, setting: Setting) -> list[str]:
    return of_the_paper(evidence, evidence.experiment("algorithms").datasets, setting)


def _our_rows(evidence: Evidence) -> list[str]:
    """Rows the paper lacks; neither wrong on purpose nor knowing the joint distribution."""
    models = evidence.experiment("algorithms").models
    return [m for m in models if m in evidence.roles.of("ours", "trivial")]


def _best_rank(evidence: Evidence, cost: str) -> Statement:
    return Statement(
        id=f"best-rank-{cost}",
        theme=THEME,
        claim=f"{evidence.roles.proposed} has the best average rank of the paper's seven by "
        f"{evidence.within(cost)}.",
        quote=SUPERIOR,
        place="Section 4.3, Table 6",
        rule="average rank of the best rival less its own, over the paper's data sets; "
        f"{BY_CHANCE}",
        anchor=f"cost-{cost}",
        unit="ranks",
        effect="lead",
        differs=DIFFERS,
        case=partial(_leads, evidence, cost),
        note=partial(_order, evidence, cost),
    )


def _best_with_our_rows(evidence: Evidence, cost: str) -> Statement:
    ours = _our_rows(evidence)
    return Statement(
        id=f"best-rank-all-{cost}",
        theme=OURS,
        claim=f"{evidence.roles.proposed} has the best average rank of all by "
        f"{evidence.within(cost)}.",
        rule=f"as for the paper's seven, with {listed(ours)} ranked among them; {BY_CHANCE}",
        anchor=f"cost-{cost}",
        unit="ranks",
        effect="lead",
        case=lambda setting: (
            _leads(evidence, cost, setting, ours)
            if ours
            else "No row that the paper lacks is in the run."
        ),
    )


def _leads(evidence: Evidence, cost: str, setting: Setting, ours: Sequence[str] = ()) -> Case | str:
    """The margin to the nearest rival: above zero where the proposed model leads."""
    rows = ours or (_our_rows(evidence) if setting.our_rows else ())
    models = [*evidence.roles.paper, *rows]
    if why := absent(models, evidence.experiment("algorithms").models):
        return why
    rivals = distinct(evidence, cost, models)
    if len(rivals) == 1:
        return "All models have the same scores."
    return rank_case(
        evidence,
        cost,
        rivals,
        _datasets(evidence, setting),
        setting,
        contrast=lambda ranks: ranks[..., 1:] - ranks[..., :1],
        whole=lambda averages: averages.min(axis=-1),
        by_chance=True,
    )


def _order(evidence: Evidence, cost: str) -> str | None:
    """The average ranks behind the claim."""
    models = evidence.roles.paper
    columns = [Column(model, cost) for model in models]
    table, _ = samples(evidence, columns, _datasets(evidence, DEFAULT), DEFAULT)
    means = {d: dict(zip(models, t.mean(axis=0).tolist(), strict=True)) for d, t in table.items()}
    blocks = complete_blocks(means)
    if not blocks.datasets:
        return None
    ranks = zip(mean_ranks(blocks.values, evidence.greater(cost)), blocks.models, strict=True)
    return f"Average ranks: {listed(f'{model} {rank:.2f}' for rank, model in sorted(ranks))}."


def _t_tests(evidence: Evidence, cost: str) -> Statement:
    return Statement(
        id=f"t-tests-{cost}",
        theme=THEME,
        claim=f"{evidence.roles.proposed} wins more t-tests against the six than it loses by "
        f"{evidence.within(cost)}.",
        quote=SUPERIOR,
        place="Section 4.3, Table 4",
        rule="wins less losses by the paper's paired t-test at 5 %, as a share of all comparisons "
        f"with the six; {BY_INTERVAL}",
        anchor=f"tests-{cost}",
        unit="points",
        effect="wins less losses",
        differs=DIFFERS,
        case=partial(_wins, evidence, cost),
    )


def _wins(evidence: Evidence, cost: str, setting: Setting) -> Case | str:
    models = evidence.roles.paper
    if why := absent(models, evidence.experiment("algorithms").models):
        return why
    columns = [Column(model, cost) for model in models]
    tested = replace(setting, fewest=FEWEST_SEEDS)  # fewer splits make no test, and no tie
    scores, left_out = samples(evidence, columns, _datasets(evidence, setting), tested)
    words = {"win": 1.0, "loss": -1.0}
    greater, test = evidence.greater(cost), corrected_t if setting.corrected else paired_t
    nets = {
        dataset: np.array(
            [
                [
                    words.get(test(own, rival, greater, level=LEVEL).result, 0.0)
                    for own, *rivals in [table.T.tolist()]
                    for rival in rivals
                ]
            ]
        )
        for dataset, table in scores.items()
    }
    return Case(
        nets,
        lambda means: means.mean(axis=-1, keepdims=True),
        left_out=left_out,
        splits={dataset: len(table) for dataset, table in scores.items()},
    )


def _cost_sensitive(evidence: Evidence, cost: str) -> Statement:
    roles = evidence.roles
    return Statement(
        id=f"cost-sensitive-{cost}",
        theme=THEME,
        claim=f"Cost-sensitive algorithms rank before cost-blind ones by {evidence.within(cost)}.",
        quote=TAKE_THE_LEAD,
        place="Section 4.3, Table 6",
        rule=f"mean rank of {listed(roles.blind)} less that of {listed(roles.sensitive)} among the "
        f"seven; {BY_INTERVAL}",
        anchor=f"cost-{cost}",
        unit="ranks",
        effect="lead",
        differs=DIFFERS,
        case=partial(_sensitive, evidence, cost),
    )


def _sensitive(evidence: Evidence, cost: str, setting: Setting) -> Case | str:
    roles = evidence.roles
    models = [*roles.sensitive, *roles.blind]
    first = len(roles.sensitive)
    return absent(models, evidence.experiment("algorithms").models) or rank_case(
        evidence,
        cost,
        models,
        _datasets(evidence, setting),
        setting,
        contrast=lambda ranks: (
            ranks[..., first:].mean(axis=-1) - ranks[..., :first].mean(axis=-1)
        )[..., None],
        whole=lambda averages: averages[..., 0],
        most=len(models) / 2,  # all of one kind before all of the other
    )


def _outperforms(evidence: Evidence, name: str, model: str, cost: str) -> Statement:
    own = evidence.roles.proposed
    return Statement(
        id=f"against-{name.lower()}-{cost}",
        theme=THEME,
        claim=f"{own} outperforms {model} by {evidence.within(cost)}.",
        quote=DEEP,
        place="Section 4.3, Table 6",
        rule=f"gain of {own} over {model} as a share of the larger score, averaged over the "
        f"paper's data sets; {BY_INTERVAL}",
        anchor=f"cost-{cost}",
        differs=DIFFERS,
        case=lambda setting: (
            absent([own, model], evidence.experiment("algorithms").models)
            or gain_case(
                evidence,
                [(Column(own, cost), Column(model, cost))],
                _datasets(evidence, setting),
                setting,
            )
        ),
    )
