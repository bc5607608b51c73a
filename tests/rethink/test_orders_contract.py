"""scikit-learn's own checks of the chains that search an order or learn for a cost."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rethink.models.filter_tree import CondensedFilterTree
from rethink.models.optimal_chain import OptimalChain

ONE_OR_TWO = "the check's labels are 1 and 2, ours are 0 and 1 only"
EXPECTED_FAILURES = {
    "check_classifier_data_not_an_array": ONE_OR_TWO,
    "check_estimators_dtypes": ONE_OR_TWO,
    "check_fit2d_1feature": ONE_OR_TWO,
    "check_classifiers_classes": "the check's labels are texts in one dimension",
    "check_classifiers_train": "the check wants one-dimensional predictions",
}


@parametrize_with_checks(
    [
        OptimalChain(),
        OptimalChain(order_search="greedy"),
        CondensedFilterTree(),
        CondensedFilterTree(cost="f1", node_costs="subtree", rounds=2),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
