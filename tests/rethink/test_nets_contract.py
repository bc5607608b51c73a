"""scikit-learn's own checks of the neural estimators."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rethink.models.chain_rnn import ChainRNN
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from tests.rethink.test_sklearn_contract import expected_failures

SMALL = {"hidden": 8, "epochs": 3}


@parametrize_with_checks(
    [RethinkNet(**SMALL, features=8), ChainRNN(**SMALL, features=8), BinaryRelevance(**SMALL)],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
