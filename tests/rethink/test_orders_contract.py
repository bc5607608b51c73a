"""scikit-learn's own checks of the chains that search an order or learn for a cost."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rethink.models.filter_tree import CondensedFilterTree
from rethink.models.optimal_chain import OptimalChain
from tests.rethink.test_sklearn_contract import EXPECTED_FAILURES


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
