"""A made-up comparison with every section, from a few names and a formula."""

from itertools import permutations, product
from statistics import fmean

from stages.common.outcomes import (
    Counts,
    Friedman,
    Mean,
    Nemenyi,
    OverDatasets,
    Pair,
    SignedRank,
    TTest,
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
    Score,
    Sides,
)
from stages.common.slices import (
    Curve,
    Curves,
    DatasetCounts,
    DatasetRows,
    Matrices,
    Matrix,
    PrintedPair,
    ReweightedNet,
    ReweightedNets,
    RnnVariant,
    RnnVariants,
    WrongChoice,
    WrongChoices,
)
from tests.stages.report.made_up_images import images

COSTS = {
    "hamming": ("Hamming loss", False),
    "rank": ("Rank loss", False),
    "f1": ("F1 score", True),
    "accuracy": ("Accuracy score", True),
}
CHANGED = ("f1", "accuracy")  # by the worth of an empty prediction, on the set `chain`
PAPER_MODELS = ("RethinkNet", "PCC", "BR")
REFERENCE, TRIVIAL = "bayes", "all-zeros"


def comparison(datasets, models, seeds, failed):
    ranked = [model for model in models if model != REFERENCE]
    planned = len(_cells(datasets, models)) * seeds * len(COSTS)
    experiments = _experiments(datasets)
    return Comparison(
        order=Order(list(COSTS), list(datasets), list(models), ["algorithms", *experiments]),
        reference=[REFERENCE] if REFERENCE in models else [],
        seeds=seeds,
        cells={"planned": planned, "ok": planned - len(failed)},
        failures=[Failure(*key, "failed", reason) for key, reason in failed.items()],
        empty=Empty(1.0, 0.0, {"chain": list(CHANGED)} if "chain" in datasets else {}),
        level=0.05,
        costs={name: _cost(name, datasets, models, seeds, failed) for name in COSTS},
        experiments=experiments,
        paper=_paper(datasets, ranked),
        flaws=_flaws(),
        claims=_claims(),
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
        {m: {s: score(dataset, m, s, models, True) for s in found} for m, found in values.items()},
        seeds,
        greater,
    )
    printed = [
        PrintedScore(0.2 + rank / 100, 0.001, rank, m, (cost, m) != ("rank", "BR"))
        for rank, m in enumerate(PAPER_MODELS, start=1)
    ]
    return DatasetTable(
        decimals=3,
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
    means = {model: fmean(found.values()) for model, found in values.items() if found}
    ranked = [m for m in means if len(values[m]) == seeds and m != REFERENCE]
    order = sorted(ranked, key=means.__getitem__, reverse=greater)
    bar = means.get(TRIVIAL)
    return {
        model: Place(
            mean=means.get(model),
            ste=0.002 if model in means and seeds > 1 else None,
            n=len(found),
            planned=seeds,
            rank=order.index(model) + 1.5 if model in order else None,
            paper_rule_rank=order.index(model) + 1 if model in order else None,
            best=bool(order) and model == order[0],
            beats_trivial=(means[model] > bar) == greater
            if model in order and model != TRIVIAL and bar is not None
            else None,
        )
        for model, found in values.items()
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
    found = {}
    for one, two in permutations(ranked, 2):
        first = ranked.index(one) < ranked.index(two)
        weaker = Counts(win=0, tie=3, loss=0, too_few=1 if other else 0)
        counts = (2, 1, 0, 0) if first else (0, 1, 2, 0)
        found.setdefault(one, {})[two] = Pair(*counts, corrected=weaker, datasets={})
    return found


def over_datasets(ranked, used, left_out):
    found = OverDatasets(
        models=ranked,
        datasets=used,
        left_out=left_out,
        left_out_why=[],
        scale="relative",
        friedman=None,
        nemenyi=None,
        wilcoxon_holm=[],
        signed_rank=[],
        groups=[],
        note=None,
        why="it takes three models and two data sets",
    )
    if len(ranked) < 3 or len(used) < 2:
        return found
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    found.why = None
    found.friedman = Friedman(9.3, 0.0254, len(used), len(ranked))
    found.nemenyi = Nemenyi(2.343, [ranked[:2]])
    found.wilcoxon_holm = [
        Wilcoxon(a, b, 0.031, 0.0004 if i else 0.4, len(used), a if i else None)
        for i, (a, b) in enumerate(pairs)
    ]
    found.signed_rank = [SignedRank(ranked[0], b, 0.71, 0.09, 0.2, 0.01) for b in ranked[1:]]
    found.groups = [ranked[:2]]
    return found


def _paper(datasets, ranked):
    rows = [
        PaperRow(
            dataset="yeast",
            cost=cost,
            model=model,
            printed=PrintedRank(0.2 + place / 100, 0.001, place),
            ours=Mean(0.21, 0.002, 3) if model in ranked else None,
            z=(0.5, -4.25, 3.1)[place - 1] if model in ranked else None,
            empty=1.0,
            comparisons=Sides(1, 2, ["PCC"]),
            flaw="trivial-rank" if (cost, model) == ("rank", "BR") else None,
        )
        for cost in COSTS
        for place, model in enumerate(PAPER_MODELS, start=1)
        if "yeast" in datasets
    ]
    counts = Agreement(numbers=3, within_2=1, same_side=4, comparisons=6)
    return PaperBeside(rows, dict.fromkeys(COSTS, counts) if rows else {})


def _flaws():
    evidence = [{"dataset": "yeast", "printed": 13.23, "trivial": 13.22, "within_two": True}]
    text = "BR’s rank loss is that of a constant."
    title = "Rank losses of a constant prediction"
    return [
        Flaw("trivial-rank", title, "confirmed", text, "selected-by-max", evidence),
        Flaw("features", "Wrong feature counts", "not enough runs", text, "nowhere", []),
    ]


def _claims():
    words = ("holds", "does not hold", "not enough runs")
    anchors = ("rethinking", "cost-rank", "nowhere")
    return [
        Claim(
            id=f"claim-{n}",
            claim=f"Claim number {n} of the paper",
            verdict=word,
            why="2 of 3 data sets agree",
            test="paired t",
            anchor=anchor,
        )
        for n, (word, anchor) in enumerate(zip(words, anchors, strict=True), start=1)
    ]


def _advice(ranked):
    points = [Price(m, 1.0 + n, 40.0 / (n + 1), n < 2) for n, m in enumerate(ranked)]
    return Advice(ranked[0], "It has the best rank.", points)


def estimate(mean):
    return Mean(mean, 0.004, 3)


def _experiments(datasets):
    two = list(product(("rank", "f1"), ("LSTM", "SRN")))
    return {
        "rethinking": Curves([_curve("yeast", cost) for cost in COSTS]),
        "memory": Matrices([matrix(["Class1", "Class2", "Class3"])]),
        "reweighting": ReweightedNets([_reweighted(cost, rnn) for cost, rnn in two]),
        "rnn_variants": RnnVariants(
            [_variant(cost, rnn) for cost in ("rank", "f1") for rnn in ("SRN", "GRU")],
            {cost: {"SRN": 1.0, "GRU": 2.0} for cost in ("rank", "f1")},
        ),
        "selected_by_max": WrongChoices([_by_max("BR"), _by_max("CC")]),
        "images": images(),
        "datasets": DatasetRows([_counts(dataset) for dataset in datasets]),
    }


def _counts(dataset):
    ours = {"features": 103, "labels": 14, "instances": 2417}
    ours |= {"cardinality": 4.237, "density": 0.303}
    wrong = dataset == "yeast"
    return DatasetCounts(
        dataset=dataset,
        paper_name=dataset if wrong else None,
        ours=ours,
        printed=ours | {"features": 2417} if wrong else None,
        wrong=["features"] if wrong else [],
    )


def _curve(dataset, cost):
    title, greater = COSTS[cost]
    way = 0.02 if greater else -0.02
    return Curve(
        dataset=dataset,
        cost=cost,
        title=title,
        greater_is_better=greater,
        decimals=3,
        iterations=[1, 2, 3, 4, 5],
        train=[estimate(0.5 + way * min(step, 3)) for step in range(5)],
        test=[estimate(0.4 + way * min(step, 2)) for step in range(5)],
    )


def matrix(labels):
    size = range(len(labels))
    return Matrix(
        dataset="yeast",
        cost="hamming",
        labels=labels,
        memory=[[1.0 if i == j else 0.1 * (i - j) for j in size] for i in size],
        correlation=[[1.0 if i == j else 0.2 for j in size] for i in size],
        r=0.41,
        p=0.003,
        scaled_r=0.4,
        scaled_p=0.004,
        permutations=999,
        seeds=3,
        unscaled=[],
    )


def _reweighted(cost, rnn):
    return ReweightedNet(
        dataset="yeast",
        cost=cost,
        rnn=rnn,
        empty=0.0 if cost == "f1" else 1.0,
        plain=estimate(9.96),
        reweighted=estimate(8.91),
        gain_in_ste=4.2,
        test=TTest("win", 0.03, 3),
        corrected=TTest("tie", 0.03, 3),
        printed=PrintedPair(estimate(13.3), estimate(8.8)) if rnn == "SRN" else None,
        decimals=2,
    )


def _variant(cost, rnn):
    return RnnVariant(
        dataset="yeast",
        cost=cost,
        rnn=rnn,
        empty=1.0,
        train=estimate(0.6),
        test=estimate(0.5),
        best=rnn == "SRN",
        printed={"train": estimate(0.61), "test": estimate(0.52)},
        decimals=3,
    )


def _by_max(model):
    return WrongChoice(
        dataset="yeast",
        model=model,
        cost="rank",
        best=estimate(9.84),
        max=estimate(13.3),
        all_zeros=estimate(19.4),
        printed=estimate(13.23),
        max_z=0.4,
        best_z=-30.1,
    )
