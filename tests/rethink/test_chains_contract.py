"""scikit-learn's own checks of the chains and of the models that predict by a rule."""

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from rethink.models.chain import ClassifierChain
from rethink.models.logistic import LogisticRelevance
from rethink.models.logistic_rule import LogisticRule
from rethink.models.mixture import ChainEnsemble, Mixture
from rethink.models.probabilistic import ProbabilisticChain
from rethink.models.probabilities import LabelByLabel
from rethink.models.rules import DecisionRule
from tests.rethink.test_sklearn_contract import expected_failures

BY_A_RULE = "the check wants the labels above one half, which suits Hamming loss alone"


ROWS_ARE_DRAWN = "bootstrap samples and folds are drawn by rows, so a weight is no repeated row"
DRAWN = {
    "check_sample_weight_equivalence_on_dense_data": ROWS_ARE_DRAWN,
    "check_sample_weight_equivalence_on_sparse_data": ROWS_ARE_DRAWN,
}
CERTAIN = {
    "check_classifiers_multilabel_output_format_predict_proba": "a forest's vote may be 0 or 1"
}


def failures_of_rules_too(estimator):
    forest = isinstance(getattr(estimator, "estimator", None), RandomForestClassifier)
    drawn = forest or getattr(estimator, "calibration", None) is not None
    return (
        expected_failures(estimator)
        | ({"check_classifier_multioutput": BY_A_RULE} if _ruled(estimator) else {})
        | (DRAWN if drawn else {})
        | (CERTAIN if forest else {})
    )


def _ruled(estimator):
    return getattr(estimator, "cost", "hamming") != "hamming"


@parametrize_with_checks(
    [
        ClassifierChain(),
        ClassifierChain(training="predicted"),
        ProbabilisticChain(),
        ProbabilisticChain(cost="f1", inference="as-published"),
        LogisticRule(),
        DecisionRule(LogisticRelevance()),
        DecisionRule(RandomForestClassifier(3), "hamming"),
        DecisionRule(LogisticRegression(), "hamming", calibration="sigmoid", folds=2),
        LabelByLabel(),
        ChainEnsemble(chains=2),
        Mixture(),
    ],
    expected_failed_checks=failures_of_rules_too,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
