"""What a made-up comparison holds of each experiment."""

from itertools import product
from typing import get_args

from stages.common.outcomes import Mean, Number, TTest
from stages.common.slices import (
    Added,
    Addition,
    Curve,
    Curves,
    DatasetCounts,
    DatasetRows,
    FileScore,
    Gain,
    Iterations,
    LearnerGain,
    Matrices,
    Matrix,
    OtherFiles,
    OverfittedScore,
    OverfittedScores,
    PairRow,
    PrintedPair,
    ProtocolRow,
    Protocols,
    Reliability,
    ReliabilityBin,
    ReweightedNet,
    ReweightedNets,
    RnnVariant,
    RnnVariants,
    RuleGains,
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


ADDED = get_args(Added)


def estimate(mean):
    return Mean(mean, 0.004, 3)


def experiments(datasets):
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
        "rules": _rules(),
        "once": Iterations([_pair(adds, cost) for adds in ADDED for cost in ("rank", "f1")], []),
        "overfitting": OverfittedScores([_overfitted("PCC"), _overfitted("CFT")]),
        "protocol": Protocols([_protocol("rank"), _protocol("f1")]),
        "other_files": OtherFiles({"yeast": 0.01, "chain": 0.4}, [_other_file("BR")]),
        "images": images(),
        "datasets": DatasetRows([_counts(dataset) for dataset in datasets]),
    }


def _rules():
    gain = Gain(0.10, 0.05, 0.15, 6)
    learners = [LearnerGain(m, c, gain, None) for m in ("BR", "RF") for c in ("rank", "f1")]
    bins = [ReliabilityBin(0.5, place, place**2) for place in (0.05, 0.95)]
    return RuleGains(
        learners,
        [Addition("weights", "RethinkNet", "RethinkNet-plain", cost, gain) for cost in COSTS],
        [Reliability(model, 6, bins, 0.03) for model in ("BR+rule", "RF+rule")],
    )


def _pair(adds, cost):
    test, both = TTest("win", 0.01, 3), (estimate(0.60), estimate(0.61))
    return PairRow(adds, "yeast", cost, *both, 0.01, test, 3)


def _protocol(cost):
    test, printed = TTest("tie", 0.4, 3), Number(0.6, 0.01)
    both = (estimate(0.61), estimate(0.60))
    return ProtocolRow("yeast", cost, COSTS[cost][1], *both, 0.01, test, 2.0, 60.0, printed, 3)


def _overfitted(model):
    means = (estimate(8.7), estimate(9.7), estimate(7.8), estimate(8.5))
    return OverfittedScore("yeast", model, "rank", False, *means, Number(9.8, 0.1), -9.0, -0.1, 2)


def _other_file(model):
    means = (estimate(0.6), estimate(0.7), Number(0.7, 0.01))
    return FileScore("yeast", "chain", model, "f1", True, *means, -9.0, 0.1, 3)


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
        interval=(0.1, 0.6),
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
