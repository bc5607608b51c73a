"""scikit-learn's own checks of the chains and of the models that predict by a rule."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rethink.models.chain import ClassifierChain
from rethink.models.logistic import LogisticRelevance
from rethink.models.probabilistic import ProbabilisticChain
from rethink.models.rules import DecisionRule, LogisticRule
from tests.rethink.test_sklearn_contract import expected_failures

BY_A_RULE = "the check wants the labels above one half, which suits Hamming loss alone"


def failures_of_rules_too(estimator):
    ruled = getattr(estimator, "cost", "hamming") != "hamming"
    return expected_failures(estimator) | (
        {"check_classifier_multioutput": BY_A_RULE} if ruled else {}
    )


@parametrize_with_checks(
    [
        ClassifierChain(),
        ClassifierChain(training="predicted"),
        ProbabilisticChain(),
        ProbabilisticChain(cost="f1", inference="as-published"),
        LogisticRule(),
        DecisionRule(LogisticRelevance()),
    ],
    expected_failed_checks=failures_of_rules_too,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
