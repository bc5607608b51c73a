"""A made-up comparison with every section, from a few names and a formula."""

from itertools import permutations, product
from statistics import fmean

from stages.common.outcomes import (
    Counts,
    Estimate,
    Friedman,
    Mean,
    Nemenyi,
    OverDatasets,
    Pair,
    PairEffect,
    SignedRank,
    Standing,
    Wilcoxon,
)
from stages.common.schema import (
    Advice,
    Agreement,
    AverageRanks,
    Claim,
    Comparison,
    CostTable,
    DatasetTable,
    Empty,
    Failure,
    Flaw,
    Order,
    Overall,
    PaperBeside,
    PaperRow,
    Place,
    Price,
    PrintedRank,
    PrintedScore,
    Question,
    Score,
    Sensitivity,
    Sides,
)
from tests.stages.report.made_up_experiments import COSTS, experiments

CHANGED = ("f1", "accuracy")  # by the worth of an empty prediction, on the set `chain`
PAPER_MODELS = ("RethinkNet", "PCC", "BR")
REFERENCE, TRIVIAL = "bayes", "all-zeros"


def comparison(datasets, models, seeds, failed):
    ranked = [model for model in models if model != REFERENCE]
    planned = len(_cells(datasets, models)) * seeds * len(COSTS)
    parts = experiments(datasets)
    return Comparison(
        order=Order(list(COSTS), list(datasets), list(models), ["algorithms", *parts]),
        proposed="RethinkNet",
        reference=[REFERENCE] if REFERENCE in models else [],
        seeds=seeds,
        cells={"planned": planned, "ok": planned - len(failed)},
        failures=[Failure(*key, "failed", reason) for key, reason in failed.items()],
        empty=Empty(1.0, 0.0, {"chain": list(CHANGED)} if "chain" in datasets else {}),
        level=0.05,
        costs={name: _cost(name, datasets, models, seeds, failed) for name in COSTS},
        experiments=parts,
        paper=_paper(datasets, ranked),
        flaws=_flaws(),
        claims=_claims(),
        questions=[
            Question("training-adds", "Does training add anything?", "No: 0 %.", ["claim-4"])
        ],
        advice={cost: _advice(ranked) for cost in COSTS},
    )


def _cells(datasets, models):
    return [(d, m) for d, m in product(datasets, models) if (d, m) != ("yeast", REFERENCE)]


def score(dataset, model, seed, models, other=False):
    """The score of a cell: the later in the list of models, the larger."""
    drop = 0.05 if other and dataset == "chain" else 0.0
    return 0.1 + 0.07 * models.index(model) + 0.003 * ((seed + len(model)) % 5) - drop


def _cost(cost, datasets, models, seeds, failed):
    title, greater = COSTS[cost]
    tables = {d: _table(cost, d, datasets, models, seeds, failed) for d in datasets}
    now, other = (_overall(tables, models, other) for other in (False, True))
    changes = cost in CHANGED and "chain" in datasets
    return CostTable(
        **vars(now),
        title=title,
        greater_is_better=greater,
        datasets=tables,
        other_empty=other if changes else None,
    )


def _table(cost, dataset, datasets, models, seeds, failed):
    greater = COSTS[cost][1]
    here = [m for d, m in _cells(datasets, models) if d == dataset]
    values = {
        model: {
            seed: score(dataset, model, seed, models)
            for seed in range(seeds)
            if (dataset, model, cost, seed) not in failed
        }
        for model in here
    }
    places = _places(values, seeds, greater)
    others = _places(
        {m: {s: score(dataset, m, s, models, True) for s in seeds} for m, seeds in values.items()},
        seeds,
        greater,
    )
    printed = [
        PrintedScore(0.2 + rank / 100, 0.001, rank, m, (cost, m) != ("rank", "BR"))
        for rank, m in enumerate(PAPER_MODELS, start=1)
    ]
    return DatasetTable(
        decimals=3,
        paper_decimals=3,
        splits=seeds,
        gains={
            m: 0.1 * (here.index(m) - here.index("RethinkNet"))
            for m in here
            if m != REFERENCE and "RethinkNet" in here
        },
        paper_name=dataset if dataset == "yeast" else None,
        paper=printed if dataset == "yeast" else [],
        models={
            model: Score(
                **vars(places[model]),
                seeds={str(seed): values[model].get(seed) for seed in range(seeds)},
                statuses={},
                reasons=sorted(
                    {why for key, why in failed.items() if key[:3] == (dataset, model, cost)}
                ),
                other_empty=others[model] if dataset == "chain" and cost in CHANGED else None,
                printed=None,
            )
            for model in here
        },
    )


def _places(values, seeds, greater):
    means = {model: fmean(by_seed.values()) for model, by_seed in values.items() if by_seed}
    ranked = [m for m in means if len(values[m]) == seeds and m != REFERENCE]
    order = sorted(ranked, key=means.__getitem__, reverse=greater)
    bar = means.get(TRIVIAL)
    return {
        model: Place(
            mean=means.get(model),
            ste=0.002 if model in means and seeds > 1 else None,
            n=len(by_seed),
            planned=seeds,
            common_mean=means.get(model) if model in order else None,
            common_ste=0.002 if model in order and seeds > 1 else None,
            rank=order.index(model) + 1.5 if model in order else None,
            paper_rule_rank=order.index(model) + 1 if model in order else None,
            best=bool(order) and model == order[0],
            beats_trivial=(means[model] > bar) == greater
            if model in order and model != TRIVIAL and bar is not None
            else None,
        )
        for model, by_seed in values.items()
    }


def _overall(tables, models, other):
    ranked = [model for model in models if model != REFERENCE]
    used = [
        d for d, table in tables.items() if all(table.models[m].rank is not None for m in ranked)
    ]
    averages = {m: fmean(tables[d].models[m].rank for d in used) if used else None for m in ranked}
    left_out = [d for d in tables if d not in used]
    return Overall(
        average_ranks=AverageRanks(averages, used, left_out),
        over_datasets=over_datasets(ranked, used, left_out),
        tests=_tests(ranked, other),
    )


def _tests(ranked, other):
    pairs = {}
    for one, two in permutations(ranked, 2):
        first = ranked.index(one) < ranked.index(two)
        weaker = Counts(win=0, tie=3, loss=0, too_few=1 if other else 0)
        counts = (2, 1, 0, 0) if first else (0, 1, 2, 0)
        pairs.setdefault(one, {})[two] = Pair(*counts, corrected=weaker, datasets={})
    return pairs


def over_datasets(ranked, used, left_out):
    overview = OverDatasets(
        models=ranked,
        datasets=used,
        left_out=left_out,
        left_out_why=[],
        scale="relative",
        friedman=None,
        nemenyi=None,
        standings={},
        pairs=[],
        control=[],
        wilcoxon_holm=[],
        signed_rank=[],
        groups=[],
        note=None,
        why="it takes three models and two data sets",
    )
    if len(ranked) < 3 or len(used) < 2:
        return overview
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    overview.why = None
    overview.friedman = Friedman(9.3, 0.0254, len(used), len(ranked))
    overview.nemenyi = Nemenyi(2.343, [ranked[:2]])
    overview.wilcoxon_holm = [
        Wilcoxon(a, b, 0.031, 0.0004 if i else 0.4, len(used), a if i else None)
        for i, (a, b) in enumerate(pairs)
    ]
    own = "RethinkNet" if "RethinkNet" in ranked else ranked[0]
    overview.signed_rank = [SignedRank(own, b, 0.71, 0.09, 0.2, 0.01) for b in ranked if b != own]
    overview.control = [
        Wilcoxon(own, b, 0.031, 0.0004 if i else 0.4, len(used), own if i else None)
        for i, b in enumerate(m for m in ranked if m != own)
    ]
    overview.pairs = [PairEffect(a, b, 0.12, 2, 0, 0, 0.5) for a, b in pairs]
    overview.standings = {
        m: Standing(n + 1.0, n + 0.6, n + 1.4, n / 10, 1 - n / 10) for n, m in enumerate(ranked)
    }
    overview.groups = [ranked[:2]]
    return overview


def _paper(datasets, ranked):
    rows = [
        PaperRow(
            table="algorithms",
            dataset="yeast",
            cost=cost,
            model=model,
            printed=PrintedRank(0.2 + place / 100, 0.001, place),
            ours=Mean(0.21, 0.002, 3) if model in ranked else None,
            z=(0.5, -4.25, 3.1)[place - 1] if model in ranked else None,
            empty=1.0,
            decimals=3,
            comparisons=Sides(1, 2, ["PCC"]),
            status=_status(cost, model, place, ranked),
            flaw="trivial-rank" if (cost, model) == ("rank", "BR") else None,
            authors=Mean(0.22, None, 1) if model == "RethinkNet" else None,
        )
        for cost in COSTS
        for place, model in enumerate(PAPER_MODELS, start=1)
        if "yeast" in datasets
    ]
    summary = [Agreement("algorithms", cost, 3, 1, 0, 1, 1, 1, 2, 3) for cost in COSTS]
    return PaperBeside(rows, summary if rows else [])


def _status(cost, model, place, ranked):
    if model not in ranked:
        return "not run"
    return "agrees" if place == 1 else "explained" if (cost, model) == ("rank", "BR") else "differs"


def _flaws():
    evidence = [{"dataset": "yeast", "printed": 13.23, "trivial": 13.22, "within_two": True}]
    text = "BR’s rank loss is that of a constant."
    title = "Rank losses of a constant prediction"
    return [
        Flaw("trivial-rank", title, "confirmed", text, "selected-by-max", evidence),
        Flaw("features", "Wrong feature counts", "not tested", text, "nowhere", []),
    ]


def claim(number, outcome, **more):
    """A claim of the paper; without a quote it is ours."""
    values = {
        "id": f"claim-{number}",
        "theme": "Rethinking",
        "claim": f"Claim number {number}",
        "quote": "We can see that it improves.",
        "place": "Section 4.1",
        "outcome": outcome,
        "why": "2 of 3 data sets agree.",
        "rule": "the interval decides",
        "unit": "%",
        "effect": "gain",
        "estimate": None if outcome == "not tested" else Estimate(0.012, -0.003, 0.027, 0.93),
        "detectable": None if outcome == "not tested" else 0.02,
        "effects": {} if outcome == "not tested" else {"yeast": 0.012},
        "splits": {} if outcome == "not tested" else {"yeast": 3},
        "differs": "We stop earlier.",
        "sensitivity": [],
        "anchor": "nowhere",
    }
    return Claim(**values | more)


def _claims():
    ways = [
        Sensitivity("0/0 counts 0", "contradicted", Estimate(-0.1, -0.2, -0.01, 0.01)),
        Sensitivity("without yeast", "supported", Estimate(0.1, 0.05, 0.2, 0.99)),
    ]
    return [
        claim(4, "inconclusive", quote="", theme="The two questions", anchor="rethinking"),
        claim(1, "supported", anchor="rethinking", sensitivity=ways),
        claim(2, "contradicted", anchor="tests-rank"),
        claim(3, "not tested"),
    ]


def _advice(ranked):
    points = [Price(m, 1.0 + n, 40.0 / (n + 1), n < 2) for n, m in enumerate(ranked)]
    return Advice(ranked[0], "It has the best rank.", points)
