"""What a reader needs to judge the page: method, costs, names of models, limits, citation."""

from collections.abc import Iterator
from typing import Any

from stages.common.params import Model, Variant
from stages.common.schema import Comparison
from stages.common.words import listed, splits_text
from stages.report import coverage
from stages.report.page_inputs import Inputs

COSTS = {  # name -> definition and unit
    "hamming": ("share of labels predicted wrongly", "0 to 1, lower is better"),
    "rank": (
        "pairs of a true and a false label that the prediction puts in the wrong order; a pair it "
        "leaves level counts one half",
        "pairs a row, from 0 to true times false labels; lower is better",
    ),
    "f1": (
        "twice the labels both true and predicted, over all true plus all predicted ones, mean "
        "over rows",
        "0 to 1, higher is better",
    ),
    "accuracy": (
        "labels both true and predicted over labels true or predicted (Jaccard), mean over rows",
        "0 to 1, higher is better",
    ),
}
ESTIMATORS = {  # of rethink.models -> what it is, in a line
    "AllZeros": "predicts no label, whatever the features",
    "TopK": "predicts the most frequent labels, as many as a row has on average",
    "LogisticRelevance": "binary relevance: one logistic regression for each label",
    "LogisticRule": "logistic regressions with the rule that suits the cost",
    "ChainEnsemble": "classifier chains in random orders, their probabilities averaged",
    "BinaryRelevance": "binary relevance as in the paper: one network with a hidden layer",
    "ClassifierChain": "a classifier chain: logistic regressions, each of which sees the labels "
    "before it",
    "OptimalChain": "a chain of linear SVMs in an order that dynamic programming finds",
    "ChainRNN": "a recurrent net that decides on one label after the other",
    "ProbabilisticChain": "a probabilistic classifier chain: its joint distribution is searched "
    "for the best prediction by the cost",
    "CondensedFilterTree": "a condensed filter tree: a chain trained with weights that follow from "
    "the cost",
    "RethinkNet": "the paper's recurrent net: it predicts all labels several times, each time with "
    "its last prediction as an input, and is trained with the weights of the cost",
    "BayesOptimal": "knows the true distribution: no model can beat it",
    "DenseRelevance": "a layer of sigmoids on the features of images",
    "CNNRNN": "a recurrent net that names one label of an image after the other",
    "AttentionRNN": "the same, and it looks at a part of the image at each step",
    "Mixture": "the average of extremely randomised trees, logistic regressions and small nets",
    "Boomer": "gradient boosted rules of the library mlrl-boomer",
    "RandomForestClassifier": "a random forest",
    "ExtraTreesClassifier": "extremely randomised trees, a kind of random forest",
    "HistGradientBoostingClassifier": "gradient boosting with histograms",
}
VARIANTS: dict[Variant, str] = {
    "rule": "with the rule that suits the cost",
    "plain": "trained without weights",
    "once": "with one iteration, weighted",
    "weighted": "with weights at every iteration, the first one, too",
    "protocol": "trained in the way that the paper describes",
    "calibration": "with probabilities that are mapped to frequencies first",
    "published": "with the rule of the paper's code, to compare with its tables",
    "max": "selected by the largest loss, which repeats a slip on purpose",
    "overfitted": "left to learn the training rows by heart, on purpose",
}


RULES: dict[object, str] = {
    None: VARIANTS["rule"],
    "hamming": "the labels above one half, whatever the cost",
}


def method(inputs: Inputs) -> dict[str, Any]:
    """How the run was made and judged, the costs with their units, and the names of models."""
    comparison = inputs.comparison
    return {
        "splits": splits_text(comparison.splits) if comparison.splits else "random splits",
        "costs": [
            (comparison.title(cost), *COSTS.get(cost, ("a cost of your own", "")))
            for cost in comparison.order.costs
        ],
        "models": list(glossary(inputs)),
    }


def glossary(inputs: Inputs) -> Iterator[tuple[str, str]]:
    """A line for each model of the run, and for each model that such a line names."""
    models = inputs.params.models
    shown = {run["model"] for run in inputs.runs}
    known = shown | {models[name].variant_of for name in shown & models.keys()}
    for name, model in models.items():
        if name in known:
            yield name, describe(model)


def describe(model: Model) -> str:
    """What a model is, from its entry in params.yaml."""
    learner = str(model.params.get("estimator", ""))
    if model.variant == "rule" and "." in learner:  # of scikit-learn: say which
        return f"{_of_estimator(learner.rsplit('.', 1)[-1])}, {VARIANTS['rule']}"
    if model.variant == "rule" and model.params.get("estimator__reweight", "") is None:
        return f"{learner} {VARIANTS['plain']}, {VARIANTS['rule']}"
    if model.variant_of and model.variant:
        return f"{model.variant_of} {VARIANTS[model.variant]}"
    if model.role == "variant":
        return f"{model.estimator} with " + listed(map(_setting, model.params.items()))
    if model.estimator != "DecisionRule":
        return _of_estimator(model.estimator)
    rule = model.params.get("rule")
    end = RULES.get(rule, f"with the rule for {rule}, whatever the cost")
    return f"{_of_estimator(learner.rsplit('.', 1)[-1])}, {end}"


def _of_estimator(name: str) -> str:
    return ESTIMATORS.get(name, f"the estimator {name}")


def _setting(item: tuple[str, object]) -> str:
    """A parameter in words: rnn = SRN, features = none, parameters = 200,000."""
    key, value = item
    if key == "rnn":
        return f"{str(value).upper()} as its recurrent net"
    return (
        f"{key} = {'none' if value is None else f'{value:,}' if isinstance(value, int) else value}"
    )


def limits(inputs: Inputs) -> dict[str, Any]:
    """What was left out and what differs, from this run."""
    comparison = inputs.comparison
    untested = [claim for claim in comparison.claims if claim.outcome == "not tested"]
    return {
        "untested": [(claim.claim, claim.why) for claim in untested if claim.of_the_paper],
        "missing": missing(comparison),
        "lacking": coverage.missing(inputs),
        "planned": len(inputs.planned),
        "splits": coverage.split_table(inputs) if inputs.runs else None,
        "failed": len(comparison.failures),
        "differs": list(
            dict.fromkeys((c.theme, c.differs) for c in comparison.claims if c.differs)
        ),
    }


def missing(comparison: Comparison) -> list[str]:
    """The data sets of the paper's main table of which nothing was run."""
    rows = [row for row in comparison.paper.rows if row.table == "algorithms"]
    datasets = {row.dataset for row in rows if row.status != "not run"}
    return [name for name in dict.fromkeys(row.dataset for row in rows) if name not in datasets]
